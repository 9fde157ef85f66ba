import asyncio

import pytest
from tests.performers.mcp_client.pretending import Pretended, settled

from hearth.performers.mcp_client.connecting import Unavailable
from hearth.performers.mcp_client.definitions import Listed
from hearth.performers.mcp_client.entries import Entry, Running
from hearth.settings.mcp import PoolSettings, ServerSpec

SPEC = ServerSpec("a", "run")


def waited() -> tuple[Entry, Pretended]:
    """One that waited, and is needed again."""
    server = Pretended(SPEC, pid=7, noise=2)
    return Entry(SPEC, SPEC.digest, "today", connection=server, must_answer=True), server


async def test_what_it_offers_is_counted_and_told() -> None:
    told: list[tuple[ServerSpec, tuple[Listed, ...]]] = []

    async def tell(spec: ServerSpec, found: tuple[Listed, ...]) -> None:
        told.append((spec, found))

    entry, server = Entry(SPEC, SPEC.digest, "today", tell), Pretended(SPEC)
    await entry.list_tools(server)
    assert entry.tools == 1
    assert told == [(SPEC, (Listed("echo"),))]
    server.ended.set()
    with pytest.raises(Unavailable):
        await entry.list_tools(server)
    assert len(told) == 1


async def test_many_who_need_it_ask_once_whether_it_is_well() -> None:
    entry, server = waited()
    assert await asyncio.gather(*(entry.answers(server) for _ in range(5))) == [True] * 5
    assert server.listed == 1
    assert not entry.must_answer
    assert await entry.answers(server)
    assert server.listed == 2, "what was said before says nothing of now"


async def test_one_that_hangs_or_has_ended_is_not_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearth.performers.mcp_client.entries.HEALTH", 0.01)
    entry, server = waited()
    server.is_hung = True
    assert not await entry.answers(server)
    server.is_hung = False
    server.ended.set()
    assert not await entry.answers(server)
    assert entry.must_answer


async def test_whoever_goes_away_takes_the_answer_from_nobody() -> None:
    entry, server = waited()
    server.is_hung = True
    going, staying = [asyncio.create_task(entry.answers(server)) for _ in range(2)]
    await settled()
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    server.thaws.set()
    assert await staying
    assert server.listed == 1


def test_its_own_time_to_wait_counts_before_that_of_all() -> None:
    settings = PoolSettings(idle_timeout=100)
    assert Entry(SPEC, "k", "today").waits(settings) == 100
    assert Entry(ServerSpec("a", "x", idle_timeout=0), "k", "today").waits(settings) == 0


async def test_how_it_is_depends_on_who_uses_it() -> None:
    assert Entry(SPEC, "k", "today").shown(1) == Running("k", "starting", "today", users=1)
    entry, server = waited()
    await entry.list_tools(server)
    ready = entry.shown(2)
    assert ready == Running(SPEC.digest, "ready", "today", users=2, pid=7, tools=1, noise=2)
    assert entry.shown(0).state == "idle"
