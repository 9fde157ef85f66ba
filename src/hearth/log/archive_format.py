"""The file a session is exported to: lines of JSON that people can read.

The first line is the header. Then come the events in order, each as the JSON that every door
sends, and in front of the first event that names a blob a line with its content:

    {"format":"hearth-session","version":1,"session":"…","exported_at":"…","events":2}
    {"seq":7,"session":"…","version":1,"id":"…","at":"…",…}
    {"blob":"<sha256>","base64":"…"}
    {"seq":9,"session":"…","version":2,"id":"…","at":"…",…}

What was damaged in the log is in the file as it is there: a blob that was gone without `base64`, a
row that is no JSON as `{"damaged":<version>,"seq":…,"base64":"…"}`. Such a row cannot be imported.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from hearth.core.rules.session import IllegalEvent, SessionState, evolve
from hearth.core.vocabulary.codec import Unreadable, decode_fact, envelope_json
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.log.blobs import fits, references
from hearth.log.event_log import LogError

FORMAT: Final = "hearth-session"
VERSION: Final = 1

_PLACE: Final = frozenset({"seq", "session", "version"})
"""What an envelope adds to the fact that is stored."""

Raw: TypeAlias = dict[str, msgspec.Raw]
_raw: msgspec.json.Decoder[Raw] = msgspec.json.Decoder(Raw)


class BadArchive(LogError):
    """A file that is no whole archive of a session; `line` counts from 1."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        super().__init__(f"{path}, line {line}: {why}")
        self.path = path
        self.line = line
        self.why = why


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an archive says of itself."""

    format: str
    version: int
    session: SessionId
    exported_at: datetime
    events: int


class Exported(NamedTuple):
    """An event of an archive: its place among the others, its wire tag, its fields as bytes."""

    version: int
    tag: str
    fact: Raw


class Content(NamedTuple):
    """A blob of an archive; no content means that it was gone when the archive was made."""

    sha256: str
    content: bytes | None


class _Blob(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    blob: str
    base64: str | None = None


class _Damaged(msgspec.Struct, frozen=True):
    damaged: int
    seq: int
    base64: str


class _Tagged(msgspec.Struct, frozen=True):
    type: str


def header_line(session: SessionId, exported_at: datetime, events: int) -> bytes:
    """The first line."""
    header = Header(
        format=FORMAT, version=VERSION, session=session, exported_at=exported_at, events=events
    )
    return msgspec.json.encode(header) + b"\n"


def event_line(row: Stored) -> bytes:
    """The line of an event, whatever state its row is in."""
    try:
        _raw.decode(row.data)
        if b"\n" not in row.data and b"\r" not in row.data:
            return envelope_json(row) + b"\n"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    as_it_is = _Damaged(row.version, row.seq, b64encode(row.data).decode())
    return msgspec.json.encode(as_it_is) + b"\n"


def blob_line(digest: str, content: bytes | None) -> bytes:
    """The line of a blob; None if its content is gone."""
    text = None if content is None else b64encode(content).decode()
    return msgspec.json.encode(_Blob(digest, text)) + b"\n"


class Archive:
    """Reads a file line by line and verifies it on the way. Blocks: for a thread that may.

    Iterating to the end without a BadArchive means: the header is ours, every line is a word we
    know, nothing is missing or too much, every blob fits its hash, and the events can have
    happened in this order. `digest` then names the content.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digest = ""
        self._line = 0
        self._hash = sha256()
        self._state = SessionState(DAEMON_STREAM)
        self._seen: set[str] = set()

    def header(self) -> Header:
        """The header alone. BadArchive."""
        return next(self._headed(self._lines()))[0]

    def __iter__(self) -> Iterator[Exported | Content]:
        self._line, self._hash, self._seen = 0, sha256(), set()
        for header, lines in self._headed(self._lines()):
            self._state = SessionState(header.session)
            for line in lines:
                yield self._entry(line, header)
            if self._state.version < header.events:
                self._line += 1
                found = f"only {self._state.version} of {header.events} events are there"
                raise self._bad(f"the file ends too early: {found}")
        self.digest = self._hash.hexdigest()

    def _headed(self, lines: Iterator[bytes]) -> Iterator[tuple[Header, Iterator[bytes]]]:
        first = next(lines, None)
        if first is None:
            self._line = 1
            raise self._bad("the file is empty")
        yield self._header(first), lines

    def _lines(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                for raw in file:
                    self._line += 1
                    self._hash.update(raw)
                    if not raw.endswith(b"\n"):
                        raise self._bad("the file ends in the middle of this line")
                    yield raw
        except OSError as error:
            raise LogError(f"{self.path} cannot be read: {error.strerror}") from error

    def _header(self, line: bytes) -> Header:
        try:
            said = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            said = {}
        if said.get("format") != FORMAT:
            raise self._bad("this is no export of a session")
        version = said.get("version")
        if isinstance(version, int) and version > VERSION:
            raise self._bad(f"it was written by a newer hearth (format {version}); update hearth")
        try:
            header = msgspec.convert(said, Header)
        except msgspec.ValidationError as error:
            raise self._bad(f"the header does not parse: {error}") from None
        if header.session == DAEMON_STREAM:
            raise self._bad("the daemon's own stream is no session")
        return header

    def _entry(self, line: bytes, header: Header) -> Exported | Content:
        fields = self._decoded(line)
        if "blob" in fields:
            return self._content(line)
        if "damaged" in fields:
            raise self._bad("this event was damaged in the log already and has no words")
        return self._event(fields, header)

    def _decoded(self, line: bytes) -> Raw:
        try:
            return _raw.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._bad(f"it does not parse: {error}") from None

    def _content(self, line: bytes) -> Content:
        try:
            blob = msgspec.json.decode(line, type=_Blob)
            content = None if blob.base64 is None else b64decode(blob.base64, validate=True)
        except ValueError as error:
            raise self._bad(f"the blob does not parse: {error}") from None
        if content is not None and not fits(content, blob.blob):
            raise self._bad(f"the content of the blob {blob.blob} does not fit its hash")
        self._seen.add(blob.blob)
        return Content(blob.blob, content)

    def _event(self, fields: Raw, header: Header) -> Exported:
        fact = {name: value for name, value in fields.items() if name not in _PLACE}
        data = msgspec.json.encode(fact)
        version = self._state.version + 1
        if version > header.events:
            raise self._bad(f"there are more than the {header.events} events of the header")
        place = {name: bytes(fields.get(name, b"")) for name in ("session", "version")}
        own = {"session": msgspec.json.encode(header.session), "version": b"%d" % version}
        if place != own:
            raise self._bad(f"this is not version {version} of {header.session}")
        for digest in references(data):
            if digest not in self._seen:
                raise self._bad(f"the blob {digest} is named before it is given")
        try:
            self._state = evolve(self._state, decode_fact(data))
            tag = msgspec.json.decode(fact["event"], type=_Tagged).type
        except (Unreadable, IllegalEvent) as error:
            raise self._bad(f"this is no event that can have happened: {error}") from None
        return Exported(version, tag, fact)

    def _bad(self, why: str) -> BadArchive:
        return BadArchive(self.path, self._line, why)
