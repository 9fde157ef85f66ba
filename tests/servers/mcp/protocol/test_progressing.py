import asyncio
from typing import Any

import pytest
from tests.servers.mcp.protocol.talking import ERAS, Served, text

from hearth.servers.mcp.protocol.caller import Caller
from hearth.servers.mcp.protocol.progressing import Progress


class Heard:
    def __init__(self) -> None:
        self.all: list[tuple[float, float | None, str | None]] = []
        self.something = asyncio.Event()

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.all.append((progress, total, message))
        self.something.set()


async def test_a_few_reports_go_out_at_once() -> None:
    heard = Heard()
    progress = Progress(heard, at_once=3, every=60)
    for n in range(3):
        await progress.report(n, 3, f"step {n}")
    assert heard.all == [(0, 3, "step 0"), (1, 3, "step 1"), (2, 3, "step 2")]
    progress.close()


async def test_a_flood_is_told_by_its_newest_alone() -> None:
    heard = Heard()
    progress = Progress(heard, at_once=1, every=0.01)
    for n in range(10_000):
        await progress.report(n)
    assert len(heard.all) == 1
    heard.something.clear()
    await asyncio.wait_for(heard.something.wait(), 10)
    assert [done for done, _, _ in heard.all] == [0, 9_999]
    progress.close()


async def test_what_does_not_grow_is_not_told_and_what_has_no_number_is_counted() -> None:
    heard = Heard()
    progress = Progress(heard, at_once=10)
    await progress.report(5)
    await progress.report(5)
    await progress.report(4)
    await progress.report(message="on")
    assert heard.all == [(5, None, None), (6, None, "on")]
    progress.close()


async def test_nothing_follows_the_end() -> None:
    heard = Heard()
    progress = Progress(heard, at_once=1, every=0.01)
    await progress.report(1)
    await progress.report(2)
    telling = progress._telling
    assert telling is not None
    progress.close()
    await progress.report(3)
    await asyncio.wait({telling}, timeout=10)
    assert [done for done, _, _ in heard.all] == [1]


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_asks_for_it_hears_how_far_it_is(mode: str) -> None:
    async def does(caller: Caller, _: dict[str, Any]) -> Any:
        for n in range(3):
            await caller.report(n, 2, "on")
        return text("done")

    heard = Heard()
    async with Served(does).client(mode) as client:
        await client.call_tool("tool", {}, progress_callback=heard)
        async with asyncio.timeout(10):
            while len(heard.all) < 3:
                heard.something.clear()
                await heard.something.wait()
        await client.call_tool("tool", {})
    assert [done for done, _, _ in heard.all] == [0, 1, 2]
