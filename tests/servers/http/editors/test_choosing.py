"""Every request finds its session, and no client is led to another one than before."""

from pathlib import Path

from tests.contracts.hearth_api import S, T, begin
from tests.contracts.scenes import ANN
from tests.servers.http.editors.watched import http, watched
from tests.servers.http.streams.daemons import daemon

from hearth.core.vocabulary import commands as c


async def test_without_a_name_the_session_that_was_used_last_is_meant(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        nobody = await client.post("/exec", json={"code": "1+1"})
        assert nobody.status_code == 404
        assert nobody.json()["error"]["code"] == "no_session"
        assert "directory" in nobody.json()["error"]["hint"]
        assert (await client.get("/eval")).status_code == 404
        await begin(one.engine, S, "one")
        await begin(one.engine, T, "two")
        await client.post("/exec?session=one", json={"code": "1+1"}, headers={"Prefer": "wait=20"})
        used = await client.post("/exec", json={"code": "1+1"}, headers={"Prefer": "wait=20"})
        assert used.json()["session"] == S
        async with watched(client, "/eval?client=me") as stream:
            assert stream.signals["eval"]["session"] == S
            await client.post("/exec?session=two", json={"code": "x = 1"})
            mine = await client.post("/exec?client=me", json={"code": "1/0"})
            assert mine.json()["session"] == S, "a client stays with what it watches"
            await stream.until(lambda now: now.signals["eval"]["state"] == "error")
            assert all("x = 1" not in str(patch) for patch in stream.patches)
        assert (await client.post("/exec?client=", json={"code": "1"})).status_code == 400
        unknown = await client.post("/exec?session=nothing", json={"code": "1+1"})
        assert unknown.json()["error"]["code"] == "unknown_session"


async def test_a_session_is_begun_for_a_directory_once(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        path = {"directory": "/home/ann/project"}
        assert (await client.get("/eval", params=path)).status_code == 404
        first = await client.post("/exec", json={"code": "1+1"}, params=path)
        assert first.status_code == 202
        again = await client.post("/exec", json={"code": "1+1", "if_busy": "queue"}, params=path)
        assert first.json()["session"] == again.json()["session"]
        rows = (await client.get("/sessions")).json()["value"]["rows"]
        assert [row["directory"] for row in rows] == ["/home/ann/project"]
        other = await client.post("/exec", json={"code": "1+1"}, params={"directory": "relative"})
        assert other.status_code == 400


async def test_one_that_was_stopped_is_shown_only_by_name(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        await one.engine.submit(S, c.StopSession(), ANN)
        assert (await client.get("/eval")).status_code == 404
        async with watched(client, f"/eval?session={S}") as stream:
            assert stream.signals["eval"]["session"] == S
