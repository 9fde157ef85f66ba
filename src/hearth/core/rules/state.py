"""What must be remembered of a session to decide what may happen next. Plain, comparable data."""

from datetime import datetime

from hearth.core.rules.interpreter import ADVERTISED
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.phases import (
    PHASE_NAMES,
    Affordance,
    OpenCell,
    Phase,
    PhaseName,
    Uninitialized,
)
from hearth.core.vocabulary.wire import Part


class Question(Part, frozen=True):
    """A check or completion that is not answered yet."""

    cause: InputId
    origin: Origin
    key: str = ""
    """Under what its diagnostics will be kept; empty for a completion."""


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
    default_session: SessionId | None = None
    """In the daemon's own stream: the session new connections begin with."""

    @property
    def phase_name(self) -> PhaseName:
        """Which of the five states it is in."""
        return PHASE_NAMES[type(self.phase)]


def allowed(state: SessionState) -> tuple[Affordance, ...]:
    """What is offered now, in the order in which it should be shown."""
    return ADVERTISED[state.phase_name]
