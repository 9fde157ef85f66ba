"""Files of others as sessions of ours."""

from pathlib import Path
from typing import Any

import pytest
from tests.log.test_conversation_format import HEADER, file_with

from hearth.core.rules.session import SessionState, evolve
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.views.talk import TalkStatus
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role, TextBlock
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor
from hearth.log.conversation_format import BadConversation, read_conversation
from hearth.log.conversation_taking import Taken, taken

NEW = SessionId("session-new")


def entry(number: int, parent: int | None, **said: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"{number:08x}",
        "parentId": None if parent is None else f"{parent:08x}",
        "timestamp": f"2026-03-01T12:00:{number:02}Z",
        **said,
    }


def user(number: int, parent: int | None, text: str) -> dict[str, Any]:
    return entry(number, parent, message={"role": "user", "content": text})


def answer(number: int, parent: int | None, *parts: Any, model: str = "") -> dict[str, Any]:
    said = [{"type": "text", "text": one} if isinstance(one, str) else one for one in parts]
    return entry(number, parent, message={"role": "assistant", "content": said, "model": model})


def tool(id_: str, name: str = "look") -> dict[str, Any]:
    return {"type": "tool_call", "id": id_, "name": name, "input": {}}


def result(number: int, parent: int, id_: str, output: str = "seen") -> dict[str, Any]:
    said = {"role": "tool_result", "toolCallId": id_, "toolName": "look", "output": output}
    return entry(number, parent, message=said)


def took(folder: Path, *entries: object) -> Taken:
    path = file_with(folder, HEADER, *entries)
    return taken(path, read_conversation(path), NEW)


def refused(folder: Path, *entries: object) -> BadConversation:
    with pytest.raises(BadConversation) as raised:
        took(folder, *entries)
    return raised.value


def blocks(facts: tuple[Fact, ...]) -> list[t.BlockSealed]:
    return [one.event for one in facts if isinstance(one.event, t.BlockSealed)]


def state(facts: tuple[Fact, ...]) -> SessionState:
    now = SessionState(NEW)
    for fact in facts:
        now = evolve(now, fact)
    return now


def test_a_conversation_becomes_a_session_that_has_no_interpreter_yet(tmp_path: Path) -> None:
    facts, notes = took(
        tmp_path,
        user(1, None, "go"),
        answer(2, 1, "I look", tool("a"), tool("b")),
        result(3, 2, "b"),
        result(4, 3, "a"),
        answer(5, 4, "done", model="openai:gpt-5"),
        user(6, 5, "more"),
    )
    assert notes == ()
    now = state(facts)
    assert now.stopped
    assert (now.config is not None and now.config.directory) == "/home/ann"
    assert [(one.turn, one.step, one.role) for one in blocks(facts)] == [
        ("t1", 0, Role.USER),
        ("t1", 0, Role.ASSISTANT),
        ("t1", 0, Role.ASSISTANT),
        ("t1", 0, Role.ASSISTANT),
        ("t1", 0, Role.TOOL),
        ("t1", 0, Role.TOOL),
        ("t1", 1, Role.ASSISTANT),
        ("t2", 0, Role.USER),
    ]
    assert now.talk.open is None
    assert len({fact.id for fact in facts}) == len(facts)
    authors = {fact.origin.actor for fact in facts if isinstance(fact.event, t.BlockSealed)}
    assert authors == {Actor.PERSON, Actor.AGENT}


def test_what_is_known_of_it_is_what_is_known_of_any_other(tmp_path: Path) -> None:
    facts, _ = took(tmp_path, user(1, None, "go"), answer(2, 1, "done"))
    kept = SessionFold(SessionState(NEW))
    for fact in facts:
        kept = fold(kept, fact)
    assert (kept.talk.preview, kept.talk.messages, kept.talk.status) == ("go", 2, TalkStatus.DONE)


def test_names_and_models_are_taken(tmp_path: Path) -> None:
    facts, _ = took(
        tmp_path,
        entry(1, None, type="session_info", name="weaving"),
        entry(2, 1, type="model_change", provider="openai", modelId="gpt-5"),
        user(3, 2, "go"),
        entry(4, 3, type="model_change", modelId="claude-x"),
        entry(5, 4, type="session_info"),
    )
    now = state(facts)
    assert (now.config is not None and now.config.name) == "weaving"
    assert now.talk.model == "claude-x"
    changed = [one.event.model for one in facts if isinstance(one.event, t.ModelChanged)]
    assert changed == ["openai:gpt-5", "claude-x"]


