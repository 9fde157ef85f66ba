"""Little is written at once; much is joined."""

from hearth.servers.http.streams.pace import EACH, INTERVAL, Pace

MANY = 10_000


def test_after_a_pause_a_few_go_at_once_and_then_one_per_interval() -> None:
    pace, now = Pace(0.05, burst=3), 100.0
    for _ in range(3):
        assert pace.delay(now) == 0
        pace.wrote(now, MANY)
    assert round(pace.delay(now), 6) == 0.05
    now += 0.05
    assert round(pace.delay(now), 6) == 0
    pace.wrote(now, MANY)
    assert round(pace.delay(now), 6) == 0.05


def test_a_long_pause_gives_no_more_than_the_burst() -> None:
    pace = Pace(0.05, burst=2)
    pace.wrote(0.0, MANY)
    now = 1000.0
    assert pace.delay(now) == 0
    pace.wrote(now, MANY)
    pace.wrote(now, MANY)
    assert pace.delay(now) > 0


def test_what_costs_little_does_not_wait() -> None:
    pace, now = Pace(), 0.0
    for _ in range(1000):
        assert pace.delay(now) == 0
        pace.wrote(now, 1)
        now += 2 * EACH


def test_a_hundred_are_written_to_often_enough_for_what_a_model_writes() -> None:
    pace, now, written = Pace(), 0.0, 0
    while now < 1.0:  # 200 tokens, each as it comes, or with those before it
        if pace.delay(now) == 0:
            pace.wrote(now, 100)
            written += 1
        now += 0.005
    assert 100 * EACH < INTERVAL / 3, "well within 50 ms, with time to get there"
    assert written < 100, "joined, or it would take more than half a core"
