"""Whoever names no session gets the one of their directory, or a new one, and always one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final, cast

import pytest
from msgspec.structs import replace

from hearth.api import Hearth, Settled, Viewed, settle
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.failures import ProjectNotFound
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import AmbiguousSession, TooManySessions, UnknownSession
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.resolving import (
    conversations,
    found_at,
    latest_conversation,
    name_of_fork,
    named,
    session_at,
)

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
        assert await found_at(hearth, "/home/ann/loom/tests/deep") == session
        assert await found_at(hearth, "/home/ann/loom2") is None
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


async def test_a_fork_is_never_what_a_directory_means() -> None:
    async with engine() as hearth:
        mine = await session_at(hearth, "/home/ann/loom", ANN)
        assert isinstance(mine, str)
        point = c.ForkPoint(SessionId(mine))
        for number in (1, 2):
            config = c.SessionConfig("/home/ann/loom", forked_from=point)
            fork = SessionId(f"fork-{number}")
            assert isinstance(await settle(hearth, fork, c.CreateSession(config), ANN), Settled)
        assert await session_at(hearth, "/home/ann/loom/src", BOT) == mine
        assert await found_at(hearth, "/home/ann/loom") == mine
        await settle(hearth, SessionId(mine), c.StopSession(), ANN)
        assert await found_at(hearth, "/home/ann/loom") is None
        assert await session_at(hearth, "/home/ann/loom", ANN) not in {mine, "fork-1", "fork-2"}


async def test_a_fork_without_a_name_gets_one_that_is_left() -> None:
    rows = (talked("session-aa", "/a", 1), talked("session-aa-2", "/a", 1))
    hearth = cast("Hearth", Listed(*rows))
    assert await name_of_fork(hearth, SessionId("session-aa")) == "session-aa-3"


def talked(session: str, directory: str, minute: int | None, **more: Any) -> SessionRow:
    at = None if minute is None else datetime(2026, 3, 1, 12, minute, tzinfo=UTC)
    messages = 0 if minute is None else 2
    return SessionRow(
        session=SessionId(session),
        name=session,
        directory=directory,
        state=PhaseName.READY,
        talked=at,
        messages=messages,
        **more,
    )


class Listed:
    """A hearth that has these sessions and does nothing."""

    def __init__(self, *rows: SessionRow) -> None:
        self._rows = rows

    async def view(self, name: str, session: SessionId | None = None) -> Viewed:
        assert (name, session) == ("sessions", None)
        return Viewed(Sessions(self._rows), 1)


LISTED = (
    talked("session-aa", "/home/ann/loom", 1),
    talked("session-bb", "/home/ann/loom/src", 9, root="/home/ann/loom", source="git"),
    talked("session-cc", "/home/ann/other", 5),
    talked("session-dd", "/home/ann/loom", None),
    talked("session-ee", "/home/ann/loom", 7, trouble="its log is broken"),
    talked("session-ff", "/home/ann/loom", 3, stopped=True),
)


@pytest.mark.promise("DL-MGR-03")
async def test_the_conversation_of_a_directory_that_last_went_on_can_be_gone_on_with() -> None:
    hearth = cast("Hearth", Listed(*LISTED))
    assert await latest_conversation(hearth, "/home/ann/loom") == "session-bb"
    assert await latest_conversation(hearth, "/home/ann/other") == "session-cc"
    assert await latest_conversation(hearth, "/home/ann/empty") is None
    assert [row.session for row in conversations(LISTED, "/home/ann/loom")] == [
        "session-bb",
        "session-ff",
        "session-aa",
    ]


@pytest.mark.promise("LK-SESS-01")
async def test_a_number_counts_conversations_unless_it_is_a_name() -> None:
    hearth = cast("Hearth", Listed(*LISTED))
    assert [await named(hearth, str(number)) for number in (1, 2, 3, 4)] == [
        "session-bb",
        "session-cc",
        "session-ff",
        "session-aa",
    ]
    for number in ("0", "5", "9" * 30, "²"):
        assert isinstance(await named(hearth, number), UnknownSession)
    called = cast("Hearth", Listed(*LISTED, talked("session-7", "/x", 8)))
    assert await named(called, "7") == "session-7"
    aliased = cast("Hearth", Listed(replace(LISTED[0], name="2"), *LISTED[1:]))
    assert await named(aliased, "2") == "session-aa"
