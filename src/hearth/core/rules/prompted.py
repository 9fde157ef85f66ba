"""What follows from what people ask of an agent."""

from typing import Final, assert_never

from msgspec.structs import replace

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import OpenCall, TurnPhase
from hearth.core.rules.lines import segments_of, up_to
from hearth.core.rules.permitted import answer_approval
from hearth.core.rules.rendering import failure
from hearth.core.rules.results import give
from hearth.core.rules.rewinding import rewind
from hearth.core.rules.tooling import ARGUMENTS
from hearth.core.rules.turning import (
    begin_summary,
    begin_turn,
    finish,
    happen,
    notice,
    opened,
    prepare,
    say,
    wait_for_agent,
)
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeKind
from hearth.core.vocabulary.ids import BlockId, InputId
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.judging import EndJobs
from hearth.core.vocabulary.phases import Evaluating

CONTINUE: Final = "Continue where you stopped."
CANCELLED: Final = "Interrupted, effects unknown: the person cancelled the turn while this ran."
NEVER_RUN: Final = "Not run: the person cancelled the turn."


def decide_prompt(then: Consequences, asked: Asked, command: p.Prompt) -> None:
    """The consequences of a command that may be taken."""
    match command:
        case p.SendMessage():
            _send(then, asked, command)
        case p.WithdrawMessage():
            then.happen(t.MessageWithdrawn(command.message, "taken back"))
        case p.CancelTurn():
            cancel_turn(then)
        case p.SetModel():
            then.happen(t.ModelChanged(command.model or "", command.effort))
        case p.SetServers():
            then.happen(t.ServersChosen(command.servers))
        case p.RegenerateTurn():
            _regenerate(then, asked, command)
        case p.ContinueTurn():
            begin_turn(then, asked.id, asked.origin)
            say(then, CONTINUE, asked.origin)
            prepare(then)
        case p.CompactConversation():
            begin_summary(then, asked.id, asked.origin, command.focus)
            prepare(then)
        case p.SwitchBranch():
            then.happen(t.BranchRequested(command.to))
            _find(then, asked, command.to)
        case p.EditMessage():
            then.happen(t.EditRequested(command.block, command.text, command.rest))
            _find(then, asked, command.block)
        case p.AnswerApproval():
            answer_approval(then, command)
        case p.RewindFiles():
            rewind(then, asked, command)
        case _:
            assert_never(command)


def _send(then: Consequences, asked: Asked, command: p.SendMessage) -> None:
    talk = then.state.talk
    if talk.open is not None or talk.is_elsewhere:
        wait_for_agent(then, command.text, command.model)
        return
    begin_turn(then, asked.id, asked.origin, model=command.model)
    say(then, command.text, asked.origin)
    prepare(then)


def _regenerate(then: Consequences, asked: Asked, command: p.RegenerateTurn) -> None:
    talk = then.state.talk
    line = talk.line
    again = replace(
        line,
        segments=up_to(segments_of(line, then.state.version), line.prompt),
        since=then.state.version + 1,
        leaf=line.prompt,
    )
    switched = t.BranchSwitched(again, "regenerate", talk.model, talk.effort)
    # Under a name of its own: whoever waits for this command waits for its turn.
    then.happen_for(switched, InputId(f"{asked.id}.branch"), asked.origin)
    begin_turn(then, asked.id, asked.origin, model=command.model)
    prepare(then)


def _find(then: Consequences, asked: Asked, block: BlockId) -> None:
    state = then.state
    then.do(m.FindBranch(asked.id, block, state.talk.line, state.version))


def cancel_turn(then: Consequences) -> None:
    """Stop the model or the tools, and end the turn as soon as nothing more can come of it."""
    turn = opened(then)
    then.happen(t.TurnCancelRequested(turn.turn))
    if turn.phase in {TurnPhase.ASKING, TurnPhase.COMPACTING} and turn.request is not None:
        then.do(m.StopAsking(turn.request))
        return  # what was written by then is kept
    for call in turn.calls:
        if not call.is_done:
            _stop(then, call)
    end_cancelled(then)


def end_cancelled(then: Consequences, *, go_on_after: bool = True) -> None:
    """End a turn that someone stopped."""
    notice(then, NoticeKind.CANCELLED, "cancelled")
    finish(then, t.TurnEnd.CANCELLED, "cancelled", go_on_after=go_on_after)


def _stop(then: Consequences, call: OpenCall) -> None:
    state = then.state
    _give_up(then, call)
    for waiting in state.queue:
        if waiting.cell == call.cell:
            then.happen(e.CellWithdrawn(waiting.cell, "cancelled"), of=waiting)
            return
    running = state.phase.current if isinstance(state.phase, Evaluating) else None
    if running is not None and running.cell == call.cell:
        attempt = running.cancels + 1
        then.happen(e.CellCancelRequested(running.cell, attempt))
        then.do(fx.InterruptWorker(state.generation, running.cell, attempt))


def _give_up(then: Consequences, call: OpenCall) -> None:
    """Nobody waits for this call any more; one that runs outside of the session is stopped."""
    give(then, call.call, failure(CANCELLED if call.is_started else NEVER_RUN))
    if call.is_started and call.name not in ARGUMENTS and call.shares is None:
        then.do(m.StopTool(call.call))


def stop_with_session(then: Consequences) -> None:
    """The session is stopped: its agent with it, at once; what waits for it goes on waiting."""
    turn = then.state.talk.open
    if then.state.talk.calls:
        then.do(EndJobs())
    if turn is None:
        return
    happen(then, t.TurnCancelRequested(turn.turn))
    if turn.request is not None:
        then.do(m.StopAsking(turn.request))
    for call in turn.calls:
        if not call.is_done:
            _give_up(then, call)
    end_cancelled(then, go_on_after=False)
