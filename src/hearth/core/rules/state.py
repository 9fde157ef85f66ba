"""What must be remembered of a session to decide what may happen next. Plain, comparable data."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from hearth.core.rules.conversation_state import Conversation
from hearth.core.rules.interpreter import ADVERTISED
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
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

_CELL: Final = re.compile(r"c[1-9][0-9]{0,17}")


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
    default_session: SessionId | None = None
    """In the daemon's own stream: the session new connections begin with."""

    @property
    def phase_name(self) -> PhaseName:
        """Which of the five states it is in."""
        return PHASE_NAMES[type(self.phase)]


def allowed(state: SessionState) -> tuple[Affordance, ...]:
    """What is offered now, in the order in which it should be shown."""
    offered = ADVERTISED[state.phase_name]
    if isinstance(state.phase, Evaluating) and state.phase.current.question is not None:
        return (Affordance.ANSWER_INPUT, *offered)  # first: the cell waits for it
    if Affordance.REPLAY_SESSION in offered and (not state.fresh or is_replaying(state)):
        return tuple(one for one in offered if one is not Affordance.REPLAY_SESSION)
    return offered


def cell_number(cell: CellId) -> int:
    """The place of a cell in its session, counted from 1; 0 if it is no cell's name."""
    return int(cell[1:]) if _CELL.fullmatch(cell) is not None else 0


def is_replaying(state: SessionState) -> bool:
    """Whether recorded cells are being run again."""
    return any(question.asking is Asking.REPLAY for question in state.questions)
