"""What a search of the log finds, as doors show it: each hit with its place and its author."""

from collections.abc import Sequence

from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.turns import BlockSealed
from hearth.log.event_log import EventLog, Hit
from hearth.servers.http.around import Found


class ShownSearch:
    """Searches one log."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    async def __call__(self, query: str, most: int) -> Sequence[Found]:
        """The best hits, the best first. LogError."""
        hits = await self._log.search(query, limit=most)
        found = [await self._found(hit) for hit in hits]
        return [one for one in found if one is not None]

    async def _found(self, hit: Hit) -> Found | None:
        """None if it is gone by now, or written by a newer hearth."""
        rows = await self._log.read(hit.seq - 1, limit=1, session=hit.session)
        if not rows or rows[0].seq != hit.seq:
            return None
        try:
            event = envelope(rows[0])
        except Unreadable:
            return None
        return Found(
            session=hit.session,
            version=event.version,
            seq=hit.seq,
            at=event.at,
            author=event.origin,
            kind=_kind(event),
            excerpt=hit.excerpt,
        )


def _kind(found: Envelope) -> str:
    event = found.event
    if isinstance(event, BlockSealed):
        return f"{event.role}.{event.content.__struct_config__.tag}"
    return str(event.__struct_config__.tag)
