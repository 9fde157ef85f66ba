"""Conversations over HTTP: sent, settled, streamed, paged and forked."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.contracts.quick_agent import QuickAgent
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import TextDelta
from hearth.credentials.standing import Standing
from hearth.log.memory import MemoryLog
from hearth.performers.branches import Branches
from hearth.servers.http import conversing

PLACE = "/sessions/session-aaaaaa/commands"
BLOCKS = "/sessions/session-aaaaaa/blocks"
SEND = {"type": "send_message", "text": "hello"}
CALL = (m.Written('{"path": "x"}', name="look", wire_id="w1"),)


class Speaking:
    """A door whose sessions have an agent; `held`: it answers when it is told to."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.held = False
        self.agent = QuickAgent(self._says)

    def _says(self, _: m.AskModel) -> tuple[m.Written, ...] | None:
        self.asked.set()
        return None if self.held else (m.Written("yes"),)

    def performers(self, log: MemoryLog) -> tuple[QuickAgent, Branches]:
        return self.agent, Branches(log.read_session)


@pytest.fixture
def speaking() -> Speaking:
    return Speaking()


@pytest.fixture
async def daemon(tmp_path: Path, speaking: Speaking) -> AsyncIterator[Served]:
    async with served(tmp_path, performers=speaking.performers) as opened:
        await opened.begin()
        yield opened


def kinds(answer: httpx2.Response) -> list[str]:
    return [one["event"]["type"] for one in answer.json()["envelopes"]]


