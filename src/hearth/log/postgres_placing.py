"""Where the rows of an append go, or why they cannot: decided without the server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import DuplicateEvent, Lease, NotOwner, VersionConflict
from hearth.log.postgres_leases import NOBODY


class Wanted(NamedTuple):
    """One append that waits for its transaction."""

    session: SessionId
    expected: int
    drafts: Sequence[Draft]
    lease: Lease | None
    answer: asyncio.Future[Sequence[Stored]]

    @property
    def size(self) -> int:
        """Bytes of its events."""
        return sum(len(draft.data) for draft in self.drafts)


@dataclass
class Seen:
    """What stands in the store, as far as a group of appends needs to know; grows as they go."""

    last: int = 0
    versions: dict[SessionId, int] = field(default_factory=dict)
    leases: dict[SessionId, tuple[str, int]] = field(default_factory=dict)
    """Owner and generation."""
    events: dict[EventId, Stored] = field(default_factory=dict)

    def place(self, wanted: Wanted) -> Sequence[Stored] | None:
        """Where the new rows go; None when this very append stands already. LogError."""
        if any(draft.id in self.events for draft in wanted.drafts):
            self.standing(wanted)
            return None
        if len({draft.id for draft in wanted.drafts}) < len(wanted.drafts):
            raise DuplicateEvent(f"an append to {wanted.session} holds one event id twice")
        self._check_lease(wanted)
        version = self.versions.get(wanted.session, 0)
        if wanted.expected != version:
            raise VersionConflict(wanted.session, wanted.expected, version)
        rows = [
            Stored(self.last + place, wanted.session, version + place, draft.data)
            for place, draft in enumerate(wanted.drafts, 1)
        ]
        self.last += len(rows)
        self.versions[wanted.session] = version + len(rows)
        self.events.update((draft.id, row) for draft, row in zip(wanted.drafts, rows, strict=True))
        return rows

    def standing(self, wanted: Wanted) -> Sequence[Stored]:
        """The rows this very append made earlier. DuplicateEvent when it was another one."""
        rows: list[Stored] = []
        for draft in wanted.drafts:
            row = self.events.get(draft.id)
            follows = not rows or (row is not None and row.version == rows[-1].version + 1)
            if row is None or row.session != wanted.session or not follows:
                raise DuplicateEvent(
                    f"an event id of an append to {wanted.session} stands in the log already, "
                    "but not as this append"
                )
            rows.append(row)
        return rows

    def _check_lease(self, wanted: Wanted) -> None:
        if wanted.lease is None:
            return
        owner, generation = self.leases.get(wanted.session, (NOBODY, 0))
        if (owner, generation) != (wanted.lease.owner, wanted.lease.generation):
            raise NotOwner(wanted.session, owner)
