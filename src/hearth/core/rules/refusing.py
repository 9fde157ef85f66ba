"""Why a command is not taken, and what would help. Every door says it in these words."""

from math import isfinite
from typing import Final, cast

from hearth.core.rules.forking import why_no_fork
from hearth.core.rules.interpreter import ACCEPTS, ALWAYS, QUEUES, REMEDIES
from hearth.core.rules.refusing_prompts import prompt_of, refusal_of_prompt
from hearth.core.rules.returning import why_meanwhile_not, why_no_return
from hearth.core.rules.state import SessionState, allowed, is_replaying, situation
from hearth.core.rules.trying import to_keep, why_not_kept, why_not_tried
from hearth.core.rules.undoing import why_not
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.codec import MAX_COMMAND_BYTES, MAX_PAYLOAD_BYTES, encode
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.phases import Affordance, Evaluating
from hearth.core.vocabulary.prompting import EditMessage, SendMessage
from hearth.core.vocabulary.refusals import (
    Malformed,
    NotAllowed,
    NotNow,
    Refusal,
    SessionExists,
    TooLarge,
    TooManySessions,
    UnknownSession,
)

_ASKING: Final = (
    c.CheckCode,
    c.CompleteCode,
    c.InspectCode,
    c.ListVariables,
    c.ExploreModule,
    c.ExploreType,
    c.ReloadSources,
    c.ReplaySession,
)
_OF_THE_DAEMON: Final = (c.SwitchSession, c.NoteSettings)
"""What the daemon's own stream takes, and no other."""
LONGEST_QUEUE: Final = 100
MOST_QUESTIONS: Final = 256


def refusal_of(state: SessionState, command: c.Command) -> Refusal | None:
    """The reason why this command cannot be taken now; None if it can."""
    if (state.session == DAEMON_STREAM) != isinstance(command, _OF_THE_DAEMON):
        return _wrong_stream(state, command)
    if state.session == DAEMON_STREAM:
        return _too_large(state, command)
    if isinstance(command, c.CreateSession):
        return _too_large(state, command) if state.config is None else _exists(state)
    if state.config is None:
        return unknown_session(state.session)
    if (prompt := prompt_of(command)) is not None:
        return _too_large(state, command) or refusal_of_prompt(state, prompt)
    return (
        _too_large(state, command)
        or _no_limit(command)
        or _wrong_state(state, cast("c.OfSession", command))
        or _nobody_asks(state, command)
        or _not_fresh(state, command)
        or _nothing_replayed(state, command)
        or _too_many(state, command)
        or _nothing_there(state, command)
    )


def not_meanwhile(state: SessionState, asked: Asked) -> NotNow | None:
    """Why this must wait for the end of a return; None if it need not."""
    why, remedy = why_meanwhile_not(state, asked)
    return not_now(state, asked.command, why, remedy) if why else None


def not_now(
    state: SessionState, command: c.Command, why: str, remedy: tuple[str, ...] = ()
) -> NotNow:
    """A refusal by state, with what is offered instead; what helps is the state's, if not given."""
    return NotNow(
        command=str(command.__struct_config__.tag),
        state=state.phase_name,
        why=why,
        available=allowed(state),
        remedy=remedy or tuple(REMEDIES[state.phase_name]),
    )


def unknown_session(session: SessionId) -> UnknownSession:
    """The refusal for an id that no session has."""
    return UnknownSession(
        session=session,
        why=f"there is no session {session!r}",
        available=ALWAYS,
        remedy=("list_sessions", "create_session"),
    )


def too_many_sessions(live: int, limit: int) -> TooManySessions | None:
    """The refusal for one session more than the limit; None while there is room."""
    if live < limit:
        return None
    return TooManySessions(
        limit=limit,
        why=f"{live} sessions are live and the limit is {limit}",
        available=ALWAYS,
        remedy=("stop_session", "raise the limit in the settings"),
    )


def _exists(state: SessionState) -> SessionExists:
    return SessionExists(
        session=state.session,
        why=f"a session {state.session!r} exists already",
        available=allowed(state),
        remedy=("create it under another id",),
    )


def _wrong_stream(state: SessionState, command: c.Command) -> NotNow:
    if state.session == DAEMON_STREAM:
        why = "the daemon's own stream takes switch_session and note_settings alone"
        return not_now(state, command, why, ("list_sessions", "send it to a session"))
    why = f"{command.__struct_config__.tag} is sent to {DAEMON_STREAM!r}"
    return not_now(state, command, why, (f"send it to {DAEMON_STREAM!r}",))


def _too_large(state: SessionState, command: c.Command) -> TooLarge | None:
    """Code may be long, for it is kept as a blob; all else must fit into an event."""
    match command:
        case c.CheckCode():
            file = _bytes(command.file, MAX_PAYLOAD_BYTES)
            if file > MAX_PAYLOAD_BYTES:
                return _over(state, command, file, MAX_PAYLOAD_BYTES)
            size, limit = _bytes(command.code, MAX_COMMAND_BYTES), MAX_COMMAND_BYTES
        case c.RunCell() | c.CompleteCode() | c.InspectCode():
            size, limit = _bytes(command.code, MAX_COMMAND_BYTES), MAX_COMMAND_BYTES
        case SendMessage() | EditMessage():
            size, limit = _bytes(command.text, MAX_COMMAND_BYTES), MAX_COMMAND_BYTES
        case _:
            size, limit = _written(command), MAX_PAYLOAD_BYTES
    return _over(state, command, size, limit) if size > limit else None


