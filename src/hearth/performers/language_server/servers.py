"""All language servers of all projects, and what sessions are told of what they find."""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from hearth.performers.interpreter.checking.tools import Unavailable
from hearth.performers.language_server import disk, telling
from hearth.performers.language_server.findings import (
    Finding,
    GivenTo,
    Noted,
    ServerStatus,
)
from hearth.performers.language_server.given import GivenBook
from hearth.performers.language_server.known import MOST_KNOWN, Before
from hearth.performers.language_server.pool import Bounds, Pool, Specs
from hearth.performers.language_server.running import Running
from hearth.performers.language_server.server import Server, Ways
from hearth.performers.sandbox.footing import is_below
from hearth.performers.tools.tool import Scene

MOST_ROOTS: Final = 1000
MOST_WRITING: Final = 1000
_IN_TIME: Final = 0.95
"""The part of what an edit may take that servers have: the rest is for telling."""

_T = TypeVar("_T")
_said = logging.getLogger(__name__)


class Told(NamedTuple):
    """What is known of a file or of a project."""

    by_file: Mapping[str, Sequence[Finding]]
    notes: tuple[str, ...] = ()
    """Who could not be asked, and why."""
    is_answer: bool = True
    """Whether anybody could be asked."""


class LanguageServers:
    """One server for each language of each project, shared by all sessions. `close` ends them.

    `specs` is asked in a thread which servers the project in a root has: see `detecting.specs_of`.
    """

    def __init__(
        self, specs: Specs, ways: Ways | None = None, bounds: Bounds | None = None
    ) -> None:
        self._ways = ways or Ways()
        self._bounds = bounds or Bounds()
        self._pool = Pool(specs, self._ways, self._bounds)
        self._given = GivenBook()
        self._roots: dict[str, str] = {}
        self._spent: dict[tuple[str, tuple[str, ...]], float] = {}
        """Seconds that edits have waited already, by session and files."""

    async def before_write(self, scene: Scene, paths: tuple[str, ...]) -> None:
        """Find out what there is to be found before files are written. Never raises.

        Without it, all that is wrong with a file that no server has seen yet counts as new. Takes
        half of the time that the edit may wait at most; the rest is left to `after_write`.
        """
        began = time.monotonic()
        await self._safely(self._before(scene, paths), None, self._bounds.after_write / 2)
        if len(self._spent) > MOST_WRITING:
            self._spent.clear()  # of edits that came to nothing
        self._spent[scene.session, paths] = time.monotonic() - began

    async def after_write(self, scene: Scene, paths: tuple[str, ...]) -> str:
        """Show files that were just written to their servers; what came to be wrong by it, or "".

        Absolute paths. Never raises, and never takes longer than its bound: what comes later is
        told with the session's next edit.
        """
        left = self._bounds.after_write - self._spent.pop((scene.session, paths), 0.0)
        return await self._safely(self._after(scene, paths, left), "", left)

    async def of_file(self, root: str, path: str) -> Told:
        """All that is found in a file now. Absolute paths."""
        try:
            await asyncio.to_thread(disk.content, path)
        except disk.Unreadable as error:
            note = f"{telling.shown_path(path, root)} cannot be looked at: {error}."
            return Told({path: ()}, (note,), is_answer=False)
        looked, notes = await self._ask(root, (path,))
        if not looked and not notes:
            notes = ("No language server of this project looks at such a file.",)
        found = [one for server in looked for one in server.known.get(path, ())]
        return Told({path: found}, notes, bool(looked))

    async def of_project(self, root: str) -> Told:
        """All that is found in a project now, by file."""
        looked, notes = await self._ask(root, ())
        found: dict[str, list[Finding]] = {}
        for server in looked:
            for path, findings in server.known.items():
                found.setdefault(path, []).extend(findings)
        partly = ", ".join(one.spec.name for one in looked if not one.is_whole)
        if partly:
            notes += (f"Of {partly}: only of files that were written or asked about.",)
        if not looked and not notes:
            notes = ("No language server is known for this project.",)
        return Told(found, notes, bool(looked))

    def note_given(self, scene: Scene, findings: Iterable[Finding]) -> None:
        """Remember who was given what."""
        at = self._ways.now().isoformat(timespec="seconds")
        whom = GivenTo(scene.session, scene.agent, at)
        self._given.note(self._roots.get(scene.root, scene.root), whom, findings)

    def given(self, root: str) -> tuple[Noted, ...]:
        """What is known of a project now with who was given it, and what was given and is gone."""
        root = self._roots.get(root, root)
        known = (found for one in self._pool.known(root) for found in one.known.values())
        return self._given.noted(root, (one for found in known for one in found))

    def status(self) -> tuple[ServerStatus, ...]:
        """Every server that was needed, as it is now."""
        return self._pool.status()

    async def close(self) -> None:
        """End every server, and what still waits for one."""
        await self._pool.close()

    @staticmethod
    async def _safely(writing: Coroutine[Any, Any, _T], otherwise: _T, seconds: float) -> _T:
        """An edit is done, whatever becomes of looking at it."""
        try:
            async with asyncio.timeout(seconds):
                return await writing
        except TimeoutError:
            return otherwise
        except Exception:  # noqa: BLE001 - a defect here must not make an edit look as if it failed
            _said.exception("what was written could not be looked at")
            return otherwise

    async def _before(self, scene: Scene, paths: Sequence[str]) -> None:
        root = await self._real(scene.root)
        servers = await self._concerned(scene, root, paths)
        looking = [self._pool.task(self._look(server, paths)) for server in servers]
        if looking:
            await asyncio.wait(looking)

    async def _after(self, scene: Scene, paths: Sequence[str], seconds: float) -> str:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds * _IN_TIME
        root = await self._real(scene.root)
        servers = await self._concerned(scene, root, paths)
        if not servers:
            return ""
        inside = [path for path in paths if is_below(path, root)]
        early = [server.before() for server in servers]
        looking = [self._pool.task(self._look(server, inside)) for server in servers]
        try:
            await asyncio.wait(looking, timeout=max(0.0, until - loop.time()))
        except asyncio.CancelledError:
            for server, before in zip(servers, early, strict=True):
                server.owe(scene.session, before)
            raise
        new: list[Finding] = []
        is_before_known = True
        for server, before, task in zip(servers, early, looking, strict=True):
            looked = task.result() if task.done() and not task.cancelled() else None
            if looked is None:
                server.owe(scene.session, before)
                continue
            base = server.owed.pop(scene.session, looked)
            new += base.new_in(server.known, inside)
            mine = filter(server.spec.takes, inside)
            is_before_known &= all(base.of(path) is not None for path in mine)
        told = telling.worth_telling(new, inside)
        self.note_given(scene, told[: telling.MOST])
        return telling.after_edit(told, root, is_before_known=is_before_known)

    async def _concerned(self, scene: Scene, root: str, paths: Sequence[str]) -> list[Server]:
        """The servers that are to hear of files: those that look at such, and those that run."""
        inside = [path for path in paths if is_below(path, root)]
        if not scene.root or not inside or self._pool.is_closed:
            return []
        servers = await self._pool.of(root)
        return [one for one in servers if one.running or any(map(one.spec.takes, inside))]

    async def _look(self, server: Server, paths: Sequence[str]) -> Before | None:
        """Have a server look at files; what was known before it did, None if it did not.

        What it found is in its `known`.
        """

        async def look(running: Running) -> Before:
            before = server.before()
            mine = await server.refresh(running, paths)
            await running.look(mine or tuple(running.documents))
            if not running.can.pulls:
                server.is_whole = True
            elif running.can.sees_all and server.survey is None:
                # Not in the way of who waits: before it is done nothing is known of the rest.
                server.survey = self._bounds.quick
                unasked = self._bounds.survey_unasked
                _ = self._pool.task(self._survey(server, running, unasked))
            elif (
                running.can.sees_all
                and server.is_whole
                and (server.survey or 0.0) <= self._bounds.quick
            ):
                await self._survey(server, running, 2 * self._bounds.quick)
            return before

        try:
            return await self._using(server, look)
        except (Unavailable, TimeoutError):
            return None  # its status says why

    async def _survey(self, server: Server, running: Running, patience: float) -> None:
        """Have a server look at the whole project, if it can in so many seconds."""
        edits = running.edits
        try:
            async with asyncio.timeout(patience):
                seconds = await running.look_at_all()
        except (Unavailable, TimeoutError):
            server.survey = float("inf")
            return
        is_current = edits == running.edits
        # An edit came in between: the next one tries again.
        server.survey = seconds if is_current else None
        server.is_whole |= is_current and len(server.known) < MOST_KNOWN

    async def _ask(self, root: str, paths: tuple[str, ...]) -> tuple[list[Server], tuple[str, ...]]:
        """Those that could be asked about files, or (none) about the project; why others not."""
        if self._pool.is_closed:
            return [], ("hearth ends.",)
        root = await self._real(root)
        servers = [
            server
            for server in await self._pool.of(root)
            if not paths or any(map(server.spec.takes, paths))
        ]
        answers = await asyncio.gather(*(self._asked(server, paths) for server in servers))
        both = tuple(zip(servers, answers, strict=True))
        notes = tuple(f"{one.spec.name} could not be asked: {why}." for one, why in both if why)
        return [one for one, why in both if not why], notes

    async def _asked(self, server: Server, paths: tuple[str, ...]) -> str:
        """Ask a server about files, or about all; why that was not possible, or ""."""

        async def ask(running: Running) -> Running:
            # Commands and people change files, too, and tell nobody.
            await running.look_around()
            mine = await server.refresh(running, paths)
            await running.look(mine or tuple(running.documents))
            return running

        try:
            running = await self._using(server, ask)
            if not paths and running.can.sees_all:
                # Not in the way of edits, which may come and then have it looked at again.
                await self._survey(server, running, self._bounds.surveying)
                if server.survey is None:
                    await self._survey(server, running, self._bounds.surveying)
        except Unavailable as error:
            return str(error).rstrip(".")
        except TimeoutError:
            return f"it did not answer within {self._bounds.asking:g} seconds"
        return ""

    async def _using(self, server: Server, what: Callable[[Running], Awaitable[_T]]) -> _T:
        """Do something with a server, which is started if it does not run."""
        try:
            async with asyncio.timeout(self._bounds.asking), server.turn:
                running = await self._running(server)
                try:
                    return await what(running)
                except Unavailable:
                    if not running.is_over:
                        raise
                # It ended in the middle, and is started again: another one may do better.
                return await what(await self._running(server))
        finally:
            self._pool.use(server)

    async def _running(self, server: Server) -> Running:
        if self._pool.is_closed:
            raise Unavailable("hearth ends")
        self._pool.use(server)
        return await server.ready()

    async def _real(self, root: str) -> str:
        """A root as servers know it: without links."""
        real = await asyncio.to_thread(os.path.realpath, root)
        if len(self._roots) > MOST_ROOTS:
            self._roots.clear()
        self._roots[root] = real
        return real
