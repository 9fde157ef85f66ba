"""Who may append to a session, by the clock of the server alone.

Every log object is an incarnation of its owner: a row in `owners` that it renews while it lives.
A lease names the incarnation that holds a session; its generation grows with each change of
hands and is kept for good, so that a lease which was overtaken can be told for ever.

Claims take the same lock as appends. So an append sees every claim that was answered before it,
and neither can overtake the other in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hearth.log.event_log import Lease, NotOwner

if TYPE_CHECKING:
    from hearth.core.vocabulary.ids import SessionId
    from hearth.log.postgres_connection import Connection

NOBODY: Final = "nobody"
"""Who owns a session that was given up."""

LOCK: Final = "SELECT last FROM counter FOR UPDATE"
"""First in every transaction that appends, claims or removes."""

_RENEW: Final = """
INSERT INTO owners (incarnation, owner, expires_at)
VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
ON CONFLICT (incarnation) DO UPDATE SET expires_at = excluded.expires_at
"""

_FORGET: Final = "DELETE FROM owners WHERE expires_at < clock_timestamp() - interval '1 day'"

# After an outage of the server nobody could renew: give everyone the time to do it.
_HOLDER: Final = """
SELECT l.owner, l.incarnation, l.generation, o.incarnation IS NOT NULL AND greatest(
    o.expires_at, pg_postmaster_start_time() + make_interval(secs => $2)
) > clock_timestamp() AS alive
FROM leases l LEFT JOIN owners o USING (incarnation)
WHERE l.session = $1
"""

_TAKE: Final = """
INSERT INTO leases (session, owner, incarnation, generation) VALUES ($1, $2, $3, $4)
ON CONFLICT (session) DO UPDATE
SET owner = excluded.owner, incarnation = excluded.incarnation, generation = excluded.generation
"""

_GIVE_UP: Final = """
UPDATE leases SET owner = $4, incarnation = ''
WHERE session = $1 AND incarnation = $2 AND generation = $3
"""

_GIVE_ALL_UP: Final = "UPDATE leases SET owner = $2, incarnation = '' WHERE incarnation = $1"


class Ownership:
    """What one log object does to own sessions. Times are seconds on the server's clock."""

    def __init__(self, owner: str, incarnation: str, ttl: float) -> None:
        self.owner = owner
        self._incarnation = incarnation
        self._ttl = ttl

    async def renew(self, connection: Connection) -> None:
        """Stay alive for another while."""
        await connection.execute(_RENEW, self._incarnation, self.owner, self._ttl)

    async def begin(self, connection: Connection) -> None:
        """Become known, and forget who has been gone for long."""
        await connection.execute(_FORGET)
        await self.renew(connection)

    async def claim(self, connection: Connection, session: SessionId) -> Lease:
        """Own a session that is free, ours, or whose owner is gone. NotOwner."""
        # First without the lock: who asks again and again must not hold up those who append.
        lease, generation = await self._held(connection, session)
        if lease is not None:
            return lease
        async with connection.transaction():
            await connection.execute(LOCK)
            lease, generation = await self._held(connection, session)
            if lease is not None:
                return lease
            await connection.execute(_TAKE, session, self.owner, self._incarnation, generation + 1)
            return Lease(session, self.owner, generation + 1)

    async def _held(self, connection: Connection, session: SessionId) -> tuple[Lease | None, int]:
        """Our lease if we have it, and the generation to go on from. NotOwner."""
        holder = await connection.fetchrow(_HOLDER, session, self._ttl)
        if holder is None:
            return None, 0
        generation = holder["generation"]
        if holder["incarnation"] == self._incarnation:
            return Lease(session, self.owner, generation), generation
        if holder["alive"] and holder["owner"] != self.owner:
            raise NotOwner(session, holder["owner"])
        return None, generation

    async def release(self, connection: Connection, lease: Lease) -> None:
        """Give a session up, if it is still ours."""
        async with connection.transaction():
            await connection.execute(LOCK)
            await connection.execute(
                _GIVE_UP, lease.session, self._incarnation, lease.generation, NOBODY
            )

    async def end(self, connection: Connection) -> None:
        """Give everything up."""
        async with connection.transaction():
            await connection.execute(LOCK)
            await connection.execute(_GIVE_ALL_UP, self._incarnation, NOBODY)
            await connection.execute("DELETE FROM owners WHERE incarnation = $1", self._incarnation)
