"""Little is written at once; much is joined."""

from hearth.servers.http.streams.pace import Pace


def test_after_a_pause_a_few_go_at_once_and_then_one_per_interval() -> None:
    pace, now = Pace(0.05, burst=3), 100.0
    for _ in range(3):
        assert pace.delay(now) == 0
        pace.wrote(now)
    assert round(pace.delay(now), 6) == 0.05
    now += 0.05
    assert round(pace.delay(now), 6) == 0
    pace.wrote(now)
    assert round(pace.delay(now), 6) == 0.05


def test_a_long_pause_gives_no_more_than_the_burst() -> None:
    pace = Pace(0.05, burst=2)
    pace.wrote(0.0)
    now = 1000.0
    assert pace.delay(now) == 0
    pace.wrote(now)
    pace.wrote(now)
    assert pace.delay(now) > 0
