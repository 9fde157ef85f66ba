"""One server of one project, kept running: started when it is needed, and again when it ends."""

import asyncio
import logging
import os
import shutil
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, TypeAlias

from hearth.performers.interpreter.checking.tools import Unavailable, environment, find
from hearth.performers.language_server import disk
from hearth.performers.language_server.beginning import begin
from hearth.performers.language_server.detecting import ServerSpec
from hearth.performers.language_server.findings import ServerState, ServerStatus
from hearth.performers.language_server.known import Before, Known
from hearth.performers.language_server.running import Running

Wrap: TypeAlias = Callable[[tuple[str, ...], str], tuple[str, ...]]
"""Makes of a command, and the root it is run in, the command that is really run. In a thread."""

BACK_OFF: Final = (0.1, 1.0, 5.0, 15.0, 30.0)
"""Seconds after which a server that ended is started again, each time a longer while."""
WINDOW: Final = 600.0
"""A server that ends more often than there are steps of back-off, in so many seconds, stays off."""
STARTING: Final = 60.0
"""Seconds that a server has to begin."""

MOST_OWED: Final = 100

_said = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Ways:
    """How servers are run, and what they are run with."""

    environment: Callable[[], Mapping[str, str]] = lambda: os.environ
    wrap: Wrap | None = None
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _now
    back_off: tuple[float, ...] = BACK_OFF
    starting: float = STARTING


class _Missing(Exception):
    """Its program is not there."""