@pytest.mark.promise("DL-CTX-01")
def test_entries_with_one_parent_are_branches(tmp_path: Path) -> None:
    facts, _ = took(
        tmp_path,
        user(1, None, "one"),
        answer(2, 1, "uno"),
        user(3, 2, "two"),
        entry(4, 2, type="model_change", provider="openai", modelId="gpt-5"),
        user(5, 4, "zwei"),
        answer(6, 5, "deux"),
        user(7, 3, "back"),
    )
    now = state(facts)
    switched = [one.event for one in facts if isinstance(one.event, t.BranchSwitched)]
    assert len(switched) == 2
    said = {
        one.block: one.content.text for one in blocks(facts) if isinstance(one.content, TextBlock)
    }
    parents = {said[one.block]: said.get(one.parent) for one in blocks(facts)}
    assert parents == {
        "one": None,
        "uno": "one",
        "two": "uno",
        "zwei": "uno",
        "deux": "zwei",
        "back": "two",
    }
    assert now.talk.model == ""  # the branch that it came back to has the settings' own


@pytest.mark.promise("DL-CTX-03")
def test_a_parent_that_is_not_before_it_begins_anew_instead_of_going_in_circles(
    tmp_path: Path,
) -> None:
    facts, notes = took(
        tmp_path, user(1, 2, "one"), user(2, 1, "two"), user(3, 3, "three"), user(4, 99, "four")
    )
    assert notes == ("3 entries name a parent that is not before them; they begin anew",)
    assert [one.parent != "" for one in blocks(facts)] == [False, True, False, False]


def test_a_result_on_another_branch_stands_in_the_place_of_the_first(tmp_path: Path) -> None:
    facts, _ = took(
        tmp_path,
        user(1, None, "go"),
        answer(2, 1, tool("a")),
        result(3, 2, "a", "seen"),
        result(4, 2, "a", "seen otherwise"),
    )
    *_, first, second = blocks(facts)
    assert (first.replaces, second.replaces) == (None, first.block)


def test_a_call_without_a_result_and_an_answer_without_a_question_are_taken(
    tmp_path: Path,
) -> None:
    facts, _ = took(tmp_path, answer(1, None, "hello"), user(2, 1, "go"), answer(3, 2, tool("a")))
    ends = [one.event for one in facts if isinstance(one.event, t.TurnFinished)]
    assert [one.turn for one in ends] == ["t1", "t2"]


def test_a_part_that_is_nothing_takes_no_mark_from_another(tmp_path: Path) -> None:
    cut = {"type": "text", "text": "and th", "hearth": {"partial": True}}
    facts, _ = took(tmp_path, user(1, None, "go"), answer(2, 1, 3, "first", cut))
    written = [(one.content, one.partial) for one in blocks(facts) if one.role is Role.ASSISTANT]
    assert written == [(TextBlock("first"), False), (TextBlock("and th"), True)]


def test_an_answer_without_words_does_not_end_as_the_turn_before_it_did(tmp_path: Path) -> None:
    failed = {"turn": "t1", "block": {"type": "error_block", "message": "no key"}}
    again = {**answer(3, 2), "hearth": {"turn": "t2"}}
    facts, _ = took(
        tmp_path, user(1, None, "go"), entry(2, 1, type="session_info", hearth=failed), again
    )
    ends = [one.event.end for one in facts if isinstance(one.event, t.TurnFinished)]
    assert ends == [t.TurnEnd.FAILED, t.TurnEnd.DONE]


class TestRefusals:
    def test_a_result_of_no_call(self, tmp_path: Path) -> None:
        bad = refused(tmp_path, user(1, None, "go"), result(2, 1, "zz"))
        assert (bad.line, "'zz'" in str(bad)) == (3, True)

    @pytest.mark.parametrize("message", [None, "x", {}, {"role": "owner"}, {"role": []}])
    def test_a_message_without_a_role(self, tmp_path: Path, message: object) -> None:
        bad = refused(tmp_path, entry(1, None, message=message))
        assert "user" in str(bad)
        assert "tool_result" in str(bad)

    def test_another_model_without_a_name(self, tmp_path: Path) -> None:
        bad = refused(tmp_path, entry(1, None, type="model_change", provider="openai"))
        assert "modelId" in str(bad)


def test_an_odd_config_is_not_believed(tmp_path: Path) -> None:
    path = file_with(
        tmp_path, {**HEADER, "hearth": {"config": {"mode": "odd"}}}, user(1, None, "x")
    )
    facts, _ = taken(path, read_conversation(path), NEW)
    started = facts[0].event
    assert isinstance(started, e.SessionStarted)
    assert started.config.directory == "/home/ann"


def test_the_same_file_has_the_same_ids_and_another_has_others(tmp_path: Path) -> None:
    one, _ = took(tmp_path, user(1, None, "x"))
    same, _ = took(tmp_path, user(1, None, "x"))
    other, _ = took(tmp_path, user(1, None, "y"))
    assert [fact.id for fact in one] == [fact.id for fact in same]
    assert not {fact.id for fact in one} & {fact.id for fact in other}
