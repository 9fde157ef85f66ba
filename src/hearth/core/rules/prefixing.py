"""What follows once a turn knows its model, its instructions and its tools."""

from typing import Final

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import Conversation, TurnPhase
from hearth.core.rules.turning import ask, deliver, notice, opened, seal, start_compaction
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeKind, Role, TextBlock
from hearth.core.vocabulary.ids import TurnId
from hearth.core.vocabulary.origin import SYSTEM

CHANGED: Final = "instructions, tools or settings changed"
NUDGE: Final = (
    "(A reminder from hearth: if you learned something about this project that will be of use "
    "later, note it with add_knowledge.)"
)


def prepares(then: Consequences, turn: TurnId) -> bool:
    """Whether this turn waits for its prefix: before its first step, or between two."""
    open_ = then.state.talk.open
    if open_ is None or open_.turn != turn:
        return False
    between = open_.phase is TurnPhase.CALLING and all(call.is_done for call in open_.calls)
    return open_.phase is TurnPhase.PREPARING or between


def prepared(then: Consequences, report: m.PrefixPrepared) -> None:
    """Start a prefix if the present one does not serve any more, and ask."""
    talk, turn = then.state.talk, opened(then)
    choice, prefix = report.choice, report.prefix
    reason = _why_anew(talk, report)
    if reason:
        started = t.PrefixStarted(
            epoch=talk.epoch + 1,
            reason=reason,
            model=choice.name,
            system=prefix.system,
            tools=prefix.tools,
            read_only=prefix.read_only,
            digest=prefix.digest,
            instructions=prefix.instructions,
            switched_off=prefix.switched_off,
        )
        then.happen_for(started, turn.cause, SYSTEM)
    then.happen_for(t.TurnPrepared(turn.turn, choice, report.limits), turn.cause, SYSTEM)
    if talk.prefix_model and talk.prefix_model != choice.name:
        notice(then, NoticeKind.MODEL_CHANGED, f"the model is {choice.name} from here on")
    elif reason == CHANGED:
        notice(then, NoticeKind.CONFIG_RELOAD, f"{CHANGED}: from here on the agent goes by them")
    for warning in report.warnings:
        notice(then, NoticeKind.NOTICE, warning)
    if turn.purpose == "summary":
        start_compaction(then, "someone asked for it", turn.focus)
        return
    every = report.limits.nudge_interval
    if every and turn.steps == 0 and talk.turns % every == 0:
        seal(then, Role.USER, TextBlock(NUDGE), origin=SYSTEM)
    deliver(then)
    ask(then)


def _why_anew(talk: Conversation, report: m.PrefixPrepared) -> str:
    if talk.renew:
        return talk.renew
    if talk.prefix_model != report.choice.name:
        return "model changed"
    if talk.digest != report.prefix.digest:
        return CHANGED
    return ""
