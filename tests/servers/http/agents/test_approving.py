"""What agents ask is listed for everybody, and decided once, by a person."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.servers.http.agents.asking_agent import MAKE, SESSION, Opened, asking
from tests.servers.http.serving import PATIENCE

from hearth.api import Viewed
from hearth.core.views.approvals import Approvals
from hearth.core.vocabulary.ids import ApprovalId, SessionId
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.credentials.standing import Standing
from hearth.servers.http.agents import approving
from hearth.servers.http.seeing import seen

OTHER = "session-bbbbbb"


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    async with asking(tmp_path) as one:
        yield one


async def kinds(opened: Opened, session: str = SESSION) -> list[str]:
    rows = await opened.daemon.log.read()
    return [json.loads(row.data)["event"]["type"] for row in rows if row.session == session]


@pytest.mark.promise("DL-APPR-01", "DP-PERM-10")
async def test_what_is_asked_says_who_wants_what_with_what_and_what_could_be_allowed(
    opened: Opened,
) -> None:
    before = datetime.now(UTC)
    await opened.ask()
    (row,) = await opened.rows()
    asked_at = datetime.fromisoformat(row.pop("askedAt"))
    assert before <= asked_at <= datetime.now(UTC)
    assert 0 <= row.pop("age") <= PATIENCE
    assert row == {
        "session": SESSION,
        "sessionName": "",
        "root": "/home/anna/loom",
        "approval": "a1",
        "permission": "execute",
        "toolName": "run_shell",
        "description": "execute make build (it runs what the project says)",
        "details": "$ make build",
        "judged": [
            {
                "need": {
                    "permission": "execute",
                    "target": "make build",
                    "why": "it runs what the project says",
                    "pattern": "make build",
                },
                "verdict": "ask",
                "by": "usual",
            }
        ],
        "patterns": ["make build"],
        "answers": ["once", "session", "always", "reject"],
        "agent": "scripted:quick",
    } | {"sessionName": row["sessionName"], "root": row["root"]}
    mine = (await opened.client.get(f"/sessions/{SESSION[:9]}/approvals")).json()
    everything = (await opened.client.get("/approvals")).json()
    assert (mine["total"], everything["total"]) == (1, 1)
    assert mine["rows"][0] | {"age": 0} == everything["rows"][0] | {"age": 0}
    assert opened.agent.ran == []


async def test_what_cannot_be_proven_can_only_be_allowed_once(opened: Opened) -> None:
    opened.agent.judged = (Judged(Need("execute", "$x", least=Verdict.ASK), Verdict.ASK),)
    await opened.ask()
    (row,) = await opened.rows()
    assert (row["patterns"], row["answers"]) == ([], ["once", "reject"])
    for lasting in ("session", "always"):
        answer = await opened.answer(lasting, patterns=["*"])
        assert (answer.status_code, answer.json()["error"]["path"]) == (400, "$.answer")
    assert len(await opened.rows()) == 1


@pytest.mark.promise("DL-APPR-02")
async def test_what_a_person_allows_is_run_and_nothing_waits_any_more(opened: Opened) -> None:
    await opened.ask()
    answer = await opened.answer("once", headers={"Prefer": f"wait={PATIENCE:g}"})
    assert answer.status_code == 200
    (said,) = answer.json()["envelopes"]
    assert said["event"] == {"type": "approval_answered", "approval": "a1", "answer": "once"}
    assert said["origin"]["actor"] == "person"
    await opened.rest()
    assert [one.needs for one in opened.agent.ran] == [(MAKE,)]


async def test_what_a_person_rejects_is_not_run_and_the_agent_is_told_why(opened: Opened) -> None:
    await opened.ask()
    assert (await opened.answer("reject", text="not today")).status_code == 202
    await opened.rest()
    assert opened.agent.ran == []
    blocks = (await opened.client.get(f"/sessions/{SESSION}/blocks")).text
    assert "They say: not today" in blocks


async def test_for_always_is_said_word_for_word_and_bounded(opened: Opened) -> None:
    await opened.ask()
    for patterns in ([], ["make build *"], ["*"], ["make build", "make build"]):
        wrong = await opened.answer("always", patterns=patterns)
        assert (wrong.status_code, wrong.json()["error"]["path"]) == (400, "$.patterns")
        assert "make build" in wrong.json()["error"]["hint"]
    unfit: tuple[object, ...] = (["x" * 4001], ["*"] * 1001, [1], "make build")
    for said in unfit:
        wrong = await opened.answer("always", patterns=said)
        assert wrong.status_code == 400, said
        assert len(wrong.content) < 2000
    assert (await opened.answer("once", text="x" * 4001)).status_code == 400
    assert opened.agent.stored == []
    assert (await opened.answer("always", patterns=["make build"])).status_code == 202
    (stored,) = opened.agent.stored
    assert [(one.permission, one.pattern) for one in stored.grants] == [("execute", "make build")]


@pytest.mark.promise("DP-PERM-13")
async def test_who_answers_second_is_told_who_was_first(opened: Opened) -> None:
    await opened.ask()
    by = {"Hearth-Origin": '{"actor":"person","name":"ann","door":"repl"}'}
    assert (await opened.answer("once", headers=by)).status_code == 202
    again = await opened.answer("reject")
    error = again.json()["error"]
    assert (again.status_code, error["code"]) == (409, "already_answered")
    assert (error["approval"], error["answer"]) == ("a1", "once")
    assert error["by"] == {"actor": "person", "name": "ann", "door": "repl"}
    assert "once, by ann" in error["message"]
    assert error["at"]
    await opened.rest()
    assert len(opened.agent.ran) == 1


@pytest.mark.promise("DP-PERM-13")
async def test_of_many_who_answer_at_once_exactly_one_decides(opened: Opened) -> None:
    await opened.ask()
    said = ["once", "reject"] * 10
    answers = await asyncio.gather(
        *(
            opened.answer(
                one, headers={"Hearth-Origin": f'{{"actor":"person","name":"p{number}"}}'}
            )
            for number, one in enumerate(said)
        )
    )
    statuses = [one.status_code for one in answers]
    assert sorted(statuses) == [202] + [409] * 19
    won = statuses.index(202)
    for one in answers:
        if one.status_code == 409:
            error = one.json()["error"]
            assert (error["code"], error["by"]["name"]) == ("already_answered", f"p{won}")
    assert (await kinds(opened)).count("approval_answered") == 1
    await opened.rest()
    assert len(opened.agent.ran) == (said[won] == "once")


async def test_a_retry_with_its_key_is_no_second_answer(opened: Opened) -> None:
    await opened.ask()
    key = {"Idempotency-Key": "k-1"}
    assert (await opened.answer("once", headers=key)).status_code == 202
    again = await opened.answer("once", headers=key)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "duplicate_command")
    assert (await kinds(opened)).count("approval_answered") == 1


async def test_nobody_but_a_person_answers_and_the_attempt_is_in_the_log(
    opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    await opened.ask()
    tokens = opened.daemon.tokens
    command = {"type": "answer_approval", "approval": "a1", "answer": "once"}
    with caplog.at_level(logging.INFO, "hearth.servers.http"):
        for standing in (Standing.AGENT, Standing.READER):
            bearer = opened.daemon.bearer(tokens.add(f"x-{standing}", standing))
            direct = await opened.answer("once", headers=bearer)
            sent = await opened.client.post(
                f"/sessions/{SESSION}/commands", json=command, headers=bearer
            )
            assert {direct.status_code, sent.status_code} == {403}
        for actor in ("agent", "mcp_client"):
            speaks = {"Hearth-Origin": json.dumps({"actor": actor, "name": "bot"})}
            direct = await opened.answer("once", headers=speaks)
            sent = await opened.client.post(
                f"/sessions/{SESSION}/commands", json=command, headers=speaks
            )
            for one in (direct, sent):
                assert (one.status_code, one.json()["error"]["code"]) == (403, "not_allowed")
    tried = [
        (record.__dict__["path"], record.__dict__["origin"])
        for record in caplog.records
        if record.__dict__.get("status") == 403
    ]
    assert len(tried) == 8
    assert (f"/sessions/{SESSION}/approvals/a1", "agent:x-agent") in tried
    assert len(await opened.rows()) == 1
    assert opened.agent.ran == []
    assert "approval_answered" not in await kinds(opened)


async def test_an_answer_reaches_the_session_it_is_for_and_no_other(opened: Opened) -> None:
    await opened.daemon.begin(OTHER)
    await opened.ask()
    await opened.ask(OTHER)
    opened.agent.judged = (Judged(MAKE, Verdict.ALLOW, "a rule"),)
    assert [row["session"] for row in await opened.rows()] == [SESSION, OTHER]
    assert (await opened.answer("reject", session=OTHER)).status_code == 202
    await opened.until(lambda rows: [row["session"] for row in rows] == [SESSION])
    again = await opened.answer("once", session=OTHER)
    assert again.json()["error"]["code"] == "already_answered"
    assert "approval_answered" not in await kinds(opened)
    for session, approval in ((SESSION, "a2"), (SESSION, "a99999"), (SESSION, "k1")):
        missing = await opened.answer("once", approval, session)
        assert (missing.status_code, missing.json()["error"]["code"]) == (404, "unknown_approval")
    for odd in ("a", "a1.1", "%2e%2e", "a" + "1" * 400, "a1%00", "\u0661"):
        assert (await opened.answer("once", odd)).status_code == 404, odd
    nowhere = await opened.answer("once", session="session-zzzzzz")
    assert (nowhere.status_code, nowhere.json()["error"]["code"]) == (404, "unknown_session")
    assert len(await opened.rows()) == 1


async def test_what_a_finished_turn_asked_is_not_asked_any_more(opened: Opened) -> None:
    await opened.ask()
    cancelled = await opened.daemon.command({"type": "cancel_turn"})
    assert cancelled.status_code == 200
    await opened.rest()
    late = await opened.answer("once")
    assert (late.status_code, late.json()["error"]["code"]) == (404, "unknown_approval")
    assert opened.agent.ran == []


async def test_a_list_is_bounded_and_says_how_many_there_are(opened: Opened) -> None:
    opened.agent.calls = 5
    opened.agent.judged = (Judged(Need("write", "a.py", pattern="a.py"), Verdict.ASK),)
    await opened.ask()
    await opened.until(lambda rows: len(rows) == 5)
    for place in ("/approvals", f"/sessions/{SESSION}/approvals"):
        page = (await opened.client.get(f"{place}?limit=2")).json()
        assert [row["approval"] for row in page["rows"]] == ["a1", "a2"]
        assert (page["total"], page["rows"][0]["permission"]) == (5, "write")
        for wrong in ("0", "-1", "x", str(approving.MOST + 1), "9" * 400):
            assert (await opened.client.get(f"{place}?limit={wrong}")).status_code == 400
    assert (await opened.answer("reject", "a3")).status_code == 202
    await opened.rest()
    assert opened.agent.ran == []


async def test_ten_thousand_questions_are_listed_as_far_as_is_wanted(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened.ask()
    (row,) = (await seen(opened.daemon.engine, "approvals", Approvals))[0].rows
    many = Approvals(
        tuple(
            replace(row, approval=replace(row.approval, approval=ApprovalId(f"a{number + 1}")))
            for number in range(10_000)
        )
    )

    async def view(name: str, session: SessionId | None = None) -> Viewed:
        assert (name, session) == ("approvals", None)
        return Viewed(many, 7)

    monkeypatch.setattr(opened.daemon.engine, "view", view)
    first, most = [
        (await opened.client.get(f"/approvals{query}")).json() for query in ("", "?limit=1000")
    ]
    assert (len(first["rows"]), first["total"], first["seq"]) == (100, 10_000, 7)
    assert (len(most["rows"]), most["total"]) == (1000, 10_000)
    monkeypatch.undo()


async def test_the_daemon_says_how_many_wait(opened: Opened) -> None:
    await opened.ask()
    info = (await opened.client.get("/api/daemon-info")).json()
    assert info["approvals"] == 1


@pytest.mark.promise("DP-PERM-14")
async def test_what_people_and_rules_decided_is_shown_with_who_did(opened: Opened) -> None:
    opened.agent.judged = (Judged(MAKE, Verdict.ASK), Judged(MAKE, Verdict.ASK))
    await opened.ask()
    await opened.answer("session", patterns=["make build"])
    await opened.rest()
    opened.agent.judged = (Judged(MAKE, Verdict.DENY, 'execute "make build": deny (x.jsonc:3)'),)
    denied = await opened.daemon.command({"type": "send_message", "text": "again"})
    assert denied.status_code == 200
    viewed = (await opened.client.get(f"/sessions/{SESSION}/views/permissions")).json()["value"]
    assert viewed["grants"] == [{"permission": "execute", "pattern": "make build"}]
    first, second = viewed["decided"]
    assert (first["answer"], first["by"]["actor"]) == ("session", "person")
    assert first["grants"] == viewed["grants"]
    assert second["answer"] == "denied"
    assert "x.jsonc:3" in second["what"]
    ages = [datetime.fromisoformat(one["at"]) for one in (first, second)]
    assert ages == sorted(ages)
    assert datetime.now(UTC) - ages[0] < timedelta(seconds=PATIENCE)
