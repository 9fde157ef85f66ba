"""What a performer brings back. Never stored; enters by the same mailbox as a command."""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from hearth.core.vocabulary.answers import (
    Difference,
    Exploration,
    Inspection,
    NotReloaded,
    Reloaded,
    Surroundings,
    Variable,
)
from hearth.core.vocabulary.cells import NO_COPIES, Copies
from hearth.core.vocabulary.content import Completion, Diagnostic, Outputs, Text
from hearth.core.vocabulary.deeds import PathChange
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.modelling import AgentReport
from hearth.core.vocabulary.permitting import Judged, Verdict
from hearth.core.vocabulary.phases import Rung
from hearth.core.vocabulary.undoing import ForkHow, Returned, VariantResult
from hearth.core.vocabulary.wire import Word


class Exit(StrEnum):
    """How an interpreter process came to its end."""

    CLEAN = "clean"
    CRASH = "crash"
    VANISHED = "vanished"
    """It went away while no daemon watched."""
    KILLED = "killed"
    """By us: nothing else stopped its cell."""


class WorkerReady(Word, frozen=True):
    """The interpreter of this generation is prepared; `errors` did not prevent it."""

    generation: int
    duration: float
    errors: tuple[str, ...] = ()
    surroundings: Surroundings | None = None
    unanswered: tuple[InputId, ...] = ()
    """Of one that was taken up: what its earlier daemon was asked, and nobody will answer."""


class WorkerFailed(Word, frozen=True):
    """The interpreter of this generation could not be prepared."""

    generation: int
    failure: Failure


class WorkerLost(Word, frozen=True):
    """The interpreter of this generation is gone and nobody asked for it."""

    generation: int
    exit: Exit
    message: Text
    traceback: Text = ""
    names: tuple[str, ...] = ()
    """The variables that went with it."""
    outputs: Outputs = ()
    """What the cell that was running had shown by then."""
    dropped: int = 0
    duration: float = 0.0


class Succeeded(Word, frozen=True):
    """The cell ran to its end; `value` is the text of its last expression, if it had one."""

    value: Text = ""
    value_type: str = ""


class Raised(Word, frozen=True):
    """The cell ended in a failure, the interpreter lives on."""

    failure: Failure


class Stopped(Word, frozen=True):
    """The cell ended because it was cancelled."""


Ending: TypeAlias = Succeeded | Raised | Stopped


class CellEnded(Word, frozen=True):
    """A cell came to its end, with everything it showed."""

    generation: int
    cell: CellId
    ending: Ending
    duration: float
    outputs: Outputs = ()
    names: tuple[str, ...] = ()
    """The top-level names it bound."""
    statements: int = 0
    """How many statements of a script were run."""
    uses: dict[str, str] = msgspec.field(default_factory=dict)
    """The distributions and project modules it depended on, with their content hashes."""
    dropped: int = 0
    """Bytes of output that were too many to be kept."""
    kept: Copies = NO_COPIES
    undone: bool = False
    """It failed, and all that it did was taken back."""


class CodeChecked(Word, frozen=True):
    """The answer to a check."""

    question: InputId
    diagnostics: tuple[Diagnostic, ...] = ()


class CodeCompleted(Word, frozen=True):
    """The answer to a completion."""

    question: InputId
    items: tuple[Completion, ...] = ()


class CodeInspected(Word, frozen=True):
    """The answer to an inspection."""

    question: InputId
    inspection: Inspection


class VariablesFound(Word, frozen=True):
    """The answer to a list of variables; `total` counts those that are left out too."""

    question: InputId
    variables: tuple[Variable, ...] = ()
    total: int = 0


class MembersFound(Word, frozen=True):
    """The answer to an exploration."""

    question: InputId
    exploration: Exploration


class SourcesTaken(Word, frozen=True):
    """The answer to a reload."""

    question: InputId
    reloaded: tuple[Reloaded, ...] = ()
    failed: tuple[NotReloaded, ...] = ()
    duration: float = 0.0


class ReplayEnded(Word, frozen=True):
    """The answer to a replay: which cells were run, left out, failed, missing or different."""

    question: InputId
    ran: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """Not run: they only looked and still hold, or they had failed before they bound a name."""
    partial: tuple[str, ...] = ()
    """Run, although they had failed or were cancelled: they had bound names by then."""
    failed: tuple[str, ...] = ()
    differing: tuple[Difference, ...] = ()
    missing: tuple[str, ...] = ()
    """What the recorded cells depended on and is no longer there."""
    problem: str = ""
    """Why it ended early."""


