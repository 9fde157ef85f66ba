"""A conversation as a file that other programs read: one JSON object on each line.

The first line is the header, every other an entry of a tree: a message, another model, or a word
about the session. Each entry names the one before it, so branches are entries with one parent.

    {"type":"session","version":1,"id":"20260301120000-a1b2c3","timestamp":"…","cwd":"/home/ann"}
    {"type":"message","id":"0f3c9a71","parentId":null,"timestamp":"…","message":{"role":"user",…}}
    {"type":"model_change","id":"…","parentId":"…","timestamp":"…","provider":"…","modelId":"…"}
    {"type":"session_info","id":"…","parentId":"…","timestamp":"…","name":"…"}

What only hearth knows is under `hearth`: others may leave it out, and nothing breaks.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import LogError

VERSION: Final = 1
MESSAGE: Final = "message"
MODEL_CHANGE: Final = "model_change"
SESSION_INFO: Final = "session_info"
KNOWN: Final = frozenset({MESSAGE, MODEL_CHANGE, SESSION_INFO})
ROLES: Final = frozenset({"user", "assistant", "tool_result"})

Json: TypeAlias = dict[str, Any]


class BadConversation(LogError):
    """A file that is no conversation; `line` counts from 1, `hint` says what would help."""

    def __init__(self, path: Path, line: int, why: str, hint: str = "") -> None:
        super().__init__(f"{path}, line {line}: {why}")
        self.line = line
        self.hint = hint


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a conversation's file says of itself."""

    type: str = msgspec.field(default="session")
    version: int
    id: str
    timestamp: datetime
    cwd: str = ""
    parent_session: str | None = msgspec.field(default=None, name="parentSession")
    hearth: Json = msgspec.field(default_factory=dict)


class Entry(NamedTuple):
    """One line behind the header."""

    line: int
    type: str
    id: str
    parent: str | None
    at: datetime
    fields: Json
    """Everything that it says, as it stands there."""


class Read(NamedTuple):
    """A file that was read to its end."""

    header: Header
    entries: list[Entry]
    digest: str
    notes: tuple[str, ...]
    """What was left out, in words."""


def file_id(session: SessionId, begun: datetime) -> str:
    """The id of a session in its file: it sorts by time, and is always the same."""
    stamp = begun.astimezone(UTC).strftime("%Y%m%d%H%M%S")
    return f"{stamp}-{sha256(session.encode()).hexdigest()[:6]}"


class EntryIds:
    """Hands out ids of entries: eight hexadecimal digits, none twice, the same every time."""

    def __init__(self, session: SessionId) -> None:
        self._session = session
        self._taken: set[str] = set()

    def of(self, what: str) -> str:
        """The id of the entry that is made of this."""
        attempt = 0
        while True:
            seed = f"{self._session}\0{what}\0{attempt}".encode()
            name = sha256(seed).hexdigest()[:8]
            if name not in self._taken:
                self._taken.add(name)
                return name
            attempt += 1


def header_line(header: Header) -> bytes:
    """The first line."""
    # `type` and `version` are written although they are what they always are.
    said = {"type": "session", "version": header.version, **msgspec.to_builtins(header)}
    return msgspec.json.encode(said) + b"\n"


def entry_line(type_: str, id_: str, parent: str | None, at: datetime, said: Json) -> bytes:
    """The line of an entry."""
    whole = {"type": type_, "id": id_, "parentId": parent, "timestamp": at, **said}
    return msgspec.json.encode(whole) + b"\n"


def read_conversation(path: Path) -> Read:
    """Read and verify a file. Blocks. BadConversation, LogError.

    A last line that a crash cut off is left out, and so are entries of kinds that are not known.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error
    lines = raw.split(b"\n")
    whole, torn = lines[:-1], lines[-1]
    if not raw.strip():
        raise BadConversation(path, 1, "the file is empty", "export the conversation again")
    header = _header(path, whole[0] if whole else torn)
    notes: list[str] = []
    if torn.strip():
        if _decoded(torn) is None:
            notes.append("the last line was cut off and is left out")
        else:
            whole.append(torn)
    entries, unknown = [], 0
    for entry in _entries(path, whole[1:]):
        if entry.type in KNOWN:
            entries.append(entry)
        else:
            unknown += 1
    if unknown:
        notes.append(f"{unknown} entries of kinds that hearth does not know are left out")
    return Read(header, entries, sha256(raw).hexdigest(), tuple(notes))


def is_conversation(path: Path) -> bool:
    """Whether a file begins as a conversation does; what is wrong with it is told by reading it."""
    try:
        with path.open("rb") as file:
            said = _decoded(file.readline(1_000_000))
    except OSError:
        return False
    return said is not None and said.get("type") == "session"


def _header(path: Path, line: bytes) -> Header:
    said = _decoded(line)
    if said is None or said.get("type") != "session":
        hint = "its first line must be a header of type `session`"
        raise BadConversation(path, 1, "this is no conversation", hint)
    version = said.get("version")
    if isinstance(version, int) and version > VERSION:
        why = f"it is of version {version}, and this hearth reads versions up to {VERSION}"
        raise BadConversation(path, 1, why, "update hearth, or export it in an older version")
    try:
        return msgspec.convert(said, Header)
    except msgspec.ValidationError as error:
        raise BadConversation(path, 1, f"the header does not parse: {error}") from None


def _entries(path: Path, lines: list[bytes]) -> Iterator[Entry]:
    known: set[str] = set()
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        said = _decoded(line)
        if said is None:
            hint = "only the last line of a file may be cut off"
            raise BadConversation(path, number, "it is no JSON object", hint)
        entry = _entry(path, number, said)
        if entry.id in known:
            raise BadConversation(path, number, f"the id {entry.id!r} is there twice")
        known.add(entry.id)
        yield entry


def _entry(path: Path, number: int, said: Json) -> Entry:
    type_, id_, parent = said.get("type"), said.get("id"), said.get("parentId")
    if not isinstance(type_, str) or not isinstance(id_, str) or not id_:
        raise BadConversation(path, number, "an entry needs a `type` and an `id`")
    if parent is not None and not isinstance(parent, str):
        raise BadConversation(path, number, "`parentId` must be the id of an entry, or null")
    try:
        at = msgspec.convert(said.get("timestamp"), datetime)
    except msgspec.ValidationError:
        why = "`timestamp` must be a time like 2026-03-01T12:00:00Z"
        raise BadConversation(path, number, why) from None
    return Entry(number, type_, id_, parent, at if at.tzinfo else at.replace(tzinfo=UTC), said)


def _decoded(line: bytes) -> Json | None:
    try:
        said = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
