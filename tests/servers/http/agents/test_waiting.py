"""How many questions wait is counted for as long as somebody looks, and by one follower."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.servers.http.agents.asking_agent import SESSION, Opened, asking
from tests.servers.http.editors.watched import watched
from tests.servers.http.serving import PATIENCE

from hearth.servers.http.agents.waiting import Waiting

OTHER = "session-bbbbbb"


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    async with asking(tmp_path) as one:
        yield one


async def test_whoever_looks_is_told_of_more_and_of_fewer(opened: Opened) -> None:
    waiting = Waiting(opened.daemon.engine)
    told: asyncio.Queue[int] = asyncio.Queue()
    leave = waiting.watch(lambda: told.put_nowait(waiting.count))
    async with asyncio.timeout(PATIENCE):
        await opened.ask()
        assert await told.get() == 1
        await opened.answer("reject")
        assert await told.get() == 0
    assert told.empty()
    leave()
    leave()
    await opened.rest()
    await opened.ask()
    assert (waiting.count, told.empty()) == (0, True)
    await waiting.close()


async def test_news_that_somebody_else_looked_up_are_told_to_all(opened: Opened) -> None:
    waiting = Waiting(opened.daemon.engine)
    told: list[int] = []
    waiting._watchers.add(lambda: told.append(waiting.count))
    await opened.ask()
    assert await waiting.look() == 1
    assert await waiting.look() == 1
    assert told == [1]


async def test_one_follower_serves_all_and_ends_with_the_last(opened: Opened) -> None:
    waiting = Waiting(opened.daemon.engine)
    follow, begun = opened.daemon.engine.follow, []

    def counted() -> object:
        begun.append(1)
        return follow()

    waiting._hearth.follow = counted  # type: ignore[method-assign, assignment] # to count
    leaving = [waiting.watch(lambda: None) for _ in range(3)]
    assert len(begun) == 1
    for leave in leaving[:2]:
        leave()
    assert waiting._task is not None
    leaving[2]()
    assert waiting._task is None
    waiting.watch(lambda: None)
    assert len(begun) == 2
    await waiting.close()
    waiting.watch(lambda: None)
    assert len(begun) == 2


async def test_a_stream_of_status_counts_here_and_everywhere(opened: Opened) -> None:
    await opened.daemon.begin(OTHER)
    async with watched(opened.client, f"/status?session={SESSION}") as stream:
        status = stream.signals["status"]
        assert (status["approvals"], status["approvals_everywhere"]) == (0, 0)
        await opened.ask(OTHER)
        await stream.until(lambda now: now.signals["status"]["approvals_everywhere"] == 1)
        assert stream.signals["status"]["approvals"] == 0
        await opened.ask()
        await stream.until(lambda now: now.signals["status"]["approvals_everywhere"] == 2)
        await stream.until(lambda now: now.signals["status"]["approvals"] == 1)
        await opened.answer("once")
        await stream.until(lambda now: now.signals["status"]["approvals"] == 0)
        await stream.until(lambda now: now.signals["status"]["approvals_everywhere"] == 1)
