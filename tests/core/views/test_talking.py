"""How a conversation stands at this moment."""

from hearth.core.views.open_blocks import OpenBlock, OpenKind
from hearth.core.views.talk import Talk
from hearth.core.views.talking import talking
from hearth.core.vocabulary.ids import TurnId


def test_what_was_sealed_a_moment_ago_is_not_being_written() -> None:
    old = OpenBlock(TurnId("t1"), 0, 0, OpenKind.TEXT, "a")
    new = OpenBlock(TurnId("t1"), 1, 0, OpenKind.TEXT, "b")
    shown = talking(Talk(finished=(1, 0)), (old, new))
    assert shown.open == (new,)
    assert shown.now.finished == (1, 0)
