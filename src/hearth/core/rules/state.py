"""What must be remembered of a session to decide what may happen next. Plain, comparable data."""

from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from hearth.core.rules.conversation_state import Conversation
from hearth.core.rules.interpreter import (
    ADVERTISED,
    COMMAND_OF,
    SITUATIONS,
    WAIT_FOR_RETURN,
    WHERE_THERE_IS,
)
from hearth.core.rules.undo_state import UndoState
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.phases import (
    PHASE_NAMES,
    Affordance,
    Evaluating,
    OpenCell,
    Phase,
    PhaseName,
    Uninitialized,
)
from hearth.core.vocabulary.wire import Part

LOOK_AT_BLOCKS: Final = "look at the conversation, which names its blocks"
"""What helps whoever named one that is not there."""


class Asking(StrEnum):
    """What a question is about; only a report of the same kind answers it."""

    COMPLETION = "completion"
    CHECK = "check"
    INSPECTION = "inspection"
    VARIABLES = "variables"
    EXPLORATION = "exploration"
    RELOAD = "reload"
    REPLAY = "replay"


class Question(Part, frozen=True):
    """Something that was asked and is not answered yet."""

    cause: InputId
    origin: Origin
    asking: Asking = Asking.COMPLETION
    key: str = ""
    """Under what the diagnostics of a check will be kept."""
    file: str = ""
    full: bool = False


class Known(Part, frozen=True):
    """What one caller has been told about one file, or about code without a file."""

    caller: Origin
    file: str
    findings: tuple[str, ...] = ()
    """A digest of each."""


class Held(Part, frozen=True):
    """Cells that used the same parts: how many, and the hashes of the parts when they ran."""

    uses: dict[str, str]
    cells: int


class SessionState(Part, frozen=True):
    """A session as its events left it. Only `evolve` makes a new one."""

    session: SessionId
    version: int = 0
    config: SessionConfig | None = None
    """None until the session was started."""
    phase: Phase = Uninitialized()
    generation: int = 0
    """Counts the interpreters this session has had."""
    cells: int = 0
    """Counts the cells it was given."""
    queue: tuple[OpenCell, ...] = ()
    questions: tuple[Question, ...] = ()
    restarts: tuple[datetime, ...] = ()
    """When lost interpreters were replaced, since it last ran well."""
    restart_due: datetime | None = None
    ready_since: datetime | None = None
    """When the present interpreter became ready; None while there is none that is."""
    stopped: bool = False
    fresh: bool = True
    """The present interpreter has not run a cell yet."""
    is_shared: bool = False
    """Somebody else than a person has run code in it."""
    surroundings: Surroundings | None = None
    """What the present interpreter found where it was started."""
    fingerprint: str = ""
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    """What the session's interpreters had loaded, with content hashes; what is gone is not in it.

    A new interpreter has not loaded everything yet, so what an earlier one had stays until it is
    seen otherwise.
    """
    loaded: tuple[str, ...] = ()
    """What of it the present interpreter has shown: if it leaves this out, it is gone."""
    held: tuple[Held, ...] = ()
    """What the cells of the newest life used, to count those that a change makes stale."""
    stale: int = 0
    """How many of those cells no longer hold."""
    known: tuple[Known, ...] = ()
    """What callers know of the diagnostics, the latest first."""
    talk: Conversation = Conversation()
    """The session's conversation with its agent."""
    undo: UndoState = UndoState()
    """What can be taken back, tried and forked."""
    default_session: SessionId | None = None
    """In the daemon's own stream: the session new connections begin with."""

    @property
    def phase_name(self) -> PhaseName:
        """Which of the five states it is in."""
        return PHASE_NAMES[type(self.phase)]


def allowed(state: SessionState) -> tuple[Affordance, ...]:
    """What is offered now, in the order in which it should be shown."""
    offered = tuple(
        one
        for one in ADVERTISED[state.phase_name]
        if one not in WHERE_THERE_IS or _is_there(state.undo, one)
    )
    if state.undo.is_going_back:
        offered = tuple(one for one in offered if COMMAND_OF.get(one) not in WAIT_FOR_RETURN)
    if isinstance(state.phase, Evaluating) and state.phase.current.question is not None:
        return (Affordance.ANSWER_INPUT, *offered)  # first: the cell waits for it
    if Affordance.REPLAY_SESSION in offered and (not state.fresh or is_replaying(state)):
        return tuple(one for one in offered if one is not Affordance.REPLAY_SESSION)
    return offered


def situation(state: SessionState) -> str:
    """What the interpreter is doing, in words, for refusals."""
    doing = state.undo.doing
    if doing is not None:
        return "cells are being brought back" if doing.redo else "cells are being taken back"
    if state.undo.adopting is not None:
        return "a variant is taking the interpreter's place"
    if isinstance(state.phase, Evaluating) and state.phase.current.variants:
        return "the interpreter is running a cell: variants are being tried"
    return SITUATIONS[state.phase_name]


def _is_there(undo: UndoState, offer: Affordance) -> bool:
    """Whether there is something that the offer is about."""
    match offer:
        case Affordance.UNDO_CODE:
            return any(one.kept for one in undo.ran)
        case Affordance.REDO_CODE:
            return bool(undo.redo)
        case _:
            return undo.trial is not None


def is_replaying(state: SessionState) -> bool:
    """Whether recorded cells are being run again."""
    return any(question.asking is Asking.REPLAY for question in state.questions)
