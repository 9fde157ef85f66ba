"""Files are taken back by a person: looked at first, done, undone."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from tests.servers.http.agents.asking_agent import SESSION, Opened, asking

from hearth.core.vocabulary.permitting import Judged, Verdict
from hearth.credentials.standing import Standing

PLACE = f"/sessions/{SESSION}/rewind"
CHANGED = [{"path": "a.py", "kind": "changed", "added": 1, "removed": 2}]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    async with asking(tmp_path) as one:
        one.agent.judged = (Judged(one.agent.judged[0].need, Verdict.ALLOW, "a rule"),)
        said = await one.daemon.command({"type": "send_message", "text": "build it"})
        assert said.status_code == 200
        yield one


async def first_block(opened: Opened) -> str:
    rows = (await opened.client.get(f"/sessions/{SESSION}/blocks")).json()["rows"]
    block: str = rows[0]["event"]["block"]
    return block


async def rewind(opened: Opened, **body: object) -> httpx2.Response:
    return await opened.client.post(PLACE, json=body)


async def test_it_is_shown_first_then_done_then_undone(opened: Opened) -> None:
    block = await first_block(opened)
    nothing = await rewind(opened)
    assert (nothing.status_code, nothing.json()["error"]["code"]) == (409, "not_now")
    shown = await rewind(opened, to=block, preview=True)
    assert (shown.status_code, shown.headers["preference-applied"]) == (200, "wait")
    assert shown.json() == {"done": False, "changes": CHANGED, "left_out": 0, "can_undo": False}
    assert [one.preview for one in opened.agent.rewinds] == [True]
    done = await rewind(opened, to=block)
    assert done.json() == {"done": True, "changes": CHANGED, "left_out": 0, "can_undo": True}
    undone = await rewind(opened)
    assert undone.json()["done"]
    first, second, third = opened.agent.rewinds
    assert (first.since, second.since) == (int(block[1:]), int(block[1:]))
    assert third.kept is not None
    assert third.kept.tree == "t2"


async def test_what_could_not_be_taken_back_is_said_with_what_was(opened: Opened) -> None:
    opened.agent.trouble = "the disk is full"
    failed = await rewind(opened, to=await first_block(opened))
    error = failed.json()["error"]
    assert (failed.status_code, error["code"]) == (409, "not_rewound")
    assert "the disk is full" in error["message"]
    assert error["changes"] == CHANGED


@pytest.mark.parametrize("body", [{"to": "x"}, {"to": "b0"}, {"to": "b" * 301}, {"to": 1}])
async def test_what_is_no_block_is_no_place_to_go_back_to(
    opened: Opened, body: dict[str, object]
) -> None:
    answer = await rewind(opened, **body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "malformed")
    later = await rewind(opened, to="b99999")
    assert (later.status_code, later.json()["error"]["code"]) == (409, "not_now")
    nowhere = await opened.client.post("/sessions/session-zzzzzz/rewind", json={"to": "b1"})
    assert nowhere.status_code == 404
    assert opened.agent.rewinds == []


async def test_nobody_but_a_person_takes_files_back(opened: Opened) -> None:
    block = await first_block(opened)
    token = opened.daemon.tokens.add("bot", Standing.AGENT)
    command = {"type": "rewind_files", "to": block}
    speaks = {"Hearth-Origin": '{"actor":"agent","name":"bot"}'}
    for headers in (opened.daemon.bearer(token), speaks):
        for preview in (True, False):
            body = {"to": block, "preview": preview}
            direct = await opened.client.post(PLACE, json=body, headers=headers)
            assert (direct.status_code, direct.json()["error"]["code"]) == (403, "not_allowed")
        sent = await opened.client.post(
            f"/sessions/{SESSION}/commands", json=command, headers=headers
        )
        assert sent.status_code == 403
    assert opened.agent.rewinds == []


async def test_of_two_at_once_one_waits_or_is_told_why_not(opened: Opened) -> None:
    block = await first_block(opened)
    answers = await asyncio.gather(*(rewind(opened, to=block) for _ in range(2)))
    statuses = {one.status_code for one in answers}
    assert 200 in statuses
    assert statuses <= {200, 409}
