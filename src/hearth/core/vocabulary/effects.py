"""What the outside must now do. Implied by stored events, so never stored.

Every effect names the worker generation it is meant for; a report about an older one is ignored.
"""

from typing import Final, TypeAlias

from hearth.core.vocabulary.answers import ExploredKind
from hearth.core.vocabulary.cells import OnError
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import BlockId, CellId, InputId, SessionId
from hearth.core.vocabulary.modelling import AgentEffect
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.undoing import Returned, RewindScope
from hearth.core.vocabulary.wire import Word


class StartWorker(Word, frozen=True):
    """Start and prepare an interpreter. Answer: WorkerReady or WorkerFailed, later WorkerLost."""

    generation: int
    config: SessionConfig
    rebuild: bool = False


class AttachWorker(Word, frozen=True):
    """Take up an interpreter that an earlier daemon left, and the cell it may be running.

    Answer: WorkerLost if it is gone; otherwise WorkerReady, then CellEnded once the cell ends, at
    once (interrupted) if the interpreter never heard of it.
    """

    generation: int
    config: SessionConfig
    cell: CellId | None = None
    time_limit: float | None = None
    """The cell's, and how much of it is left."""
    time_left: float | None = None
    unanswered: tuple[InputId, ...] = ()
    """What was asked of the earlier daemon, to be given back with WorkerReady."""
    on_error: OnError = "keep"
    """The cell's."""
    trial: bool = False
    """The cell is a trial, whose copies are taken up; CellEnded is not told, VariantsTried is."""
    tried: CellId | None = None
    """The trial whose variants wait for one to be kept: of others, nothing stays."""


class StopWorker(Word, frozen=True):
    """End an interpreter and all it started. No answer."""

    generation: int


class ResetWorker(Word, frozen=True):
    """Empty the interpreter's namespace and prepare it anew; it then has the new generation.

    Answer: WorkerReady or WorkerFailed for the new generation.
    """

    generation: int
    config: SessionConfig


class ExecuteInWorker(Word, frozen=True):
    """Run a cell. Progress: OutputChunk. Answer: CellEnded, or WorkerLost.

    The engine fetches code that is kept as a blob before a performer sees the effect.
    """

    generation: int
    cell: CellId
    code: Text
    time_limit: float | None = None
    may_ask: bool = False
    reload: bool = True
    copy: bool = False
    """Keep a copy before it runs, under the name of the cell. CopyMissed, if that cannot be."""
    on_error: OnError = "keep"
    """`undo`: if it fails, that copy takes the interpreter's place before CellEnded is told."""


class LoadInWorker(Word, frozen=True):
    """Run a file as a cell. Progress: OutputChunk. Answer: CellEnded, or WorkerLost."""

    generation: int
    cell: CellId
    path: str
    time_limit: float | None = None
    may_ask: bool = False
    copy: bool = False


class InterruptWorker(Word, frozen=True):
    """Stop the running cell; `attempt` grows each time it is asked for. No answer of its own."""

    generation: int
    cell: CellId
    attempt: int


class CheckInWorker(Word, frozen=True):
    """Look for errors in code without running it. Answer: CodeChecked."""

    generation: int
    question: InputId
    code: str
    file: str = ""


class CompleteInWorker(Word, frozen=True):
    """Find completions. Answer: CodeCompleted."""

    generation: int
    question: InputId
    code: str
    cursor: int


class InspectInWorker(Word, frozen=True):
    """Say what stands at the cursor. Answer: CodeInspected."""

    generation: int
    question: InputId
    code: str
    cursor: int


class ListInWorker(Word, frozen=True):
    """List the variables. Answer: VariablesFound."""

    generation: int
    question: InputId
    prefix: str = ""
    modules: bool = False


class ExploreInWorker(Word, frozen=True):
    """List the members of a module, class or object. Answer: MembersFound."""

    generation: int
    question: InputId
    kind: ExploredKind
    name: str


class ReloadInWorker(Word, frozen=True):
    """Take saved sources between two cells. Answer: SourcesTaken."""

    generation: int
    question: InputId
    paths: tuple[str, ...]


