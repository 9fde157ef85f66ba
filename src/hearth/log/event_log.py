"""What every event log promises, whichever store is behind it.

LogError
├── StoreDown          the store does not take or give anything now: full, read-only, gone
├── VersionConflict    the session has moved on since the caller looked
├── DuplicateEvent     an event id stands in the log already, elsewhere
├── EventTooLarge      more bytes than one event may have
├── NotOwner           another process holds the session, or took it over meanwhile
├── CorruptRow         what was stored cannot be read back
└── NewerSchema        the store was written by a newer hearth
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from hearth.core.vocabulary.codec import MAX_EVENT_BYTES
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId


class LogError(Exception):
    """Something an event log could not do. The message is fit to be shown to a person."""


class StoreDown(LogError):
    """The store does not answer or cannot write. Nothing that was acknowledged is affected.

    Whether the events of a failed append are in the store is unknown: try again with the same
    ids, which is always safe.
    """


class VersionConflict(LogError):
    """The session is not at the expected version."""

    def __init__(self, session: SessionId, expected: int, actual: int) -> None:
        super().__init__(f"{session} is at version {actual}, not {expected}")
        self.session = session
        self.expected = expected
        self.actual = actual


class DuplicateEvent(LogError):
    """An event id of the append stands in the log, but not as this very append."""


class EventTooLarge(LogError):
    """A single event is over the bound."""


def refuse_too_large(drafts: Sequence[Draft]) -> None:
    """EventTooLarge if one of them is; for every store to ask before it does anything else."""
    for draft in drafts:
        if len(draft.data) > MAX_EVENT_BYTES:
            raise EventTooLarge(
                f"{draft.id} has {len(draft.data)} bytes; an event has at most"
                f" {MAX_EVENT_BYTES}, the rest belongs into a blob"
            )


class NotOwner(LogError):
    """The session belongs to another process; `owner` says to which."""

    def __init__(self, session: SessionId, owner: str) -> None:
        super().__init__(f"{session} is run by {owner}")
        self.session = session
        self.owner = owner


class CorruptRow(LogError):
    """A row or snapshot cannot be read back as it was written."""


class NewerSchema(LogError):
    """The store was written by a newer hearth and is left untouched."""


class Lease(NamedTuple):
    """The right to append to a session. A later claim makes it worthless (fencing)."""

    session: SessionId
    owner: str
    generation: int


class Head(NamedTuple):
    """Where a session's stream stands."""

    session: SessionId
    version: int
    seq: int
    """The seq of its last event."""


class Snapshot(NamedTuple):
    """A fold of a session up to `version`: a cache that may be dropped at any time."""

    session: SessionId
    version: int
    seq: int
    fold: str
    """Which fold made it; another one's snapshot is worthless."""
    data: bytes


class Hit(NamedTuple):
    """One result of a search: the event, and the words around what was found."""

    session: SessionId
    seq: int
    excerpt: str


class Finding(NamedTuple):
    """Something `check` found wrong. `session` is empty when the whole store is concerned."""

    session: str
    seq: int
    problem: str


CommitListener = Callable[[Sequence[Stored]], None]
"""Called on the event loop after commits, in seq order and before the appender is answered.

An empty sequence means: someone else may have written, read from your cursor.
"""


class BlobStore(Protocol):
    """Content by its hash. What was put is durable when put returns; putting again is free."""

    async def put(self, content: bytes, media_type: str = "text/plain") -> Blob:
        """Store content; the same content always gives the same reference."""

    async def get(self, sha256: str) -> bytes:
        """The content; KeyError if it is not there, CorruptRow if it no longer fits its hash."""


class EventLog(Protocol):
    """An append-only log of many sessions.

    `version` counts a session's events from 1 without a gap. `seq` grows over all sessions in
    the order in which events become visible: once a reader has seen seq n, nothing at or below n
    can still appear. No method blocks the event loop.
    """

    @property
    def blobs(self) -> BlobStore:
        """Where payloads go that are too large for an event."""

    @property
    def name(self) -> str:
        """The backend in words for people, without secrets: `SQLite at …/hearth.db`."""

    @property
    def warnings(self) -> Sequence[str]:
        """What a person should know about this store, e.g. that it is on a network drive."""

    async def open(self) -> None:
        """Connect, create or migrate the tables. NewerSchema, StoreDown."""

    async def close(self) -> None:
        """Finish what was begun, release leases and connections. Safe to call twice."""

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        """All of them or none, durable when it returns; appends of all sessions share a commit.

        Appending the same ids again to the same session returns what stands there. Without a
        lease the append is unfenced (for imports). VersionConflict, DuplicateEvent,
        EventTooLarge, NotOwner, StoreDown.
        """

    async def read(
        self,
        after: int = 0,
        *,
        limit: int = 1000,
        session: SessionId | None = None,
        types: Sequence[str] = (),
    ) -> Sequence[Stored]:
        """Rows with seq > after in seq order; of one session or all, of these types or all."""

    async def read_session(
        self, session: SessionId, after_version: int = 0, limit: int = 1000
    ) -> Sequence[Stored]:
        """Rows of one session with version > after_version, in order."""

    async def find(self, event: EventId) -> Stored | None:
        """The row with this event id."""

    async def head(self) -> int:
        """The highest visible seq; 0 for an empty log."""

    async def heads(self) -> Sequence[Head]:
        """Every session in the log, oldest last event first."""

    def listen(self, listener: CommitListener) -> Callable[[], None]:
        """Be told of commits; returns the way to stop. Other processes' commits are noticed."""

    async def claim(self, session: SessionId) -> Lease:
        """Become the owner of a session, new or existing. NotOwner while another one lives.

        Claiming again what this very log object owns returns the lease it has. An owner that
        died, or that is the same home started anew, is replaced at once where that can be known,
        otherwise when its time has run out; the generation grows, so its late appends fail.
        """

    async def release(self, lease: Lease) -> None:
        """Give a session up, if it is still ours."""

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep the newest snapshot of a session. Need not be durable at once."""

    async def load_snapshot(self, session: SessionId) -> Snapshot | None:
        """The newest snapshot of a session, if any."""

    async def search(
        self, query: str, *, session: SessionId | None = None, limit: int = 50
    ) -> Sequence[Hit]:
        """Events whose text has all words of the query, best first. Any text is a valid query."""

    async def check(self) -> Sequence[Finding]:
        """Verify rows, versions, heads, blobs and search; rebuild what is only a cache."""

    async def remove(self, session: SessionId) -> int:
        """Delete a session's rows for good; how many they were. Archive them first."""

    async def backup(self, target: str) -> None:
        """A complete, consistent copy of the store in the new file or directory `target`."""
