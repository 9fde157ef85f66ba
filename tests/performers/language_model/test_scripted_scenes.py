"""What the scripted model says follows from the conversation alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Message,
    Returned,
    SaidText,
    ToolMessage,
    UserMessage,
)
from hearth.performers.language_model.scripted_scenes import (
    ENDED,
    Memory,
    Scene,
    ScriptBroken,
    ScriptedCall,
    code_in,
    companion,
    played,
    script_at,
    summary_of,
)

B = BlockId("b1")
OK = AssistantMessage(B, (SaidText("ok"),))


def user(text: str) -> Message:
    return UserMessage(B, text)


def result(text: str, *, is_error: bool = False) -> Message:
    return ToolMessage(B, (Returned("call_0", "run_code", text, is_error),))


def after(*messages: Message) -> Memory:
    return Memory().now(messages)


def test_answers_come_in_their_order_and_then_the_script_has_ended() -> None:
    script = (Scene(text="one"), Scene(text="two"))
    said = [user("go")]
    for text in ("one", "two", ENDED, ENDED):
        assert played(script, after(*said)).text == text
        said += [OK, user("on")]


def test_an_answer_that_waits_for_a_text_takes_nobodys_turn() -> None:
    script = (Scene(text="one"), Scene(text="hurt", when="ouch"), Scene(text="two"))
    assert played(script, after(user("go"))).text == "one"
    assert played(script, after(user("go"), OK, result("ouch!"))).text == "hurt"
    assert played(script, after(user("go"), OK, result("ouch!"), OK, user("on"))).text == "two"
    assert played(script, after(user("ouch"), OK, user("ouch"), OK, user("go"))).text == "one"


def test_what_is_to_be_answered_is_all_that_was_said_since_the_last_answer() -> None:
    memory = after(user("old"), OK, result("4"), user("first"), user("second"))
    assert memory.cue.prompts == ("first", "second")
    assert [one.text for one in memory.cue.results] == ["4"]
    assert memory.answers == 1


def test_looking_ahead_changes_nothing() -> None:
    memory = Memory()
    memory.take(user("go"))
    assert memory.now([OK, user("on")]).answers == 1
    assert memory.answers == 0
    assert memory.cue.prompts == ("go",)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("please\n```python\nx = 1\nx + 1\n```\nthanks", "x = 1\nx + 1"),
        ("```\nx\n```", "x"),
        ("run: 1 + 1", "1 + 1"),
        ("Run: a = 1\nand then\n  run: a", "a = 1\na"),
        ("```js\nx\n```", ""),
        ("I run: not this", ""),
        ("nothing here", ""),
        ("```python\nunfinished", ""),
    ],
)
def test_code_is_found_in_fences_and_in_lines_that_say_so(text: str, code: str) -> None:
    assert code_in(text) == code


def test_the_companion_runs_code_and_tells_the_result() -> None:
    asked = companion(after(user("run: 6 * 7")), can_run=True)
    assert asked.calls == (ScriptedCall("run_code", {"code": "6 * 7"}),)
    assert asked.text
    told = companion(after(user("run: 6 * 7"), OK, result("Out: 42")), can_run=True)
    assert "Out: 42" in told.text
    assert "went well" in told.text
    assert told.calls == ()
    failed = companion(after(user("run: 1/0"), OK, result("no", is_error=True)), can_run=True)
    assert "did not go well" in failed.text


def test_the_companion_answers_what_came_meanwhile_as_well() -> None:
    memory = after(user("run: 1"), OK, result("Out: 1"), user("run: 2"))
    both = companion(memory, can_run=True)
    assert "Out: 1" in both.text
    assert both.calls == (ScriptedCall("run_code", {"code": "2"}),)


def test_the_companion_says_what_it_is_and_calls_only_what_there_is() -> None:
    talk = companion(after(user("how are you?")), can_run=True)
    assert "how are you?" in talk.text
    assert "no key" in talk.text
    assert talk.calls == ()
    assert companion(after(user("run: 1")), can_run=False).calls == ()
    assert companion(after(), can_run=True).text
    long = companion(after(user("run: x"), OK, result("y" * 9_000)), can_run=True)
    assert len(long.text) < 3_000


def test_a_summary_carries_on_the_count_of_answers() -> None:
    messages = [user("weave"), OK, user("dye"), OK, user("sum up")]
    summary = summary_of(messages)
    assert "- weave\n- dye" in summary
    assert "sum up" not in summary
    memory = after(user(f"This is a summary.\n\n{summary}"), user("go"))
    assert memory.answers == 2
    script = (Scene(text="one"), Scene(text="two"), Scene(text="three"))
    assert played(script, memory).text == "three"


def write(tmp_path: Path, content: Any) -> str:
    path = tmp_path / "script.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_a_script_is_read_from_where_it_is_or_from_the_sessions_directory(tmp_path: Path) -> None:
    steps = [
        {"thinking": "Hm.", "text": "I run it.", "delay": 0.5},
        {"calls": [{"name": "run_code", "arguments": {"code": "ü"}}], "when": "go"},
        {"calls": [{"name": "run_code", "arguments": "{broken"}]},
    ]
    path = write(tmp_path, steps)
    script = script_at(path, "/elsewhere")
    assert script == script_at("script.json", str(tmp_path))
    assert script[0] == Scene("Hm.", "I run it.", (), 0.5)
    assert script[1].calls[0].written() == '{"code": "ü"}'
    assert script[2].calls[0].written() == "{broken"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "not as it must be"),
        ({"steps": []}, "Expected `array`"),
        ([{"txt": "x"}], r"unknown field `txt` - at `\$\[0\]`"),
        ([{"calls": [{"name": ""}]}], r"at `\$\[0\]\.calls\[0\]\.name`"),
        ([{"delay": -1}], r"at `\$\[0\]\.delay`"),
        ("\xff", "not as it must be"),
    ],
)
def test_a_script_that_cannot_be_played_says_where_it_is_wrong(
    tmp_path: Path, content: Any, why: str
) -> None:
    with pytest.raises(ScriptBroken, match=why):
        script_at(write(tmp_path, content), "")


def test_a_script_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ScriptBroken, match="No such file"):
        script_at("none.json", str(tmp_path))
    with pytest.raises(ScriptBroken, match="cannot be read"):
        script_at("a\0b", str(tmp_path))


def test_lines_that_begin_with_a_dollar_are_run_as_commands() -> None:
    said = user("please\n$ git status\n  $ make test\ncosts $5")
    asked = companion(after(said), can_run=True, has_shell=True)
    assert [(one.name, one.arguments) for one in asked.calls] == [
        ("run_shell", {"command": "git status"}),
        ("run_shell", {"command": "make test"}),
    ]
    assert companion(after(said), can_run=True).calls == ()