async def page(daemon: Served, query: str = "", place: str = BLOCKS) -> dict[str, Any]:
    answer = await daemon.client.get(f"{place}{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.promise("DP-TURN-01", "DP-API-08")
async def test_a_message_is_taken_at_once_whatever_the_model_does(
    daemon: Served, speaking: Speaking
) -> None:
    speaking.held = True
    answer = await daemon.client.post(PLACE, json=SEND)
    assert answer.status_code == 202
    assert set(answer.json()) == {"id", "session", "seq"}
    async with asyncio.timeout(PATIENCE):
        await speaking.asked.wait()
    view = (await daemon.client.get("/sessions/session-aaaaaa/views/conversation")).json()
    assert view["value"]["now"]["status"] == "running"
    second = await daemon.client.post(PLACE, json=SEND)
    assert second.status_code == 202
    [row] = (await daemon.client.get("/sessions")).json()["value"]["rows"]
    assert row["messages"] == 1
    speaking.held = False
    speaking.agent.answer(m.Written("at last"))
    await settled(daemon)


async def settled(daemon: Served) -> None:
    """Wait until the agent rests."""
    following = daemon.engine.follow()
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                viewed = await daemon.client.get("/sessions/session-aaaaaa/views/conversation")
                now = viewed.json()["value"]["now"]
                if "turn" not in now and not now.get("queue"):
                    return
                await following.batch()
    finally:
        following.close()


async def test_who_waits_gets_the_whole_turn(daemon: Served) -> None:
    answer = await daemon.command(SEND)
    assert answer.status_code == 200
    assert kinds(answer)[0] == "turn_started"
    assert kinds(answer)[-1] == "turn_finished"
    texts = [
        one["event"]["content"]["text"]
        for one in answer.json()["envelopes"]
        if one["event"]["type"] == "block_sealed"
    ]
    assert texts == ["hello", "yes"]


@pytest.mark.promise("LK-CANC-02", "DP-TURN-01")
async def test_who_loses_patience_cancels_nothing(daemon: Served, speaking: Speaking) -> None:
    speaking.held = True
    answer = await daemon.client.post(PLACE, json=SEND, headers={"Prefer": "wait=0.05"})
    assert answer.status_code == 202
    async with asyncio.timeout(PATIENCE):
        await speaking.asked.wait()
    speaking.agent.answer(m.Written("still here"))
    await settled(daemon)
    last = (await page(daemon))["rows"][-1]["event"]
    assert (last["role"], last["content"]["text"]) == ("assistant", "still here")


async def test_every_command_of_an_agent_goes_through_the_one_route(daemon: Served) -> None:
    await daemon.command(SEND)
    done = await daemon.command({"type": "set_model", "model": "scripted", "effort": "low"})
    assert kinds(done) == ["model_changed"]
    done = await daemon.command({"type": "set_servers", "servers": ["docs"]})
    assert kinds(done) == ["servers_chosen"]
    done = await daemon.command({"type": "continue_turn"})
    assert kinds(done)[-1] == "turn_finished"
    done = await daemon.command({"type": "regenerate_turn"})
    assert kinds(done)[-1] == "turn_finished"
    done = await daemon.command({"type": "compact_conversation", "focus": "all"})
    assert "conversation_compacted" in kinds(done)
    first = (await page(daemon))["rows"][0]["event"]["block"]
    done = await daemon.command({"type": "switch_branch", "to": first})
    assert kinds(done)[-1] == "branch_switched"
    done = await daemon.command({"type": "edit_message", "block": first, "text": "hello again"})
    assert "branch_switched" in kinds(done)
    for refused in (
        {"type": "cancel_turn"},
        {"type": "withdraw_message", "message": "m9"},
        {"type": "answer_approval", "approval": "a1", "answer": "once"},
    ):
        answer = await daemon.client.post(PLACE, json=refused)
        assert answer.status_code == 409, answer.text
        error = answer.json()["error"]
        assert error["code"] == "not_now"
        assert error["hint"]


async def test_a_turn_is_cancelled_and_a_waiting_message_taken_back(
    daemon: Served, speaking: Speaking
) -> None:
    speaking.held = True
    await daemon.client.post(PLACE, json=SEND)
    async with asyncio.timeout(PATIENCE):
        await speaking.asked.wait()
    queued = await daemon.client.post(PLACE, json=SEND)
    assert queued.status_code == 202
    done = await daemon.command({"type": "withdraw_message", "message": "m1"})
    assert kinds(done) == ["message_withdrawn"]
    done = await daemon.command({"type": "cancel_turn"})
    assert kinds(done)[0] == "turn_cancel_requested"
    await settled(daemon)
    notice = (await page(daemon))["rows"][-1]["event"]["content"]
    assert notice["kind"] == "cancelled"


@pytest.mark.parametrize(
    "command",
    [
        {"type": "answer_approval", "approval": "a1", "answer": "once"},
        {"type": "set_servers", "servers": None},
    ],
    ids=["answers", "gives servers"],
)
async def test_only_a_person_does_for_an_agent_what_it_may_not(
    daemon: Served, command: dict[str, Any]
) -> None:
    token = daemon.tokens.add("bot", Standing.AGENT)
    answer = await daemon.client.post(PLACE, json=command, headers=daemon.bearer(token))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")


async def test_what_is_being_written_is_streamed_without_a_cursor(
    daemon: Served, speaking: Speaking
) -> None:
    speaking.held = True
    place = "/sessions/session-aaaaaa/events"
    async with asyncio.timeout(PATIENCE), daemon.client.stream("GET", place) as stream:
        lines = stream.aiter_lines()
        await daemon.client.post(PLACE, json=SEND)
        await speaking.asked.wait()
        asked, stage = speaking.agent.stages[-1]
        stage.show(TextDelta(asked.turn, asked.step, 0, 0, "he"))
        frame: list[str] = []
        async for line in lines:
            frame = [*frame, line] if line else []
            if line.startswith("data: ") and "text_delta" in line:
                break
        assert frame[0] == "event: progress"
        assert not any(one.startswith("id:") for one in frame)
        shown = json.loads(frame[-1].removeprefix("data: "))
        assert shown["progress"]["text"] == "he"
        speaking.agent.answer(m.Written("hello"))
        async for line in lines:
            if '"turn_finished"' in line:
                break


@pytest.mark.promise("DP-EVICT-04", "DP-EVICT-05")
async def test_pages_from_the_newest_back_are_the_whole_conversation(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversing, "READ", 7)  # pages of the log and of blocks do not fit
    for _ in range(12):
        await daemon.command(SEND)
    rows = await daemon.log.read_session("session-aaaaaa", 0, 10_000)  # type: ignore[arg-type] # it is one
    stored = [json.loads(row.data)["id"] for row in rows if b'"block_sealed"' in row.data]
    assert len(stored) == 24
    seen: list[str] = []
    before, pages = "", 0
    while True:
        found = await page(daemon, f"?limit=5{before}")
        assert found["total"] == 24
        versions = [one["version"] for one in found["rows"]]
        assert versions == sorted(versions)
        seen = [one["id"] for one in found["rows"]] + seen
        pages += 1
        if not found["oldest"]:
            break
        assert found["oldest"] == versions[0]
        before = f"&before={versions[0]}"
    assert seen == stored
    assert pages == 5


@pytest.mark.promise("DP-EVICT-05")
async def test_a_page_counts_what_is_stored_and_nothing_that_is_being_written(
    daemon: Served, speaking: Speaking
) -> None:
    assert await page(daemon) == {"rows": [], "total": 0, "oldest": 0}
    await daemon.command(SEND)
    speaking.held = True
    speaking.asked.clear()
    await daemon.client.post(PLACE, json=SEND)
    async with asyncio.timeout(PATIENCE):
        await speaking.asked.wait()
    asked, stage = speaking.agent.stages[-1]
    stage.show(TextDelta(asked.turn, asked.step, 0, 0, "being written"))
    found = await page(daemon)
    assert (found["total"], found["oldest"], len(found["rows"])) == (3, 0, 3)
    assert "being written" not in str(found)
    speaking.agent.answer(m.Written("now"))
    await settled(daemon)
    assert (await page(daemon))["total"] == 4


async def test_a_page_has_fifty_blocks_unless_another_number_is_said(daemon: Served) -> None:
    for _ in range(26):
        await daemon.command(SEND)
    found = await page(daemon)
    assert (len(found["rows"]), found["total"]) == (50, 52)
    assert found["oldest"] == found["rows"][0]["version"]
    rest = await page(daemon, f"?before={found['oldest']}")
    assert (len(rest["rows"]), rest["oldest"]) == (2, 0)
    assert (await page(daemon, "?before=0"))["rows"] == []
    assert (await page(daemon, "?before=999999&limit=1"))["rows"] == found["rows"][-1:]


async def test_a_row_is_the_logs_own(daemon: Served) -> None:
    done = (await daemon.command(SEND)).json()["envelopes"]
    sealed = [one for one in done if one["event"]["type"] == "block_sealed"]
    assert (await page(daemon, place="/sessions/session-aaa/blocks"))["rows"] == sealed


@pytest.mark.parametrize("query", ["?limit=0", "?limit=1001", "?limit=x", "?before=-1"])
async def test_a_number_that_is_none_is_told(query: str, daemon: Served) -> None:
    answer = await daemon.client.get(f"{BLOCKS}{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "malformed")


async def test_an_unknown_conversation_is_not_found(daemon: Served) -> None:
    answer = await daemon.client.get("/sessions/nobody/blocks")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_session")


async def test_blocks_of_a_store_that_is_down_may_be_had_later(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(*_: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(daemon.log, "read_session", down)
    answer = await daemon.client.get(BLOCKS)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_unavailable")
    assert "the disk is gone" in answer.json()["error"]["message"]


async def test_what_was_counted_once_is_not_read_again_after_the_store_was_down(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await daemon.command(SEND)
    nothing_but_the_count = "?before=0"
    assert (await page(daemon, nothing_but_the_count))["total"] == 2
    (head,) = await daemon.log.heads()
    reads: list[int] = []
    read, is_down = daemon.log.read_session, True

    async def reading(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        if is_down:
            raise OSError("the disk is gone")
        reads.append(after)
        return await read(session, after, limit)

    monkeypatch.setattr(daemon.log, "read_session", reading)
    assert (await daemon.client.get(BLOCKS)).status_code == 503
    is_down = False
    assert (await page(daemon, nothing_but_the_count))["total"] == 2
    assert reads == [head.version]


async def test_counts_of_many_sessions_are_not_kept_for_ever(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversing, "COUNTED", 1)
    await daemon.begin("session-bbbbbb")
    await daemon.command(SEND)
    for _ in range(2):
        assert (await page(daemon))["total"] == 2
        assert (await page(daemon, place="/sessions/session-bbbbbb/blocks"))["total"] == 0


@pytest.mark.promise("DP-API-11")
async def test_a_session_branches_off_from_another(daemon: Served) -> None:
    await daemon.command({"type": "rename_session", "name": "trunk"})
    await daemon.command(SEND)
    await daemon.command({"type": "send_message", "text": "second"})
    first = (await page(daemon))["rows"][1]["event"]["block"]
    made = await daemon.client.post(
        "/sessions",
        json={"id": "branch", "forked_from": {"session": "trunk", "block": first}},
        headers={"Prefer": f"wait={PATIENCE:g}"},
    )
    assert made.status_code == 201, made.text
    assert made.json()["status"]["name"] == "trunk-2"
    following = daemon.engine.follow(after=0)
    async with asyncio.timeout(PATIENCE):
        while not any(
            b"conversation_forked" in getattr(one, "data", b"") for one in await following.batch()
        ):
            pass
    following.close()
    view = (await daemon.client.get("/sessions/branch/views/conversation")).json()["value"]
    assert [row["content"]["text"] for row in view["rows"]] == ["hello", "yes"]
    assert len((await page(daemon))["rows"]) == 4
    assert (await page(daemon, place="/sessions/branch/blocks"))["total"] == 0


async def test_nothing_branches_off_from_nowhere(daemon: Served) -> None:
    wrong = await daemon.client.post("/sessions", json={"forked_from": {"session": "nobody"}})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (404, "unknown_session")
    body = {"directory": "/p", "reuse": True, "forked_from": {"session": "session-aaaaaa"}}
    both = await daemon.client.post("/sessions", json=body)
    assert both.status_code == 400
