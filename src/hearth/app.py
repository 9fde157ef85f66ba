"""The composition root: a home, a store and performers become a running engine."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

import uvloop

from hearth.core.vocabulary.performing import Performer
from hearth.engine.clock import Clock
from hearth.engine.engine import USUAL_SESSION_LIMIT, Engine
from hearth.log.event_log import EventLog
from hearth.log.opening import choose_log, owner_name, startup_line
from hearth.log.spool import Spool
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.planning import Prefers, Trusts
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.replaying import Replaying
from hearth.servers.file_watcher import FileWatcher

SPOOL: Final = "spool"

_said = logging.getLogger(__name__)
_T = TypeVar("_T")


def run(main: Coroutine[Any, Any, _T]) -> _T:
    """Run hearth, or anything that uses its parts, on the event loop that it is made for."""
    return uvloop.run(main)


@asynccontextmanager
async def running(
    home: Path,
    url: str | None = None,
    performers: Iterable[Performer] = (),
    clock: Clock | None = None,
    *,
    most_sessions: int = USUAL_SESSION_LIMIT,
) -> AsyncIterator[Engine]:
    """An engine that has taken its sessions up; whatever happens, everything is closed after it.

    `home` is made if it is not there, and belongs to one daemon per store at a time. Without a
    `url` the log is an SQLite file in it. LogError if any of it cannot be used.
    """
    async with AsyncExitStack() as stack:
        log = choose_log(url, home, await owner_name(home))
        # Before the log: whoever has the spool is the one daemon that may use this home's name.
        spool = await asyncio.to_thread(_spool_of, home, log)
        stack.callback(spool.close)
        stack.push_async_callback(log.close)
        await log.open()
        _said.info(startup_line(log))
        engine = Engine(log, performers, spool=spool, clock=clock, most_sessions=most_sessions)
        stack.push_async_callback(engine.close)
        await engine.open()
        yield engine


@dataclass(frozen=True, slots=True)
class Living:
    """A hearth with live interpreters."""

    engine: Engine
    interpreters: LiveInterpreter
    store: str = ""
    """Where sessions are kept, in words without secrets."""

    async def end_all(self) -> None:
        """End every interpreter; without it they go on, for the next daemon to take up."""
        await self.interpreters.end_all()


@asynccontextmanager
async def living(  # noqa: PLR0913 - each is a wish of its own, by keyword
    home: Path,
    url: str | None = None,
    *,
    preferences: Preferences | None = None,
    clock: Clock | None = None,
    watch: bool = True,
    trusts: Trusts | None = None,
    prefers: Prefers | None = None,
    most_sessions: int = USUAL_SESSION_LIMIT,
) -> AsyncIterator[Living]:
    """An engine whose sessions are real interpreters, replayed and reloaded.

    Without `watch`, saved sources are not looked for. `trusts` says in which projects their own
    code may run; without it, in all. `prefers` says how interpreters are run in a project; without
    it, by `preferences` everywhere. RuntimeUnusable if another daemon uses this home; LogError
    as `running`.
    """
    interpreters = LiveInterpreter(home, preferences, trusts=trusts, prefers=prefers)
    await interpreters.open()

    async def fetch(digest: str) -> bytes:
        return await engine.fetch(digest)

    replaying = Replaying(fetch)
    try:
        async with AsyncExitStack() as stack:
            engine = await stack.enter_async_context(
                running(home, url, (interpreters, replaying), clock, most_sessions=most_sessions)
            )
            replaying.bind(engine)
            if watch:
                watcher = FileWatcher(engine)
                stack.push_async_callback(watcher.close)
                await watcher.open()
            interpreters.warm(sys.executable)
            yield Living(engine, interpreters, engine.store)
    finally:
        # The engine closed it with its performers; not so if it never came to be.
        await interpreters.close()


def _spool_of(home: Path, log: EventLog) -> Spool:
    """The spool of this store: what waits for one must never be appended to another."""
    name = sha256(log.name.encode()).hexdigest()[:12]
    for other in sorted(home.glob(f"{SPOOL}/*/*.spool")):
        if other.parent.name != name:
            _said.warning("events wait in %s for another store than this one", other.parent)
    spool = Spool(home / SPOOL / name)
    for damage in spool.damage:
        _said.warning(damage)
    return spool
