"""`hearth ask`, against a daemon of which every event is chosen."""

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import Events, FakeDaemon, Seen, refusal
from tests.clients.cli.turns import (
    EVENTS,
    SESSION,
    answering,
    commands,
    delta,
    finished,
    listed,
    pipe,
    row,
    sealed,
    started,
    taking,
    tells,
    text,
)

from hearth.clients.cli import ask
from hearth.clients.cli.ask import usage_line


@pytest.fixture
def live(daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeDaemon:
    """A daemon with one session, that of the directory; nothing is piped in."""
    monkeypatch.chdir(tmp_path)
    pipe(monkeypatch)
    listed(daemon, row(str(tmp_path)))
    return daemon


class Screen(io.TextIOWrapper):
    """A terminal that is stdout, stderr and stdin; a person looks at it."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8", write_through=True)

    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return re.sub(r"\x1b\[[0-9;]*[mK]", "", raw.getvalue().decode()).replace("\r", "")


def terminal(monkeypatch: pytest.MonkeyPatch) -> Screen:
    made = Screen()
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, made)
    monkeypatch.setenv("TERM", "xterm")
    return made


def test_the_words_are_the_prompt(run: Run, live: FakeDaemon) -> None:
    tells(live, answering("hello"))
    done = run("ask", "what", "is", "here?", "-m", "scripted")
    assert (done.code, done.out, done.err) == (0, "hello\n", "")
    assert commands(live) == [
        {"type": "send_message", "text": "what is here?", "model": "scripted"}
    ]
    assert live.events(EVENTS).after == "after=7"


def test_what_is_piped_in_stands_behind_the_words(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    tells(live, answering("hello"))
    pipe(monkeypatch, "line one\nlëne two\n".encode())
    assert run("ask", "what is this?").code == 0
    assert commands(live)[0]["text"] == "what is this?\n\nline one\nlëne two"


@pytest.mark.parametrize("words", [[], ["-"]])
def test_all_of_the_prompt_may_be_piped_in(
    words: list[str], run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    tells(live, answering("hello"))
    pipe(monkeypatch, b"what is here?\n")
    assert run("ask", *words).code == 0
    assert commands(live)[0]["text"] == "what is here?"


def test_a_pipe_in_which_nothing_comes_is_told(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    tells(live, answering("hello"))
    reading, writing = os.pipe()
    monkeypatch.setattr(ask, "PATIENCE", 0.0)

    def end(text: str) -> None:
        told.append(text)
        os.close(writing)

    told: list[str] = []
    monkeypatch.setattr(ask, "tell", end)
    with os.fdopen(reading, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run("ask", "hi").code == 0
    assert "< /dev/null" in told[0]
    assert commands(live)[0]["text"] == "hi"


@pytest.mark.parametrize(
    ("piped", "says"), [(b"", "nothing to ask"), (b"  \n", "nothing to ask"), (b"\xff", "no UTF-8")]
)
def test_a_prompt_that_is_none_is_told(
    piped: bytes, says: str, run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, piped)
    done = run("ask")
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert says in done.err
    assert "hint: " in done.err
    assert commands(live) == []


@pytest.mark.promise("LK-EMIT-02")
def test_programs_get_one_object_per_line_as_it_is_in_the_log(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        events.row(7, {"type": "cell_started", "cell": "c9"}, cause="other")
        answering("hello")(events, key)

    tells(live, story)
    done = run("ask", "hi", "--json")
    assert (done.code, done.err) == (0, "")
    lines = [json.loads(line) for line in done.out.splitlines()]
    kinds = [(one.get("event") or one["progress"])["type"] for one in lines]
    assert kinds == ["turn_started", "model_asked", "text_delta", "block_sealed", "turn_finished"]
    assert lines[0]["seq"] == 8
    assert "seq" not in lines[2]


@pytest.mark.promise("LK-EMIT-02")
def test_text_and_calls_are_the_same_for_people_pipes_and_programs(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {"type": "tool_call_block", "call": "k1", "name": "inspect", "arguments": '{"code":"x"}'}
    result = {"type": "tool_result_block", "call": "k1", "name": "inspect", "result": "an int"}

    def story(events: Events, key: str) -> None:
        started(events, key)
        events.progress(delta("The answer"))
        events.row(10, sealed(call), cause=key)
        events.row(11, sealed(result, "tool"), cause=key)
        events.progress(delta(" is x.", 10))
        events.row(12, text("The answer is x."), cause=key)
        events.row(13, finished(), cause=key)

    tells(live, story)
    piped = run("ask", "hi")
    assert piped.out == "The answer is x.\n"
    assert "▸ inspect  x → 1 line: an int" in piped.err
    lines = [json.loads(line) for line in run("ask", "hi", "--json").out.splitlines()]
    contents = [one["event"]["content"] for one in lines if "content" in one.get("event", {})]
    assert contents == [call, result, {"type": "text_block", "text": "The answer is x."}]
    screen = terminal(monkeypatch)
    assert run("ask", "hi").code == 0
    assert "▸ inspect  x → 1 line: an int" in screen.text
    assert "".join(screen.text.split("▸ inspect  x → 1 line: an int\n")).startswith("The answer")


@pytest.mark.promise("DL-CLI-05")
def test_a_terminal_tells_what_it_took(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    tells(live, answering("**hello**"))
    used = {"turns": [{"turn": "t0", "sums": {}}, {"turn": "t1", "sums": {"cost": 0.01234}}]}
    live.on(f"GET /sessions/{SESSION}/views/usage", {"value": used, "seq": 9})
    screen = terminal(monkeypatch)
    assert run("ask", "hi").code == 0
    answer, took = screen.text.splitlines()
    assert answer == "hello"
    assert took.startswith("100 tokens in (80 % from the cache), 5 out · $0.0123 · ")


def test_what_it_took_is_short() -> None:
    assert usage_line({}, None, 0.04) == "0 tokens in, 0 out · 0.0 s"
    line = usage_line({"fresh": 1200, "cache_write": 34, "output": 5678}, 1.5, 61.0)
    assert line == "1,234 tokens in, 5,678 out · $1.5000 · 61.0 s"


@pytest.mark.promise("DL-CLI-04")
@pytest.mark.parametrize(
    ("end", "code", "says"),
    [
        ("cancelled", 130, "somebody wanted so"),
        ("refused", 1, "Error: the model would not answer: somebody wanted so"),
        ("limit", 1, "Error: it took as many steps as it may"),
        ("cut_off", 1, "Error: the answer became too long"),
    ],
)
def test_other_ends_have_other_codes(
    end: str, code: int, says: str, run: Run, live: FakeDaemon
) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.row(10, finished(end, why="somebody wanted so"), cause=key)

    tells(live, story)
    done = run("ask", "hi")
    assert (done.code, done.out) == (code, "")
    assert says in done.err
    assert run("ask", "hi", "--json").code == code


@pytest.mark.promise("DL-CLI-04", "LK-ERR-02")
def test_a_turn_that_fails_ends_with_one_and_an_error_line(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        error = {"type": "error_block", "message": "no key for anthropic", "status": 401}
        events.row(10, sealed(error, "system"), cause=key)
        events.row(11, finished("failed", why="no key for anthropic"), cause=key)

    tells(live, story)
    done = run("ask", "hi")
    assert (done.code, done.out) == (1, "")
    assert done.err == "Error: no key for anthropic (status 401)\n"


@pytest.mark.promise("DL-CLI-04", "LK-ERR-02")
def test_a_refusal_ends_with_one_an_error_line_and_a_hint(run: Run, live: FakeDaemon) -> None:
    taking(live, {"send_message": lambda _, __: refusal("not_now")})
    done = run("ask", "hi")
    assert (done.code, done.out) == (1, "")
    assert done.err == "Error: no: not_now\nhint: try something else\n"
    told = run("ask", "hi", "--json")
    assert (told.code, told.err) == (1, "")
    assert told.json["error"]["code"] == "not_now"


def test_bytes_that_are_no_characters_are_told(run: Run, live: FakeDaemon) -> None:
    done = run("ask", "caf\udce9")
    assert done.code == 2
    assert "no UTF-8" in done.err
    assert commands(live) == []


def test_what_cannot_be_read_is_told(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.TextIOWrapper):
        @property
        def buffer(self) -> Any:
            raise IsADirectoryError(21, "Is a directory")

    monkeypatch.setattr(sys, "stdin", Broken(io.BytesIO(), "utf-8"))
    done = run("ask", "hi")
    assert done.code == 2
    assert "Is a directory" in done.err
    assert commands(live) == []


def test_without_a_daemon_none_is_started_if_that_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch)
    done = run("ask", "hi", "--no-start")
    assert done.code == 3
    assert done.err.startswith("Error: no daemon is running\nhint: ")


@pytest.mark.promise("DP-TURN-01")
def test_who_does_not_wait_gets_an_id_and_the_agent_goes_on(run: Run, live: FakeDaemon) -> None:
    tells(live, started)
    done = run("ask", "hi", "--no-wait")
    assert (done.code, done.out) == (0, "t1\n")
    assert SESSION in done.err

    def queued(events: Events, key: str) -> None:
        events.row(8, {"type": "message_queued", "message": "m3"}, cause=key)

    tells(live, queued)
    assert run("ask", "hi", "--no-wait").out == "m3\n"
    told = run("ask", "hi", "--no-wait", "--json")
    assert told.json == {"session": SESSION, "turn": None, "message": "m3"}


ASKS = {"type": "approval_requested", "turn": "t1", "approval": "a1", "why": "three equal calls"}


def test_in_a_pipe_it_is_told_how_to_answer(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.row(10, ASKS, cause=key)

    tells(live, story)
    done = run("ask", "hi")
    assert (done.code, done.out) == (6, "")
    assert f"waits for a person: {SESSION}/a1: three equal calls" in done.err
    assert f"hearth approve {SESSION}/a1" in done.err
    assert run("ask", "hi", "--json").code == 6


def test_an_answer_lets_the_agent_go_on_and_its_turn_is_followed(
    run: Run, live: FakeDaemon
) -> None:
    def answered(_: Seen, key: str) -> None:
        del key
        events = live.events(EVENTS)
        events.row(8, {"type": "approval_answered", "approval": "a1", "answer": "once"}, cause="x")
        events.row(9, text("done now", "t4"), cause="y")
        events.row(10, finished(turn="t4"), cause="y")

    taking(live, {"answer_approval": answered})
    now = {"turn": "t4", "approvals": [{"approval": "a1", "why": "three equal calls"}]}
    live.on(f"GET /sessions/{SESSION}/views/conversation", {"value": {"now": now}, "seq": 7})
    done = run("ask", "--answer", "yes", "be", "careful")
    assert (done.code, done.out, done.err) == (0, "done now\n", "a1 allowed once by ann\n")
    assert commands(live) == [
        {"type": "answer_approval", "approval": "a1", "answer": "once", "text": "be careful"}
    ]


def test_a_yes_that_could_mean_several_things_is_none(run: Run, live: FakeDaemon) -> None:
    now = {"turn": "t4", "approvals": [{"approval": "a1"}, {"approval": "a2"}]}
    live.on(f"GET /sessions/{SESSION}/views/conversation", {"value": {"now": now}, "seq": 7})
    done = run("ask", "--answer", "yes")
    assert done.code == 2
    assert "a1, a2" in done.err
    assert "hearth approve WHICH" in done.err
    assert commands(live) == []


def test_an_answer_that_nobody_waits_for_is_told(run: Run, live: FakeDaemon) -> None:
    live.on(f"GET /sessions/{SESSION}/views/conversation", {"value": {"now": {}}, "seq": 7})
    done = run("ask", "--answer", "no")
    assert (done.code, done.out) == (1, "")
    assert "waits for no answer" in done.err


def test_an_answer_that_is_none_is_told_before_a_daemon_is_looked_for(run: Run) -> None:
    wrong = run("ask", "--answer", "maybe", "--no-start")
    assert wrong.code == 2
    assert "--answer yes" in wrong.err


def test_a_reader_who_goes_away_stops_the_turn(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled(_: Seen, key: str) -> None:
        del key

    def story(_: Seen, key: str) -> None:
        answering("hello")(live.events(EVENTS), key)

    taking(live, {"send_message": story, "cancel_turn": cancelled})

    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(text)

    monkeypatch.setattr(sys, "stdout", Gone())
    with pytest.raises(BrokenPipeError):
        run("ask", "hi")
    assert commands(live)[-1] == {"type": "cancel_turn", "turn": "t1"}


def test_few_questions_come_before_the_message(run: Run, live: FakeDaemon) -> None:
    """It must be on its way before a person takes their finger off the key."""
    tells(live, answering("hello"))
    run("ask", "hi")
    before: list[Any] = [f"{one.method} {one.path}" for one in live.seen]
    assert before == [
        "GET /sessions",
        f"GET {EVENTS}?after=7",
        f"POST /sessions/{SESSION}/commands",
    ]
