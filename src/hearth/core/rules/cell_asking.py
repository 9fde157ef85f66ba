"""Asks a person about a tool that an agent's code calls, in the middle of its cell.

The cell waits, and with it the call that runs it, of `run_code` or `try_code`: the question is one
of the turn, beside those about calls of the step. It is over with the cell, or when the code stops
waiting.
"""

from typing import Final

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import OpenApproval, OpenCall, TurnPhase
from hearth.core.rules.doing import said
from hearth.core.rules.granting import offers_of
from hearth.core.rules.permission import covers
from hearth.core.rules.state import SessionState
from hearth.core.rules.tooling import RUN_CODE, TRY_CODE
from hearth.core.rules.turning import happen, opened
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.effects import AnswerToolInWorker
from hearth.core.vocabulary.ids import ApprovalId, CellId
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.permitting import Verdict
from hearth.core.vocabulary.phases import Evaluating
from hearth.core.vocabulary.prompting import ApprovalAnswer

_RUN_CODE: Final = frozenset({RUN_CODE, TRY_CODE})
NOBODY: Final = "no turn of an agent waits for this cell, so nobody is asked"
ENDED: Final = "the cell has ended"
OVER: Final = "the turn was stopped"
LEFT: Final = "the code does not wait for it any more"


def asking_call(state: SessionState, cell: CellId | None) -> OpenCall | None:
    """The call of the turn whose code runs in this cell, if a person can be asked for it now."""
    turn, phase = state.talk.open, state.phase
    if turn is None or turn.phase not in {TurnPhase.CALLING, TurnPhase.WAITING}:
        return None
    if not isinstance(phase, Evaluating) or phase.current.cell != cell:
        return None
    running = (one for one in turn.calls if one.is_started and not one.is_done)
    return next((one for one in running if one.name in _RUN_CODE and one.cell == cell), None)


def tool_asked(then: Consequences, report: r.ToolAsked) -> None:
    """Code waits for a person: they are asked, unless it is allowed by now, or nobody can be."""
    state = then.state
    if report.generation != state.generation or _open(then, report.ask) is not None:
        return
    call = asking_call(state, report.cell)
    if call is None:
        tell_code(then, report.ask, allowed=False, why=NOBODY)
        return
    if not report.judged or any(one.verdict is Verdict.DENY for one in report.judged):
        tell_code(then, report.ask, allowed=False, why=said(report.judged) or NOBODY)
        return
    asked = tuple(
        one
        for one in report.judged
        if one.verdict is Verdict.ASK and not covers(state.talk.grants, one.need)
    )
    if not asked:
        tell_code(then, report.ask, allowed=True)
        return
    happen(
        then,
        t.ApprovalRequested(
            approval=ApprovalId(f"a{state.talk.approvals + 1}"),
            turn=opened(then).turn,
            calls=(call.call,),
            why=said(asked),
            name=report.name,
            details=report.arguments,
            judged=asked,
            offers=offers_of(asked),
            inside=report.ask,
        ),
    )


def tell_code(then: Consequences, ask: str, *, allowed: bool, why: str = "") -> None:
    """Let the code that waits go on."""
    then.do(AnswerToolInWorker(then.state.generation, ask, allowed, why))


def nobody_waits(then: Consequences, ask: str) -> None:
    """The code has stopped waiting for this answer."""
    asked = _open(then, ask)
    if asked is not None:
        _withdraw(then, asked, LEFT)


def withdraw_asked(then: Consequences, why: str) -> None:
    """Whatever code waited for in the interpreter is not waited for any more."""
    turn = then.state.talk.open
    for asked in turn.approvals if turn is not None else ():
        if asked.inside:
            _withdraw(then, asked, why)


def withdraw_ended(then: Consequences) -> None:
    """What is asked for cells that have ended need not be answered."""
    turn = opened(then)
    done = {one.call for one in turn.calls if one.is_done}
    for asked in turn.approvals:
        if asked.inside and not done.isdisjoint(asked.calls):
            _withdraw(then, asked, ENDED)


def answer_left(then: Consequences) -> None:
    """Code that waited for a turn which this decision has ended is told so."""
    before = then.began.talk.open
    if before is None or not before.approvals:
        return
    turn = then.state.talk.open
    open_ = {one.inside for one in turn.approvals} if turn is not None else set()
    told = {one.ask for one in then.effects if isinstance(one, AnswerToolInWorker)}
    for asked in before.approvals:
        if asked.inside and asked.inside not in open_ | told:
            tell_code(then, asked.inside, allowed=False, why=OVER)


def _withdraw(then: Consequences, asked: OpenApproval, why: str) -> None:
    if then.state.talk.phase is not TurnPhase.WAITING:
        return  # the turn is being stopped, and takes its questions along
    # For nobody: whoever is waited for by the cause of this decision is not answered by it.
    cause = opened(then).cause_of(asked.calls[0])
    then.happen_for(t.ApprovalAnswered(asked.approval, ApprovalAnswer.REJECT, why), cause, SYSTEM)
    tell_code(then, asked.inside, allowed=False, why=why)


def _open(then: Consequences, ask: str) -> OpenApproval | None:
    turn = then.state.talk.open
    every = turn.approvals if turn is not None and ask else ()
    return next((one for one in every if one.inside == ask), None)
