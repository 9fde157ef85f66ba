"""What a model writes is told line by line; what it thinks is folded."""

from tests.clients.repl.telling_of import text

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.writing import LONGEST_THOUGHT, Written
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import BlockId

B = BlockId("b4")


def test_empty_lines_before_the_first_are_left_out() -> None:
    written = Written(Paint(), is_thinking=False)
    assert text(written.add(0, "\n\none\n\ntwo\n")) == "one\n\ntwo"
    assert written.is_told


def test_nothing_is_told_twice() -> None:
    written = Written(Paint(), is_thinking=False)
    written.add(0, "one\ntw")
    assert text(written.cut()) == "tw"
    assert text(written.sealed("one\ntw", B)) == ""


def test_what_thinking_left_out_is_said_once_and_where_it_is() -> None:
    written = Written(Paint(), is_thinking=True)
    assert text(written.add(0, "a\n\nb\nc\nd\ne")) == "  a\n  b\n  c"
    assert written.live == "  e"
    assert text(written.cut()) == "  … 2 more lines of thinking; .show thinking shows all"
    assert written.sealed("a\n\nb\nc\nd\ne", B) == []


def test_a_long_thought_is_cut() -> None:
    written = Written(Paint(), is_thinking=True)
    thought, more = text(written.sealed("x" * 999, B)).split("\n")
    assert len(thought) == LONGEST_THOUGHT + 2
    assert more == "  … 1 more line of thinking; .show b4 shows all"


def test_a_text_fits_what_was_heard_of_it() -> None:
    written = Written(Paint(), is_thinking=False)
    written.add(0, "one\ntw")
    assert written.fits("one\ntwo")
    assert not written.fits("one")
    assert not written.fits("eins\nzwei")
    assert written.fits(Blob("0" * 64, 9000, head="one"))
    assert not written.fits(Blob("0" * 64, 9000, head="eins"))


def test_thinking_is_dim_also_while_it_is_written() -> None:
    written = Written(Paint(colour=True), is_thinking=True)
    written.add(0, "hm")
    assert written.live == "\x1b[2m  hm\x1b[0m"
