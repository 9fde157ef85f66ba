"""An event as it stands in the log, before and after it got its place there."""

from datetime import datetime
from typing import NamedTuple

import msgspec

from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import EventId, InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.wire import Part


class Fact(Part, frozen=True, kw_only=True):
    """An event with everything that is known before it has a place in the log."""

    id: EventId
    at: datetime
    origin: Origin
    cause: InputId
    """The command, or the report, that led to it; all consequences repeat it."""
    event: Event
    fingerprint: str | None = None
    """The environment it happened in."""


class Envelope(Part, frozen=True, kw_only=True):
    """An event in its place: `version` counts within the session, `seq` over all sessions."""

    seq: int
    session: SessionId
    version: int
    id: EventId
    at: datetime
    origin: Origin
    cause: InputId
    event: Event
    fingerprint: str | None = None


class Draft(NamedTuple):
    """A fact as bytes, ready to be stored: what an event log is given."""

    id: EventId
    type: str
    """The event's wire tag."""
    data: bytes
    """The fact as JSON."""


class Stored(msgspec.Struct, frozen=True, gc=False):
    """A row of the log, undecoded: what an event log gives back, and what doors pass on."""

    # gc=False: it refers to nothing that could refer back, and a replay makes very many.

    seq: int
    session: SessionId
    version: int
    data: bytes
    """The fact as JSON, exactly as it was appended."""
