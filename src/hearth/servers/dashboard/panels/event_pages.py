"""Pages of a session's raw log, the newest first. What a page costs does not grow with the log."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from hearth.core.views.status import Status
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.servers.dashboard.panels.wording import name_of
from hearth.servers.http.answers import unreadable
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined

PAGE: Final = 50
MOST_LOOKED_AT: Final = 1000
"""Rows that a filter looks at for one page."""
MOST_BYTES: Final = 4_000_000
"""Or so many bytes of them."""
CHUNK: Final = 100


class Row(NamedTuple):
    """One event as it stands in the log."""

    version: int
    data: bytes
    type: str
    """Empty: it cannot be read."""
    at: datetime | None
    origin: Origin | None


class Page(NamedTuple):
    """Some events, the newest first."""

    rows: tuple[Row, ...]
    newest: int
    """The version of the newest event of the session."""
    before: int
    """The page begins before this version."""
    looked_at: int
    """So many events."""
    older: int
    """Where the next page begins; 0: there is none."""


class _Kind(msgspec.Struct):
    type: str


class _Seen(msgspec.Struct):
    """The part of a fact that a list shows; whatever else is in it is not looked at."""

    at: datetime
    origin: Origin
    event: _Kind


_seen = msgspec.json.Decoder(_Seen)


async def page(around: Around, status: Status, before: int = 0, wanted: str = "") -> Page:
    """The events before a version (0: the newest), or those of them that fit `wanted`. Declined."""
    newest = status.events
    before = min(before, newest + 1) if before > 0 else newest + 1
    found: list[Row] = []
    place, looked_at, size = before, 0, 0
    chunk = CHUNK if wanted else PAGE
    while place > 1 and len(found) < PAGE:
        after = max(0, place - 1 - chunk)
        stored = await _rows(around, status.session, after, place - 1 - after)
        for one in sorted(stored, key=lambda row: -row.version):
            place, looked_at, size = one.version, looked_at + 1, size + len(one.data)
            row = _row(one)
            if not wanted or _fits(row, wanted.casefold()):
                found.append(row)
            if len(found) == PAGE:
                break
        else:
            place = after + 1
        if not wanted or looked_at >= MOST_LOOKED_AT or size >= MOST_BYTES:
            break
    return Page(tuple(found), newest, before, looked_at, place if place > 1 else 0)


async def _rows(around: Around, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
    try:
        return await around.rows(session, after, limit)
    except Exception as error:
        raise Declined(unreadable(error)) from error


def _row(stored: Stored) -> Row:
    try:
        seen = _seen.decode(stored.data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return Row(stored.version, stored.data, "", None, None)
    return Row(stored.version, stored.data, seen.event.type, seen.at, seen.origin)


def _fits(row: Row, wanted: str) -> bool:
    if wanted in row.type.casefold():
        return True
    origin = row.origin
    return origin is not None and any(
        wanted in one.casefold() for one in (name_of(origin), origin.actor)
    )
