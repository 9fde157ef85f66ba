"""What the HTTP door is given: everything it talks to, none of which it makes itself."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from hearth.api import Hearth
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.wire import Part
from hearth.credentials.tokens import Tokens
from hearth.servers.http.agents.oversight import Oversight
from hearth.servers.http.streams.attendance import Attendance
from hearth.servers.mcp.outside import Archives, Projects

Rows: TypeAlias = Callable[[SessionId, int, int], Awaitable[Sequence[Stored]]]
"""So many rows of one session behind a version; any error means: not now."""


class Found(Part, frozen=True, kw_only=True):
    """Something that a search found: an event, and the words around what was found."""

    session: SessionId
    version: int
    seq: int
    at: datetime
    author: Origin
    kind: str
    """The wire name of the event; of a sealed block its role and its content: `user.text_block`."""
    excerpt: str


Search: TypeAlias = Callable[[str, int], Awaitable[Sequence[Found]]]
"""At most so many events of all sessions that have the words; any error means: not now."""


class DaemonInfo(Part, frozen=True, kw_only=True, rename="camel"):
    """Which process this is, and where it is reached."""

    pid: int
    port: int
    socket: str
    started_at: datetime
    version: str
    home: str
    store: str = ""
    """Where sessions are kept, in words."""
    resumed: int = 0
    """So many sessions of an earlier daemon are up again."""


class Daemon(Protocol):
    """The process around the door."""

    def info(self) -> DaemonInfo:
        """Which process this is. Cheap: it is asked for again and again."""

    def rotated(self, token: str) -> None:
        """The person has another token: say so where clients look for it."""

    def stop(self, *, end_sessions: bool) -> None:
        """Begin to end; returns at once. Without `end_sessions` interpreters live on."""


class ConfigShown(Part, frozen=True, kw_only=True):
    """The settings that count in a directory. Secrets are masked by whoever makes this."""

    directory: str
    values: dict[str, Any]
    """By dotted key."""
    sources: dict[str, str]
    """Where each value is from: a file and a line, a variable, or `default`."""
    warnings: tuple[str, ...] = ()


class Settings(Protocol):
    """Who knows the settings."""

    async def shown(self, directory: str) -> ConfigShown:
        """The settings that count in this directory; what is wrong in a file is a warning."""


class TrustShown(Part, frozen=True, kw_only=True):
    """Whether what a project wants to run may run, and what that is."""

    root: str
    files: tuple[str, ...]
    digest: str
    """One hash over the content of the files: trust is for this content alone."""
    trusted: bool


class Trust(Protocol):
    """Who knows which projects the person trusts."""

    async def look(self, directory: str) -> TrustShown:
        """The project of this directory, as it is now."""

    async def grant(self, root: str, digest: str, by: Origin) -> TrustShown | str:
        """Trust this content; the sentence that says why not, if it is another by now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Around:
    """Everything the door talks to."""

    hearth: Hearth
    fetch: Callable[[str], Awaitable[bytes]]
    """Content by its hash. KeyError if there is none; any other error means: not now."""
    rows: Rows
    tokens: Tokens
    daemon: Daemon
    config: Settings
    trust: Trust
    agents: Oversight
    attendance: Attendance
    """Who is connected."""
    archives: Archives | None = None
    projects: Projects | None = None
    """For tools of the Model Context Protocol; without them these are not available."""
    search: Search | None = None
    """Over code, output and chat of all sessions; without it nothing can be searched."""
