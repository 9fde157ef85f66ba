"""The servers of all projects: which there are, which may go, and what is being done with them."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from hearth.performers.language_server.detecting import ServerSpec
from hearth.performers.language_server.findings import ServerStatus
from hearth.performers.language_server.server import Server, Ways

Specs: TypeAlias = Callable[[str], Sequence[ServerSpec]]
"""The servers for the project in a root. Asked in a thread; decides what a project may run."""

MOST_REMEMBERED: Final = 64
"""Servers, running or not, of which it is remembered how they were."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long is waited for what, in seconds, and how many servers run at a time."""

    after_write: float = 2.0
    asking: float = 20.0
    surveying: float = 60.0
    """For a look at the whole project that somebody asked for."""
    survey_unasked: float = 5.0
    """For one that is made beside an edit: it takes a processor."""
    quick: float = 0.5
    """A look at the whole project that takes longer is not made with every edit."""
    idle: float = 600.0
    most: int = 8


class Pool:
    """One server for each name and root. Those that nobody uses go, and so do those too many."""

    def __init__(self, specs: Specs, ways: Ways, bounds: Bounds) -> None:
        self._specs = specs
        self._ways = ways
        self._bounds = bounds
        self._servers: dict[tuple[str, str], Server] = {}
        self._going: dict[tuple[str, str], asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self.is_closed = False

    async def of(self, root: str) -> list[Server]:
        """The servers of a project, those that are new to it included. None is started."""
        found = []
        for spec in await asyncio.to_thread(self._specs, root):
            key = (root, spec.name)
            server = self._servers.get(key)
            if server is not None and server.spec != spec:
                # The settings say something else now.
                del self._servers[key]
                self._start(server.close())
                server = None
            if server is None:
                server = self._servers[key] = Server(spec, root, self._ways)
            found.append(server)
        return found

    def known(self, root: str) -> tuple[Server, ...]:
        """The servers of a project that were needed already."""
        return tuple(one for (place, _), one in self._servers.items() if place == root)

    def use(self, server: Server) -> None:
        """Note that a server is used now; those that are not make room."""
        key = (server.root, server.spec.name)
        if self.is_closed or self._servers.get(key) is not server:
            return
        # The one that was used last stands last.
        self._servers[key] = self._servers.pop(key)
        if key in self._going:
            self._going.pop(key).cancel()
        loop = asyncio.get_running_loop()
        why = f"nobody used it for {self._bounds.idle / 60:g} minutes"
        self._going[key] = loop.call_later(self._bounds.idle, self._leave, key, why)
        others = [one for one, kept in self._servers.items() if kept.is_on and one != key]
        others.sort(key=lambda one: self._servers[one].turn.locked())
        for other in others[: max(0, len(others) + 1 - self._bounds.most)]:
            self._leave(other, "others were needed more")
        for other in tuple(self._servers)[: max(0, len(self._servers) - MOST_REMEMBERED)]:
            if not self._servers[other].is_on:
                del self._servers[other]

    def status(self) -> tuple[ServerStatus, ...]:
        """Every server that was needed, as it is now."""
        return tuple(self._servers[key].status() for key in sorted(self._servers))

    def task(self, coroutine: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        """Do something that goes on when nobody waits for it any more, until `close`."""
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """End every server, and what is done with them."""
        self.is_closed = True
        for timer in self._going.values():
            timer.cancel()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        closing = (server.close("hearth ends") for server in self._servers.values())
        await asyncio.gather(*tasks, *closing, return_exceptions=True)

    def _leave(self, key: tuple[str, str], why: str) -> None:
        timer = self._going.pop(key, None)
        if timer is not None:
            timer.cancel()
        server = self._servers.get(key)
        if server is not None and not self.is_closed:
            self._start(server.close(why))

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        _ = self.task(coroutine)
