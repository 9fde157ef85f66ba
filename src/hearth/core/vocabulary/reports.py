"""What a performer brings back. Never stored; enters by the same mailbox as a command."""

from enum import StrEnum
from typing import TypeAlias

from hearth.core.vocabulary.content import Completion, Diagnostic, Outputs, Text
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.wire import Word


class Exit(StrEnum):
    """How an interpreter process came to its end."""

    CLEAN = "clean"
    CRASH = "crash"
    VANISHED = "vanished"
    """It went away while no daemon watched."""


class WorkerReady(Word, frozen=True):
    """The interpreter of this generation is prepared; `errors` did not prevent it."""

    generation: int
    duration: float
    errors: tuple[str, ...] = ()


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


class CodeChecked(Word, frozen=True):
    """The answer to a check."""

    question: InputId
    diagnostics: tuple[Diagnostic, ...] = ()


class CodeCompleted(Word, frozen=True):
    """The answer to a completion."""

    question: InputId
    items: tuple[Completion, ...] = ()


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
    | RestartDue
    | EffectFailed
)
