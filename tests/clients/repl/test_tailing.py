"""Of a long line that is being written, its end is seen."""

from hearth.clients.repl.tailing import MOST_LINES, tail


def test_a_short_line_stays_as_it_is() -> None:
    assert tail("90 %", 10) == "90 %"
    assert tail("", 10) == ""
    assert tail("\x1b[2mshort\x1b[0m", 10) == "\x1b[2mshort\x1b[0m"


def test_a_long_line_is_folded_between_words() -> None:
    assert tail("one two three", 8) == "one two\nthree"
    assert tail("  one two three", 8) == "  one\n  two\n  three"


def test_only_the_end_of_a_very_long_line_is_seen() -> None:
    lines = tail(" ".join(f"word{n}" for n in range(100)), 20).split("\n")
    assert len(lines) == MOST_LINES
    assert lines[-1].endswith("word99")


def test_every_line_of_a_dimmed_text_is_dimmed() -> None:
    assert tail("\x1b[2mone two three\x1b[0m", 8) == ("\x1b[2mone two\x1b[0m\n\x1b[2mthree\x1b[0m")


def test_what_has_colours_of_its_own_is_not_folded() -> None:
    bar = "\x1b[31m####\x1b[0m\x1b[32m........\x1b[0m"
    assert tail(bar, 6) == bar
