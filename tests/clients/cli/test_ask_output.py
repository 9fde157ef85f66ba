"""What a turn shows: to people in a terminal, in a pipe, and to programs."""

import json
from typing import Any

import pytest
from tests.clients.cli.screens import screen

from hearth.clients.cli.ask_output import ForPeople, ForPrograms
from hearth.clients.cli.spinning import EACH


def nothing(_: str) -> str:
    raise AssertionError("nothing is kept elsewhere")


def delta(text: str, offset: int = 0, place: int = 0, kind: str = "text_delta") -> dict[str, Any]:
    return {
        "type": kind,
        "turn": "t1",
        "step": 1,
        "place": place,
        "offset": offset,
        "text": text,
    }


def block(content: dict[str, Any], role: str = "assistant", cause: str = "key") -> dict[str, Any]:
    event = {"type": "block_sealed", "turn": "t1", "role": role, "content": content}
    return {"event": event, "cause": cause, "origin": {"actor": "person", "name": "bob"}}


def said(text: Any) -> dict[str, Any]:
    return block({"type": "text_block", "text": text})


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"event": {"type": kind, "turn": "t1", **more}, "origin": {"name": "bob"}}


def played(show: ForPeople, *happened: dict[str, Any]) -> None:
    """Events are those with an event in them; the rest is progress."""
    for one in happened:
        if "event" in one:
            show.event(one, json.dumps(one))
        else:
            show.progress(one, json.dumps(one))


CALL = {"type": "tool_call_block", "call": "k1", "name": "run_code", "arguments": '{"code": "1+1"}'}
RESULT = {"type": "tool_result_block", "call": "k1", "name": "run_code", "result": "2"}


@pytest.mark.promise("DL-CLI-05")
def test_a_terminal_shows_text_as_it_comes_and_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = screen(monkeypatch)
    show = ForPeople(nothing, "key")
    played(show, event("model_asked"), delta("a **bo"))
    assert shown.plain == "a bo"
    played(show, delta("ld** word", 6), said("a **bold** word"), event("turn_finished"))
    assert shown.plain == "a bold word\n"
    assert "\x1b[1mbo" in shown.getvalue()


