"""Streams of signals show what comes of commands, as it happens."""

from pathlib import Path
from typing import Any

import pytest
from tests.contracts.hearth_api import S, begin
from tests.servers.http.editors.watched import http, watched
from tests.servers.http.streams.daemons import daemon

from hearth.servers.http.editors.operations import OPERATIONS

STREAMS = [one.path for one in OPERATIONS if one.streams]


@pytest.mark.promise("SF-HTTP-01", "SF-HTTP-05")
async def test_code_is_taken_at_once_and_shown_from_its_start_over_its_output_to_its_end(
    tmp_path: Path,
) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        async with watched(client, f"/eval?session={S}") as stream:
            assert stream.signals["eval"]["state"] == "none"
            taken = await client.post("/exec", json={"code": "print"}, params={"session": S})
            assert taken.status_code == 202
            assert set(taken.json()) == {"request", "session", "seq"}
            await stream.until(lambda now: now.signals["eval"]["state"] == "complete")
            patches: list[dict[str, Any]] = [patch["eval"] for patch in stream.patches[1:]]
            states = [patch["state"] for patch in patches if "state" in patch]
            assert states == ["started", "complete"]
            assert {patch["request"] for patch in patches} == {taken.json()["request"]}
            chunks = [piece for patch in patches for piece in patch.get("chunk", [])]
            text = "".join(chunk["text"] for chunk in chunks if chunk["stream"] == "stdout")
            assert text == "one\ntwo\n"
            now = stream.signals["eval"]
            assert (now["stdout"], now["stderr"]) == ("one\ntwo\n", "oops\n")
            assert (now["success"], now["cell"]) == (True, "c1")
            assert now["ms"] >= 0


@pytest.mark.promise("SF-HTTP-05")
async def test_a_result_has_its_type_and_an_error_its_name(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        async with watched(client, f"/eval?session={S}") as stream:
            await client.post("/exec", json={"code": "1+1"})
            await stream.until(lambda now: now.signals["eval"]["state"] == "complete")
            now = stream.signals["eval"]
            assert (now["success"], now["result"], now["type"]) == (True, "2", "int")
            await client.post("/exec", json={"code": "1/0"})
            await stream.until(lambda now: now.signals["eval"]["state"] == "error")
            now = stream.signals["eval"]
            assert now["error"]["name"] == "ZeroDivisionError"
            assert now["success"] is False
            assert "result" not in now, "nothing of the cell before is left"


@pytest.mark.promise("SF-HTTP-02", "SF-HTTP-03", "SF-HTTP-04")
@pytest.mark.parametrize("path", STREAMS)
async def test_a_stream_begins_with_the_whole_and_goes_on_with_changes(
    tmp_path: Path, path: str
) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        for _ in range(3):
            await client.post("/exec", json={"code": "1+1"}, headers={"Prefer": "wait=20"})
        await client.post("/diagnostics", json={"code": "undefined"}, headers={"Prefer": "wait=20"})
        async with watched(client, f"{path}?session={S}") as stream:
            (name,) = stream.signals
            whole = stream.signals[name]
            assert whole["session"] == S
            for what, body in [
                ("exec", {"code": "1/0"}),
                ("completions", {"code": "xs.ap", "cursor": 5}),
                ("diagnostics", {"code": "undefined", "file": "b.py"}),
            ]:
                await client.post(f"/{what}", json=body, headers={"Prefer": "wait=20"})
            patch = (await stream.patched(2))[1]
            assert list(patch) == [name]
            again = [key for key, value in patch[name].items() if whole.get(key) == value]
            assert patch[name]
            assert again in ([], ["request"]), "nothing is sent once more but who asked"
            async with watched(client, f"{path}?session={S}&client=other") as late:
                if path != "/completions":  # those are only for who asked
                    await stream.until(lambda now: same(now.signals, late.signals))


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two streams show the same, apart from what each knows of whom."""
    aside = {"uptime", "connections", "request", "key", "chunk"}
    (name,) = one
    return {k: v for k, v in one[name].items() if k not in aside} == {
        k: v for k, v in other[name].items() if k not in aside
    }


@pytest.mark.promise("SF-HTTP-05")
async def test_diagnostics_are_emptied_by_a_reset(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        async with watched(client, f"/diagnostics?session={S}") as stream:
            assert stream.signals["diagnostics"]["files"] == {}
            taken = await client.post("/diagnostics", json={"code": "undefined", "file": "a.py"})
            await stream.until(lambda now: now.signals["diagnostics"]["count"] == 1)
            now = stream.signals["diagnostics"]
            assert (now["request"], now["key"]) == (taken.json()["request"], "a.py")
            assert now["files"]["a.py"][0]["message"] == "undefined name"
            again = await client.post("/diagnostics", json={"code": "undefined", "file": "a.py"})
            wanted = again.json()["request"]
            await stream.until(lambda now: now.signals["diagnostics"]["request"] == wanted)
            assert "files" not in stream.patches[-1]["diagnostics"], "they did not change"
            await client.post("/reset", json={})
            await stream.until(lambda now: now.signals["diagnostics"]["count"] == 0)
            assert stream.signals["diagnostics"]["files"] == {}
            assert stream.patches[-1]["diagnostics"]["files"] == {"a.py": None}


async def test_completions_reach_the_client_that_asked_and_no_other(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        body = {"code": "xs.ap", "cursor": 5}
        async with (
            watched(client, f"/completions?session={S}&client=mine") as mine,
            watched(client, f"/completions?session={S}&client=yours") as yours,
            watched(client, f"/completions?session={S}") as nobodys,
        ):
            asked = await client.post("/completions", json=body, params={"client": "mine"})
            await mine.patched(2)
            assert mine.signals["completions"]["request"] == asked.json()["request"]
            assert [each["label"] for each in mine.signals["completions"]["items"]] == ["append"]
            plain = await client.post("/completions", json=body)
            await nobodys.patched(2)
            assert nobodys.signals["completions"]["request"] == plain.json()["request"]
            last = await client.post("/completions", json=body, params={"client": "yours"})
            await yours.patched(2)
            assert [len(each.patches) for each in (mine, yours, nobodys)] == [2, 2, 2]
            assert yours.signals["completions"]["request"] == last.json()["request"]


@pytest.mark.promise("SF-HTTP-06", "SF-HTTP-16")
async def test_the_status_has_counts_times_state_and_offers_and_they_move(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        async with watched(client, f"/status?session={S}") as stream:
            now = stream.signals["status"]
            assert (now["state"], now["eval_count"], now["performance"]) == (
                "ready",
                0,
                {"count": 0},
            )
            assert "run_code" in now["available"]
            assert (now["types"], now["distributions"]) == ([], [])
            assert now["uptime"] >= 0
            assert now["connections"] == {"terminal": 0, "browser": 0, "program": 1, "mcp": 0}
            await client.post("/exec", json={"code": "1+1"})
            await stream.until(lambda now: now.signals["status"]["eval_count"] == 1)
            now = stream.signals["status"]
            assert now["last_eval_ms"] >= 0
            assert now["performance"]["count"] == 1
            assert now["performance"]["max_ms"] >= now["performance"]["median_ms"] >= 0
            async with one.client() as terminal:
                following = terminal.follow(S)
                await stream.until(lambda now: now.signals["status"]["connections"]["terminal"])
                following.close()
            await stream.until(lambda now: not now.signals["status"]["connections"]["terminal"])
            await client.post("/exec", json={"code": "hang"})
            await stream.until(lambda now: now.signals["status"]["state"] == "evaluating")
            assert "cancel_eval" in stream.signals["status"]["available"]
