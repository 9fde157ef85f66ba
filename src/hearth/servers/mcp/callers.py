"""Who calls a tool: in whose name, from where, and what is remembered of their connection."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.credentials.standing import Credential, Standing
from hearth.servers.http.streams.attendance import Attendance

LONGEST_NAME: Final = 200
LONGEST_PATH: Final = 4096
UNNAMED: Final = "unnamed"
DIRECTORY_KEY: Final = "hearth/directory"
"""Under this a request may say in its `_meta` where its caller works."""
MOST_SEEN: Final = 64
"""Sessions of which is remembered what a connection was told."""


class NobodyToAsk(Exception):
    """No person at the client can be asked; the message says why."""


class BadDirectory(ValueError):
    """What was said for a directory is none; the message says what would be one."""


@dataclass(slots=True)
class Remembered:
    """A connection of the earlier era: which session is its own, and what it was told.

    `told` has by session and tool what the caller knows already.
    """

    key: str
    attendance: Attendance
    active: SessionId | None = None
    seeding: asyncio.Lock = field(default_factory=asyncio.Lock)
    told: dict[tuple[SessionId, str], Mapping[str, Any]] = field(default_factory=dict)
    _is_over: bool = False
    _leave: Callable[[], None] | None = None
    _at: SessionId | None = None

    def be_at(self, session: SessionId | None, origin: Origin) -> None:
        """This connection is with that session from now on, or with none yet."""
        if self._is_over:
            return  # a call of it was still being answered
        if self._leave is not None:
            if self._at == session:
                return
            self._leave()
        self._at = session
        self._leave = self.attendance.enter(session, origin, self.key)

    def leave(self) -> None:
        """The connection has ended."""
        self._is_over = True
        if self._leave is not None:
            self._leave()
            self._leave = None

    def tell(self, session: SessionId, tool: str, what: Mapping[str, Any]) -> None:
        """Remember that the caller knows this."""
        self.told.pop((session, tool), None)
        self.told[session, tool] = what
        if len(self.told) > MOST_SEEN:
            del self.told[next(iter(self.told))]


@dataclass(frozen=True, slots=True)
class Answered:
    """What the person at the client said: yes with the fields, no, or nothing."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Doing:
    """What a call is about, for whoever wants it stopped."""

    stop: Callable[[], Awaitable[object]] | None = None


async def _nothing_known() -> str:
    return ""


async def _not_wanted(_: str) -> None:
    return None


async def _nobody(_: str, __: str, ___: Mapping[str, Any]) -> Answered:
    raise NobodyToAsk("the client cannot ask its person")


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Whoever calls, for the length of one call."""

    credential: Credential
    origin: Origin
    connection: Remembered | None = None
    """None: the call stands for itself, and nothing is remembered between two."""
    directory: str = ""
    """Where they work, if they said so."""
    roots: Callable[[], Awaitable[str]] = _nothing_known
    """Asks the client for the folder it works in; empty if it does not say."""
    wants_progress: bool = False
    progress: Callable[[str], Awaitable[None]] = _not_wanted
    """Tells the client what is going on."""
    ask: Callable[[str, str, Mapping[str, Any]], Awaitable[Answered]] = _nobody
    """Asks the person at the client: a key, what is asked, and the form. NobodyToAsk."""
    notes: dict[str, str] = field(default_factory=dict)
    """What is known again if the call is made again after a question."""
    is_patient: bool = False
    """Whether the call may take as long as it takes: it becomes a task."""
    doing: Doing = field(default_factory=Doing)

    @property
    def is_person(self) -> bool:
        """Whether a person's own credential was shown, and not one that agents hold."""
        return self.credential.standing is Standing.PERSON


def origin_of(credential: Credential, client: str) -> Origin:
    """In whose name a tool is called: the client's own, or that of the token an agent holds."""
    if credential.standing is Standing.AGENT:
        return Origin(Actor.AGENT, credential.name, Door.MCP)
    return Origin(Actor.MCP_CLIENT, fit_name(client), Door.MCP)


def fit_name(said: str) -> str:
    """What a client calls itself, fit to be shown: printable, and not too long."""
    plain = "".join(sign if sign.isprintable() else " " for sign in said[: 2 * LONGEST_NAME])
    return " ".join(plain.split())[:LONGEST_NAME] or UNNAMED


def directory_in(header: str | None, meta: Mapping[str, Any] | None) -> str:
    """Where the caller says it works; empty if it does not. BadDirectory."""
    if header:
        try:
            return absolute(unquote_to_bytes(header).decode())
        except UnicodeDecodeError:
            raise BadDirectory("Hearth-Directory is a path in UTF-8, percent-encoded") from None
    said = (meta or {}).get(DIRECTORY_KEY)
    if said is None:
        return ""
    if not isinstance(said, str):
        raise BadDirectory(f"_meta[{DIRECTORY_KEY!r}] is a text")
    return absolute(said)


def path_in(uri: str) -> str:
    """The folder that a root of a client names; empty if it is none of this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        return ""
    path = unquote(parts.path)
    return path if path.startswith("/") and "\0" not in path else ""


def absolute(path: str) -> str:
    """A directory as it is compared. BadDirectory."""
    if not path.startswith("/") or "\0" in path or len(path) > LONGEST_PATH:
        raise BadDirectory(
            f"a directory is an absolute path of at most {LONGEST_PATH} characters, "
            "for example /home/ann/project"
        )
    return path.rstrip("/") or "/"
