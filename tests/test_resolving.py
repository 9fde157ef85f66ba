"""Whoever names no session gets the one of their directory, or a new one, and always one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from hearth.api import Settled, Viewed, settle
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.failures import ProjectNotFound
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.refusals import AmbiguousSession, TooManySessions, UnknownSession
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.resolving import named, session_at

ANN: Final = Origin(Actor.PERSON, "ann", Door.REPL)
BOT: Final = Origin(Actor.AGENT, "scout", Door.MCP)


class Rooted:
    """An interpreter that finds the root two folders below /home, unless it is gone."""

    effects: frozenset[type[fx.Effect]] = frozenset({fx.StartWorker, fx.StopWorker})

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        del session
        if not isinstance(effect, fx.StartWorker):
            return
        directory = effect.config.directory
        if directory.endswith("gone"):
            failed = r.WorkerFailed(effect.generation, ProjectNotFound(directory))
            stage.report(failed)
            return
        parts = directory.split("/")
        source = "directory" if "loose" in parts else "git"
        root = directory if source == "directory" else "/".join(parts[:4])
        found = Surroundings(root=root, source=source)
        stage.report(r.WorkerReady(effect.generation, 0.0, surroundings=found))

    async def close(self) -> None:
        """Nothing is held."""


@asynccontextmanager
async def engine(most: int = 10) -> AsyncIterator[Engine]:
    log = MemoryLog()
    await log.open()
    made = Engine(log, [Rooted()], most_sessions=most)
    await made.open()
    try:
        yield made
    finally:
        await made.close()
        await log.close()


async def live(hearth: Engine) -> list[str]:
    viewed = await hearth.view("sessions")
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Sessions)
    return [row.session for row in viewed.value.rows if not row.stopped]


@pytest.mark.promise("SF-RES-01", "SF-RES-09")
async def test_one_is_created_and_then_found_from_anywhere_in_its_project() -> None:
    async with engine() as hearth:
        session = await session_at(hearth, "/home/ann/loom/src", ANN)
        assert await session_at(hearth, "/home/ann/loom/src", BOT) == session
        assert await session_at(hearth, "/home/ann/loom/tests/deep", BOT) == session
        assert await live(hearth) == [session]
        other = await session_at(hearth, "/home/ann/loom2", ANN)
        assert other != session
        assert len(await live(hearth)) == 2


async def test_a_folder_without_a_project_is_not_everybodys_parent() -> None:
    async with engine() as hearth:
        outer = await session_at(hearth, "/home/loose", ANN)
        inner = await session_at(hearth, "/home/loose/inner", ANN)
        assert outer != inner


@pytest.mark.promise("SF-RES-12")
async def test_many_who_ask_at_once_get_the_same() -> None:
    async with engine() as hearth:
        asked = [session_at(hearth, "/home/ann/loom", ANN) for _ in range(10)]
        found = set(await asyncio.gather(*asked))
        assert len(found) == 1
        assert await live(hearth) == list(found)


@pytest.mark.promise("SF-RES-11", "SF-RES-01")
async def test_stopping_the_last_creates_none_and_the_next_call_does() -> None:
    async with engine() as hearth:
        first = await session_at(hearth, "/home/ann/loom", ANN)
        assert isinstance(first, str)
        await hearth.submit(SessionId(first), c.StopSession(), ANN)
        assert await live(hearth) == []
        second = await session_at(hearth, "/home/ann/loom", ANN)
        assert second != first
        assert await live(hearth) == [second]


@pytest.mark.promise("SF-RES-10")
async def test_one_that_cannot_be_started_is_told_and_not_left_half_dead() -> None:
    async with engine() as hearth:
        failure = await session_at(hearth, "/home/ann/gone", ANN)
        assert failure == ProjectNotFound("/home/ann/gone")
        assert await live(hearth) == []


async def test_a_limit_is_a_refusal_and_not_a_session() -> None:
    async with engine(most=1) as hearth:
        await session_at(hearth, "/home/ann/loom", ANN)
        assert isinstance(await session_at(hearth, "/home/ann/mill", ANN), TooManySessions)


async def test_a_session_is_known_by_its_id_its_name_and_how_they_begin() -> None:
    async with engine() as hearth:
        for session, name in (("session-a1b2c3", "shop"), ("session-a1ffff", "shoes")):
            config = c.SessionConfig(directory=f"/home/ann/{name}", name=name)
            done = await settle(hearth, SessionId(session), c.CreateSession(config), ANN)
            assert isinstance(done, Settled)
        assert await named(hearth, "session-a1b2c3") == "session-a1b2c3"
        assert await named(hearth, "shoes") == "session-a1ffff"
        assert await named(hearth, "a1b") == "session-a1b2c3"
        assert isinstance(await named(hearth, "sho"), AmbiguousSession)
        assert isinstance(await named(hearth, "boots"), UnknownSession)
        assert await named(hearth, DAEMON_STREAM) == DAEMON_STREAM


async def test_a_bare_session_is_one_per_directory_and_never_the_projects() -> None:
    bare = c.SessionMode.BARE
    async with engine() as hearth:
        mine = await session_at(hearth, "/home/ann/shop", ANN)
        first = await session_at(hearth, "/home/ann/shop", ANN, bare)
        assert first != mine
        assert str(first).startswith("bare-")
        assert await session_at(hearth, "/home/ann/shop", BOT, bare) == first
        assert await session_at(hearth, "/home/ann/shop", BOT) == mine
        assert await session_at(hearth, "/home/ann/shop/below", ANN, bare) != first
        await settle(hearth, SessionId(str(first)), c.StopSession(), ANN)
        again = await session_at(hearth, "/home/ann/shop", ANN, bare)
        assert again not in {first, mine}
