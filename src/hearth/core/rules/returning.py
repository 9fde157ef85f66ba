"""What follows from the wish to take a session back to when something was said."""

from typing import Final

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.gone_back import is_own
from hearth.core.rules.interpreter import WAIT_FOR_RETURN
from hearth.core.rules.state import LOOK_AT_BLOCKS, SessionState, is_replaying, situation
from hearth.core.rules.undo_state import Returning
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import InputId, block_id, block_place
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.phases import Evaluating, WarmingUp

GOING: Final = "the session is being taken back"
WAIT: Final = ("wait for it",)


def return_to(then: Consequences, command: c.ReturnTo, cause: InputId, origin: Origin) -> None:
    """Have it done, or found out what it would change."""
    wanted = e.ReturnRequested(command.to, command.scope, command.preview)
    then.happen_for(wanted, cause, origin)
    if then.state.undo.returning is not None:
        then.do(returning(then.state, then.state.undo.returning))


def returning(state: SessionState, wanted: Returning) -> fx.ReturnSession:
    """The effect of a return that is open."""
    was = None if wanted.to else state.undo.returned
    return fx.ReturnSession(
        generation=state.generation,
        question=wanted.cause,
        to=wanted.to,
        scope=wanted.scope,
        preview=wanted.preview,
        origin=wanted.origin,
        was=was,
        since=wanted.since,
        leaf=wanted.leaf,
    )


def why_meanwhile_not(state: SessionState, asked: Asked) -> tuple[str, tuple[str, ...]]:
    """Why something must wait for a return that is under way; empty if it need not.

    What the return asks for itself need not, nor do the cells that are run again for it.
    """
    going, command = state.undo.returning, asked.command
    if going is None or going.preview or type(command) not in WAIT_FOR_RETURN:
        return "", ()
    if is_own(asked.id, going.cause) and asked.origin == going.origin:
        return "", ()
    if isinstance(command, c.RunCell | c.LoadScript) and command.replays is not None:
        again = asked.origin.actor is Actor.SYSTEM and is_replaying(state)
        return ("", ()) if again else (GOING, WAIT)
    return GOING, WAIT


def why_no_return(state: SessionState, command: c.ReturnTo) -> tuple[str, tuple[str, ...]]:
    """Why the session cannot go back now, and what would help; empty if it can."""
    if state.undo.returning is not None:
        return f"{GOING} already", WAIT
    session, version = block_place(command.to)
    if version and session:
        why = f"{command.to!r} was said in {session}, before this session branched off"
        return why, (f"branch off from {session} at {block_id(version)}",)
    if command.to and (version == 0 or version > state.version):
        return f"there is no block {command.to!r} in this session", (LOOK_AT_BLOCKS,)
    if not command.to and state.undo.returned is None:
        why = "the session was not taken back yet, or that was undone already"
        return why, ("say to which block it is to go back", LOOK_AT_BLOCKS)
    if state.talk.phase is not TurnPhase.IDLE or state.talk.is_elsewhere:
        return "its agent is at work", ("cancel_turn",)
    return _why_not_interpreter(state, command)


def _why_not_interpreter(state: SessionState, command: c.ReturnTo) -> tuple[str, tuple[str, ...]]:
    """Why it cannot be another interpreter now, where that is asked for."""
    did = None if command.to else state.undo.returned
    if not command.scope.interpreter and (did is None or not (did.undone or did.version)):
        return "", ()
    without = ("go back without the interpreter",) if command.to else ()
    if isinstance(state.phase, Evaluating):
        return situation(state), ("cancel_eval", *without)
    if isinstance(state.phase, WarmingUp):
        return situation(state), (*WAIT, *without)
    if is_replaying(state):
        return "recorded cells are being run again", (*WAIT, *without)
    return "", ()


def returned(then: Consequences, report: r.ReturnEnded) -> None:
    """It was done, or it is known what it would change."""
    wanted = then.state.undo.returning
    if wanted is None or wanted.cause != report.question:
        return
    event: e.Event
    if report.failed:
        event = e.ReturnFailed(report.failed)
    elif wanted.preview:
        event = e.ReturnPreviewed(
            blocks=report.blocks,
            cells=report.cells,
            how=report.how,
            changes=report.changes,
            left_out=report.left_out,
            problems=report.problems,
        )
    else:
        event = e.SessionReturned(
            to=wanted.to,
            scope=wanted.scope,
            cells=report.cells,
            how=report.how,
            changes=report.changes,
            left_out=report.left_out,
            problems=report.problems,
            did=report.did,
        )
    then.happen_for(event, wanted.cause, wanted.origin)
