"""How deeds change a conversation, and which cannot have happened."""

import pytest
from tests.contracts.given import given
from tests.contracts.talks import CALLING, IDLE

from hearth.core.rules.doing import need_key
from hearth.core.rules.session import IllegalEvent
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary.ids import CallId, TurnId
from hearth.core.vocabulary.permitting import Kept, Need, Verdict

K1 = CallId("k1")


@pytest.mark.parametrize(
    "event",
    [
        d.ToolRefused(K1, TurnId("t9"), "x", ()),
        d.FilesKept(TurnId("t9"), K1, Kept("/", "t")),
        d.FilesChanged(TurnId("t9"), K1, ()),
        d.TaskChanged(TurnId("t9"), d.Task("1", "x")),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_deed_of_a_turn_that_does_not_run_is_illegal(event: d.DeedEvent) -> None:
    with pytest.raises(IllegalEvent, match="turn t9 does not run"):
        given(*CALLING, event)


@pytest.mark.parametrize(
    "event",
    [d.FilesCompared(()), d.FilesRewound(()), d.RewindFailed("x")],
    ids=lambda event: type(event).__name__,
)
def test_a_rewind_that_nobody_asked_for_is_illegal(event: d.DeedEvent) -> None:
    with pytest.raises(IllegalEvent, match="nobody asked for it"):
        given(*IDLE, event)


def test_two_rewinds_at_once_are_illegal() -> None:
    with pytest.raises(IllegalEvent, match="already"):
        given(*IDLE, d.RewindRequested("b8"), d.RewindRequested("b8"))


def test_needs_are_the_same_only_if_a_person_was_shown_the_same() -> None:
    need = Need("write", "a", "/p/a", why="new")
    assert need_key(need) == need_key(Need("write", "a", "/p/a", usual=Verdict.DENY, why="new"))
    others = [
        Need("read", "a", "/p/a", why="new"),
        Need("write", "b", "/p/a", why="new"),
        Need("write", "a", "/p/b", why="new"),
        Need("write", "a", "/p/a", least=Verdict.ASK, why="new"),
        Need("write", "a", "/p/a", why="old"),
    ]
    assert len({need_key(one) for one in (need, *others)}) == 6
