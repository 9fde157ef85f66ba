"""Commands over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contracts.hearth_api import S, until
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.core.vocabulary import events as e
from hearth.credentials.standing import Standing
from hearth.performers.interpreter.scene import Scene

PLACE = "/sessions/session-aaaaaa/commands"
RUN = {"type": "run_cell", "code": "1+1"}


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


@pytest.mark.promise("SF-HTTP-01")
async def test_a_command_is_taken_at_once_and_told_where_to_follow(daemon: Served) -> None:
    answer = await daemon.client.post(PLACE, json=RUN)
    assert answer.status_code == 202
    assert set(answer.json()) == {"id", "session", "seq"}
    assert "preference-applied" not in answer.headers
    events = await daemon.log.read(answer.json()["seq"] - 1)
    assert b'"cell_started"' in events[0].data


async def test_a_client_that_waits_gets_the_outcome(daemon: Served) -> None:
    answer = await daemon.command(RUN)
    assert answer.status_code == 200
    assert answer.headers["preference-applied"] == "wait"
    said = answer.json()
    assert said["accepted"]["session"] == "session-aaaaaa"
    last = said["envelopes"][-1]
    assert last["cause"] == said["accepted"]["id"]
    assert (last["event"]["type"], last["event"]["value"]) == ("cell_finished", "2")


async def test_who_has_no_patience_is_told_that_it_was_accepted(daemon: Served) -> None:
    answer = await daemon.client.post(
        PLACE, json={"type": "run_cell", "code": "hang"}, headers={"Prefer": "wait=0.05"}
    )
    assert answer.status_code == 202
    assert answer.json()["session"] == "session-aaaaaa"
    assert "preference-applied" not in answer.headers
    refusal = (await daemon.client.post(PLACE, json=RUN)).json()["error"]
    assert (refusal["code"], refusal["state"]) == ("not_now", "evaluating")
    assert "cancel_eval" in refusal["available"]
    assert refusal["remedy"]
    assert refusal["hint"]
    assert (await daemon.command({"type": "cancel_cell"})).status_code == 200


async def test_a_refusal_is_a_conflict_and_changes_nothing(daemon: Served) -> None:
    before = await daemon.events()
    answer = await daemon.client.post(PLACE, json={"type": "cancel_cell"})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "not_now"
    assert await daemon.events() == before


async def test_a_retry_with_its_id_is_accepted_once(daemon: Served) -> None:
    key = {"Idempotency-Key": "retry-1"}
    first = await daemon.client.post(PLACE, json=RUN, headers=key)
    assert first.json()["id"] == "retry-1"
    again = await daemon.client.post(PLACE, json=RUN, headers=key)
    assert again.status_code == 409
    error = again.json()["error"]
    assert (error["code"], error["seq"]) == ("duplicate_command", first.json()["seq"])
    bad = await daemon.client.post(PLACE, json=RUN, headers={"Idempotency-Key": "a b"})
    assert bad.status_code == 400


@pytest.mark.parametrize("said", ["session-aaaaaa", "session-aaa", "named", "nam"])
async def test_a_session_has_an_id_a_name_and_their_beginnings(said: str, daemon: Served) -> None:
    await daemon.command({"type": "rename_session", "name": "named"})
    answer = await daemon.client.post(f"/sessions/{said}/commands", json=RUN)
    assert answer.json()["session"] == "session-aaaaaa"
    waited = await daemon.client.post(
        f"/sessions/{said}/commands",
        json={"type": "list_variables"},
        headers={"Prefer": f"wait={PATIENCE:g}"},
    )
    assert waited.status_code == 200


async def test_an_unknown_session_is_not_found_and_an_unclear_one_is_a_conflict(
    daemon: Served,
) -> None:
    unknown = await daemon.client.post("/sessions/nobody/commands", json=RUN)
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "unknown_session")
    await daemon.begin("session-aaaaab")
    unclear = await daemon.client.post("/sessions/session-/commands", json=RUN)
    assert unclear.status_code == 409
    assert set(unclear.json()["error"]["sessions"]) == {"session-aaaaaa", "session-aaaaab"}


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        (b"{", 400, "$"),
        (b'{"type":"fly"}', 400, "$.type"),
        (b'{"type":"run_cell","code":1}', 400, "$.code"),
        (b'{"type":"run_cell","code":"1","code":"2"}', 400, "$..code"),
        (b"", 400, "$"),
    ],
)
async def test_words_that_do_not_parse_are_told_where(
    body: bytes, status: int, path: str, daemon: Served
) -> None:
    answer = await daemon.client.post(
        PLACE, content=body, headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["error"]["path"]) == (status, path)


@pytest.mark.promise("SF-HTTP-12")
async def test_a_cell_of_five_megabytes_is_taken(tmp_path: Path) -> None:
    code = "#" + "x" * 5_000_000
    async with served(tmp_path, {code: Scene(value="2")}) as daemon:
        await daemon.begin()
        answer = await daemon.command({"type": "run_cell", "code": code})
        assert answer.status_code == 200
        assert answer.json()["envelopes"][-1]["event"]["value"] == "2"


async def test_a_session_can_be_begun_by_a_command_under_a_decent_id(daemon: Served) -> None:
    create = {"type": "create_session"}
    answer = await daemon.client.post(
        "/sessions/session-cccccc/commands", json=create, headers={"Prefer": "wait=30"}
    )
    assert answer.json()["envelopes"][-1]["event"]["type"] == "session_ready"
    for bad in ("a%20b", "daemon-sessions", "x" * 65, ".."):
        refused = await daemon.client.post(f"/sessions/{bad}/commands", json=create)
        assert refused.status_code in {400, 404}, bad
    listed = (await daemon.client.get("/sessions")).json()["value"]["rows"]
    assert {row["session"] for row in listed} == {"session-aaaaaa", "session-cccccc"}


async def test_a_stopped_session_stays_in_the_list(daemon: Served) -> None:
    following = daemon.engine.follow(S)
    answer = await daemon.client.delete("/sessions/session-aaaaaa")
    assert answer.status_code == 202
    await until(following, e.SessionStopped)
    following.close()
    one = (await daemon.client.get("/sessions/session-aaaaaa")).json()["value"]
    assert one["stopped"]
    assert (await daemon.client.delete("/sessions/nobody")).status_code == 404


async def test_who_acts_is_on_every_event(daemon: Served) -> None:
    said = '{"actor":"mcp_client","name":"editor","door":"mcp"}'
    answer = await daemon.command(RUN, **{"Hearth-Origin": said})
    origin = answer.json()["envelopes"][-1]["origin"]
    assert origin == {"actor": "mcp_client", "name": "editor", "door": "mcp"}
    plain = (await daemon.command(RUN)).json()["envelopes"][-1]["origin"]
    assert (plain["actor"], plain["door"]) == ("person", "http")


async def test_an_agent_acts_in_its_own_name_and_does_not_speak_for_the_daemon(
    daemon: Served,
) -> None:
    token = daemon.tokens.add("bot", Standing.AGENT)
    said = {"Hearth-Origin": '{"actor":"person","name":"ann","door":"cli"}'}
    answer = await daemon.command(RUN, **daemon.bearer(token), **said)
    origin = answer.json()["envelopes"][-1]["origin"]
    assert origin == {"actor": "agent", "name": "bot", "door": "cli"}
    note = await daemon.client.post(
        "/sessions/daemon-sessions/commands",
        json={"type": "note_settings", "changed": ["x"]},
        headers=daemon.bearer(token),
    )
    assert (note.status_code, note.json()["error"]["code"]) == (403, "not_allowed")


async def test_the_daemons_own_stream_takes_its_own_commands(daemon: Served) -> None:
    answer = await daemon.client.post(
        "/sessions/daemon-sessions/commands",
        json={"type": "switch_session", "to": "session-aaaaaa"},
        headers={"Prefer": "wait=30"},
    )
    assert answer.json()["envelopes"][-1]["event"]["type"] == "session_switched"
