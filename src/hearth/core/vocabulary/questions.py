"""The events of questions: what was asked beside the cells, and what was answered.

Each is also found in `events`, with all the others.
"""

from hearth.core.vocabulary.answers import (
    Difference,
    Exploration,
    ExploredKind,
    Inspection,
    NotReloaded,
    Reloaded,
    Variable,
)
from hearth.core.vocabulary.content import Completion, Diagnostic, Text
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.wire import Word


class CheckRequested(Word, frozen=True):
    """Someone asked for the errors in some code."""

    code: Text
    file: str = ""
    full: bool = False


class DiagnosticsChecked(Word, frozen=True):
    """The errors that were found; `key` is the file's path, else a hash of the code."""

    key: str
    diagnostics: tuple[Diagnostic, ...] = ()
    fresh: tuple[int, ...] = ()
    """Which of them, by place, this caller had not been told before."""


class DiagnosticsCleared(Word, frozen=True):
    """Earlier diagnostics no longer hold."""


class CompletionsRequested(Word, frozen=True):
    """Someone asked what could stand at the cursor."""

    code: Text
    cursor: int


class CompletionsReturned(Word, frozen=True):
    """What could stand there."""

    items: tuple[Completion, ...] = ()


class InspectionRequested(Word, frozen=True):
    """Someone asked what stands at the cursor."""

    code: Text
    cursor: int


class InspectionReturned(Word, frozen=True):
    """What stands there."""

    inspection: Inspection


class VariablesRequested(Word, frozen=True):
    """Someone asked for the session's variables."""

    prefix: str = ""
    modules: bool = False


class VariablesReturned(Word, frozen=True):
    """The variables; `total` counts those that are left out too."""

    variables: tuple[Variable, ...] = ()
    total: int = 0


class ExplorationRequested(Word, frozen=True):
    """Someone asked for the members of something."""

    kind: ExploredKind
    name: str


class ExplorationReturned(Word, frozen=True):
    """Its members."""

    exploration: Exploration


class ReloadRequested(Word, frozen=True):
    """Sources were saved and are to be taken into the live session."""

    paths: tuple[str, ...]


class SourcesReloaded(Word, frozen=True):
    """Saved sources run now; of those that failed the old version stays alive."""

    reloaded: tuple[Reloaded, ...] = ()
    failed: tuple[NotReloaded, ...] = ()
    duration: float = 0.0


class ReplayStarted(Word, frozen=True):
    """The recorded cells of a session are being run again."""

    source: SessionId
    before: int = 0
    """Only those that it held before this version; 0: all of them."""


class SessionReplayed(Word, frozen=True):
    """What became of the recorded cells; `missing` is no longer there to be used."""

    ran: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    differing: tuple[Difference, ...] = ()
    missing: tuple[str, ...] = ()
    problem: str = ""


class QuestionAbandoned(Word, frozen=True):
    """A question will not be answered."""

    reason: str
