"""A daemon's share of a PostgreSQL log, as a process of its own: it writes and it follows.

Run with a URL, a schema, an owner and the sessions it fights for with others. It says each append
that was acknowledged as a line of JSON. Told `stop`, it ends its writers; told `until N`, it
follows to seq N and says what it missed on the way.
"""

import asyncio
import json
import os
import sys
from itertools import count

from tests.contracts.facts import draft_of

from hearth.core.vocabulary.events import SessionRenamed
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import Lease, NotOwner, StoreDown, VersionConflict
from hearth.log.postgres import PostgresLog
from hearth.log.postgres_connection import Times

TIMES = Times(ttl=1.5, renew_every=0.3, patience=3.0)
TERM = 6
"""Appends after which a contested session is given up."""


def say(**what: object) -> None:
    """One line to the parent."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Daemon:
    """Writers and one follower on one log."""

    def __init__(self, log: PostgresLog, owner: str) -> None:
        self._log = log
        self._name = f"{owner}-{os.getpid()}"
        self._numbers = count(1)
        self._stopping = False
        self._woken = asyncio.Event()
        self._goal: int | None = None

    async def run(self, contested: list[str]) -> None:
        """Work until told otherwise."""
        while True:
            try:
                await self._log.open()
                break
            except StoreDown:
                continue
        self._log.listen(lambda _: self._woken.set())
        self._woken.set()
        own = [f"{self._name}-{number}" for number in range(3)]
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow())
            writers = [
                group.create_task(self._write(SessionId(session))) for session in (*own, *contested)
            ]
            await self._obey()
            await asyncio.gather(*writers)
            say(stopped=True)
            self._goal = int((await asyncio.to_thread(sys.stdin.readline)).split()[1])
            self._woken.set()
        await self._log.close()

    async def _obey(self) -> None:
        while (line := await asyncio.to_thread(sys.stdin.readline)) and line != "stop\n":
            pass
        self._stopping = True

    async def _write(self, session: SessionId) -> None:
        while not self._stopping:
            lease = await self._claimed(session)
            for _ in range(TERM):
                if lease is None or self._stopping:
                    break
                lease = await self._append(session, lease)
            if lease is not None:
                await self._give_up(lease)

    async def _append(self, session: SessionId, lease: Lease) -> Lease | None:
        """One event, as often as it takes; the lease with which it was done."""
        id_ = EventId(f"{self._name}-{next(self._numbers)}.0")
        drafts = [draft_of(SessionRenamed(id_), id_)]
        version = 0
        while True:
            try:
                (row,) = await self._log.append(session, version, drafts, lease)
            except StoreDown:
                continue
            except VersionConflict as conflict:
                version = conflict.actual
            except NotOwner:
                # Whether it is in the log is not known here; nobody was told that it is.
                return None
            else:
                say(
                    id=id_,
                    session=session,
                    seq=row.seq,
                    version=row.version,
                    generation=lease.generation,
                )
                return lease

    async def _claimed(self, session: SessionId) -> Lease | None:
        while not self._stopping:
            try:
                return await self._log.claim(session)
            except (StoreDown, NotOwner):
                continue
        return None

    async def _give_up(self, lease: Lease) -> None:
        while True:
            try:
                return await self._log.release(lease)
            except StoreDown:
                continue

    async def _follow(self) -> None:
        cursor, missed = 0, 0
        while self._goal is None or cursor < self._goal:
            await self._woken.wait()
            self._woken.clear()
            while True:
                try:
                    rows = await self._log.read(cursor)
                except StoreDown:
                    continue
                if not rows:
                    break
                missed += sum(
                    row.seq != after + 1
                    for row, after in zip(rows, [cursor, *[one.seq for one in rows]], strict=False)
                )
                cursor = rows[-1].seq
        say(followed=cursor, missed=missed)


async def main(url: str, schema: str, owner: str, *contested: str) -> None:
    log = PostgresLog(url, owner=owner, schema=schema, times=TIMES)
    async with asyncio.timeout(200):
        await Daemon(log, owner).run(list(contested))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
