"""What a tool is, where it is run, and what it answers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from hearth.core.vocabulary.commands import SessionConfig, SessionMode
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.deeds import FileChange
from hearth.core.vocabulary.ids import CallId, SessionId
from hearth.core.vocabulary.permitting import Need
from hearth.settings.roots import find_root_anyway

_NO_CALL: Final = CallId("")
Keep: TypeAlias = Callable[[bytes, str], Awaitable[Blob]]
"""Keeps content of a media type for good, under its hash."""


def _unseen(_text: str) -> None:
    """Nobody looks on."""


async def unkept(content: bytes, media_type: str) -> Blob:
    """Only named, not kept: for tests of what is done without a log."""
    return Blob(sha256(content).hexdigest(), len(content), media_type)


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a tool is run."""

    session: SessionId
    directory: str
    """The working directory of the session."""
    root: str = ""
    """The root of its project; "" for a session that belongs to none."""
    show: Callable[[str], None] = _unseen
    """Shows people what the tool is doing, as it does it."""
    call: CallId = _NO_CALL
    agent: str = ""
    """Who called the tool."""
    needs: tuple[Need, ...] = ()
    """What was asked for and allowed: nothing else may be done."""
    keep: Keep = unkept


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a call needs before it may be run."""

    needs: tuple[Need, ...] = ()
    may_change: bool = False
    """Whether it may change files, as far as can be told: then they are kept first."""
    problem: str = ""
    """Why it cannot be run at all, in a sentence."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool answers: in full, however long it is."""

    text: str
    is_error: bool = False
    files: tuple[str, ...] = ()
    """What it read or changed."""
    changes: tuple[FileChange, ...] = ()
    pictures: tuple[Blob, ...] = ()
    """For models that can see, beside the text."""
    structured: Mapping[str, Any] | None = None
    """The same as an object, for code that called it; None: there is only the text."""


class Tool(Protocol):
    """Something that agents can have done."""

    @property
    def name(self) -> str:
        """How models call it: letters, digits, `_` and `-`."""

    @property
    def description(self) -> str:
        """What it does and when to use it, for models. Always the same."""

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """What it takes: a JSON Schema of an object, of the words that `arguments` checks."""

    @property
    def read_only(self) -> bool:
        """It changes nothing: equal calls of one step may share one result."""

    def is_offered(self, scene: Scene) -> bool:
        """Whether agents here may call it. Asked in a thread; may wait for the disk."""

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """What a call with these valid arguments needs. Asked in a thread; runs nothing."""

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Do it. The arguments are valid. May raise; is cancelled when nobody waits any more."""


def directory_of(config: SessionConfig) -> str:
    """Where a session works."""
    return config.directory or str(Path.home())


def project_of(config: SessionConfig) -> str:
    """The directory in which its project is looked for; "" if a session belongs to none."""
    return "" if config.mode is SessionMode.BARE else config.directory


def root_of(config: SessionConfig) -> str:
    """The root of a session's project; "" for none. May wait for the disk."""
    directory = project_of(config)
    return str(find_root_anyway(Path(directory))[0].path) if directory else ""
