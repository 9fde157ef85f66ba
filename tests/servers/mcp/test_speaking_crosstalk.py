"""Two clients and two sessions, a thousand calls between each other: nobody hears the other."""

import asyncio
from pathlib import Path

import pytest
from mcp.client import Client
from tests.servers.http.serving import PATIENCE, served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.performers.interpreter.scene import Scene

CALLS = 500
A, B = "session-aaaaaa", "session-bbbbbb"


@pytest.mark.promise("SF-ISO-01")
@pytest.mark.parametrize("era", ERAS)
async def test_no_answer_of_a_thousand_goes_astray(tmp_path: Path, era: str) -> None:
    scenes = {
        f"{who}{number}": Scene(
            prints=(f"{who}{number}\n",), value=f"{who}{number}", value_type="str"
        )
        for who in "ab"
        for number in range(CALLS)
    }

    async def many(client: Client, who: str, session: str) -> None:
        named = {} if era == "legacy" else {"session": session}
        if not named:
            await call(client, "switch_session", session=session)
        for number in range(CALLS):
            said = await call(client, "run_code", code=f"{who}{number}", **named)
            assert said["session"] == session
            assert (said["result"], said["stdout"]) == (f"{who}{number}", f"{who}{number}\n")

    async with (
        served(tmp_path, scenes) as daemon,
        connected(daemon, era, name="a") as one,
        connected(daemon, era, name="b") as other,
        asyncio.timeout(4 * PATIENCE),
    ):
        await daemon.begin(A)
        await daemon.begin(B)
        await asyncio.gather(many(one, "a", A), many(other, "b", B))
        for session, who in ((A, "a"), (B, "b")):
            seen = (await daemon.client.get(f"/sessions/{session}/views/transcript")).json()
            cells = [one for one in seen["value"]["entries"] if one.get("cell")]
            assert {one["author"]["name"] for one in cells} == {who}
            assert all(one["code"].startswith(who) for one in cells)