def _no_limit(command: c.Command) -> Malformed | None:
    """JSON has no infinity: a stored one could never be read again. Nor is zero a limit."""
    timed = c.RunCell | c.LoadScript | c.TryVariants
    if not isinstance(command, timed) or command.time_limit is None:
        return None
    if isfinite(command.time_limit) and command.time_limit > 0:
        return None
    return Malformed(
        path="$.time_limit",
        why=f"{command.time_limit} seconds is no limit",
        remedy=("give a number of seconds above 0, or leave it out",),
    )


def _over(state: SessionState, command: c.Command, size: int, limit: int) -> TooLarge:
    return TooLarge(
        size=size,
        limit=limit,
        why=f"{command.__struct_config__.tag} has {size} bytes and the limit is {limit}",
        available=allowed(state),
        remedy=("load_script",) if limit == MAX_COMMAND_BYTES else ("send less",),
    )


def _bytes(text: str, limit: int) -> int:
    # Counting bytes is only worth it for text that could be over the limit.
    return len(text) if len(text) * 4 <= limit else len(text.encode(errors="replace"))


def _written(command: c.Command) -> int:
    try:
        return len(encode(command))
    except UnicodeEncodeError:  # half a surrogate pair, as in a path that is not UTF-8
        return len(repr(command).encode(errors="replace"))


def _wrong_state(state: SessionState, command: c.OfSession) -> NotNow | None:
    phase = state.phase_name
    accepted = ACCEPTS[type(command)]
    if isinstance(command, c.RunCell) and command.if_busy == "queue":
        accepted |= QUEUES
    if isinstance(command, c.CancelCell) and command.cell is not None:
        return _nothing_to_cancel(state, command)
    if phase in accepted:
        return None
    return not_now(state, command, situation(state))


def _nothing_to_cancel(state: SessionState, command: c.CancelCell) -> NotNow | None:
    """A named cell can be cancelled wherever it waits, or while it runs."""
    cells = {waiting.cell for waiting in state.queue}
    if isinstance(state.phase, Evaluating):
        cells.add(state.phase.current.cell)
    if command.cell in cells:
        return None
    return not_now(state, command, f"cell {command.cell} is neither running nor waiting")


def _nobody_asks(state: SessionState, command: c.Command) -> NotNow | None:
    """Only a cell that waits for an answer can be given one, and only the one that was meant."""
    if not isinstance(command, c.AnswerInput) or not isinstance(state.phase, Evaluating):
        return None
    running = state.phase.current
    if running.question is None:
        return not_now(state, command, "the running cell does not ask for anything")
    if command.cell not in {None, running.cell}:
        return not_now(state, command, f"it is cell {running.cell} that asks, not {command.cell}")
    return None


def _not_fresh(state: SessionState, command: c.Command) -> NotNow | None:
    if not isinstance(command, c.ReplaySession):
        return None
    if is_replaying(state):
        return not_now(state, command, "a replay is under way already")
    if state.fresh:
        return None
    why = "the interpreter has run cells since it was started, and a replay needs a fresh one"
    return not_now(state, command, why, (Affordance.HARD_RESET_SESSION,))


def _nothing_replayed(state: SessionState, command: c.Command) -> NotNow | None:
    """A replay that was cut off must not go on in the next interpreter."""
    again = isinstance(command, c.RunCell | c.LoadScript) and command.replays is not None
    if not again or is_replaying(state):
        return None
    why = "no replay is under way, so there is no earlier cell to run again"
    return not_now(state, command, why, (Affordance.RUN_CODE,))


def _nothing_there(state: SessionState, command: c.Command) -> NotNow | None:
    """What is to be taken back, kept, forked or gone back to must be there."""
    match command:
        case c.UndoCells() | c.RedoCells():
            why, remedy = why_not(state, command)
        case c.KeepVariant():
            why, remedy = why_not_kept(state, command), to_keep(state)
        case c.TryVariants():
            why, remedy = why_not_tried(command), ("give a variant to try",)
        case c.ForkSession():
            why, remedy = why_no_fork(state, command)
        case c.ReturnTo():
            why, remedy = why_no_return(state, command)
        case _:
            return None
    return not_now(state, command, why, remedy) if why else None


def not_allowed(state: SessionState, command: c.Command, why: str) -> NotAllowed:
    """A refusal of what only a person may have done."""
    own = () if isinstance(command, c.RedoCells) else ("take back only what you have run yourself",)
    return NotAllowed(
        command=str(command.__struct_config__.tag),
        why=why,
        available=allowed(state),
        remedy=("let the person do it", *own),
    )


def _too_many(state: SessionState, command: c.Command) -> NotNow | None:
    if isinstance(command, c.RunCell) and len(state.queue) >= LONGEST_QUEUE:
        return not_now(state, command, f"{LONGEST_QUEUE} cells are waiting already")
    asks = isinstance(command, _ASKING)
    if asks and len(state.questions) >= MOST_QUESTIONS:
        return not_now(state, command, f"{MOST_QUESTIONS} questions are open already")
    return None
