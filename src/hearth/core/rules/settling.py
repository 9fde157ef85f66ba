"""What the end of a decision owes the calls of a step: results, and that those behind go on."""

from typing import Final

from hearth.core.rules.calling import judge_call
from hearth.core.rules.cell_asking import answer_left, withdraw_ended
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation import whole
from hearth.core.rules.conversation_state import OpenCall, OpenTurn, TurnPhase
from hearth.core.rules.in_order import behind
from hearth.core.rules.rendering import NOT_UNDOABLE, NOT_UNDONE, Closed, Rendered, rendered
from hearth.core.rules.results import give, give_in_short
from hearth.core.rules.tooling import (
    CHECK_CODE,
    INSPECT,
    KEEP_VARIANT,
    RUN_CODE,
    TRY_CODE,
    UNDO_CODE,
)
from hearth.core.rules.turning import go_on, happen, opened
from hearth.core.rules.warning import warn_of_much
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.deeds import FilesChanged
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.judging import JudgeCall
from hearth.core.vocabulary.modelling import ToolReturned
from hearth.core.vocabulary.phases import Evaluating, Ready

_CLOSES: Final = (
    e.CellFinished,
    e.CellFailed,
    e.CellCancelled,
    e.CellWithdrawn,
    e.DiagnosticsChecked,
    e.InspectionReturned,
    e.QuestionAbandoned,
    e.TrialEnded,
    e.VariantsDropped,
    e.CellsUndone,
    e.UndoFailed,
    e.SessionReady,
    e.SessionFaulted,
    e.SessionWarmUpAbandoned,
)
_RAN: Final = e.CellFinished | e.CellFailed | e.CellCancelled
_CELLS_AND_QUESTIONS: Final = frozenset(
    {RUN_CODE, CHECK_CODE, INSPECT, TRY_CODE, KEEP_VARIANT, UNDO_CODE}
)


def returned(then: Consequences, report: ToolReturned) -> None:
    """A tool that is not the session's own came to its end."""
    turn = then.state.talk.open
    if turn is None or not any(
        one.call == report.call and one.is_started and not one.is_done for one in turn.calls
    ):
        return  # cancelled meanwhile, or a second result: the first one counts
    if report.changes:
        happen(then, FilesChanged(turn.turn, report.call, report.changes))
    shown = Rendered(
        whole(report.result), report.is_error, report.spilled, report.files, report.pictures
    )
    give(then, report.call, shown)


def settle_calls(then: Consequences) -> None:
    """Give results for what has ended by now; go on once every call has its own.

    The end of every decision. One that brings no result has nothing to go on with: what is still
    waited for is a call, or what is to stand before the next step.
    """
    answer_left(then)
    turn = then.state.talk.open
    if turn is None or turn.phase not in {TurnPhase.CALLING, TurnPhase.WAITING}:
        return
    for call in turn.calls:
        closed = _closing(then, turn, call)
        if closed is not None:
            give_in_short(then, call, _told(then, closed))
    withdraw_ended(then)
    has_results = any(map(_is_result, then.facts))
    if has_results:
        warn_of_much(then)
    if has_results and all(call.is_done for call in opened(then).calls):
        go_on(then)
    else:
        _judge_those_behind(then)


def _told(then: Consequences, closed: Closed) -> Rendered:
    """What the model is told; also that what it did is there to stay."""
    shown, phase = rendered(closed), then.began.phase
    lives_on = isinstance(then.state.phase, Ready | Evaluating)
    if not isinstance(closed, _RAN) or not isinstance(phase, Evaluating) or not lives_on:
        return shown
    lines = [shown.text]
    has_stayed = not isinstance(closed, e.CellFinished) and not closed.undone
    if has_stayed and phase.current.on_error == "undo":
        lines.append(NOT_UNDONE)
    undo = then.began.undo
    if undo.missed and undo.missed != undo.told:
        lines.append(NOT_UNDOABLE.format("; ".join(undo.missed)))
    return shown._replace(text="\n".join(lines))


def _judge_those_behind(then: Consequences) -> None:
    """What waited only for what has come on by this decision is judged again: it may be run."""
    before, turn, readers = then.began.talk.open, opened(then), then.state.talk.read_only
    if before is None or before.calls == turn.calls or before.steps != turn.steps:
        return
    settled = {call for one in turn.approvals for call in one.calls}
    settled.update(one.call for one in then.effects if isinstance(one, JudgeCall) and one.keep)
    free = behind(before.calls, readers) - behind(turn.calls, readers)
    for call in turn.calls:
        waits = not call.is_started and not call.is_done and call.call not in settled
        if waits and call.call in free:
            judge_call(then, call)


def _is_result(fact: Fact) -> bool:
    event = fact.event
    return isinstance(event, t.BlockSealed) and isinstance(event.content, ToolResultBlock)


def _closing(then: Consequences, turn: OpenTurn, call: OpenCall) -> Closed | None:
    """The event of this decision that ends what a call set off."""
    if call.is_done or not call.is_started or call.name not in _CELLS_AND_QUESTIONS:
        return None
    cause = turn.cause_of(call.call)
    for fact in then.facts:
        if fact.cause == cause and isinstance(fact.event, _CLOSES):
            return fact.event
    return None
