import pytest

from hearth.servers.dashboard.rendering.terminal import (
    PART,
    drawn_part,
    parted,
    screen,
    settled,
    stripped,
)


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("\x1b[31mred\x1b[0m no", '<span class="af1">red</span> no'),
        ("\x1b[1;92;44mx", '<span class="af10 ab4 aB">x</span>'),
        ("\x1b[1mb\x1b[22mn", '<span class="aB">b</span>n'),
        ("\x1b[38;5;196mx\x1b[39my", '<span class="af9">x</span>y'),
        ("\x1b[38;2;0;200;5mx", '<span class="af2">x</span>'),
        ("\x1b[38:5:21mx", '<span class="af4">x</span>'),
        ("\x1b[7mx", '<span class="ai">x</span>'),
        ("\x1b[7;31mx", '<span class="ab1">x</span>'),
        ("\x1b[3;4;9;2mx", '<span class="aD aI aU aS">x</span>'),
        ("\x1b[38;5mx", "x"),
        ("\x1b[mx", "x"),
    ],
)
def test_colours_become_classes(written: str, html: str) -> None:
    assert screen(written) == html


@pytest.mark.parametrize(
    "sequence",
    ["\x1b[2J", "\x1b[10;10H", "\x1b]0;title\x07", "\x1b]52;c;aGk=\x1b\\", "\x1b(B", "\x07"],
)
def test_what_would_do_something_is_dropped(sequence: str) -> None:
    assert screen(f"a{sequence}b") == "ab"
    assert stripped(f"a{sequence}b") == "ab"


def test_a_line_that_was_written_over_shows_its_last_state() -> None:
    assert settled(" 1%\r 50%\r100%\nnext\r\n\r") == "100%\nnext\n"
    assert settled("|\x08/\x08-") == "-"


def test_the_parts_of_a_text_are_all_of_it_and_end_with_lines() -> None:
    written = "".join(f"line {number}\n" for number in range(5000))
    parts = list(parted(written))
    assert "".join(part for _, part in parts) == written
    assert all(part.endswith("\n") for _, part in parts)
    assert [number for number, _ in parts] == list(range(len(parts)))


def test_a_growing_text_changes_only_its_last_part() -> None:
    written = "".join(f"line {number}\n" for number in range(2000))
    for end in range(0, len(written), 333):
        before, after = list(parted(written[:end])), list(parted(written[: end + 500]))
        assert before[:-1] == after[: len(before)][: len(before) - 1]


def test_parts_stay_the_same_when_the_beginning_is_dropped() -> None:
    written = "".join(f"line {number}\n" for number in range(2000))
    whole, later = dict(parted(written)), dict(parted(written[PART + 77 :], PART + 77))
    assert {number: later[number] for number in later if number > 1} == {
        number: whole[number] for number in whole if number > 1
    }


def test_a_line_without_an_end_is_cut() -> None:
    assert max(len(part) for _, part in parted("x" * 1_000_000)) <= 2 * PART


def test_a_colour_goes_on_in_the_next_part() -> None:
    first, colours = drawn_part("\x1b[31ma")
    second, _ = drawn_part("b", colours)
    assert (first, second) == ('<span class="af1">a</span>', '<span class="af1">b</span>')
