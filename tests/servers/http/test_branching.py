"""The forks around a session are a tree, and two sessions are compared by their variables."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.contracts.scenes import SCENES
from tests.servers.copying import CopyingInterpreter, copied
from tests.servers.http.serving import PATIENCE, Served

from hearth.core.vocabulary.ids import SessionId
from hearth.credentials.standing import Standing
from hearth.performers.interpreter.scene import Scene

HERE, THERE = "session-aaaaaa", "session-bbbbbb"


@pytest.fixture
def copying() -> CopyingInterpreter:
    return CopyingInterpreter(
        {**SCENES, "y = 2": Scene(names=("y",)), "x = 3": Scene(names=("x",))}
    )


@pytest.fixture
async def daemon(tmp_path: Path, copying: CopyingInterpreter) -> AsyncIterator[Served]:
    async with copied(tmp_path, copying) as one:
        await one.begin(HERE)
        await run(one, HERE, "x = 1")
        yield one


async def run(daemon: Served, session: str, code: str) -> None:
    done = await send(daemon, session, {"type": "run_cell", "code": code})
    assert done["envelopes"][-1]["event"]["type"] == "cell_finished"


async def send(daemon: Served, session: str, command: dict[str, Any]) -> dict[str, Any]:
    answer = await daemon.client.post(
        f"/sessions/{session}/commands", json=command, headers={"Prefer": f"wait={PATIENCE:g}"}
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def fork(daemon: Served, session: str, to: str, name: str = "") -> None:
    done = await send(daemon, session, {"type": "fork_session", "to": to, "name": name})
    assert done["envelopes"][-1]["event"]["type"] == "session_forked"


async def compare(
    daemon: Served, other: str, *, headers: dict[str, str] | None = None, **more: object
) -> httpx2.Response:
    return await daemon.client.post(
        f"/sessions/{HERE}/compare", json={"other": other, **more}, headers=headers
    )


async def test_a_session_without_forks_is_a_tree_of_its_own(daemon: Served) -> None:
    shown = (await daemon.client.get(f"/sessions/{HERE}/tree")).json()
    assert [one["session"] for one in shown["branches"]] == [HERE]
    assert shown["branches"][0]["is_here"]
    assert "how" not in shown["branches"][0]
    assert shown["left_out"] == 0
    assert shown["seq"] > 0


async def test_each_fork_is_behind_the_one_it_came_from(daemon: Served) -> None:
    await fork(daemon, HERE, THERE, "second")
    await fork(daemon, THERE, "session-cccccc", "third")
    shown = (await daemon.client.get("/sessions/second/tree")).json()
    seen = [(one["session"], one["depth"], one.get("how")) for one in shown["branches"]]
    assert seen == [(HERE, 0, None), (THERE, 1, "copy"), ("session-cccccc", 2, "copy")]
    assert [one["session"] for one in shown["branches"] if one.get("is_here")] == [THERE]


@pytest.mark.parametrize("nothing", ["session-zzzzzz", "daemon-sessions"])
async def test_of_what_is_no_session_there_is_no_tree(daemon: Served, nothing: str) -> None:
    answer = await daemon.client.get(f"/sessions/{nothing}/tree")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_session")
    assert answer.json()["error"]["hint"]


async def test_what_was_done_on_either_side_of_a_fork_differs_and_the_rest_does_not(
    daemon: Served,
) -> None:
    await run(daemon, HERE, "print")
    await fork(daemon, HERE, THERE, "second")
    same = await compare(daemon, THERE)
    assert same.json() == {"here": HERE, "there": THERE, "differing": [], "not_listed": 0}
    await run(daemon, THERE, "x = 3")
    await run(daemon, THERE, "y = 2")
    answer = await compare(daemon, "second")
    assert (answer.status_code, answer.headers["preference-applied"]) == (200, "wait")
    one, other = answer.json()["differing"]
    assert (one["name"], one["here"]["preview"], one["there"]["preview"]) == ("x", "x = 1", "x = 3")
    assert (other["name"], other.get("here"), other["there"]["value_type"]) == ("y", None, "int")


async def test_what_was_too_much_to_list_is_counted(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    await fork(daemon, HERE, THERE)
    await run(daemon, THERE, "y = 2")
    copying.listed = 1
    answer = (await compare(daemon, THERE)).json()
    assert (answer["differing"], answer["not_listed"]) == ([], 1)


async def test_a_session_is_not_compared_with_itself_nor_with_nothing(daemon: Served) -> None:
    for body, status, code in (
        ({"other": HERE}, 400, "malformed"),
        ({"other": ""}, 400, "malformed"),
        ({}, 400, "malformed"),
        ({"other": "nobody"}, 404, "unknown_session"),
    ):
        answer = await daemon.client.post(f"/sessions/{HERE}/compare", json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), body
    itself = (await compare(daemon, HERE)).json()["error"]
    assert itself["path"] == "$.other"
    assert "/tree" in itself["hint"]


async def test_it_takes_no_key_since_it_can_be_done_again(daemon: Served) -> None:
    await fork(daemon, HERE, THERE)
    before = await daemon.events()
    answer = await compare(daemon, THERE, headers={"Idempotency-Key": "k1"})
    assert (answer.status_code, answer.json()["error"]["path"]) == (400, "Idempotency-Key")
    assert await daemon.events() == before


async def test_which_of_the_two_cannot_be_asked_is_said(daemon: Served) -> None:
    await fork(daemon, HERE, THERE)
    await send(daemon, THERE, {"type": "stop_session"})
    error = (await compare(daemon, THERE)).json()["error"]
    assert (error["code"], error["session"]) == ("not_now", THERE)


async def test_one_that_does_not_answer_is_not_waited_for_for_ever(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    await fork(daemon, HERE, THERE)
    copying.silent.add(SessionId(THERE))
    answer = await compare(daemon, THERE, headers={"Prefer": "wait=0.05"})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["session"]) == (409, "not_compared", THERE)
    assert "Prefer" in error["hint"]


async def test_who_may_only_look_sees_the_tree_and_asks_no_interpreter(daemon: Served) -> None:
    headers = daemon.bearer(daemon.tokens.add("eye", Standing.READER))
    assert (await daemon.client.get(f"/sessions/{HERE}/tree", headers=headers)).status_code == 200
    assert (await compare(daemon, THERE, headers=headers)).status_code == 403
