"""Commands of editors are taken at once, and done once."""

from pathlib import Path
from typing import Any

import pytest
from tests.contracts.hearth_api import S, begin
from tests.contracts.scenes import SCENES
from tests.servers.copying import CopyingInterpreter, copied
from tests.servers.http.editors.watched import http, watched
from tests.servers.http.streams.daemons import daemon


@pytest.mark.promise("SF-HTTP-01")
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/exec", {"code": "1+1"}),
        ("/diagnostics", {"code": "undefined"}),
        ("/completions", {"code": "xs.ap", "cursor": 5}),
        ("/reset", {}),
        ("/hard-reset", {"rebuild": True}),
    ],
)
async def test_each_command_answers_without_data_or_waits_for_its_outcome(
    tmp_path: Path, path: str, body: dict[str, Any]
) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        waited = await client.post(path, json=body, headers={"Prefer": "wait=20"})
        assert waited.status_code == 200
        assert waited.headers["preference-applied"] == "wait"
        outcome = waited.json()
        assert {each["cause"] for each in outcome["envelopes"]} == {outcome["request"]}
        taken = await client.post(path, json=body)
        assert taken.status_code == 202
        assert set(taken.json()) <= {"request", "session", "seq", "warning"}
        assert taken.json()["session"] == S


@pytest.mark.promise("SF-HTTP-07")
async def test_a_hard_reset_can_rebuild(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        for rebuild in (True, False):
            waited = await client.post(
                "/hard-reset", json={"rebuild": rebuild}, headers={"Prefer": "wait=20"}
            )
            events = [each["event"] for each in waited.json()["envelopes"]]
            (reset,) = [each for each in events if each["type"] == "session_hard_reset"]
            assert reset.get("rebuild", False) is rebuild
            assert events[-1]["type"] == "session_ready"


async def test_the_running_cell_is_cancelled(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        async with watched(client, f"/eval?session={S}") as stream:
            await client.post("/exec", json={"code": "hang"})
            await stream.until(lambda now: now.signals["eval"]["stdout"] == "begun\n")
            async with watched(client, f"/eval?session={S}") as late:
                assert late.signals["eval"]["state"] == "started"
                assert late.signals["eval"]["request"] == stream.signals["eval"]["request"]
                assert (await client.post("/cancel", json={})).status_code == 202
                for each in (stream, late):
                    await each.until(lambda now: now.signals["eval"]["state"] == "cancelled")
        refused = await client.post("/cancel", json={})
        assert refused.status_code == 409
        assert refused.json()["error"]["code"] == "not_now"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/exec", {}),
        ("/exec", {"code": 1}),
        ("/exec", {"code": "1", "time_limit": 0}),
        ("/exec", {"code": "1", "on_error": "ignore"}),
        ("/completions", {"code": "x", "cursor": -1}),
        ("/reset", {"what": 1}),
        ("/hard-reset", {"rebuild": "yes"}),
    ],
)
async def test_what_is_not_as_it_must_be_is_refused_with_its_place(
    tmp_path: Path, path: str, body: dict[str, Any]
) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        before = len(await one.log.read())
        answer = await client.post(path, json=body)
        assert answer.status_code == 400
        assert answer.json()["error"]["path"].startswith("$")
        assert len(await one.log.read()) == before


@pytest.mark.parametrize("on_error", ["undo", "keep"])
async def test_what_is_to_become_of_a_cell_that_fails_is_carried_along(
    tmp_path: Path, on_error: str
) -> None:
    copying = CopyingInterpreter(SCENES)
    async with copied(tmp_path, copying) as one:
        await one.begin()
        await one.command({"type": "choose_undo", "who": "everyone"})
        waited = await one.client.post(
            "/exec",
            params={"session": "session-aaaaaa"},
            json={"code": "1/0", "on_error": on_error},
            headers={"Prefer": "wait=20"},
        )
        assert waited.status_code == 200, waited.text
        ended = waited.json()["envelopes"][-1]["event"]
        assert ended["type"] == "cell_failed"
        assert ended.get("undone", False) is (on_error == "undo")
