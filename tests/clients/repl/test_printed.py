"""Output becomes lines, within bounds."""

from hearth.clients.repl import printed
from hearth.clients.repl.printed import Bounds, Printed


def fresh(lines: int = 5, characters: int = 1000) -> Printed:
    return Printed(Bounds(lines, characters), colour=False)


def test_lines_are_shown_when_they_are_finished() -> None:
    some = fresh()
    assert some.is_untouched()
    assert some.add("stdout", "a") == []
    assert some.live == "a"
    assert some.add("stdout", "b\nc\nd") == ["ab", "c"]
    assert some.live == "d"
    assert some.finish() == ["d"]
    assert some.finish() == []
    assert not some.is_untouched()


def test_too_many_lines_are_counted_and_the_newest_is_live() -> None:
    some = fresh(lines=2)
    assert some.add("stdout", "1\n2\n3\n4\n") == ["1", "2"]
    assert some.hidden == 2
    assert some.live == "4"
    assert some.add("stdout", "5") == []
    assert some.live == "5"
    assert some.finish() == []
    assert some.hidden == 3


def test_too_many_characters_are_hidden_too() -> None:
    some = fresh(characters=10)
    assert some.add("stdout", "12345\n123456\n1\n2\n") == ["12345", "123456"]
    assert some.hidden == 2


def test_a_very_long_line_is_cut() -> None:
    some = fresh(characters=10**6)
    (line,) = some.add("stdout", "x" * (printed.LONGEST_LINE + 7) + "\n")
    assert line.endswith("x (7 characters more)")


def test_a_bar_that_never_ends_its_line_is_not_kept_for_ever() -> None:
    some = fresh()
    for number in range(5000):
        some.add("stderr", f"\r{number:>6} of 5000")
    assert some.live == "  4999 of 5000"
    assert len(some._unfinished) < 2 * printed.LONGEST_LINE


def test_what_was_taken_back_is_not_shown() -> None:
    some = fresh()
    some.add("stdout", "half")
    some.clear()
    assert some.finish() == []


def test_what_was_never_heard_is_known() -> None:
    some = fresh()
    some.add("stdout", "one\n")
    assert some.unseen("stdout", "one\ntwo\n") == "two\n"
    assert some.unseen("stdout", "something else") == ""
    assert some.unseen("stderr", "oops\n") == "oops\n"


def test_memory_is_bounded() -> None:
    some = fresh()
    for _ in range(3):
        some.add("stdout", "x" * (printed.MOST_REMEMBERED // 2) + "\n")
    assert some.unseen("stdout", "x" * 10) == ""
    assert sum(map(len, some._seen["stdout"])) < 100
