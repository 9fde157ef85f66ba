"""Questions over all sessions, answered from the log alone."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from hearth.core.vocabulary.codec import Unreadable, encode, envelope
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.events import CellCancelled, CellFailed, CellFinished
from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import EventLog

PAGE: Final = 1000

_FAILED: Final = (str(CellFailed.__struct_config__.tag),)
_CLOSED: Final = tuple(
    str(word.__struct_config__.tag) for word in (CellFinished, CellFailed, CellCancelled)
)


async def failed_cells(
    log: EventLog, *, after: int = 0, limit: int = 100, session: SessionId | None = None
) -> Sequence[Envelope]:
    """Cells that failed, in the order of the log, from a cursor on; who ran each is its origin."""
    found: list[Envelope] = []
    async for one in _rows(log, _FAILED, after, session):
        if len(found) == limit:
            break
        found.append(one)
    return found


async def definitions_of(
    log: EventLog, name: str, *, after: int = 0, limit: int = 100, session: SessionId | None = None
) -> Sequence[Envelope]:
    """Cells that bound this very name at top level, in order; who did is the origin of each."""
    found: list[Envelope] = []
    # Searching would split the name into words; the index by type is exact and fast enough.
    async for one in _rows(log, _CLOSED, after, session, having=encode(name)):
        if len(found) == limit:
            break
        match one.event:
            case CellFinished(names=names) | CellFailed(names=names) | CellCancelled(names=names):
                if name in names:
                    found.append(one)
            case _:
                pass
    return found


async def _rows(
    log: EventLog, types: Sequence[str], after: int, session: SessionId | None, having: bytes = b""
) -> AsyncIterator[Envelope]:
    """Events of these types whose bytes have these in them; what cannot be read is left out."""
    while rows := await log.read(after, limit=PAGE, session=session, types=types):
        after = rows[-1].seq
        for row in rows:
            if having in row.data:
                try:
                    yield envelope(row)
                except Unreadable:
                    continue
