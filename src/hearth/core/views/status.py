"""How one session stands: what every door shows and every tool result carries."""

from datetime import datetime

from hearth.core.rules.state import allowed
from hearth.core.views.session_fold import SessionFold
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.cells import NO_COPIES, Copies
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.phases import Affordance, Evaluating, Faulted, OpenCell, PhaseName
from hearth.core.vocabulary.undoing import UndoFor
from hearth.core.vocabulary.wire import Part


class TrialWaiting(Part, frozen=True):
    """Variants of which one may be kept."""

    cell: CellId
    variants: int
    gone: tuple[int, ...] = ()
    """Those that cannot be kept, since their interpreters did not live on; counted from 1."""


class Status(Part, frozen=True, kw_only=True):
    """A session at a glance. `current` is there exactly while it evaluates."""

    session: SessionId
    name: str
    directory: str
    state: PhaseName
    available: tuple[Affordance, ...]
    current: OpenCell | None = None
    failure: Failure | None = None
    waiting: int = 0
    """Cells in the queue."""
    evals: int
    errors: int
    cancelled: int
    last_code: str
    last_duration: float | None
    started_at: datetime | None
    last_activity: datetime | None
    projects: tuple[str, ...]
    stale_events: int
    """Cells of the newest life whose results no longer hold."""
    generation: int
    root: str = ""
    source: str = ""
    """How the root was found."""
    python: str = ""
    version: str = ""
    language: str = ""
    notices: tuple[str, ...] = ()
    fingerprint: str = ""
    restart_due: datetime | None = None
    stopped: bool = False
    events: int = 0
    """So many events its log has: the version of the newest."""
    undo: UndoFor = UndoFor.AGENTS
    """Whose cells can be taken back: before each of them a copy is kept."""
    kept: Copies = NO_COPIES
    """Before which cells the interpreter is kept as it was, and what that takes."""
    redo: int = 0
    """So many times what was taken back can be brought back."""
    trial: TrialWaiting | None = None
    """Variants that were tried and of which one may be kept."""


def status(session: SessionFold) -> Status:
    """The status of a session that was started."""
    state, tally = session.state, session.tally
    config, phase, trial = state.config, state.phase, state.undo.trial
    found = state.surroundings or Surroundings()
    directory = config.directory if config else ""
    return Status(
        session=state.session,
        name=(config.name if config else "") or found.name or display_name(directory),
        directory=directory,
        state=state.phase_name,
        available=allowed(state),
        current=phase.current if isinstance(phase, Evaluating) else None,
        failure=phase.failure if isinstance(phase, Faulted) else None,
        waiting=len(state.queue),
        evals=tally.evals,
        errors=tally.errors,
        cancelled=tally.cancelled,
        last_code=tally.last_code,
        last_duration=tally.last_duration,
        started_at=tally.started_at,
        last_activity=tally.last_activity,
        projects=(config.projects if config else ()) or found.projects,
        stale_events=state.stale,
        generation=state.generation,
        root=found.root,
        source=found.source,
        python=found.python,
        version=found.version,
        language=found.language,
        notices=found.notices,
        fingerprint=state.fingerprint,
        restart_due=state.restart_due,
        stopped=state.stopped,
        events=session.version,
        undo=state.undo.who or (config or SessionConfig()).undo,
        kept=state.undo.kept,
        redo=len(state.undo.redo),
        trial=TrialWaiting(trial.cell, trial.variants, trial.gone) if trial else None,
    )


def display_name(directory: str) -> str:
    """The last part of a path, as a name for people."""
    return directory.rstrip("/").rpartition("/")[2]
