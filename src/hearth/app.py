"""The composition root: a home, a store and performers become a running engine."""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

import uvloop

from hearth.api import Hearth, Settled, settle
from hearth.core.rules.cell_calls import Caller
from hearth.core.vocabulary.commands import ListVariables
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import VariablesReturned
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.performing import Performer
from hearth.engine.clock import Clock
from hearth.engine.engine import USUAL_SESSION_LIMIT, Engine
from hearth.log.event_log import EventLog
from hearth.log.opening import choose_log, owner_name, startup_line
from hearth.log.spool import Spool
from hearth.performers.branches import Branches
from hearth.performers.cell_tools.calling import Servers, ToolsInCells
from hearth.performers.forking import Forking
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.planning import Prefers, Trusts
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.language_model.keys import Keys
from hearth.performers.language_model.performer import Models
from hearth.performers.mcp_client.servers import no_servers
from hearth.performers.mcp_client.turn_ends import TurnEnds
from hearth.performers.prefix.performer import Prefixes
from hearth.performers.replaying import Replaying
from hearth.performers.returning import Returning
from hearth.performers.sandbox.cleaning import RedactingPerformer
from hearth.performers.tools.equipping import RESULTS, Equipment, Outside
from hearth.performers.tools.judging import Settings
from hearth.performers.tools.tool import Tool, project_of
from hearth.servers.file_watcher import FileWatcher
from hearth.settings.agents import AgentSettings, ProviderSettings, usual_agents
from hearth.settings.mcp import McpSettings
from hearth.settings.permissions import usual_permissions

SPOOL: Final = "spool"

_said = logging.getLogger(__name__)
_T = TypeVar("_T")


def run(main: Coroutine[Any, Any, _T]) -> _T:
    """Run hearth, or anything that uses its parts, on the event loop that it is made for."""
    return uvloop.run(main)


@asynccontextmanager
async def running(  # noqa: PLR0913 - each is a wish of its own, by keyword
    home: Path,
    url: str | None = None,
    performers: Iterable[Performer] = (),
    clock: Clock | None = None,
    *,
    most_sessions: int = USUAL_SESSION_LIMIT,
    meet: Callable[[Engine], None] | None = None,
) -> AsyncIterator[Engine]:
    """An engine that has taken its sessions up; whatever happens, everything is closed after it.

    `home` is made if it is not there, and belongs to one daemon per store at a time. Without a
    `url` the log is an SQLite file in it. LogError if any of it cannot be used. `meet` is given the
    engine before that takes anything up: performers may need it from then on.
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
        if meet is not None:
            meet(engine)
        await engine.open()
        yield engine


@dataclass(frozen=True, slots=True)
class Living:
    """A hearth with live interpreters."""

    engine: Engine
    interpreters: LiveInterpreter
    models: Models
    equipment: Equipment
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
    agents: Callable[[str], AgentSettings] = usual_agents,
    permissions: Settings = usual_permissions,
    tools: Sequence[Tool] = (),
    servers: Servers | None = None,
    mcp: Callable[[str], McpSettings] = no_servers,
) -> AsyncIterator[Living]:
    """An engine whose sessions are real interpreters, replayed and reloaded.

    Without `watch`, saved sources are not looked for. `trusts` says in which projects their own
    code may run; without it, in all. `prefers` says how interpreters are run in a project; without
    it, by `preferences` everywhere. `agents` are the settings of agents in a directory,
    `permissions` what they may do there; `tools` are theirs beside those that hearth has, and `mcp`
    says which MCP servers of others there are. `servers` are those whose tools code in interpreters
    may call, if not these.
    RuntimeUnusable if another daemon uses this home; LogError as `running`.
    """
    engine: Engine

    def meet(made: Engine) -> None:
        # Whoever performs may need it while it takes up what was open.
        nonlocal engine
        engine = made
        _bind(made, replaying, forking, returning)

    async def fetch(digest: str) -> bytes:
        return await engine.fetch(digest)

    async def read(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        return await engine.rows(session, after, limit)

    async def live_names(session: SessionId) -> tuple[str, ...]:
        return await names_in(engine, session)

    async def keep(content: bytes, media_type: str) -> Blob:
        return await engine.keep(content, media_type)

    def directory_of(session: SessionId) -> str:
        config = engine.config_of(session)
        return project_of(config) if config is not None else ""

    def providers(directory: str) -> Mapping[str, ProviderSettings]:
        return agents(directory).providers

    keys = Keys(providers, os.environ, directory_of=directory_of)
    replaying, models = Replaying(fetch), Models(read, fetch, keys)
    outside = Outside(
        home=home,
        agents=agents,
        permissions=permissions,
        read=read,
        fetch=fetch,
        keep=keep,
        environ=os.environ,
        keys=keys.in_use,
        mcp=mcp,
        chosen=lambda session: engine.servers_of(session),  # noqa: PLW0108 - it is met later on
    )
    equipment = Equipment(outside, tools)

    def whose(session: SessionId, cell: CellId | None, contained: bool) -> Caller | None:  # noqa: FBT001 - asked by place
        return engine.caller_of(session, cell, contained=contained)

    in_cells = ToolsInCells(
        equipment.mcp if servers is None else servers,
        judge=equipment.judging.found,
        whose=whose,
        clean=equipment.redactor.text,
        fetch=fetch,
        keep=keep,
    )
    interpreters = LiveInterpreter(
        home,
        preferences,
        trusts=trusts,
        prefers=prefers,
        walls=equipment.walls_of,
        sandbox=equipment.sandbox,
        tools=in_cells,
    )
    await interpreters.open()
    await equipment.open()
    forking, returning = Forking(interpreters, read), Returning(read)
    performers: tuple[Performer, ...] = (
        RedactingPerformer(interpreters, equipment.redactor),
        replaying,
        forking,
        returning,
        models,
        Prefixes(agents, equipment.registry, live_names, spill_folder=str(home / RESULTS)),
        Branches(read),
        *equipment.performers(),
    )
    try:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(
                running(home, url, performers, clock, most_sessions=most_sessions, meet=meet)
            )
            turns = TurnEnds(engine, equipment.mcp.turn_ended)
            stack.push_async_callback(turns.close)
            turns.open()
            if watch:
                watcher = FileWatcher(engine)
                stack.push_async_callback(watcher.close)
                await watcher.open()
            interpreters.warm(sys.executable)
            yield Living(engine, interpreters, models, equipment, engine.store)
    finally:
        await equipment.close()
        # The engine closed it with its performers; not so if it never came to be.
        await interpreters.close()


def _bind(engine: Engine, *performers: Replaying | Forking | Returning) -> None:
    """Give the engine to those who work through it as everyone does."""
    for one in performers:
        one.bind(engine)


async def names_in(hearth: Hearth, session: SessionId) -> tuple[str, ...]:
    """The live names of a session's interpreter with their types; none if it does not answer."""
    listed = await settle(hearth, session, ListVariables(), SYSTEM)
    if not isinstance(listed, Settled) or not isinstance(
        found := listed.outcome.event, VariablesReturned
    ):
        return ()
    return tuple(f"{one.name}: {one.value_type}" for one in found.variables)


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
