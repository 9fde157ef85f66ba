import asyncio
import socket
from pathlib import Path

import pytest
from tests.performers.mcp_client.faking import LIMIT, Fakes, call
from tests.performers.mcp_client.listening import listening

from hearth.performers.mcp_client.connecting import Call, NeedsLogin, Unavailable
from hearth.performers.mcp_client.reaching import transport
from hearth.performers.tools.tool import Outcome
from hearth.settings.mcp import ServerSpec

ECHOED = Outcome("x", structured={"result": "x"})


def big(size: int) -> Call:
    return Call("huge", {"size": size}, LIMIT)


async def test_a_server_at_an_address_is_called_with_its_headers(fakes: Fakes) -> None:
    async with listening() as (url, door):
        spec = ServerSpec("far", url=url, headers={"X-Team": "red"})
        server = await fakes.starter().connect(spec)
        assert server.pid == 0
        assert [one.name for one in await server.tools()] == ["echo", "huge"]
        assert await server.call(call("echo", "hello")) == Outcome(
            "hello", structured={"result": "hello"}
        )
        assert {one["x-team"] for one in door.seen} == {"red"}
        await server.close()


async def test_a_giant_answer_is_not_read_to_its_end(fakes: Fakes) -> None:
    async with listening() as (url, _):
        server = await fakes.starter().connect(ServerSpec("far", url=url))
        outcome = await server.call(big(100_000_000))
        assert outcome.is_error
        assert "16 MiB" in outcome.text
        await server.close()


async def test_nobody_at_the_address_is_told(fakes: Fakes) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
    with pytest.raises(Unavailable, match="connection attempts failed"):
        await fakes.starter().connect(ServerSpec("far", url=f"http://127.0.0.1:{port}/mcp"))


async def test_a_server_that_wants_to_know_who_asks_says_what_to_do(fakes: Fakes) -> None:
    async with listening("good") as (url, door):
        with pytest.raises(NeedsLogin, match="hearth mcp login far"):
            await fakes.starter().connect(ServerSpec("far", url=url))
        assert door.seen == []
        spec = ServerSpec("far", url=url, headers={"Authorization": "Bearer good"})
        server = await fakes.starter().connect(spec)
        assert await server.call(call("echo", "x")) == ECHOED
        door.token = "another"  # noqa: S105 - nobody's
        refused = await server.call(call("echo", "x"))
        assert refused.is_error
        assert "hearth mcp login far" in refused.text
        door.token = "good"  # noqa: S105 - as before
        assert await server.call(call("echo", "x")) == ECHOED
        assert "16 MiB" in (await server.call(big(100_000_000))).text, "who asks is known again"
        await server.close()


@pytest.mark.promise("LK-CANC-01")
async def test_a_call_over_the_network_is_given_up_at_once(fakes: Fakes) -> None:
    async with listening() as (url, _):
        server = await fakes.starter().connect(ServerSpec("far", url=url))
        calling = asyncio.create_task(server.call(big(50_000_000)))
        await asyncio.sleep(0)
        calling.cancel()
        async with asyncio.timeout(20):
            await asyncio.gather(calling, return_exceptions=True)
        assert calling.cancelled()
        await server.close()


def test_nothing_is_reached_before_it_is_wanted(tmp_path: Path) -> None:
    made = transport(ServerSpec("far", url="http://127.0.0.1:9/mcp"), tmp_path)
    assert made.login == ""
