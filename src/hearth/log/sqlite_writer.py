"""The one thread that writes to an SQLite log: everything that waits shares one commit."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple, TypeVar

from hearth.core.vocabulary.envelope import Stored
from hearth.log.event_log import LogError, StoreDown
from hearth.log.sqlite_errors import concerns_store, translate
from hearth.log.sqlite_schema import connect
from hearth.log.sqlite_transaction import Known, Transaction

T = TypeVar("T")

MAX_JOBS_PER_COMMIT: Final = 1000
"""More wait for the next one, so that the first are not kept waiting for the last."""

POLL_SECONDS: Final = 0.1
"""How often another process's commits are looked for while someone listens."""

QUIET_SECONDS: Final = 1.0
"""The same once nothing has happened for a while: a store that rests lets the machine rest."""

QUIET_AFTER: Final = 50
"""So many looks in a row that found nothing."""

IDLE_SECONDS: Final = 0.05
"""How long nothing must have come before the writer turns to what can wait."""


class Job(NamedTuple):
    """Something to be done within a commit.

    `perform` raises a LogError before it has written anything, or not at all.
    """

    perform: Callable[[Transaction], Any]
    answer: "asyncio.Future[Any]"


class Outcome(NamedTuple):
    """What became of a job."""

    job: Job
    value: Any
    error: BaseException | None = None


