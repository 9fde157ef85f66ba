"""The daemon over a real socket: attached, lost, and found again."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from tests.clients.repl.talking import PATIENCE, Remembering
from tests.contracts.hearth_api import begin
from tests.servers.http.streams.daemons import Daemon, daemon

from hearth.clients.repl import connecting
from hearth.clients.repl.attached import Surroundings
from hearth.clients.repl.connecting import DaemonHost, ProcessEnd, is_alive
from hearth.clients.repl.conversation import Conversation
from hearth.clients.repl.host import Present
from hearth.clients.repl.painting import Paint
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import UnknownSession
from hearth.daemon.discovery import Found


@contextmanager
def a_process() -> Iterator[subprocess.Popen[bytes]]:
    """One that lives until its input ends."""
    code = "import sys; sys.stdin.read()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)  # noqa: S603 - our own
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait(PATIENCE)


def found_at(one: Daemon, pid: int) -> Found:
    was = one.found
    return Found(
        pid=pid,
        port=was.port,
        socket=was.socket,
        token=was.token,
        started_at=was.started_at,
        version=was.version,
    )


class Connected:
    """A REPL's conversation with a daemon, whose process is another one's."""

    def __init__(self, one: Daemon, process: subprocess.Popen[bytes]) -> None:
        self.daemon = one
        self.process = process
        self.screen = Remembering()
        self.host = DaemonHost(found_at(one, process.pid), "ann", self.located)
        self.around = Surroundings(self.host, self.host.me, self.screen, Paint())
        self.talk = Conversation(self.around, may_ask=True)

    def located(self) -> Found | None:
        return found_at(
            self.daemon, self.process.pid if is_alive(self.process.pid) else os.getpid()
        )


@asynccontextmanager
async def connected(tmp_path: Path) -> AsyncIterator[Connected]:
    async with daemon(tmp_path) as one:
        with a_process() as process:
            here = Connected(one, process)
            async with here.host:
                yield here
                await here.talk.close()


async def test_a_session_is_begun_attached_and_used(tmp_path: Path) -> None:
    async with connected(tmp_path) as here:
        session = await here.host.begin(str(tmp_path), bare=False)
        assert isinstance(session, str)
        assert await here.host.begin(str(tmp_path), bare=False) == session
        assert await here.host.begin(str(tmp_path), bare=True) != session
        assert await here.talk.attach(session) is None
        await here.talk.say("1+1")
        await here.screen.until("# int")
        await here.talk.say("big")
        await here.screen.until("c2 shows all")
        await here.talk.say(".show c2")
        await here.screen.until("y" * 100_000)


async def test_a_daemon_that_ends_is_noticed_at_once_and_waited_for(tmp_path: Path) -> None:
    async with connected(tmp_path) as here:
        session = await here.host.begin(str(tmp_path), bare=False)
        assert isinstance(session, str)
        await here.talk.attach(session)
        await here.talk.run("1+1")
        await here.daemon.vanish()
        end(here.process)
        await here.screen.until("the daemon cannot be reached (it has ended); waiting for it")
        entered = asyncio.create_task(here.talk.say("x = 1"))
        await here.daemon.start("elsewhere.sock", engine=False)
        await here.screen.until("the daemon is back")
        async with asyncio.timeout(PATIENCE):
            assert await entered
            await here.talk.run("1+1")
        assert here.screen.shown.count("# int") == 2


async def test_others_are_told_apart_from_oneself(tmp_path: Path) -> None:
    async with connected(tmp_path) as here:
        session = await here.host.begin(str(tmp_path), bare=False)
        assert isinstance(session, str)
        await here.talk.attach(session)
        await here.talk.run("1+1")
        assert list(await here.host.who(session)) == []
        async with here.daemon.client() as other:
            following = other.follow(session, after=0)
            async with asyncio.timeout(PATIENCE):
                await following.batch()
            there = await here.host.who(session)
            assert [(one.name, one.door) for one in there] == [("ann", "repl")]
            assert all(isinstance(one, Present) for one in there)


async def test_what_cannot_be_is_refused_or_not_there(tmp_path: Path) -> None:
    async with connected(tmp_path) as here:
        await begin(here.daemon.engine)
        assert isinstance(await here.talk.attach(SessionId("nowhere")), UnknownSession)
        assert list(await here.host.who(SessionId("nowhere"))) == []
        with pytest.raises(KeyError):
            await here.host.fetch("0" * 64)


async def test_a_project_is_trusted_by_what_it_has_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connected(tmp_path) as here:
        granted: list[tuple[str, str]] = []
        remote = here.host._remote

        async def shown(_: str) -> dict[str, object]:
            return {"root": "/loom", "digest": "d1", "trusted": bool(granted)}

        async def grant(root: str, digest: str) -> dict[str, object]:
            granted.append((root, digest))
            return {}

        monkeypatch.setattr(remote, "trust", shown)
        monkeypatch.setattr(remote, "grant", grant)
        await here.host.trust("/loom/src")
        await here.host.trust("/loom/src")
        assert granted == [("/loom", "d1")]


async def test_the_end_of_a_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_process() as process:
        told = ProcessEnd(process.pid)
        monkeypatch.delattr(os, "pidfd_open", raising=False)
        monkeypatch.setattr(connecting, "LOOK_EVERY", 0)
        looked_for = ProcessEnd(process.pid)
        assert not told.ended.is_set()
        end(process)
        async with asyncio.timeout(PATIENCE):
            await told.ended.wait()
            await looked_for.ended.wait()
        told.close()
        looked_for.close()
    gone = ProcessEnd(process.pid)
    async with asyncio.timeout(PATIENCE):
        await gone.ended.wait()
    gone.close()
    assert not is_alive(process.pid)
    assert is_alive(1)
