"""The blocks of conversations, page by page, the newest first.

What else there is to a conversation is commands, views and streams, as for everything.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused, UnknownSession
from hearth.core.vocabulary.turns import BlockSealed
from hearth.core.vocabulary.wire import Part
from hearth.resolving import named
from hearth.servers.http import telling
from hearth.servers.http.answers import answer, malformed, trouble_of, unreadable
from hearth.servers.http.around import Around, Rows
from hearth.servers.http.asked import Declined, number, said_session
from hearth.servers.http.routing import Endpoint, Key

USUAL: Final = 50
MOST: Final = 1000
"""Blocks of one page."""
READ: Final = 500
"""Rows of the log that are read at once."""
COUNTED: Final = 256
"""Sessions of which is remembered how many blocks they have."""

_SEALED: Final = str(BlockSealed.__struct_config__.tag)


class _Tag(msgspec.Struct, frozen=True):
    type: str


class _Tagged(msgspec.Struct, frozen=True):
    event: _Tag


_tagged = msgspec.json.Decoder(_Tagged)


class _Page(Part, frozen=True):
    rows: tuple[msgspec.Raw, ...]
    total: int
    oldest: int


class _Count(NamedTuple):
    """How many blocks there are up to a version."""

    version: int
    blocks: int


class Conversing:
    """The route that leads back in a conversation."""

    def __init__(self, around: Around) -> None:
        self._hearth = around.hearth
        self._rows: Rows = around.rows
        self._counts: dict[SessionId, _Count] = {}

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {("GET", "/sessions/{id}/blocks"): self.blocks}

    async def blocks(self, request: Request) -> Response:
        """The newest blocks before a version, in the order of the log."""
        before, limit = number(request, "before"), number(request, "limit")
        if limit is not None and not 0 < limit <= MOST:
            raise Declined(malformed(f"limit is a number of 1 to {MOST}", "query.limit"))
        session = await self._session(said_session(request))
        telling.on(session)
        try:
            count = await self._count(session)
            end = count.version if before is None else min(count.version, max(before - 1, 0))
            found, is_first = await self._newest(session, end, USUAL if limit is None else limit)
        except Exception as error:
            raise Declined(unreadable(error)) from error
        oldest = 0 if is_first or not found else found[0].version
        rows = tuple(msgspec.Raw(codec.envelope_json(row)) for row in found)
        return answer(_Page(rows, count.blocks, oldest))

    async def _session(self, said: SessionId) -> SessionId:
        """The session of exactly this id, else the one that is meant. Declined."""
        viewed = await self._hearth.view("status", said)
        if not isinstance(viewed, Refused):
            return said
        if not isinstance(viewed, UnknownSession):
            raise Declined(trouble_of(viewed))
        found = await named(self._hearth, said)
        if isinstance(found, Refused):
            raise Declined(trouble_of(found))
        return found

    async def _count(self, session: SessionId) -> _Count:
        """How far the log goes and how many blocks it has; only what is new is read."""
        version, blocks = self._counts.get(session, _Count(0, 0))
        while rows := await self._rows(session, version, READ):
            version = rows[-1].version
            blocks += sum(_is_block(row) for row in rows)
        self._counts.pop(session, None)  # so that it is the last one to be forgotten
        counted = self._counts[session] = _Count(version, blocks)
        if len(self._counts) > COUNTED:
            del self._counts[next(iter(self._counts))]
        return counted

    async def _newest(self, session: SessionId, end: int, limit: int) -> tuple[list[Stored], bool]:
        """The last so many blocks up to a version, and whether there is none before them."""
        found: list[Stored] = []
        # One more than is wanted tells whether there are more.
        while end > 0 and len(found) <= limit:
            begin = max(0, end - READ)
            rows = await self._rows(session, begin, end - begin)
            found[:0] = [row for row in rows if _is_block(row)]
            end = begin
        return found[-limit:], len(found) <= limit


def _is_block(row: Stored) -> bool:
    # Most rows are none, and this is how that is seen soonest.
    return _SEALED.encode() in row.data and _tagged.decode(row.data).event.type == _SEALED
