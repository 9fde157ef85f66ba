"""MCP servers of others: their tools for agents, the servers behind them, and how they are."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.mcp_client.calls import ServerCalls
from hearth.performers.mcp_client.catalogues import Catalogue, Catalogues
from hearth.performers.mcp_client.connecting import Call, Connect, Unavailable
from hearth.performers.mcp_client.deferring import CallTool, FindTools, is_too_much
from hearth.performers.mcp_client.definitions import Listed, ToolDefinition, defined
from hearth.performers.mcp_client.pool import Pool, Ways, heard
from hearth.performers.mcp_client.recorded import Recorded
from hearth.performers.mcp_client.resolving import Bound, Resolver, unchosen
from hearth.performers.mcp_client.scopes import Check, Scopes
from hearth.performers.mcp_client.starting import Starter
from hearth.performers.mcp_client.status import ServerStatus, failed, of_running
from hearth.performers.mcp_client.tools import McpTool
from hearth.performers.sandbox.environment import secrets_of
from hearth.performers.tools.tool import Outcome, Scene, Tool
from hearth.settings.mcp import McpSettings, PoolSettings, ServerSpec
from hearth.settings.mcp_approvals import McpApprovals

PREPARING: Final = 10.0
"""Seconds that a turn waits for servers nobody has asked before; their tools come later then."""
_said = logging.getLogger(__name__)


def no_servers(_directory: str) -> McpSettings:
    """What holds where nobody has set anything."""
    return McpSettings()


@dataclass(frozen=True)
class Around:
    """What the servers need of the rest of hearth."""

    home: Path
    environ: Mapping[str, str]
    settings: Callable[[str], McpSettings] = no_servers
    keep: Callable[[], Sequence[str]] = tuple
    """Patterns of variables that are passed on although they look like secrets."""
    chosen: Callable[[SessionId], tuple[str, ...] | None] = unchosen
    """The servers that a person chose for a session; None: the settings say. From any thread."""
    connect: Connect | None = None
    """How servers are started, if not as usual."""
    preparing: float = PREPARING


class McpServers:
    """All servers of others. `close` ends them."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._recorded = Recorded(around.home)
        starter = Starter(around.home, around.environ, self._recorded, around.keep)
        self._catalogues = Catalogues(around.home)
        self._pool_settings = PoolSettings()
        self._pool = Pool(
            Ways(
                connect=around.connect or starter.connect,
                settings=lambda: self._pool_settings,
                on_tools=self._listed,
            )
        )
        self._scopes = Scopes(self._pool)
        self._resolver = Resolver(
            self._settings, McpApprovals(around.home), around.environ, around.chosen
        )
        self._secrets: set[str] = set()
        self._known: dict[str, tuple[str, str, str]] = {}
        """Of each server that was used: its name, what is shown of it, and where it is written."""
        self._find, self._call_by_name = FindTools(self._all), CallTool(self._all)
        self._preparing: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """End what servers of a daemon that is gone have left running."""
        await asyncio.to_thread(self._recorded.sweep)

    async def close(self) -> None:
        """End everything. Bounded."""
        for one in self._preparing:
            one.cancel()
        await self._pool.close()

    def secrets(self) -> tuple[str, ...]:
        """What servers were given that nobody else may see."""
        return tuple(self._secrets)

    # -- for agents ---------------------------------------------------------------------------

    async def prepare(self, scene: Scene) -> tuple[str, ...]:
        """Know what servers offer, within bounds; what is wrong, in sentences. Never raises."""
        try:
            return (await self._prepared(scene))[0]
        except Exception as defect:  # noqa: BLE001 - a turn goes on without servers
            return _unusable(scene, defect)

    def tools(self, scene: Scene) -> Sequence[Tool]:
        """The tools that agents are told of: all, or two that find and call them. In a thread."""
        found = self._all(scene)
        return (self._find, self._call_by_name) if is_too_much(found) else found

    def tool(self, name: str, scene: Scene) -> Tool | None:
        """A tool by its name, whether agents are told of it or not. In a thread."""
        every: tuple[Tool, ...] = (self._find, self._call_by_name, *self._all(scene))
        return next((one for one in every if one.name == name), None) or next(
            (one for one in every if isinstance(one, McpTool) and one.plain_name == name), None
        )

    async def call(
        self, scene: Scene, server: str, tool: str, arguments: Mapping[str, Any]
    ) -> Outcome:
        """Have a server do something, by its own name for it. Not judged; never raises."""
        resolved = await asyncio.to_thread(self._resolver.resolved, scene)
        bound = resolved.bounds.get(server)
        if bound is None:
            names = ", ".join(resolved.bounds) or "none"
            text = f"There is no MCP server {server[:100]} here. There are: {names}."
            return Outcome(text, is_error=True)
        calls = ServerCalls(bound, self._catalogues, self._called)
        return await calls.call(tool, arguments, scene)

    def catalogue(self, scene: Scene) -> Mapping[str, Sequence[ToolDefinition]]:
        """What each server offers here, as far as is known. In a thread."""
        return {
            name: known.offered
            for name, bound in self._resolver.resolved(scene).bounds.items()
            if not bound.problem and (known := self._catalogues.of(bound.key)) is not None
        }

    @property
    def of_turns(self) -> "OfTurns":
        """The same as the tools of turns, which hold what they use until they end."""
        return OfTurns(self)

    async def begin_turn(self, scene: Scene) -> tuple[str, ...]:
        """Prepare a turn: until `turn_ended` its session keeps what it uses. Never raises."""
        scope = self._scopes.of(scene.session)
        scope.is_in_turn = True
        try:
            said, usable = await self._prepared(scene)
        except Exception as defect:  # noqa: BLE001 - a turn goes on without servers
            return _unusable(scene, defect)
        # Only now: what is needed before and after was held all the time.
        scope.become([one.key for one in usable])
        return said

    def turn_ended(self, session: SessionId) -> None:
        """A turn of a session, or the session itself, has ended: it needs no server any more."""
        self._scopes.end(session)

    # -- for people ---------------------------------------------------------------------------

    def status(self) -> tuple[ServerStatus, ...]:
        """What runs now."""
        return tuple(of_running(one, self._known) for one in self._pool.running())

    def shown(self, directory: str) -> tuple[tuple[ServerStatus, ...], tuple[str, ...]]:
        """Every server of a directory and how it is; what is wrong with settings. In a thread."""
        running = {one.key: one for one in self._pool.running()}
        found = []
        every = self._resolver.every(directory)
        for name, bound in every.bounds.items():
            if (now := running.get(bound.key)) is not None and not bound.problem:
                self._note(bound)
                found.append(of_running(now, self._known))
                continue
            why = bound.problem or self._pool.failure(bound.key)
            state = bound.state or (failed(why) if why else "stopped")
            known = None if bound.problem else self._catalogues.of(bound.key)
            count = len(known.offered) if known is not None else 0
            source = bound.spec.source
            found.append(ServerStatus(name, bound.shown, state, why, tools=count, source=source))
        return tuple(found), every.problems

    # -- inside -------------------------------------------------------------------------------

    def _settings(self, directory: str) -> McpSettings:
        said = self._around.settings(directory)
        self._pool_settings = said.pool
        return said

    async def _prepared(self, scene: Scene) -> tuple[tuple[str, ...], list[Bound]]:
        resolved = await asyncio.to_thread(self._resolver.resolved, scene)
        said = list(resolved.problems)
        usable = []
        for bound in resolved.bounds.values():
            if bound.problem:
                said.append(bound.problem)
            else:
                usable.append(bound)
        said += await self._asked(scene, usable)
        for bound in usable:
            known = await asyncio.to_thread(self._catalogues.of, bound.key)
            said += _changes(bound.spec.name, known)
        return tuple(said), usable

    async def _asked(self, scene: Scene, usable: Sequence[Bound]) -> list[str]:
        """Start those that nobody knows yet, and have them list their tools."""
        unknown = [
            one for one in usable if await asyncio.to_thread(self._catalogues.of, one.key) is None
        ]
        if not unknown:
            return []
        tasks = {asyncio.create_task(self._held(scene, one)): one for one in unknown}
        self._preparing |= set(tasks)
        for task in tasks:
            task.add_done_callback(self._preparing.discard)
            task.add_done_callback(heard)
        done, _ = await asyncio.wait(tasks, timeout=self._around.preparing)
        said = []
        for task, bound in tasks.items():
            name = bound.spec.name
            if task not in done:
                said.append(f"the MCP server {name} is still starting; its tools come later")
            elif task.cancelled():
                said.append(f"the MCP server {name} cannot be used: hearth ends")
            elif (error := task.exception()) is not None:
                said.append(f"the MCP server {name} cannot be used: {error}")
        return said

    async def _held(self, scene: Scene, bound: Bound) -> None:
        self._note(bound)
        scope = self._scopes.of(scene.session)
        await scope.hold(bound.spec)
        scope.settle(bound.spec)

    async def _called(
        self,
        bound: Bound,
        tool: str,
        arguments: Mapping[str, Any],
        scene: Scene,
        check: Check,
    ) -> Outcome:
        if bound.problem:
            return Outcome(f"It cannot be called: {bound.problem}.", is_error=True)
        self._note(bound)
        call = Call(tool, arguments, bound.spec.timeout, scene.show, scene.keep)
        try:
            return await self._scopes.of(scene.session).call(bound.spec, call, check)
        except Unavailable as why:
            return Outcome(f"{bound.spec.name} cannot be used: {why}", is_error=True)

    def _all(self, scene: Scene) -> tuple[McpTool, ...]:
        return tuple(
            McpTool(one, name, ServerCalls(bound, self._catalogues, self._called))
            for name, bound in self._resolver.resolved(scene).bounds.items()
            if not bound.problem and (known := self._catalogues.of(bound.key)) is not None
            for one in known.offered
        )

    async def _listed(self, spec: ServerSpec, found: tuple[Listed, ...]) -> None:
        await asyncio.to_thread(
            lambda: self._catalogues.listed(spec.digest, defined(spec.name, found))
        )

    def _note(self, bound: Bound) -> None:
        self._known[bound.key] = (bound.spec.name, bound.shown, bound.spec.source)
        headers = bound.spec.headers
        # Of `Bearer TOKEN` the token alone is secret, too.
        parts = {name: value.rpartition(" ")[2] for name, value in headers.items()}
        for one in (bound.spec.env, headers, parts):
            self._secrets.update(secrets_of(one))


@dataclass(frozen=True)
class OfTurns:
    """The tools of servers, as a source of tools for turns."""

    servers: McpServers

    async def prepare(self, scene: Scene) -> tuple[str, ...]:
        """Begin a turn."""
        return await self.servers.begin_turn(scene)

    def tools(self, scene: Scene) -> Sequence[Tool]:
        """Those that agents are told of."""
        return self.servers.tools(scene)

    def tool(self, name: str, scene: Scene) -> Tool | None:
        """One by its name."""
        return self.servers.tool(name, scene)


def _unusable(scene: Scene, defect: Exception) -> tuple[str, ...]:
    _said.error("the MCP servers of %s could not be prepared", scene.session, exc_info=defect)
    return (f"MCP servers cannot be used: {type(defect).__name__}: {defect}",)


def _changes(name: str, known: Catalogue | None) -> list[str]:
    if known is None or not known.changed:
        return []
    tools = ", ".join(one.name for one in known.changed)
    what = f"the MCP server {name} has changed what it says of {tools}"
    return [f"{what}: you are asked about each call until you allow one"]