class CopyMissed(Word, frozen=True):
    """No copy could be made before the running cell: it cannot be taken back."""

    generation: int
    cell: CellId
    obstacles: tuple[str, ...]


class CopiesGone(Word, frozen=True):
    """Copies were dropped between cells; `kept` are those that are left."""

    generation: int
    kept: Copies = NO_COPIES
    why: str = ""


class WorkerReverted(Word, frozen=True):
    """A copy has taken the interpreter's place."""

    generation: int
    question: InputId
    kept: Copies = NO_COPIES
    can_return: bool = False
    """What it was until then is kept, under the name that was given."""


class RevertFailed(Word, frozen=True):
    """The interpreter is as it was."""

    generation: int
    question: InputId
    why: str


class VariantGone(Word, frozen=True):
    """A variant that was to be kept has ended meanwhile; the interpreter is as it was."""

    generation: int
    cell: CellId
    why: str


class VariantsTried(Word, frozen=True):
    """All variants of a trial have ended."""

    generation: int
    cell: CellId
    results: tuple[VariantResult, ...] = ()
    problem: str = ""
    """Why nothing could be tried."""


class ForkEnded(Word, frozen=True):
    """The answer to a fork; with a `problem` there is none."""

    question: InputId
    how: ForkHow = ForkHow.COPY
    notice: str = ""
    problem: str = ""
    obstacles: tuple[str, ...] = ()
    remedy: tuple[str, ...] = ()
    """What would help, if there is none."""
    name: str = ""
    """What the fork is called."""


class ReturnEnded(Word, frozen=True):
    """The answer to a return, or to the question what it would change."""

    question: InputId
    blocks: int = 0
    cells: tuple[CellId, ...] = ()
    how: ForkHow | None = None
    changes: tuple[PathChange, ...] = ()
    left_out: int = 0
    problems: tuple[str, ...] = ()
    did: Returned = Returned()
    failed: str = ""


class InputAsked(Word, frozen=True):
    """The running cell waits for a person to answer."""

    generation: int
    cell: CellId
    prompt: str = ""
    password: bool = False


class StopTried(Word, frozen=True):
    """One rung of the ladder was climbed to stop a cell; CellEnded tells if it did."""

    generation: int
    cell: CellId
    rung: Rung


class OutputCameLate(Word, frozen=True):
    """Something that a cell left running showed this after the cell had ended."""

    generation: int
    cell: CellId
    outputs: Outputs = ()
    dropped: int = 0


class ToolAsked(Word, frozen=True):
    """Code in the interpreter calls a tool that a person must allow; it waits for the answer."""

    generation: int
    cell: CellId
    ask: str
    """Names this call, unlike any other."""
    name: str
    arguments: Text
    judged: tuple[Judged, ...]


class ToolUsed(Word, frozen=True):
    """Code in the interpreter called a tool, and this is how that ended."""

    generation: int
    name: str
    verdict: Verdict
    cell: CellId | None = None
    """The cell that called, if one did."""
    arguments: str = ""
    by: str = ""
    duration: float = 0.0
    error: str = ""
    ask: str = ""
    """As in the ToolAsked before it: nobody waits for the answer any more."""


class EnvironmentSeen(Word, frozen=True):
    """What the interpreter has loaded: distributions and project modules with content hashes.

    An empty hash says that a part was there and is gone. One that is left out is only not loaded,
    unless this same interpreter had it before: nothing is unloaded, so it is gone.
    """

    generation: int
    fingerprint: str
    parts: dict[str, str]


class RestartDue(Word, frozen=True):
    """The pause before a restart is over."""

    generation: int


class EffectFailed(Word, frozen=True):
    """A performer could not even try. Closes whatever waited for the effect."""

    effect: Effect
    message: str


Report: TypeAlias = (
    WorkerReady
    | WorkerFailed
    | WorkerLost
    | CellEnded
    | CodeChecked
    | CodeCompleted
    | CodeInspected
    | VariablesFound
    | MembersFound
    | SourcesTaken
    | ReplayEnded
    | CopyMissed
    | CopiesGone
    | WorkerReverted
    | RevertFailed
    | VariantGone
    | VariantsTried
    | ForkEnded
    | ReturnEnded
    | InputAsked
    | StopTried
    | OutputCameLate
    | ToolAsked
    | ToolUsed
    | EnvironmentSeen
    | RestartDue
    | EffectFailed
    | AgentReport
)
