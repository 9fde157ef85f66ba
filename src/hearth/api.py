"""The three verbs every door uses, and `settle`, which is built on them.

The engine implements this in process, the remote client over HTTP; both pass one contract suite.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, TypeAlias

import msgspec

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import Command, CreateSession
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.events import SETTLING, Event
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.progress import EventUnsaved, Progress
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.core.vocabulary.turns import LookupFailed
from hearth.core.vocabulary.wire import Part


class Accepted(Part, frozen=True, kw_only=True):
    """The command is durable and will be carried out; `seq` is its first consequence."""

    id: InputId
    session: SessionId
    seq: int
    """0 while the store is down: the consequences wait on disk and get their place later."""
    warning: str = ""


class Viewed(Part, frozen=True):
    """A view, and the cursor from which `follow` carries it on without a gap."""

    value: msgspec.Struct
    seq: int


class Shown(Part, frozen=True):
    """Progress, with the session it belongs to. It has no cursor."""

    session: SessionId
    progress: Progress


Item: TypeAlias = Stored | Shown


class Following(Protocol):
    """A stream of rows and progress. Durable rows never have a gap; progress may."""

    async def batch(self) -> Sequence[Item]:
        """What came since the last call, waiting until there is something; empty at the end."""

    def close(self) -> None:
        """End the stream and let go of what it holds. A waiting `batch` returns."""


class Hearth(Protocol):
    """What a door can do."""

    async def submit(
        self,
        session: SessionId,
        command: Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        """Ask for something. Bring an id to make a retry safe: it is accepted at most once."""

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        """How something looks now."""

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        """The log from a cursor on (None: from now), of one session or of all, then live."""


class Settled(Part, frozen=True, kw_only=True):
    """What a command led to, up to the event that ended it."""

    accepted: Accepted
    envelopes: tuple[Envelope, ...]

    @property
    def outcome(self) -> Envelope:
        """The event that ended it."""
        return self.envelopes[-1]


async def each(following: Following) -> AsyncIterator[Item]:
    """The items of a stream one by one, until it is closed."""
    while items := await following.batch():
        for item in items:
            yield item


async def settle(
    hearth: Hearth,
    session: SessionId,
    command: Command,
    origin: Origin,
    *,
    input_id: InputId | None = None,
) -> Settled | Refusal:
    """Submit a command and wait for its outcome. Wrap it in a timeout: cells may run for ever."""
    following = hearth.follow(session)
    try:
        accepted = await hearth.submit(session, command, origin, input_id=input_id)
        if isinstance(accepted, Refused):
            return accepted
        mine: dict[str, Envelope] = {}
        async for item in each(following):
            envelope = _consequence(item, accepted.id)
            if envelope is None or envelope.id in mine:
                continue
            mine[envelope.id] = envelope
            if _ends(envelope.event, command):
                return Settled(accepted=accepted, envelopes=tuple(mine.values()))
        raise ConnectionError(f"the stream of {session} ended before {accepted.id} did")
    finally:
        following.close()


def _ends(event: Event, command: Command) -> bool:
    """Whether nothing more comes of a command that whoever gave it waits for."""
    if isinstance(event, LookupFailed) and isinstance(command, CreateSession):
        return False  # its conversation begins anew, and the session is still being begun
    return type(event) in SETTLING


def _consequence(item: Item, cause: InputId) -> Envelope | None:
    """The item as an envelope, if it follows from this input; saved or not."""
    if isinstance(item, Stored):
        envelope = codec.envelope(item)
    elif isinstance(item.progress, EventUnsaved):
        envelope = codec.decode_envelope(item.progress.json.encode())
    else:
        return None
    return envelope if envelope.cause == cause else None