@pytest.mark.parametrize(
    ("happened", "told"),
    [
        pytest.param([block(RESULT, "tool")], "▸ run_code → 1 line: 2\n", id="a line beside it"),
        pytest.param([said("so")], "so\n", id="a text that is stored"),
        pytest.param([delta("so")], "so", id="a text that is written"),
    ],
)
def test_what_comes_behind_a_question_begins_a_line_of_its_own(
    happened: list[dict[str, Any]], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = screen(monkeypatch)
    show = ForPeople(nothing, "key")
    shown.write("allow it? ")
    show.is_asking = True
    played(show, event("tool_started", call="k1", name="run_code"), *happened)
    assert shown.plain == f"allow it? \n{told}"
    assert not show.is_asking  # so that it is put again


@pytest.mark.promise("DL-CLI-05")
def test_a_pipe_gets_the_stored_text_alone(capsys: pytest.CaptureFixture[str]) -> None:
    show = ForPeople(nothing, "key")
    played(
        show,
        event("model_asked"),
        delta("an attempt that br"),
        event("retry_scheduled", attempt=2, delay=0.5, why="the connection broke"),
        event("model_asked"),
        said("look: **x**"),
        block(CALL),
        event("tool_started", call="k1", name="run_code"),
        block(RESULT, "tool"),
        said("It is `2`.\n"),
        event("turn_finished"),
    )
    done = capsys.readouterr()
    assert done.out == "look: **x**\nIt is `2`.\n"
    assert "the connection broke; asking again in 0.5 s (attempt 2)" in done.err
    assert "▸ run_code  1+1 → 1 line: 2\n" in done.err
    assert "\x1b" not in done.err


@pytest.mark.promise("DL-CLI-05")
def test_each_tool_has_one_line_with_what_it_was_given_and_what_came_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = screen(monkeypatch)
    failed = {**RESULT, "call": "k2", "is_error": True, "result": "NameError: y\n…"}
    second = {**CALL, "call": "k2", "arguments": '{"code": "y"}'}
    played(
        ForPeople(nothing, "key"),
        delta("Let me see."),
        {"type": "tool_call_forming", "name": "run_code"},
        said("Let me see."),
        block(CALL),
        block(second),
        block(RESULT, "tool"),
        block(failed, "tool"),
    )
    assert shown.plain == (
        "Let me see.\n▸ run_code  1+1 → 1 line: 2\n▸ run_code  y ✗ NameError: y …\n"
    )


def test_a_large_result_is_counted_without_being_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    blob = {"sha256": "0" * 64, "size": 70_000, "head": "line\nline\n"}
    played(ForPeople(nothing, "key"), block(CALL), block({**RESULT, "result": blob}, "tool"))
    assert "2 lines, 70.0 kB" in shown.plain


def test_a_large_answer_is_fetched(capsys: pytest.CaptureFixture[str]) -> None:
    show = ForPeople(lambda sha256: f"kept under {sha256}", "key")
    played(show, said({"sha256": "abc", "size": 70_000, "head": "kept"}))
    assert capsys.readouterr().out == "kept under abc\n"


def test_several_texts_of_an_answer_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    show = ForPeople(nothing, "key")
    played(show, delta("hm", 0, 0, "thinking_delta"), delta("first", 0, 1))
    played(show, {"type": "tool_call_forming", "name": "run_code"}, delta("second", 0, 3))
    played(show, block({"type": "thinking_block", "text": "hm"}), said("first"), said("second"))
    assert shown.plain == "· hm\nfirst\nsecond\n"


def test_of_an_attempt_that_broke_off_only_the_next_one_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = screen(monkeypatch, NO_COLOR="1")
    played(
        ForPeople(nothing, "key"),
        delta("the answer is 4"),
        event("retry_scheduled", attempt=2, delay=1.0, why="overloaded"),
        event("model_asked", attempt=2),
        delta("it is 42"),
        said("it is 42"),
    )
    assert shown.plain == (
        "the answer is 4\n"
        "overloaded; the answer broke off and is asked for again in 1 s (attempt 2)\n"
        "it is 42\n"
    )


def test_an_attempt_that_is_made_at_once_has_no_pause(capsys: pytest.CaptureFixture[str]) -> None:
    restarted = event("retry_scheduled", attempt=1, delay=0.0, why="the daemon was restarted")
    played(ForPeople(nothing, "key"), restarted)
    told = capsys.readouterr().err
    assert told == "the daemon was restarted; asking again (attempt 1)\n"


def test_thinking_is_one_short_dim_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    long = "first I look\nthen I " + "think " * 50
    played(ForPeople(nothing, "key"), delta(long, 0, 0, "thinking_delta"), delta("so", 0, 1))
    assert shown.plain == "· first I look …\nso"
    assert "\x1b[2m· first I look …\x1b[0m" in shown.getvalue()


def test_in_a_pipe_nobody_sees_what_was_thought(capsys: pytest.CaptureFixture[str]) -> None:
    show = ForPeople(nothing, "key")
    played(show, block({"type": "thinking_block", "text": "hm"}), said("so"))
    done = capsys.readouterr()
    assert (done.out, done.err) == ("so\n", "")


def test_what_a_person_should_know_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    show = ForPeople(nothing, "key")
    played(
        show,
        event("message_queued", message="m4"),
        block({"type": "notice_block", "kind": "limit", "text": "200 steps\x1b[2J"}, "system"),
        block({"type": "error_block", "message": "no key", "status": 401}, "system"),
        block({"type": "text_block", "text": "hurry"}, "user", "another"),
        block({"type": "text_block", "text": "our own"}, "user"),
        event("conversation_compacted"),
        event("compaction_failed", why="too short"),
        event("approval_answered", approval="a2", answer="session"),
        event("approval_answered", approval="a3", answer="reject", because="a2"),
        event("task_changed", task={"task": "1", "title": "look", "state": "done"}),
        event("some_later_event"),
    )
    done = capsys.readouterr()
    assert done.out == ""
    assert done.err.splitlines() == [
        "waiting: the agent is busy; it hears m4 next",
        "note: 200 steps?[2J",
        "Error: no key (status 401)",
        "bob says: hurry",
        "note: a summary stands in the place of what was said long ago",
        "note: the conversation stays as long as it is: too short",
        "a2 allowed for this session by bob",
        "a3 rejected by bob, with a2",
        "[x] 1. look",
    ]


@pytest.mark.promise("DL-CLI-05")
def test_something_turns_while_one_waits_but_never_into_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = screen(monkeypatch)
    monkeypatch.setattr("hearth.clients.cli.spinning.SOON", 0.0)
    show = ForPeople(nothing, "key")
    assert show.tick() is None
    played(show, event("model_asked"))
    assert show.tick() == EACH
    assert "⠋ thinking" in shown.plain
    played(show, delta("te"))
    assert shown.getvalue().endswith("\r\x1b[Kte")
    assert show.tick() is None
    played(show, said("te"), block(CALL), event("tool_started", call="k1", name="run_code"))
    show.tick()
    assert "run_code  1+1" in shown.plain.splitlines()[-1]
    show.close()
    assert shown.getvalue().endswith("\r\x1b[K")
    assert show.tick() is None


@pytest.mark.promise("LK-EMIT-02")
def test_programs_get_every_line_as_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    show = ForPrograms()
    show.event(said("x"), '{"seq": 1}')
    show.progress(delta("x"), '{"progress": 1}')
    show.progress({"type": "progress_dropped"}, "")
    show.tell("the daemon is gone")
    assert show.tick() is None
    show.close()
    done = capsys.readouterr()
    assert done.out == '{"seq": 1}\n{"progress": 1}\n'
    assert done.err == "the daemon is gone\n"


def test_who_does_not_wait_is_shown_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    show = ForPrograms(is_silent=True)
    show.event(said("x"), '{"seq": 1}')
    assert capsys.readouterr().out == ""


SHELL = {
    "type": "tool_call_block",
    "call": "k7",
    "name": "run_shell",
    "arguments": '{"command": "make test"}',
}


def output(text: str, call: str = "k7") -> dict[str, Any]:
    return {"type": "tool_output", "call": call, "text": text}


def returned(text: str, **more: Any) -> dict[str, Any]:
    content = {"type": "tool_result_block", "call": "k7", "name": "run_shell", "result": text}
    return block({**content, **more}, "tool")


def test_what_a_command_writes_is_shown_under_it_with_its_exit_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = screen(monkeypatch)
    show = ForPeople(nothing, "key")
    played(show, block(SHELL), event("tool_started", call="k7", name="run_shell"))
    played(show, output("one\ntw"), output("o\x1b[2J\nthree"))
    played(show, returned("one\ntwo\nthree\n\nExit code 2."))
    assert shown.plain.splitlines() == [
        "▸ run_shell  make test",
        "  │ one",
        "  │ two?[2J",
        "  │ three",
        "  → Exit code 2.",
    ]


def test_in_a_pipe_a_command_is_one_line_that_says_how_it_ended(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show = ForPeople(lambda _: "…\n\nExit code 0.", "key")
    kept = {"sha256": "d", "size": 9, "head": "x\n\nnot the end"}
    played(show, block(SHELL), output("live\n"), returned("", result=kept))
    assert capsys.readouterr().err == "▸ run_shell  make test → Exit code 0.\n"


DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-two\n+three\n"
CHANGE = {"path": "/p/x.py", "kind": "changed", "diff": DIFF, "added": 1, "removed": 1}


def test_what_became_of_files_is_shown_as_a_diff(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    show = ForPeople(nothing, "key", root="/p")
    edit = {**SHELL, "name": "edit_file", "arguments": '{"path": "x.py"}'}
    done = returned("Edited x.py", name="edit_file")
    played(show, block(edit), event("files_kept", call="k7"))
    played(show, event("files_changed", call="k7", changes=[CHANGE]), done)
    assert shown.plain.splitlines() == [
        "▸ edit_file  x.py",
        "  M x.py  +1 -1",
        "  @@ -1 +1 @@",
        "  -two",
        "  +three",
        "  → Edited x.py",
    ]
    assert "\x1b[32m+three" in shown.getvalue()
    assert "\x1b[31m-two" in shown.getvalue()


def test_a_long_diff_is_folded_unless_all_is_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = "@@ -0,0 +1,99 @@\n" + "\n".join(f"+{one}" for one in range(99))
    kept = {**CHANGE, "diff": {"sha256": "d", "size": 9, "head": whole[:40]}}
    show = ForPeople(nothing, "key")
    played(show, event("files_changed", changes=[CHANGE]))
    assert capsys.readouterr().err == "▸ a tool\n  M /p/x.py  +1 -1\n"  # nobody looks
    shown = screen(monkeypatch)
    show = ForPeople(nothing, "key")
    played(show, event("files_changed", changes=[{**CHANGE, "diff": whole}, kept]))
    assert "… 76 more lines; --full shows all" in shown.plain
    assert "… and more; --full shows all" in shown.plain
    shown = screen(monkeypatch)
    show = ForPeople(lambda _: whole, "key", is_whole=True)
    played(show, event("files_changed", changes=[kept]))
    assert "  +98\n" in shown.plain


def test_a_task_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    show = ForPeople(nothing, "key")
    changed = event("task_changed", task={"task": "1", "title": "look"})
    played(show, block({**SHELL, "name": "tasks"}), changed, returned("Added.", name="tasks"))
    assert capsys.readouterr().err == "[ ] 1. look\n"
    played(show, block({**SHELL, "name": "tasks"}), returned("1. look", name="tasks"))
    assert "1. look" in capsys.readouterr().err


def test_a_call_that_a_rule_forbids_is_told_with_the_rule_and_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show = ForPeople(nothing, "key")
    need = {"permission": "execute", "target": "git push\x1b"}
    judged = [{"need": need, "verdict": "deny", "by": 'execute "git push*": deny (h.jsonc:7)'}]
    refused = event("tool_refused", call="k7", name="run_shell", judged=judged)
    played(show, block(SHELL), refused, returned("Not run, because …", is_error=True))
    assert capsys.readouterr().err == (
        '✗ run_shell is not allowed: execute git push<U+001B> (execute "git push*": deny'
        " (h.jsonc:7))\n"
    )