@dataclass(slots=True, eq=False)
class Server:
    """A server, whether it runs or not. What it found outlives each of its processes."""

    spec: ServerSpec
    root: str
    ways: Ways
    state: ServerState = ServerState.STOPPED
    why: str = ""
    since: str = ""
    running: Running | None = None
    known: Known = field(default_factory=Known)
    is_whole: bool = False
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Who looks through this server: one after the other, so that before and after are clear."""
    survey: float | None = None
    """Seconds that a look at the whole project takes; None: nobody has looked yet."""
    owed: dict[str, Before] = field(default_factory=dict)
    """By session: what was known before an edit about which it could not be told in time."""
    _open: tuple[str, ...] = ()
    _crashes: deque[float] = field(default_factory=deque)
    _keeping: asyncio.Task[None] | None = None
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_on(self) -> bool:
        """Whether it runs, or is about to."""
        return self._keeping is not None and not self._keeping.done()

    def status(self) -> ServerStatus:
        """How it is now."""
        return ServerStatus(
            self.root,
            self.spec.name,
            self.state,
            why=self.why,
            restarts=len(self._recent()),
            pid=self.running.pid if self.running else 0,
            open_files=len(self.running.documents) if self.running else 0,
            since=self.since,
        )

    def before(self) -> Before:
        """What is known now."""
        return Before(dict(self.known), self.is_whole)

    def owe(self, session: str, before: Before) -> None:
        """What it finds in the end is told with the next edit of this session."""
        self.owed.setdefault(session, before)
        while len(self.owed) > MOST_OWED:
            del self.owed[next(iter(self.owed))]

    async def ready(self) -> Running:
        """The server as it runs, however long it takes to begin. `Unavailable`, with the reason."""
        if not self.is_on:
            if self._is_hopeless():
                raise Unavailable(self.why)
            self._turn(ServerState.STARTING)
            self._keeping = asyncio.create_task(self._keep())
        while True:
            await self._settled.wait()
            if self.running is not None:
                if not self.running.is_over:
                    return self.running
                # It ends in this moment; or it only listens no more, and would stay for ever.
                await self.running.close()
            if not self.is_on:
                raise Unavailable(self.why or "it was ended")
            await asyncio.sleep(0)  # its end has just come, and is being taken in

    async def refresh(self, running: Running, written: Iterable[str] = ()) -> list[str]:
        """Show it what is on the disk now: of what was written, and of all that is open.

        Those of `written` that it can be asked about.
        """
        written = tuple(written)
        mine = [path for path in written if self.spec.takes(path)]
        stamps = {path: document.stamp for path, document in running.documents.items()}
        found, there = await asyncio.to_thread(_on_disk, written, mine, stamps)
        for path, content in found.items():
            if content is not None:
                await running.show(path, content)
            else:
                await running.hide(path)
                self.known.forget(path)
        if there:
            await running.written(there)
        return [path for path in mine if path in running.documents]

    async def close(self, why: str = "") -> None:
        """End it. It may be used again."""
        keeping, self._keeping = self._keeping, None
        if keeping is not None:
            keeping.cancel()
            await asyncio.wait({keeping})
        if self.state in {ServerState.STARTING, ServerState.READY, ServerState.CRASHED}:
            self._turn(ServerState.STOPPED, why)

    async def _keep(self) -> None:
        """Have it running until somebody ends it, or it ends too often."""
        try:
            while True:
                why = await self._life()
                self._crashes.append(self.ways.clock())
                crashes = len(self._recent())
                if self._is_hopeless():
                    text = f"it ended {crashes} times in {WINDOW / 60:g} minutes; the last: {why}"
                    self._turn(ServerState.STOPPED, text)
                    return
                self._turn(ServerState.CRASHED, why)
                await self.ways.pause(self.ways.back_off[crashes - 1])
                self._turn(ServerState.STARTING, why)
        except _Missing as missing:
            self._turn(ServerState.MISSING, str(missing))
        except Exception as defect:  # noqa: BLE001 - who waits for the server must hear of it
            _said.exception("the language server %s went wrong", self.spec.name)
            self._turn(ServerState.STOPPED, f"a defect of hearth: {type(defect).__name__}")
        finally:
            # Nobody must wait for what is no longer tried.
            self._settled.set()

    async def _life(self) -> str:
        """From its start to its end; says why it ended."""
        try:
            async with asyncio.timeout(self.ways.starting):
                running = await self._begun()
        except TimeoutError:
            return f"it did not begin within {self.ways.starting:g} seconds"
        except Unavailable as error:
            return str(error)
        try:
            await self._show_again(running)
            self.running = running
            self._turn(ServerState.READY)
            await running.ended.wait()
        except Unavailable:
            pass  # it ended while it was shown what the one before it had seen
        finally:
            self._open = tuple(running.documents) or self._open
            self.running = None
            self._settled.clear()
            await running.close()
        last = running.complaint.splitlines()[-1:] or ["without a word"]
        return f"it ended: {last[0][:200]}"

    async def _begun(self) -> Running:
        variables = environment(self.ways.environment())
        program = await asyncio.to_thread(_program, self.spec.command[0], variables)
        command = (program, *self.spec.command[1:])
        if self.ways.wrap is not None:
            try:
                command = await asyncio.to_thread(self.ways.wrap, command, self.root)
            except Exception as error:  # whatever contains others may have its own reasons
                raise Unavailable(f"it cannot be contained: {error}") from error
        return await begin(command, self.spec, self.root, variables, self.known)

    async def _show_again(self, running: Running) -> None:
        found, _ = await asyncio.to_thread(_on_disk, (), self._open, {})
        for path, content in found.items():
            if content is not None:
                await running.show(path, content)

    def _turn(self, state: ServerState, why: str = "") -> None:
        self.state, self.why = state, why
        self.since = self.ways.now().isoformat(timespec="seconds")
        if state in {ServerState.STARTING, ServerState.CRASHED}:
            self._settled.clear()
        else:
            self._settled.set()

    def _recent(self) -> deque[float]:
        while self._crashes and self._crashes[0] <= self.ways.clock() - WINDOW:
            self._crashes.popleft()
        return self._crashes

    def _is_hopeless(self) -> bool:
        return len(self._recent()) > len(self.ways.back_off)


def _program(name: str, variables: Mapping[str, str]) -> str:
    try:
        return find(name) if os.sep not in name else _given(name)
    except Unavailable:
        found = shutil.which(name, path=variables.get("PATH"))
    if found is None:
        raise _Missing(f"{name} is not installed, or not on the PATH")
    return found


def _given(path: str) -> str:
    if not os.access(path, os.X_OK):
        raise _Missing(f"{path} is no program")
    return path


def _on_disk(
    written: Iterable[str], always: Iterable[str], stamps: Mapping[str, disk.Stamp]
) -> tuple[dict[str, disk.Content | None], dict[str, bool]]:
    """What is in files that may have changed, None where nothing can be seen; what is there."""
    found: dict[str, disk.Content | None] = {}
    others = (path for path, known in stamps.items() if disk.stamp(path) != known)
    for path in (*others, *always):
        try:
            found[path] = disk.content(path)
        except disk.Unreadable:
            found[path] = None
    return found, {path: disk.stamp(path) is not None for path in written}
