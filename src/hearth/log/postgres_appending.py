"""Appends of all sessions, put into as few transactions as possible.

One task takes whatever waits, decides for each append alone where it goes or why it cannot, and
commits all that can in one transaction. It holds the lock on the counter from before it looks
until after it committed: so what it saw stays true, seq has no gaps, and a row becomes visible
only after every row with a lower seq.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import Lease, LogError, StoreDown
from hearth.log.postgres_address import is_about_data, is_lost
from hearth.log.postgres_leases import LOCK
from hearth.log.postgres_placing import Seen, Wanted

if TYPE_CHECKING:
    from hearth.log.postgres_connection import Connection, Database, Own

_GROUP_EVENTS: Final = 2_000
_GROUP_BYTES: Final = 8 * 1024 * 1024
"""How much goes into one transaction at most; a single append may be more."""

_LOOK: Final = """
SELECT NULL::text AS id, counter.last AS seq, asked.session, streams.version,
       leases.owner, leases.generation, NULL::bytea AS data
FROM unnest($1::text[]) AS asked (session)
CROSS JOIN counter LEFT JOIN streams USING (session) LEFT JOIN leases USING (session)
UNION ALL
SELECT id, seq, session, version, NULL, NULL, data FROM events WHERE id = ANY ($2::text[])
"""

_WRITE: Final = """
WITH fresh AS (
    SELECT * FROM unnest(
        $1::bigint[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::bytea[]
    ) AS row (seq, session, version, id, type, data)
), written AS (
    INSERT INTO events (seq, session, version, id, type, data) SELECT * FROM fresh
), moved AS (
    INSERT INTO streams (session, version, seq)
    SELECT session, max(version), max(seq) FROM fresh GROUP BY session
    ON CONFLICT (session) DO UPDATE SET version = excluded.version, seq = excluded.seq
), counted AS (
    UPDATE counter SET last = (SELECT max(seq) FROM fresh)
)
SELECT pg_notify($7, $8)
"""

_PLANS: Final = {"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "jit": "off"}
"""Every statement here goes by a key: planned once, and by its index whatever the statistics."""


class Appender:
    """The one task of a log that writes events.

    `deliver` is called with the rows of each commit before their appenders are answered, and
    with nothing when the outcome of a commit is not known.
    """

    def __init__(
        self, database: Database, channel: str, deliver: Callable[[Sequence[Stored]], None]
    ) -> None:
        self._database = database
        self._channel = channel
        self._deliver = deliver
        self._waiting: list[Wanted] = []
        self._something = asyncio.Event()
        self._closing = False
        self._writer: Own | None = None
        self._token = ""
        self._task: asyncio.Task[None] | None = None

    def is_own(self, token: str) -> bool:
        """Whether a notification came from our present writer: its rows are delivered anyway.

        Those of an earlier writer are not: its last commit may never have been answered.
        """
        return token == self._token

    async def open(self) -> None:
        """Connect, and begin to work. StoreDown."""
        await self._connected()
        self._task = asyncio.create_task(self._work(), name="hearth log appender")

    async def close(self) -> None:
        """Finish what waits, then stop."""
        self._closing = True
        self._something.set()
        if self._task is not None:
            await self._task
        if self._writer is not None:
            await self._database.part(self._writer)
            self._writer = None

    async def append(
        self,
        session: SessionId,
        expected: int,
        drafts: Sequence[Draft],
        lease: Lease | None,
    ) -> Sequence[Stored]:
        """Wait for the transaction that takes it."""
        if self._closing:
            raise StoreDown(f"the log in PostgreSQL at {self._database.address} is closed")
        answer: asyncio.Future[Sequence[Stored]] = asyncio.get_running_loop().create_future()
        self._waiting.append(Wanted(session, expected, tuple(drafts), lease, answer))
        self._something.set()
        return await answer

    async def _work(self) -> None:
        while True:
            await self._something.wait()
            if not self._waiting:
                if self._closing:
                    return
                self._something.clear()
                continue
            group = self._take()
            try:
                await self._settle(group)
            except LogError as error:
                # The store is gone: those who came meanwhile need not wait for the same answer.
                _fail([*group, *self._take_all()], error)
            except BaseException as defect:
                self._closing = True
                _fail([*group, *self._take_all()], defect)
                raise

    def _take(self) -> Sequence[Wanted]:
        events = size = 0
        for number, wanted in enumerate(self._waiting):
            events += len(wanted.drafts)
            size += wanted.size
            if number and (events > _GROUP_EVENTS or size > _GROUP_BYTES):
                break
        else:
            number = len(self._waiting)
        group, self._waiting = self._waiting[:number], self._waiting[number:]
        return group

    def _take_all(self) -> Sequence[Wanted]:
        group, self._waiting = self._waiting, []
        return group

    async def _settle(self, group: Sequence[Wanted]) -> None:
        """Commit a group; a lost connection is replaced once, which the ids make safe."""
        try:
            await self._commit(group)
        except self._database.errors as error:
            self._part()
            if is_lost(error):
                await self._settle_again(group)
            elif not is_about_data(error):
                raise self._database.down(error) from None
            elif len(group) == 1:
                _fail(group, self._database.down(error))
            else:
                # The server chokes on one of them: let it fail alone.
                for wanted in group:
                    await self._settle([wanted])

    async def _settle_again(self, group: Sequence[Wanted]) -> None:
        try:
            await self._commit(group)
        except self._database.errors as error:
            self._part()
            raise self._database.down(error) from None

    async def _commit(self, group: Sequence[Wanted]) -> None:
        connection = await self._connected()
        await connection.execute(f"BEGIN; {LOCK}")
        seen = await _look(connection, group)
        fresh: list[tuple[Draft, Stored]] = []
        answers: list[tuple[Wanted, Sequence[Stored] | LogError]] = []
        for wanted in group:
            try:
                rows = seen.place(wanted)
            except LogError as refused:
                answers.append((wanted, refused))
                continue
            if rows is None:
                answers.append((wanted, seen.standing(wanted)))
            else:
                answers.append((wanted, rows))
                fresh.extend(zip(wanted.drafts, rows, strict=True))
        if fresh:
            await _write(connection, fresh, self._channel, self._token)
        # With nothing to write this still waits for nobody: an empty commit touches no disk.
        await connection.execute("COMMIT")
        if fresh:
            self._deliver([row for _, row in fresh])
        for wanted, answer in answers:
            _answer(wanted, answer)

    async def _connected(self) -> Own:
        if self._writer is None or self._writer.is_closed():
            self._writer = await self._database.connect(**_PLANS)
            self._token = secrets.token_hex(8)
        return self._writer

    def _part(self) -> None:
        """Let go of a connection that failed; what it committed last is not known."""
        if self._writer is not None:
            self._writer.terminate()
        self._writer = None
        self._token = ""
        self._deliver(())


async def _look(connection: Connection, group: Iterable[Wanted]) -> Seen:
    group = list(group)
    sessions = list({wanted.session for wanted in group})
    ids = [draft.id for wanted in group for draft in wanted.drafts]
    seen = Seen()
    for id_, seq, session, version, owner, generation, data in await connection.fetch(
        _LOOK, sessions, ids
    ):
        if id_ is not None:
            seen.events[EventId(id_)] = Stored(seq, SessionId(session), version, data)
            continue
        seen.last = seq
        seen.versions[SessionId(session)] = version or 0
        if owner is not None:
            seen.leases[SessionId(session)] = (owner, generation)
    return seen


async def _write(
    connection: Connection, fresh: Sequence[tuple[Draft, Stored]], channel: str, token: str
) -> None:
    await connection.execute(
        _WRITE,
        [row.seq for _, row in fresh],
        [row.session for _, row in fresh],
        [row.version for _, row in fresh],
        [draft.id for draft, _ in fresh],
        [draft.type for draft, _ in fresh],
        [row.data for _, row in fresh],
        channel,
        token,
    )


def _answer(wanted: Wanted, answer: Sequence[Stored] | LogError) -> None:
    if wanted.answer.done():
        return  # Its caller was cancelled meanwhile.
    if isinstance(answer, LogError):
        wanted.answer.set_exception(answer)
    else:
        wanted.answer.set_result(answer)


def _fail(group: Iterable[Wanted], error: BaseException) -> None:
    for wanted in group:
        if not wanted.answer.done():
            # Each caller raises its own: a traceback is not to be shared.
            wanted.answer.set_exception(StoreDown(str(error)))
