"""Entries out of events, one branch after the other."""

from pathlib import Path
from typing import Any

from tests.contracts.playing_talks import Talk, call, text, thinking
from tests.log.test_conversation_file import exported, lines_of

from hearth.core.vocabulary import prompting as p


async def entries_of(folder: Path, talk: Talk) -> list[dict[str, Any]]:
    return lines_of((await exported(folder, talk)).path)[1:]


def texts(entries: list[dict[str, Any]]) -> list[str]:
    said = []
    for one in entries:
        content = one.get("message", {}).get("content", "")
        parts = [content] if isinstance(content, str) else [part.get("text") for part in content]
        said.append(" ".join(filter(None, parts)))
    return said


def parents(entries: list[dict[str, Any]]) -> list[int | None]:
    places = {one["id"]: place for place, one in enumerate(entries)}
    return [places.get(one["parentId"]) for one in entries]


async def test_a_branch_begins_at_the_entry_that_it_parts_from(tmp_path: Path) -> None:
    talk = Talk().says("one").answers("uno").says("two").answers("due")
    talk.goes(p.EditMessage(talk.block("two"), "zwei")).goes(p.RegenerateTurn()).answers("deux")
    entries = await entries_of(tmp_path, talk)
    assert texts(entries) == ["one", "uno", "two", "due", "zwei", "deux"]
    assert parents(entries) == [None, 0, 1, 2, 1, 4]
    assert entries[4]["hearth"]["replaces"] == entries[2]["id"]


async def test_going_back_and_forth_tells_nothing_twice(tmp_path: Path) -> None:
    talk = Talk().says("one").answers(thinking("hm", "{}"), text("uno"), call("look")).returns()
    talk.answers("seen").says("two").answers("due")
    before = len(await entries_of(tmp_path / "a", talk))
    end = talk.block("due")
    talk.goes(p.SwitchBranch(talk.block("seen"))).goes(p.SwitchBranch(end))
    talk.goes(p.SwitchBranch(talk.block("'one'"))).goes(p.SwitchBranch(end))
    entries = await entries_of(tmp_path / "b", talk.says("three"))
    assert len(entries) == before + 1
    assert parents(entries)[-1] == before - 1


async def test_a_part_of_an_answer_that_was_edited_is_another_answer(tmp_path: Path) -> None:
    talk = Talk().says("one").answers(thinking("hm", "{}"), text("uno"))
    talk.goes(p.EditMessage(talk.block("uno"), "eins")).says("two").answers("due")
    entries = await entries_of(tmp_path, talk)
    assert texts(entries) == ["one", "uno", "eins", "two", "due"]
    assert parents(entries) == [None, 0, 0, 2, 3]
    kinds = [[part["type"] for part in one["message"]["content"]] for one in entries[1:3]]
    assert kinds == [["thinking", "text"], ["thinking", "text"]]


async def test_the_model_of_a_branch_is_told_on_it(tmp_path: Path) -> None:
    talk = Talk().goes(p.SetModel("openai:gpt-5")).says("one").answers("uno")
    talk.goes(p.SetModel("deepseek:deepseek-chat")).says("two").answers("due")
    talk.goes(p.SwitchBranch(talk.block("uno"))).says("three").answers("tre")
    entries = await entries_of(tmp_path, talk)
    models = {one["id"]: one["modelId"] for one in entries if one["type"] == "model_change"}
    by_id = {one["id"]: one for one in entries}
    found, here = [], entries[-1]["id"]
    while here is not None:
        found += [models[here]] if here in models else []
        here = by_id[here]["parentId"]
    assert found == ["gpt-5"]


async def test_what_was_cut_off_says_so(tmp_path: Path) -> None:
    entries = await entries_of(tmp_path, Talk().says("go").goes(p.CancelTurn()))
    (answer,) = (
        one["message"] for one in entries if one.get("message", {}).get("role") == "assistant"
    )
    assert answer["content"] == [{"type": "text", "text": "so far", "hearth": {"partial": True}}]
