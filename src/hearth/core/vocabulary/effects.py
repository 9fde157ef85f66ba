"""What the outside must now do. Implied by stored events, so never stored.

Every effect names the worker generation it is meant for; a report about an older one is ignored.
"""

from typing import TypeAlias

from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import CellId, InputId
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


class LoadInWorker(Word, frozen=True):
    """Run a file as a cell. Progress: OutputChunk. Answer: CellEnded, or WorkerLost."""

    generation: int
    cell: CellId
    path: str
    time_limit: float | None = None


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


class WaitThenRestart(Word, frozen=True):
    """Wait `delay` seconds. Answer: RestartDue."""

    generation: int
    delay: float


Effect: TypeAlias = (
    StartWorker
    | AttachWorker
    | StopWorker
    | ResetWorker
    | ExecuteInWorker
    | LoadInWorker
    | InterruptWorker
    | CheckInWorker
    | CompleteInWorker
    | WaitThenRestart
)
