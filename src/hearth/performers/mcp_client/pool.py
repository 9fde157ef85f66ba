"""Servers that are shared while they are the same, kept a while when nobody uses them, and ended.

A server is known by the digest of all that decides what runs, so that different secrets never meet
in one process. Who needs one gets the one in use, else one that waits and still answers, else a new
one; many at once start it once. The pool itself uses none: what nobody holds goes in the end.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from hearth.performers.mcp_client.connecting import Call, Connect, Connection, Unavailable, either
from hearth.performers.mcp_client.entries import Entry, OnTools, Running
from hearth.performers.mcp_client.failures import Failures
from hearth.performers.tools.tool import Outcome
from hearth.settings.mcp import PoolSettings, ServerSpec

DRAINING: Final = 3.0
"""Seconds that calls have to finish when all is ended."""
_TRIES: Final = 3

_said = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Ways:
    """What the pool needs of the world."""

    connect: Connect
    settings: Callable[[], PoolSettings] = PoolSettings
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _now
    on_tools: OnTools | None = None


@dataclass(eq=False)
class Lease:
    """A server that somebody needs. It stays while they do; `release` it once."""

    pool: "Pool"
    spec: ServerSpec
    key: str
    _is_held: bool = field(default=True, init=False)

    async def call(self, call: Call) -> Outcome:
        """Have it do something; one that ended meanwhile is started again first. Never raises."""
        if not self._is_held:
            return Outcome("This server was let go already.", is_error=True)
        return await self.pool.call(self, call)

    def release(self) -> None:
        """Need it no more."""
        if self._is_held:
            self._is_held = False
            self.pool.release(self.key)


class Pool:
    """All servers that run. `close` ends them."""

    def __init__(self, ways: Ways) -> None:
        self._ways = ways
        self._entries: dict[str, Entry] = {}
        self._users: dict[str, int] = {}
        """How many need a server, by its digest, whichever process it is just now."""
        self._failures = Failures(ways.clock)
        self._ending: set[asyncio.Task[None]] = set()
        self._calling: set[asyncio.Task[Outcome]] = set()
        self._reaping: asyncio.Task[None] | None = None
        self._is_closed = False

    async def acquire(self, spec: ServerSpec, *, again: bool = False) -> Lease:
        """Have a server, with all variables filled in. Unavailable, with the reason.

        `again` tries one that has just failed at once, and not after a while.
        """
        key = spec.digest
        if again:
            self._failures.forget(key)
        self._users[key] = self._users.get(key, 0) + 1
        try:
            await self._ready(spec, key)
        except BaseException:
            self.release(key)
            raise
        return Lease(self, spec, key)

    async def call(self, lease: Lease, call: Call) -> Outcome:
        """Have a server that is held do something. Never raises, but when it is cancelled."""
        task = asyncio.ensure_future(self._called(lease, call))
        self._calling.add(task)
        task.add_done_callback(self._calling.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                return Outcome("hearth ends, and the call with it.", is_error=True)
            task.cancel()
            raise

    def release(self, key: str) -> None:
        """Somebody needs a server no more."""
        left = self._users.pop(key) - 1
        if left:
            self._users[key] = left
        elif (entry := self._entries.get(key)) is not None:
            self._rest(entry)

    def running(self) -> tuple[Running, ...]:
        """What runs now."""
        return tuple(one.shown(self._users.get(one.key, 0)) for one in self._entries.values())

    def failure(self, key: str) -> str:
        """Why a server did not begin the last time; "" if it did."""
        return self._failures.why(key)

    def reap(self) -> None:
        """End those that have waited long enough, and of too many those used longest ago."""
        settings, now = self._ways.settings(), self._ways.clock()
        idle = self._idle()
        most = len(idle) if settings.max_idle_servers is None else settings.max_idle_servers
        surplus = len(idle) - most
        for place, (since, entry) in enumerate(idle):
            if place < surplus or now - since >= entry.waits(settings):
                self._evict(entry)

    async def close(self) -> None:
        """Let calls finish for a while, cancel the others, end everything. Bounded."""
        self._is_closed = True
        if self._reaping is not None:
            self._reaping.cancel()
        if self._calling:
            _, late = await asyncio.wait(self._calling, timeout=DRAINING)
            for one in late:
                one.cancel()
            if late:
                await asyncio.wait(late, timeout=1.0)
        for entry in tuple(self._entries.values()):
            self._evict(entry)
        while self._ending:
            await asyncio.wait(self._ending)

    async def _called(self, lease: Lease, call: Call) -> Outcome:
        try:
            # One that ended since is begun anew: nothing of this call has been sent.
            connection = await self._ready(lease.spec, lease.key)
        except Unavailable as why:
            return Outcome(f"{lease.spec.name} cannot be used: {why}", is_error=True)
        return await connection.call(call)

    async def _ready(self, spec: ServerSpec, key: str) -> Connection:
        """The server, which answers. Unavailable."""
        for _ in range(_TRIES):
            if self._is_closed:
                raise Unavailable("hearth ends")
            entry = self._entries.get(key) or self._begun(spec, key)
            entry.spec = spec  # how long it waits may have been set anew
            if entry.idle_since is not None:
                entry.idle_since, entry.must_answer = None, True
            connection = entry.connection
            if connection is None:
                connection = await asyncio.shield(_starting(entry))
            if not connection.ended.is_set() and (
                not entry.must_answer or await entry.answers(connection)
            ):
                return connection
            self._evict(entry)
        raise Unavailable("it ends whenever it has begun")

    def _begun(self, spec: ServerSpec, key: str) -> Entry:
        self._failures.check(key)
        since = self._ways.now().isoformat(timespec="seconds")
        entry = self._entries[key] = Entry(spec, key, since, self._ways.on_tools)
        entry.starting = asyncio.create_task(self._start(entry))
        entry.starting.add_done_callback(heard)
        self._look_after()
        return entry

    async def _start(self, entry: Entry) -> Connection:
        """Begin. Who waits for it may go away; it goes on, and waits for the next one then."""
        connection: Connection | None = None
        try:
            connection = await self._ways.connect(entry.spec)
            await entry.list_tools(connection)
        except BaseException as error:  # told to all who wait for it
            if connection is not None:
                self._end(connection)
            if self._entries.get(entry.key) is entry:
                del self._entries[entry.key]
            if isinstance(error, asyncio.CancelledError):
                raise Unavailable("it was given up") from None
            if not isinstance(error, Unavailable):
                _said.exception("the MCP server %s could not be started", entry.spec.name)
                error = Unavailable(type(error).__name__)
            self._failures.note(entry.key, error)
            raise error from None
        self._failures.forget(entry.key)
        entry.connection = connection
        if not self._users.get(entry.key):
            self._rest(entry)  # whoever wanted it has gone meanwhile
        entry.watching = asyncio.create_task(self._watch(entry, connection))
        return connection

    async def _watch(self, entry: Entry, connection: Connection) -> None:
        """Notice when it ends by itself, and when its tools become others."""
        while not connection.ended.is_set():
            await either(connection.ended, connection.changed)
            if connection.changed.is_set() and not connection.ended.is_set():
                try:
                    await entry.list_tools(connection)
                except Unavailable as why:
                    _said.info("%s: %s", entry.spec.name, why)
                # Whoever changes all the time is not asked all the time.
                await self._ways.pause(1.0)
        if self._entries.get(entry.key) is entry:
            del self._entries[entry.key]
            self._end(connection)

    def _rest(self, entry: Entry) -> None:
        """Nobody uses it: it waits, or ends."""
        if entry.connection is None:
            return  # it begins; then it is looked whether anybody still wants it
        entry.idle_since = self._ways.clock()
        settings = self._ways.settings()
        if entry.waits(settings) <= 0:
            self._evict(entry)
            return
        idle = self._idle()
        if settings.max_idle_servers is not None and len(idle) > settings.max_idle_servers:
            self._evict(idle[0][1])

    def _idle(self) -> list[tuple[float, Entry]]:
        """Those that nobody uses, with the time since when; used longest ago first."""
        every = self._entries.values()
        idle = [(one.idle_since, one) for one in every if one.idle_since is not None]
        return sorted(idle, key=lambda one: one[0])

    def _evict(self, entry: Entry) -> None:
        """Give a server to nobody any more, and end it."""
        if self._entries.get(entry.key) is entry:
            del self._entries[entry.key]
        if entry.watching is not None:
            entry.watching.cancel()
        if entry.connection is not None:
            self._end(entry.connection)
        elif entry.starting is not None:
            self._given_up(entry.starting)

    def _end(self, connection: Connection) -> None:
        self._track(asyncio.create_task(connection.close()))

    def _given_up(self, starting: "asyncio.Task[Connection]") -> None:
        async def give_up() -> None:
            starting.cancel()
            await asyncio.wait({starting})
            if not starting.cancelled() and starting.exception() is None:
                await starting.result().close()

        self._track(asyncio.create_task(give_up()))

    def _track(self, task: "asyncio.Task[None]") -> None:
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _look_after(self) -> None:
        """Look for servers to be ended from time to time, as long as there are any."""
        if self._reaping is None or self._reaping.done():
            self._reaping = asyncio.create_task(self._keep_reaping())

    async def _keep_reaping(self) -> None:
        while self._entries:
            await self._ways.pause(self._ways.settings().cleanup_interval)
            self.reap()


def _starting(entry: Entry) -> "asyncio.Task[Connection]":
    if entry.starting is None:
        raise Unavailable("it was never begun")
    return entry.starting


def heard(starting: "asyncio.Task[Any]") -> None:
    """Perhaps nobody waits any more to be told why it did not begin."""
    if not starting.cancelled():
        starting.exception()
