"""What the world can do to us: carried inside events, never raised across a layer.

Failure
├── CodeRaised        the user's code ended with an exception
├── TimedOut          it ran longer than it was allowed to
├── Interrupted       it was cut off and its effects are unknown
├── WorkerCrashed     the interpreter process died
├── WarmUpFailed      the interpreter could not be made ready
├── ProjectNotFound   a configured project is not there
└── CheckFailed       code was refused by its own diagnostics
"""

from typing import TypeAlias

from hearth.core.vocabulary.content import Diagnostic, Text
from hearth.core.vocabulary.wire import Word


class CodeRaised(Word, frozen=True):
    """The user's code ended with an exception; what it bound before stays bound."""

    name: str
    message: Text
    traceback: Text = ""


class TimedOut(Word, frozen=True):
    """The cell ran longer than its limit."""

    limit: float
    elapsed: float


class Interrupted(Word, frozen=True):
    """The work was cut off by something other than itself; its effects are unknown."""

    message: str


class WorkerCrashed(Word, frozen=True):
    """The interpreter process ended without being asked to."""

    message: Text
    traceback: Text = ""
    names: tuple[str, ...] = ()
    """The variables that went with it."""


class WarmUpFailed(Word, frozen=True):
    """The interpreter process could not be started or prepared."""

    message: Text
    traceback: Text = ""


class ProjectNotFound(Word, frozen=True):
    """A project named in the configuration does not exist."""

    path: str


class CheckFailed(Word, frozen=True):
    """The code has errors that can be seen without running it."""

    diagnostics: tuple[Diagnostic, ...]


Failure: TypeAlias = (
    CodeRaised
    | TimedOut
    | Interrupted
    | WorkerCrashed
    | WarmUpFailed
    | ProjectNotFound
    | CheckFailed
)
