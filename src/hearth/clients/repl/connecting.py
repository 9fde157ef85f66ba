"""The daemon as the REPL sees it: the remote client, with a word when the daemon goes."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Final, Self

from hearth.api import Accepted, Following, Item, Viewed
from hearth.clients.remote.remote_hearth import RemoteHearth
from hearth.clients.remote.troubles import DaemonGone, Rejected
from hearth.clients.repl.host import Present
from hearth.core.vocabulary.commands import Command, SessionMode
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Door, Origin
from hearth.core.vocabulary.refusals import Refusal
from hearth.daemon.discovery import Found

AT_ONCE: Final = 0.001
"""Seconds. A session that is created is not waited for: its prompt can be used meanwhile."""
LOOK_EVERY: Final = 2.0
"""Seconds between two looks at a process, where the system does not tell of its end."""


class DaemonHost:
    """Implements `Beginning` over HTTP. What does not reach the daemon is a ConnectionError."""

    def __init__(self, found: Found, name: str, locate: Callable[[], Found | None]) -> None:
        self._remote = RemoteHearth.at(found, door=Door.REPL, name=name, locate=locate)
        self._locate = locate
        self._watch = ProcessEnd(found.pid)
        self._streams: Counter[SessionId | None] = Counter()
        self.me: Origin = self._remote.me

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._watch.close()
        await self._remote.close()

    async def submit(
        self,
        session: SessionId,
        command: Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        """Ask for something."""
        try:
            return await self._remote.submit(session, command, origin, input_id=input_id)
        except DaemonGone as gone:
            raise _connection(gone) from gone

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        """How something looks now."""
        try:
            return await self._remote.view(name, session)
        except DaemonGone as gone:
            raise _connection(gone) from gone

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        """The log from a cursor on; it raises ConnectionError when the daemon ends."""
        if self._watch.ended.is_set() and (found := self._locate()) is not None:
            self._watch.close()
            self._watch = ProcessEnd(found.pid)
        self._streams[session] += 1
        following = self._remote.follow(session, after=after)
        return _Watched(following, self._watch.ended, lambda: self._streams.subtract((session,)))

    async def fetch(self, sha256: str) -> bytes:
        """Content that is kept as a blob; KeyError if there is none."""
        try:
            return await self._remote.fetch(sha256)
        except DaemonGone as gone:
            raise _connection(gone) from gone

    async def who(self, session: SessionId) -> Sequence[Present]:
        """Who else is attached to a session; the streams of this REPL are left out."""
        try:
            there = [_present(one) for one in await self._remote.who(session)]
        except DaemonGone as gone:
            raise _connection(gone) from gone
        except Rejected:
            return ()  # a session that nobody can be attached to
        mine = [one for one in there if (one.name, one.door) == (self.me.name, self.me.door)]
        for one in mine[: self._streams[session]]:
            there.remove(one)
        return there

    async def begin(self, directory: str, *, bare: bool) -> SessionId | Refusal:
        """The live session of this directory, or a new one that may still be warming up."""
        more: dict[str, Any] = {"mode": SessionMode.BARE.value} if bare else {}
        try:
            return await self._remote.create(directory, within=AT_ONCE, **more)
        except DaemonGone as gone:
            raise _connection(gone) from gone

    async def trust(self, directory: str) -> None:
        """Trust what the project of this directory has now. Rejected if that cannot be."""
        shown = await self._remote.trust(directory)
        if not shown.get("trusted"):
            await self._remote.grant(str(shown["root"]), str(shown["digest"]))


class ProcessEnd:
    """Knows when a process has ended, without asking again and again where the system tells it."""

    def __init__(self, pid: int) -> None:
        self.ended = asyncio.Event()
        self._descriptor: int | None = None
        self._looking: asyncio.Task[None] | None = None
        loop = asyncio.get_running_loop()
        try:
            self._descriptor = os.pidfd_open(pid)
            loop.add_reader(self._descriptor, self._told)
        except ProcessLookupError:
            self.ended.set()
        except (AttributeError, OSError):  # not Linux, or an older one
            self._looking = loop.create_task(self._look(pid))

    def close(self) -> None:
        """Look no longer."""
        self._let_go()
        if self._looking is not None:
            self._looking.cancel()

    def _told(self) -> None:
        self._let_go()
        self.ended.set()

    def _let_go(self) -> None:
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    async def _look(self, pid: int) -> None:
        while is_alive(pid):  # noqa: ASYNC110 - nobody tells of it here
            await asyncio.sleep(LOOK_EVERY)
        self.ended.set()


def is_alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class _Watched:
    """A stream that breaks when the daemon ends, instead of waiting for the next one in silence."""

    def __init__(
        self, following: Following, ended: asyncio.Event, left: Callable[[], None]
    ) -> None:
        self._following = following
        self._ended = ended
        self._left: Callable[[], None] | None = left

    async def batch(self) -> Sequence[Item]:
        """What came since the last call. ConnectionError when the daemon has ended."""
        items = asyncio.ensure_future(self._following.batch())
        ended = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait({items, ended}, return_when=asyncio.FIRST_COMPLETED)
            if items.done():
                return items.result()
            raise ConnectionError("it has ended")
        finally:
            items.cancel()
            ended.cancel()

    def close(self) -> None:
        """End the stream."""
        self._following.close()
        if self._left is not None:
            self._left()
            self._left = None


def _present(said: dict[str, Any]) -> Present:
    return Present(
        kind=str(said.get("kind", "")),
        name=str(said.get("name", "")),
        door=str(said.get("door", "")),
    )


def _connection(gone: DaemonGone) -> ConnectionError:
    return ConnectionError(gone.sentence)
