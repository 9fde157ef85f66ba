"""What is allowed for always is kept, also if the daemon ends before it is."""

from typing import Final

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import Unrecorded
from hearth.core.rules.turning import notice
from hearth.core.vocabulary.blocks import NoticeKind
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.deeds import GrantRecorded
from hearth.core.vocabulary.judging import GrantStored, StoreGrant

NOT_STORED: Final = "what was allowed for always is not, for it could not be stored"


def storing(waits: Unrecorded, config: SessionConfig | None) -> StoreGrant:
    """The effect that keeps it."""
    return StoreGrant(waits.approval, waits.grants, config or SessionConfig(), waits.why, waits.by)


def stored(then: Consequences, report: GrantStored) -> None:
    """It is kept. If it could not be, people are told; the call was allowed all the same."""
    turn = then.state.talk.open
    if turn is None or all(one.approval != report.approval for one in turn.unrecorded):
        return  # the turn was cancelled meanwhile, or it was done twice
    then.happen(GrantRecorded(report.approval, report.problem))
    if report.problem:
        notice(then, NoticeKind.NOTICE, report.problem)
