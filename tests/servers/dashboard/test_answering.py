"""Everything of the dashboard that answers, and its end."""

import asyncio
from pathlib import Path

import pytest
from tests.journeys.dashboards import A, steered
from tests.servers.dashboard.looked_at import until

from hearth.servers.dashboard.answering import Answering
from hearth.servers.dashboard.operations import OPERATIONS
from hearth.servers.http.streams.channels import Channels


def running() -> list[str]:
    """What of the dashboard still runs."""
    names = [getattr(one.get_coro(), "__qualname__", "") for one in asyncio.all_tasks()]
    return [one for one in names if one.startswith(("Feed.", "Screen.", "Aside.", "Overview."))]


async def test_every_route_of_the_table_is_answered_and_no_other(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        answering = Answering(daemon.served.around, Channels(daemon.served.engine))
        assert set(answering.endpoints()) == {(one.method, one.path) for one in OPERATIONS}
        await answering.close()


async def test_nothing_goes_on_after_the_end(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        client = daemon.served.client
        await client.get("/dashboard")
        async with client.stream("GET", f"/dashboard/lines/l?tab=t.{A}") as answer:
            chunks = answer.aiter_bytes()
            await anext(chunks)
            answering = daemon.served.door._dashboard._answering
            await answering.close()
            async for _ in chunks:
                pass  # it ends by itself
        assert (answering._lines.count, answering._screens.open) == (0, 0)
        assert not daemon.served.around.attendance.listed()
        await until(lambda: not running())


async def test_a_conversation_is_copied_as_text(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        await daemon.turn("hello <there>", "yourself")
        answer = await daemon.served.client.get(f"/dashboard/s/{A}/text")
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert "hello <there>" in answer.text


@pytest.mark.parametrize("place", ["x/c1/0", "1/c1/x", "²/c1/0", f"{'9' * 16}/c1/0"])
async def test_an_output_is_named_by_numbers(place: str, tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        for kind in ("frame", "output"):
            answer = await daemon.served.client.get(f"/dashboard/s/{A}/{kind}/{place}")
            assert answer.status_code == 400
