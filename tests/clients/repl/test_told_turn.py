"""A turn knows what of it was told, step by step."""

from tests.clients.repl.telling_of import text

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.told_turn import ToldTurn
from hearth.core.views.open_blocks import OpenBlock, OpenKind
from hearth.core.vocabulary.blocks import TextBlock
from hearth.core.vocabulary.ids import BlockId, CallId, TurnId
from hearth.core.vocabulary.progress import TextDelta, ToolCallForming

T = TurnId("t1")
B = BlockId("b4")


def turn() -> ToldTurn:
    told = ToldTurn(T, Paint(), is_mine=True)
    told.model = "scripted:weaver"
    return told


def test_who_answers_is_said_once() -> None:
    told = turn()
    assert text(told.headed([])) == ""
    assert text(told.sealed(B, 0, TextBlock("one"))) == "── scripted:weaver ──\none"
    assert text(told.sealed(B, 1, TextBlock("two"))) == "two"


def test_what_is_live_is_a_call_then_text_then_what_a_tool_puts_out() -> None:
    told = turn()
    assert text(told.put_out(CallId("k1"), "▸ look", "looking\nfou")) == "  │ looking"
    assert told.live == "fou"
    told.heard(TextDelta(T, 1, 0, 0, "so"))
    assert told.live == "so"
    told.heard(ToolCallForming(T, 1, 1, "look"))
    assert told.live == "▸ look …"
    told.stepped(1)
    assert told.returned(CallId("k1"), "▸ look")[1] == 2
    assert told.live == ""


def test_a_new_step_begins_with_nothing() -> None:
    told = turn()
    told.heard(TextDelta(T, 0, 0, 0, "one\n"))
    assert not told.heard(TextDelta(T, 1, 0, 4, "missed its beginning\n"))
    assert text(told.sealed(B, 1, TextBlock("two"))) == "two"


def test_what_was_struck_was_shown_or_not() -> None:
    told = turn()
    told.heard(TextDelta(T, 0, 0, 0, "only half a line"))
    assert not told.struck()
    told.heard(TextDelta(T, 0, 0, 0, "a line\n"))
    assert told.struck()
    assert not told.struck()


def test_a_turn_that_becomes_ones_own_says_who_answers() -> None:
    told = ToldTurn(T, Paint(), is_mine=False)
    told.sealed(B, 0, TextBlock("one"))
    told.adopt()
    assert text(told.sealed(B, 0, TextBlock("two"))) == "── the agent ──\ntwo"


def test_what_was_being_written_when_one_comes_goes_on() -> None:
    told = turn()
    thinking = OpenBlock(T, 1, 0, OpenKind.THINKING, "hm\n")
    assert text(told.resumed(thinking)) == "── scripted:weaver ──\n  hm"
    assert text(told.resumed(OpenBlock(T, 1, 1, OpenKind.TEXT, "one\ntw"))) == "one"
    assert text(told.heard(TextDelta(T, 1, 1, 4, "two\n"))) == "two"
    assert told.resumed(OpenBlock(T, 1, 2, OpenKind.CALL, name="look")) == []
    assert told.live == "▸ look …"
