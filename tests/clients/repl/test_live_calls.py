"""What tools write is shown below their calls while it is written."""

from tests.clients.repl.telling_of import text

from hearth.clients.repl.live_calls import MOST_LINES, LiveCalls
from hearth.clients.repl.painting import Paint
from hearth.core.vocabulary.ids import CallId

K, L = CallId("k1"), CallId("k2")


def test_whole_lines_are_shown_and_the_open_one_is_live() -> None:
    calls = LiveCalls(Paint())
    assert calls.live == ""
    assert text(calls.heard(K, "▸ make", "one\ntw")) == "  │ one"
    assert calls.live == "tw"
    assert text(calls.heard(K, "▸ make", "o\x1b[2J\r90 %\n")) == "  │ 90 %"
    assert text(calls.heard(K, "▸ make", "last")) == ""
    pieces, count = calls.returned(K, "▸ make")
    assert (text(pieces), count) == ("  │ last", 3)
    assert calls.returned(K, "▸ make") == ([], 0)
    assert calls.live == ""


def test_calls_that_write_at_the_same_time_are_told_apart() -> None:
    calls = LiveCalls(Paint(drawings=False))
    assert text(calls.heard(K, "* make", "a\n")) == "  | a"
    assert text(calls.heard(L, "* test", "b\n")) == "* test\n  | b"
    assert text(calls.heard(K, "* make", "c\n")) == "* make\n  | c"
    calls.interrupted()
    assert text(calls.heard(K, "* make", "d\n")) == "  | d"


def test_what_is_too_much_is_counted_and_only_its_newest_line_is_live() -> None:
    calls = LiveCalls(Paint())
    calls.heard(K, "", "".join(f"{one}\n" for one in range(MOST_LINES)))
    assert calls.live == ""
    assert calls.heard(K, "", "more\nand more\n") == []
    assert calls.live == "and more"
    pieces, count = calls.returned(K, "")
    assert text(pieces) == "  │ … 2 more lines"
    assert count == MOST_LINES + 2