class Writer:
    """Takes jobs from the event loop and answers them there, after their commit is durable.

    `announce` is called on the loop with the rows of each commit before its jobs are answered,
    and with nothing when other rows may have appeared. `idle` is a job that is done when nothing
    else waits; it returns whether there is more of it.
    """

    def __init__(
        self,
        path: Path,
        announce: Callable[[Sequence[Stored]], None],
        idle: Callable[[Transaction], bool],
    ) -> None:
        self._path = path
        self._announce = announce
        self._idle = idle
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._connection: sqlite3.Connection | None = None
        self._known = Known()
        self._must_recover = False
        self._seen_version = 0
        self._chores = True
        self._begun = self._loop.create_future()
        self._stopped = self._loop.create_future()
        self._closing = False
        self._watched = False
        self._looks = 0
        """How often nothing was found since something happened."""
        self._thread = Thread(target=self._run, name=f"log {path.name}", daemon=True)
        self._thread.start()

    async def begin(self) -> None:
        """Return once it is known which commits are there: whoever listens hears of all others."""
        await asyncio.shield(self._begun)

    async def submit(self, perform: Callable[[Transaction], T]) -> T:
        """Do it within the next commit; the answer comes when that is durable."""
        if self._closing:
            raise StoreDown(f"{self._path} was closed")
        answer: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(Job(perform, answer))
        return await answer

    def watch(self) -> None:
        """Look for other processes' commits from now on."""
        if not self._watched:
            self._watched = True
            # The thread may be waiting without end: have it look at the clock again.
            nobody = self._loop.create_future()
            nobody.cancel()
            self._jobs.put(Job(_nothing, nobody))

    def unwatch(self) -> None:
        """Nobody listens any more."""
        self._watched = False

    async def close(self) -> None:
        """Finish what waits, then end. Safe to call twice."""
        if not self._closing:
            self._closing = True
            self._jobs.put(None)
        await asyncio.shield(self._stopped)
        self._thread.join()

    # on the thread

    def _run(self) -> None:
        try:
            self._connected()
        except Exception as error:  # noqa: BLE001 - nobody waits for it; the first job will tell
            self._fail(error)
        self._call_loop(_resolve, self._begun)
        going = True
        while going:
            try:
                jobs = self._take()
            except Empty:
                self._rest()
                continue
            going = jobs[-1] is not None
            self._looks = 0
            if batch := [job for job in jobs if job is not None]:
                self._deliver(*self._commit(batch))
        self._disconnect()
        self._call_loop(_resolve, self._stopped)

    def _take(self) -> list[Job | None]:
        """Everything that waits, at least one; Empty when it is time to rest."""
        jobs = [self._jobs.get(timeout=self._patience())]
        # Nobody else takes from it. Stops at None: what is put after closing is refused before.
        while not self._jobs.empty() and jobs[-1] is not None and len(jobs) < MAX_JOBS_PER_COMMIT:
            jobs.append(self._jobs.get_nowait())
        return jobs

    def _patience(self) -> float | None:
        if self._chores:
            return IDLE_SECONDS
        if not self._watched:
            return None
        return POLL_SECONDS if self._looks < QUIET_AFTER else QUIET_SECONDS

    def _rest(self) -> None:
        """Nothing waits: look for foreign commits, and do a piece of what can wait."""
        try:
            if self._watched:
                self._look_around(self._connected())
            if self._chores:
                self._chores = False
                self._chores = self._transact([self._idle])[1][0] is True
        except Exception as error:  # noqa: BLE001 - nobody waits for it; the next job will tell
            self._fail(error)

    def _commit(self, jobs: list[Job]) -> tuple[Sequence[Stored], list[Outcome]]:
        """All in one transaction; if one of them breaks it, each in its own."""
        known = self._known.anything
        try:
            rows, values = self._transact([job.perform for job in jobs])
        except Exception as error:  # noqa: BLE001 - every kind is answered, none ends the thread
            self._fail(error)
            if known and isinstance(error, sqlite3.IntegrityError):
                return self._commit(jobs)  # an id that stands already: look before writing
            if len(jobs) == 1 or concerns_store(error):
                return [], [Outcome(job, None, translate(error, self._path)) for job in jobs]
            apart = [self._commit([job]) for job in jobs]
            return [row for rows, _ in apart for row in rows], [one for _, (one,) in apart]
        self._chores = self._chores or bool(rows)
        return rows, [
            Outcome(job, None, value) if isinstance(value, LogError) else Outcome(job, value)
            for job, value in zip(jobs, values, strict=True)
        ]

    def _transact(
        self, steps: Sequence[Callable[[Transaction], Any]]
    ) -> tuple[list[Stored], list[Any]]:
        connection = self._connected()
        connection.execute("BEGIN IMMEDIATE")
        self._look_around(connection)
        transaction = Transaction(connection, self._known)
        values = [_attempt(step, transaction) for step in steps]
        connection.execute("COMMIT")
        return transaction.rows, values

    def _look_around(self, connection: sqlite3.Connection) -> None:
        """Announce others' commits. This connection's own do not change the number."""
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        self._looks += 1
        if version != self._seen_version:
            self._looks = 0
            self._seen_version = version
            self._known.forget()
            self._deliver([], [], others=True)

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self._path)
            (self._seen_version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if self._must_recover:
            _make_durable(self._connection, self._path)
            self._must_recover = False
            # What an append left behind that was told it failed may be in the log after all.
            self._deliver([], [], others=True)
        return self._connection

    def _fail(self, error: Exception) -> None:
        """Leave no transaction open; after trouble with the store begin with a new connection."""
        self._known.forget()
        if self._connection is not None and self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
        if concerns_store(error):
            self._must_recover = True
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _deliver(
        self, rows: Sequence[Stored], outcomes: list[Outcome], *, others: bool = False
    ) -> None:
        """One call into the loop for all: first who listens, then who asked."""
        self._call_loop(self._answer, rows, outcomes, others)

    def _call_loop(self, callback: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # The loop is gone, and with it everyone who could hear.
            self._loop.call_soon_threadsafe(callback, *arguments)

    # on the loop again

    def _answer(self, rows: Sequence[Stored], outcomes: list[Outcome], others: bool) -> None:  # noqa: FBT001 - call_soon passes by position only
        if rows or others:
            self._announce(rows)
        for job, value, error in outcomes:
            if job.answer.done():
                continue
            if error is None:
                job.answer.set_result(value)
            else:
                job.answer.set_exception(error)


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def _nothing(_: Transaction) -> None:
    pass


def _attempt(perform: Callable[[Transaction], Any], transaction: Transaction) -> Any:
    """A refusal is one job's answer and leaves the others alone."""
    try:
        return perform(transaction)
    except LogError as refused:
        return refused


def _make_durable(connection: sqlite3.Connection, path: Path) -> None:
    """After an error on sync: put everything that reads as committed into the main file.

    The system reports a failed sync once and then forgets it: rows in the write-ahead log may be
    readable and yet not on the disk. Nothing is acknowledged on top of them before they are.
    """
    _, logged, moved = connection.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
    if logged != moved:
        raise StoreDown(f"{path} is still being recovered; try again")