class AnswerInWorker(Word, frozen=True):
    """Give the running cell the answer it waits for. No answer of its own."""

    generation: int
    cell: CellId
    text: str


class AnswerToolInWorker(Word, frozen=True):
    """Tell code that called a tool whether a person allows it. No answer of its own."""

    generation: int
    ask: str
    """As in the ToolAsked that this answers."""
    allowed: bool
    why: str = ""


class ReplayHistory(Word, frozen=True):
    """Run the recorded cells of a session again, in this one. Answer: ReplayEnded."""

    generation: int
    question: InputId
    source: SessionId
    before: int = 0
    """Only what the source held before this version is run; 0: all of it."""


class RevertWorker(Word, frozen=True):
    """Let a copy that is kept take the interpreter's place. Answer: WorkerReverted, RevertFailed.

    Asked again after a restart of the daemon, it is not done twice.
    """

    generation: int
    question: InputId
    to: str
    """The name of the copy: a cell, or what an earlier revert kept."""
    keep_as: str
    """Under this name the interpreter is kept as it is now, if it can be."""


class TryInWorker(Word, frozen=True):
    """Run each variant in a copy of the interpreter, all at once. Answer: VariantsTried.

    The copies wait until one is adopted or all are dropped.
    """

    generation: int
    cell: CellId
    variants: tuple[str, ...]
    time_limit: float | None = None


class AdoptVariant(Word, frozen=True):
    """Let the copy in which a variant ran be the interpreter, of the new generation.

    Answer: WorkerReady; VariantGone if it has ended and the interpreter that it was tried in lives
    on, of the generation before; WorkerLost if both are gone. The other copies end.
    """

    generation: int
    cell: CellId
    variant: int


class DropVariants(Word, frozen=True):
    """End the copies of a trial. No answer."""

    generation: int
    cell: CellId


class BranchSession(Word, frozen=True):
    """Begin another session from this one. Answer: ForkEnded."""

    generation: int
    question: InputId
    to: SessionId
    config: SessionConfig
    """Of the new session."""
    before: int = 0
    """Of a replay: only what the session held before this version."""


class ReturnSession(Word, frozen=True):
    """Take a session back, or find out what that would change. Answer: ReturnEnded."""

    generation: int
    question: InputId
    to: BlockId
    scope: RewindScope
    preview: bool
    origin: Origin
    """Who wants it: it is done in their name."""
    was: Returned | None = None
    """What the last return did, where that is to be taken back."""
    since: int = 0
    """The version of the session with which it was asked for: what follows may be its own doing."""
    leaf: BlockId = BlockId("")
    """Where the conversation was then."""


class WaitThenRestart(Word, frozen=True):
    """Wait `delay` seconds. Answer: RestartDue."""

    generation: int
    delay: float


OfInterpreter: TypeAlias = (
    StartWorker
    | AttachWorker
    | StopWorker
    | ResetWorker
    | ExecuteInWorker
    | LoadInWorker
    | InterruptWorker
    | CheckInWorker
    | CompleteInWorker
    | InspectInWorker
    | ListInWorker
    | ExploreInWorker
    | ReloadInWorker
    | AnswerInWorker
    | AnswerToolInWorker
    | ReplayHistory
    | RevertWorker
    | TryInWorker
    | AdoptVariant
    | DropVariants
    | BranchSession
    | ReturnSession
    | WaitThenRestart
)
"""What is done for a session's interpreter."""

Effect: TypeAlias = OfInterpreter | AgentEffect

INTERPRETING: Final[frozenset[type[Effect]]] = frozenset(
    {
        StartWorker,
        AttachWorker,
        StopWorker,
        ResetWorker,
        ExecuteInWorker,
        LoadInWorker,
        InterruptWorker,
        AnswerInWorker,
        AnswerToolInWorker,
        CheckInWorker,
        CompleteInWorker,
        InspectInWorker,
        ListInWorker,
        ExploreInWorker,
        ReloadInWorker,
        RevertWorker,
        TryInWorker,
        AdoptVariant,
        DropVariants,
    }
)
"""What a performer of interpreters carries out."""
