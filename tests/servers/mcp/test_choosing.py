"""Which session a call is for."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.servers.http.serving import PATIENCE, Served, served
from tests.servers.mcp.clients import ERAS, LEGACY, MODERN, call, connected

from hearth.core.vocabulary.commands import SwitchSession
from hearth.core.vocabulary.effects import StartWorker
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.origin import SYSTEM
from hearth.credentials.standing import Standing
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.resolving import found_at, session_at
from hearth.servers.mcp import choosing
from hearth.servers.mcp.choosing import DefaultSession

A, B = "session-aaaaaa", "session-bbbbbb"


def at(folder: Path) -> dict[str, str]:
    return {"Hearth-Directory": str(folder)}


async def sessions(daemon: Served) -> list[str]:
    rows = (await daemon.client.get("/sessions")).json()["value"].get("rows", [])
    return [row["session"] for row in rows if not row.get("stopped")]


@pytest.mark.promise("SF-MCP-17")
async def test_a_call_goes_to_the_session_it_names_by_whatever_name(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin(A)
        await daemon.begin(B)
        for said in (B, "session-b"):
            assert (await call(client, "run_code", code="1+1", session=said))["session"] == B
        unknown = await call(client, "run_code", code="1+1", session="nope")
        assert unknown.is_error
        assert unknown["error"]["type"] == "unknown_session"
        assert unknown["error"]["session"] == "nope"


@pytest.mark.promise("SF-RES-01", "SF-RES-11")
async def test_a_dead_session_is_replaced_by_the_next_call_and_not_before(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon, headers=at(tmp_path)) as client:
        first = (await call(client, "run_code", code="1+1"))["session"]
        await daemon.client.delete(f"/sessions/{first}")
        assert await sessions(daemon) == []
        again = await call(client, "run_code", code="1+1")
        assert again["result"] == "2"
        assert again["session"] != first
        assert await sessions(daemon) == [again["session"]]


@pytest.mark.promise("SF-RES-12")
@pytest.mark.parametrize("era", ERAS)
async def test_ten_first_calls_at_once_make_one_session(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era, headers=at(tmp_path)) as client:
        many = [call(client, "run_code", code="1+1", if_busy="queue") for _ in range(10)]
        async with asyncio.timeout(PATIENCE):
            answers = await asyncio.gather(*many)
        assert {one["result"] for one in answers} == {"2"}
        assert len({one["session"] for one in answers}) == 1
        assert len(await sessions(daemon)) == 1


async def test_a_new_connection_begins_where_it_works_else_with_the_default(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin(A)
        await daemon.begin(B)
        await daemon.command({"type": "run_cell", "code": "1+1"})  # A was used last
        async with connected(daemon) as client:
            assert (await call(client, "get_status"))["session"] == A
        await daemon.engine.submit(DAEMON_STREAM, SwitchSession(SessionId(B)), SYSTEM)
        async with connected(daemon) as client:
            assert (await call(client, "get_status"))["session"] == B
        async with connected(daemon, headers=at(tmp_path)) as client:
            assert (await call(client, "get_status"))["session"] not in {A, B}


@pytest.mark.promise("SF-ISO-02")
async def test_another_default_moves_nobody_who_is_connected(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin(A)
        assert (await call(client, "get_status"))["session"] == A
        await daemon.begin(B)
        await daemon.engine.submit(DAEMON_STREAM, SwitchSession(SessionId(B)), SYSTEM)
        await call(client, "run_code", code="1+1", session=B)
        assert (await call(client, "get_status"))["session"] == A


async def test_a_call_that_stands_for_itself_is_moved_by_no_default(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin(A)
        await daemon.engine.submit(DAEMON_STREAM, SwitchSession(SessionId(A)), SYSTEM)
        async with connected(daemon, MODERN, headers=at(tmp_path)) as client:
            own = (await call(client, "run_code", code="1+1"))["session"]
            assert own != A
            assert (await call(client, "get_status"))["session"] == own
        async with connected(daemon, MODERN) as client:
            bare = (await call(client, "run_code", code="1+1"))["session"]
            assert bare.startswith("bare-")
            assert (await call(client, "run_code", code="1+1"))["session"] == bare


@pytest.mark.parametrize("era", ERAS)
async def test_whoever_may_only_look_begins_nothing(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon:
        token = daemon.tokens.add("eyes", Standing.READER)
        async with connected(daemon, era, token=token, headers=at(tmp_path)) as client:
            none = await call(client, "get_status")
            assert none.is_error
            assert none["error"]["type"] == "unknown_session"
            assert await sessions(daemon) == []
            async with connected(daemon, LEGACY, headers=at(tmp_path)) as other:
                made = (await call(other, "run_code", code="1+1"))["session"]
            assert (await call(client, "get_status"))["session"] == made


@pytest.mark.parametrize("era", ERAS)
async def test_who_looks_makes_none_where_one_is_just_being_made(
    tmp_path: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins, asked, looked = asyncio.Event(), 0, 0

    async def late(*given: Any) -> Any:
        nonlocal asked
        asked += 1
        await begins.wait()
        return await session_at(*given)

    async def looking(*given: Any) -> Any:
        nonlocal looked
        looked += 1
        if looked > 2:
            begins.set()
        return await found_at(*given)

    monkeypatch.setattr(choosing, "session_at", late)
    monkeypatch.setattr(choosing, "found_at", looking)
    monkeypatch.setattr(choosing, "AT_ONCE", 0.001)
    async with (
        served(tmp_path) as daemon,
        connected(daemon, era, headers=at(tmp_path)) as client,
        asyncio.timeout(PATIENCE),
    ):
        early = await call(client, "get_status")
        assert await sessions(daemon) == [early["session"]]
    assert asked == 1


async def test_the_default_survives_what_cannot_be_read() -> None:
    async def rows(*_: object) -> list[object]:
        raise OSError("gone")

    assert await DefaultSession(rows).now() is None  # type: ignore[arg-type] # it is never given


@pytest.mark.parametrize("era", ERAS)
async def test_the_daemons_own_stream_is_no_session(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin(A)
        await daemon.engine.submit(DAEMON_STREAM, SwitchSession(SessionId(A)), SYSTEM)
        for tool in ("get_status", "run_code"):
            extra = {"code": "1+1"} if tool == "run_code" else {}
            said = await call(client, tool, session=DAEMON_STREAM, **extra)
            assert said["error"]["type"] == "unknown_session"


@pytest.mark.promise("SF-MCP-22")
@pytest.mark.parametrize("era", ERAS)
async def test_who_looks_sees_a_session_warm_up_and_who_works_waits_for_it(
    tmp_path: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    let, played = asyncio.Event(), ScriptedInterpreter.perform

    async def slowly(self: ScriptedInterpreter, *given: Any) -> None:
        if isinstance(given[1], StartWorker):
            await let.wait()
        await played(self, *given)

    monkeypatch.setattr(ScriptedInterpreter, "perform", slowly)
    async with (
        served(tmp_path) as daemon,
        connected(daemon, era, headers=at(tmp_path)) as client,
        asyncio.timeout(PATIENCE),
    ):
        early = await call(client, "get_status")
        assert early["state"] == "warming_up"
        assert early["available_actions"] == []
        named = await call(client, "run_code", code="1+1", session=early["session"])
        assert named["error"]["type"] == "not_now"
        async with connected(daemon, era, headers=at(tmp_path)) as other:
            waiting = asyncio.create_task(call(other, "run_code", code="1+1"))
            assert (await call(client, "get_status", since=0))["state"] == "warming_up"
            let.set()
            said = await waiting
        assert (said["result"], said["session"]) == ("2", early["session"])
