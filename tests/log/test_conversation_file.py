"""Conversations as files, out and in again."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.contracts.playing_talks import Talk, call, text, thinking

from hearth.core.rules.lines import segments_of
from hearth.core.rules.session import SessionState, evolve
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Block, TextBlock, ToolCallBlock, ToolResultBlock, Usage
from hearth.core.vocabulary.commands import ForkPoint, RenameSession
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CallId, EventId, SessionId
from hearth.log.conversation_file import WrittenConversation, export_conversation
from hearth.log.conversation_format import EntryIds, file_id, read_conversation
from hearth.log.conversation_taking import taken
from hearth.log.event_log import LogError
from hearth.log.memory import MemoryLog

NEW = SessionId("session-new")


async def in_log(*talks: Talk) -> MemoryLog:
    log = MemoryLog()
    await log.open()
    for talk in talks:
        await log.append(talk.state.session, 0, [codec.draft(_apart(talk, f)) for f in talk.facts])
    return log


def _apart(talk: Talk, fact: Fact) -> Fact:
    """A fact with an id that no other session has."""
    return replace(fact, id=EventId(f"{talk.state.session}:{fact.id}"))


async def exported(folder: Path, talk: Talk, *others: Talk) -> WrittenConversation:
    return await export_conversation(await in_log(talk, *others), talk.state.session, None, folder)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def imported(path: Path) -> tuple[Fact, ...]:
    return taken(path, read_conversation(path), NEW).facts


def plain(block: Block) -> Block:
    """A block without the name that a call has in its session."""
    match block:
        case ToolCallBlock():
            return ToolCallBlock(CallId(""), block.name, block.arguments, block.wire_id)
        case ToolResultBlock(name=name, result=result, is_error=wrong):
            return ToolResultBlock(CallId(""), name, result, wrong, block.spilled, block.files)
        case _:
            return block


def told(facts: tuple[Fact, ...] | list[Fact]) -> list[tuple[str, str, int, Block, bool]]:
    return [
        (
            one.event.turn,
            one.event.role,
            one.event.step,
            plain(one.event.content),
            one.event.partial,
        )
        for one in facts
        if isinstance(one.event, t.BlockSealed)
    ]


def mixed() -> Talk:
    talk = Talk().goes(RenameSession("weaving")).says("go").says("and hurry")
    native = '{"type":"thinking","thinking":"hm","signature":"s1g"}'
    talk.answers(
        thinking("hm", native),
        thinking("", '{"type":"redacted_thinking","data":"xyz"}'),
        text("I look"),
        call("look", path="a.py"),
        m.Written('{ "b" : 1,', name="look", wire_id="w2"),
        usage=Usage(1, 2, 3, 4),
    )
    talk.returns("seen\nmuch")
    talk.answers("done").goes(p.SetModel("openai:gpt-5", p.Effort.LOW)).says("more")
    talk.goes(m.ModelFailed(talk.asked.request, m.Trouble.CREDENTIALS, "no key", 401))
    return talk.says("again").goes(p.CancelTurn())


class TestTheShape:
    @pytest.mark.promise("DL-SESS-01", "DL-SESS-02")
    async def test_the_first_line_is_a_header_and_the_file_is_named_after_its_id(
        self, tmp_path: Path
    ) -> None:
        written = await exported(tmp_path, Talk().says("go").answers("done"))
        assert written.path == tmp_path / f"{written.id}.jsonl"
        header, *entries = lines_of(written.path)
        assert {name: header[name] for name in ("type", "version", "id", "cwd")} == {
            "type": "session",
            "version": 1,
            "id": written.id,
            "cwd": "/home/anna/loom",
        }
        assert datetime.fromisoformat(header["timestamp"]).tzinfo is not None
        assert "parentSession" not in header
        assert len(entries) == written.entries == 2
        assert written.path.read_bytes().endswith(b"\n")

    def test_ids_of_sessions_sort_by_time(self) -> None:
        begun = datetime(2026, 3, 1, 12, tzinfo=UTC)
        ids = [file_id(SessionId(f"s{n}"), begun + timedelta(seconds=n)) for n in range(3)]
        assert ids == sorted(ids)
        assert ids[0].startswith("20260301120000-")
        assert len(ids[0].partition("-")[2]) == 6

    @pytest.mark.promise("DL-SESS-03")
    def test_no_two_entries_of_a_session_have_one_id(self) -> None:
        ids = EntryIds(SessionId("s"))
        made = [ids.of(f"b{n}") for n in range(100_000)]
        assert len(set(made)) == len(made)
        assert {len(one) for one in made} == {8}
        assert [EntryIds(SessionId("s")).of("b0")] == made[:1]

    @pytest.mark.promise("DL-SESS-04")
    async def test_entries_are_messages_models_and_words_about_the_session(
        self, tmp_path: Path
    ) -> None:
        _, *entries = lines_of((await exported(tmp_path, mixed())).path)
        for one in entries:
            assert {"type", "id", "parentId", "timestamp"} <= set(one)
        assert entries[0]["parentId"] is None
        assert [one["parentId"] for one in entries[1:]] == [one["id"] for one in entries[:-1]]
        kinds = [one["message"]["role"] if "message" in one else one["type"] for one in entries]
        assert kinds == [
            "session_info",
            "user",
            "assistant",
            "tool_result",
            "tool_result",
            "user",
            "assistant",
            "model_change",
            "user",
            "session_info",
            "user",
            "assistant",
            "session_info",
        ]
        assert entries[0]["name"] == "weaving"
        model = entries[7]
        assert (model["provider"], model["modelId"]) == ("openai", "gpt-5")
        answer = entries[2]["message"]
        assert [part["type"] for part in answer["content"]] == [
            "thinking",
            "thinking",
            "text",
            "tool_call",
            "tool_call",
        ]
        assert answer["content"][0]["signature"] == "s1g"
        assert answer["content"][3]["input"] == {"path": "a.py"}
        assert answer["usage"]["cacheReadTokens"] == 2
        results = [entries[3]["message"], entries[4]["message"]]
        calls = [part["id"] for part in answer["content"] if part["type"] == "tool_call"]
        assert sorted(one["toolCallId"] for one in results) == sorted(calls)

    async def test_an_export_is_the_same_every_time(self, tmp_path: Path) -> None:
        talk = mixed()
        first = await exported(tmp_path / "a", talk)
        assert (await exported(tmp_path / "b", talk)).digest == first.digest

    async def test_a_session_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(LogError, match="no session 'nobody'"):
            await export_conversation(await in_log(), SessionId("nobody"), None, tmp_path)

    async def test_what_is_kept_elsewhere_is_in_the_file_in_full(self, tmp_path: Path) -> None:
        talk = Talk().says("go").answers("done")
        log = await in_log()
        blob = await log.blobs.put(b"a long story")
        facts = [codec.draft(replace(fact, event=_blob(fact, blob))) for fact in talk.facts]
        await log.append(talk.state.session, 0, facts)
        written = await export_conversation(log, talk.state.session, None, tmp_path)
        assert "a long story" in written.path.read_text()


def _blob(fact: Fact, blob: Blob) -> Any:
    event = fact.event
    if isinstance(event, t.BlockSealed) and event.role == "user":
        return t.BlockSealed(event.block, event.turn, event.step, event.role, TextBlock(blob))
    return event


class TestRoundTrip:
    async def test_everything_that_was_said_comes_back(self, tmp_path: Path) -> None:
        talk = mixed()
        written = await exported(tmp_path, talk)
        facts = imported(written.path)
        assert told(facts) == told(talk.facts)
        ends = [one.event.end for one in facts if isinstance(one.event, t.TurnFinished)]
        assert ends == [
            one.event.end for one in talk.facts if isinstance(one.event, t.TurnFinished)
        ]

    async def test_authors_and_usage_come_back(self, tmp_path: Path) -> None:
        talk = mixed()
        facts = imported((await exported(tmp_path, talk)).path)
        people = [one.origin for one in facts if isinstance(one.event, t.BlockSealed)]
        assert people == [one.origin for one in talk.facts if isinstance(one.event, t.BlockSealed)]
        used = [one.event.usage for one in facts if isinstance(one.event, t.StepFinished)]
        assert Usage(1, 2, 3, 4) in used

    async def test_exported_again_it_is_the_same_file_but_for_names(self, tmp_path: Path) -> None:
        talk = branched()
        first = await exported(tmp_path / "a", talk)
        log = await in_log()
        facts = imported(first.path)
        await log.append(NEW, 0, [codec.draft(fact) for fact in facts])
        second = await export_conversation(log, NEW, None, tmp_path / "b")
        assert nameless(lines_of(first.path)) == nameless(lines_of(second.path))

    async def test_branches_come_back_as_branches(self, tmp_path: Path) -> None:
        talk = branched()
        facts = imported((await exported(tmp_path, talk)).path)
        assert lined(list(facts)) == lined(talk.facts) == ["one", "uno", "drei", "trois"]
        assert len(set(told(facts))) == len(told(talk.facts))

    async def test_an_edit_in_the_middle_is_told_with_what_it_keeps(self, tmp_path: Path) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.EditMessage(talk.block("uno"), "eins", "keep")).says("three").answers("tre")
        facts = imported((await exported(tmp_path, talk)).path)
        assert lined(list(facts)) == ["one", "eins", "two", "due", "three", "tre"]

    @pytest.mark.promise("DL-MGR-05")
    async def test_a_fork_names_its_parent_and_has_all_that_it_went_on_from(
        self, tmp_path: Path
    ) -> None:
        talk = Talk().says("one").answers(call("look")).returns().answers("uno")
        fork = Talk(SessionId("session-f00"), talk.world, ForkPoint(talk.state.session))
        fork.says("two").answers("due")
        parent = await exported(tmp_path / "a", talk)
        before = parent.path.read_bytes()
        written = await exported(tmp_path / "b", fork, talk)
        header = lines_of(written.path)[0]
        assert header["parentSession"] == parent.id
        assert lined(list(imported(written.path))) == ["one", "uno", "two", "due"]
        assert parent.path.read_bytes() == before

    async def test_what_was_summed_up_is_there_in_full(self, tmp_path: Path) -> None:
        talk = Talk().says("one").answers("uno").goes(p.CompactConversation()).sums_up("short")
        talk.says("two").answers("due")
        written = await exported(tmp_path, talk)
        assert lined(list(imported(written.path))) == ["one", "uno", "two", "due"]
        assert any(
            one.get("hearth", {}).get("summary") == "short" for one in lines_of(written.path)
        )


def branched() -> Talk:
    talk = (
        Talk().says("one").answers("uno").says("two").answers(call("look")).returns().answers("due")
    )
    talk.goes(p.EditMessage(talk.block("two"), "zwei")).goes(p.RegenerateTurn()).answers("deux")
    talk.goes(p.SwitchBranch(talk.block("uno"))).goes(p.SetModel("openai:gpt-5")).says("drei")
    return talk.answers("trois")


def lined(facts: list[Fact]) -> list[str]:
    """What is said on the line that a session stands on."""
    state = SessionState(NEW)
    for fact in facts:
        state = evolve(state, fact)
    return [
        str(event.content.text)
        for one in segments_of(state.talk.line, state.version)
        for fact in facts[one.first - 1 : one.last]
        if isinstance(event := fact.event, t.BlockSealed) and isinstance(event.content, TextBlock)
    ]


def nameless(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines with the places of entries for their ids."""
    header, *entries = lines
    places = {one["id"]: place for place, one in enumerate(entries)}
    for one in entries:
        one["id"], one["parentId"] = places[one["id"]], places.get(one["parentId"])
        extra = one.get("hearth", {})
        extra.pop("turn", None)
        extra.pop("step", None)
        if "replaces" in extra:
            extra["replaces"] = places[extra["replaces"]]
    return [{"cwd": header["cwd"]}, *entries]
