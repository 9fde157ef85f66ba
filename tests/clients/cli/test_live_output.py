"""What tools write is shown line by line, whoever else writes at the same time."""

from hearth.clients.cli.live_output import LONGEST, LiveOutput


def test_lines_stand_under_the_head_of_their_call_and_the_last_one_may_be_open() -> None:
    told: list[str] = []
    live = LiveOutput(told.append)
    live.heard("k1", "▸ make", "one\ntw")
    assert told == ["▸ make", "  │ one"]
    live.heard("k1", "▸ make", "o\nthree")
    assert live.ended("k1", "▸ make")
    assert told[2:] == ["  │ two", "  │ three"]
    assert not live.ended("k1", "▸ make")


def test_two_calls_that_write_at_once_are_told_apart() -> None:
    told: list[str] = []
    live = LiveOutput(told.append)
    live.heard("k1", "▸ one", "a\n")
    live.heard("k2", "▸ two", "b\n")
    live.heard("k1", "▸ one", "c\n")
    assert told == ["▸ one", "  │ a", "▸ two", "  │ b", "▸ one", "  │ c"]
    assert not live.ended("k2", "▸ two")  # something else stands below its head
    live.interrupted()
    live.heard("k1", "▸ one", "d\n")
    assert told[-2:] == ["▸ one", "  │ d"]


def test_so_many_lines_are_shown_and_the_rest_is_counted() -> None:
    told: list[str] = []
    live = LiveOutput(told.append, 2)
    live.heard("k1", "▸ one", "1\n2\n3\n4\n")
    live.ended("k1", "▸ one")
    assert told == ["▸ one", "  │ 1", "  │ 2", "  │ … 2 more lines"]
    told.clear()
    live = LiveOutput(told.append, 0)
    live.heard("k1", "▸ one", "\n" * 300)
    assert len(told) == 301


def test_a_line_shows_what_was_left_of_it_and_no_more_than_fits() -> None:
    told: list[str] = []
    live = LiveOutput(told.append)
    live.heard("k1", "▸ one", "10 %\r20 %\r\n" + "x" * 900 + "\n\r\n")
    assert told[1] == "  │ 20 %"
    assert told[2] == f"  │ {'x' * LONGEST}…"
    assert told[3] == "  │ "
