"""`hearth run`, against a daemon of which every event is chosen."""

import io
import sys
from collections.abc import Callable
from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import Events, FakeDaemon, Seen, answer, refusal

from hearth.clients.cli.cell_output import CellOutput

SESSION = "session-a1b2c3"
COMMANDS = f"POST /sessions/{SESSION}/commands"
Story = Callable[[Events, str], None]


@pytest.fixture
def live(daemon: FakeDaemon) -> FakeDaemon:
    """A daemon with one session, which is idle."""
    daemon.on("POST /sessions", {"session": SESSION, "status": {}})
    daemon.on(f"GET /sessions/{SESSION}", {"value": {"session": SESSION}, "seq": 7})
    daemon.events(f"/sessions/{SESSION}/events")
    return daemon


def tells(daemon: FakeDaemon, story: Story) -> None:
    """What happens once a command is taken."""

    def taken(seen: Seen) -> bytes:
        key = seen.headers["idempotency-key"]
        story(daemon.events(f"/sessions/{SESSION}/events"), key)
        return answer({"id": key, "session": SESSION, "seq": 8}, 202)

    daemon.does(COMMANDS, taken)


def started(events: Events, key: str) -> None:
    events.row(8, {"type": "cell_started", "cell": "c1", "code": "…"}, cause=key)


def chunk(text: str, stream: str = "stdout", cell: str = "c1") -> dict[str, Any]:
    return {"type": "output_chunk", "cell": cell, "stream": stream, "text": text}


def printed(text: str, stream: str = "stdout") -> dict[str, Any]:
    return {"type": "stream_text", "stream": stream, "text": text}


def finished(**more: Any) -> dict[str, Any]:
    return {"type": "cell_finished", "cell": "c1", "duration": 0.5, **more}


def test_what_code_shows_comes_and_its_value_last(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.progress(chunk("somebody else's", cell="c0"))
        events.progress(chunk("hello\n"))
        events.progress(chunk("careful\n", "stderr"))
        outputs = [printed("hello\n"), printed("careful\n", "stderr")]
        events.row(9, finished(value="2", value_type="int", outputs=outputs), cause=key)

    tells(live, story)
    done = run("run", "1 + 1", "--timeout", "9")
    assert (done.code, done.out, done.err) == (0, "hello\n2\n", "careful\n")
    [seen] = live.asked(COMMANDS)
    assert seen.body == {
        "type": "run_cell",
        "code": "1 + 1",
        "if_busy": "queue",
        "time_limit": 9.0,
    }
    assert live.events(f"/sessions/{SESSION}/events").after == "after=7"


def test_events_of_others_are_not_ours(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        events.row(8, {"type": "cell_started", "cell": "c9", "code": "x"}, cause="other")
        events.progress(chunk("other\n", cell="c9"))
        events.row(9, {"type": "cell_failed", "cell": "c9", "failure": {}}, cause="other")
        events.row(10, {"type": "cell_started", "cell": "c1", "code": "x"}, cause=key)
        events.row(11, finished(), cause=key)

    tells(live, story)
    done = run("run", "x = 1")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_everything_is_one_object_for_programs(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.progress(chunk("hello\n"))
        outputs = [printed("hello\n"), printed("oh\n", "stderr")]
        events.row(9, finished(value="2", value_type="int", outputs=outputs), cause=key)

    tells(live, story)
    done = run("run", "1 + 1", "--json")
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert (found["ok"], found["outcome"], found["value"]) == (True, "finished", "2")
    assert (found["stdout"], found["stderr"]) == ("hello\n", "oh\n")
    assert (found["session"], found["cell"], found["failure"]) == (SESSION, "c1", None)


def test_code_that_fails_ends_with_one_and_its_traceback(run: Run, live: FakeDaemon) -> None:
    failure = {
        "type": "code_raised",
        "name": "ZeroDivisionError",
        "message": "division by zero",
        "traceback": "Traceback…\nZeroDivisionError: division by zero\n",
    }

    def story(events: Events, key: str) -> None:
        started(events, key)
        failed = {"type": "cell_failed", "cell": "c1", "failure": failure}
        events.row(9, failed, cause=key)

    tells(live, story)
    done = run("run", "1 / 0")
    assert (done.code, done.out) == (1, "")
    assert done.err == failure["traceback"]


def test_a_failure_is_told_to_programs(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        failure = {"type": "timed_out", "limit": 1.0, "elapsed": 1.1}
        events.row(9, {"type": "cell_failed", "cell": "c1", "failure": failure}, cause=key)

    tells(live, story)
    done = run("run", "x", "--json")
    assert done.code == 1
    assert (done.json["ok"], done.json["failure"]["type"]) == (False, "timed_out")


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        ({"type": "cell_failed", "failure": {"type": "timed_out", "limit": 2}}, "longer than 2 s"),
        ({"type": "cell_cancelled"}, "stopped by ann"),
        ({"type": "cell_withdrawn", "reason": "the session was reset"}, "session was reset"),
    ],
)
def test_other_ends_are_told(run: Run, live: FakeDaemon, ending: dict[str, Any], says: str) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.row(9, {"cell": "c1", **ending}, cause=key)

    tells(live, story)
    done = run("run", "x")
    assert (done.code, done.out) == (1, "")
    assert says in done.err


def test_code_waits_for_its_turn_and_says_for_what(run: Run, live: FakeDaemon) -> None:
    current = {"cell": "c0", "code": "slow()", "origin": {"actor": "agent", "name": "bot"}}
    viewed = {"value": {"session": SESSION, "current": current}, "seq": 7}
    live.on(f"GET /sessions/{SESSION}", viewed)

    def story(events: Events, key: str) -> None:
        events.row(8, {"type": "cell_queued", "cell": "c1", "code": "x"}, cause=key)
        events.row(9, {"type": "cell_finished", "cell": "c0", "duration": 1}, cause="other")
        events.row(10, {"type": "cell_started", "cell": "c1", "code": "x"}, cause=key)
        events.row(11, finished(value="1", value_type="int"), cause=key)

    tells(live, story)
    done = run("run", "x")
    assert (done.code, done.out) == (0, "1\n")
    assert done.err == "waiting: the session runs c0 of bot: slow()\n"


def test_what_is_too_large_for_an_event_is_fetched(run: Run, live: FakeDaemon) -> None:
    live.does(
        "GET /blobs/aa",
        lambda _: answer(
            b'[{"type":"stream_text","stream":"stdout","text":{"sha256":"bb","size":9}}]'
        ),
    )
    live.does("GET /blobs/bb", lambda _: answer(b"much text\n"))
    live.does("GET /blobs/cc", lambda _: answer(b"[1, 2, 3]"))

    def story(events: Events, key: str) -> None:
        started(events, key)
        value = {"sha256": "cc", "size": 9}
        events.row(9, finished(value=value, outputs={"sha256": "aa", "size": 9}), cause=key)

    tells(live, story)
    done = run("run", "x")
    assert (done.code, done.out) == (0, "much text\n[1, 2, 3]\n")


def test_an_end_that_is_not_saved_yet_is_an_end(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        warning = {"type": "store_warning", "unsaved": 1, "message": "the store is down"}
        events.progress(warning)
        row = '{"seq":0,"cause":"%s","event":{"type":"cell_finished","cell":"c1","value":"3"}}'
        events.progress({"type": "event_unsaved", "json": row % key})

    tells(live, story)
    done = run("run", "x")
    assert (done.code, done.out) == (0, "3\n")
    assert "warning: the store is down" in done.err


def test_what_comes_late_is_shown_to_who_lingers(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.row(9, finished(), cause=key)
        late = {"type": "cell_output_added", "cell": "c1", "outputs": [printed("late\n")]}
        events.row(10, late)

    tells(live, story)
    assert run("run", "x", "--linger", "0.2").out == "late\n"
    assert run("run", "x").out == ""


def test_what_the_session_refuses_is_told(run: Run, live: FakeDaemon) -> None:
    live.does(COMMANDS, lambda _: refusal("not_now", state="faulted", available=["reset_session"]))
    done = run("run", "x", "--json")
    assert done.code == 4
    assert done.json["error"]["available"] == ["reset_session"]


def test_a_repetition_of_what_was_taken_is_no_refusal(run: Run, live: FakeDaemon) -> None:
    def taken(seen: Seen) -> bytes:
        key = seen.headers["idempotency-key"]
        events = live.events(f"/sessions/{SESSION}/events")
        started(events, key)
        events.row(9, finished(), cause=key)
        return refusal("duplicate_command")

    live.does(COMMANDS, taken)
    assert run("run", "x").code == 0


def test_code_whose_output_nobody_reads_is_stopped(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.progress(chunk("hello\n"))

    def unread(_: CellOutput, __: str, ___: str) -> None:
        raise BrokenPipeError

    tells(live, story)
    monkeypatch.setattr(CellOutput, "chunk", unread)
    with pytest.raises(BrokenPipeError):
        run("run", "while True: print()")
    assert live.asked(COMMANDS)[-1].body == {"type": "cancel_cell", "cell": "c1"}


def test_code_comes_from_stdin(run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.row(9, finished(), cause=key)

    tells(live, story)
    for words in ([], ["-"]):
        raw = io.BytesIO("\ufeffx = 'é'\n".encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw, "ascii"))
        assert run("run", *words).code == 0
        assert live.asked(COMMANDS)[-1].body["code"] == "x = 'é'\n"
        assert "may_ask" not in live.asked(COMMANDS)[-1].body


@pytest.mark.parametrize("raw", [b"", b"  \n", b"\xff\xfe"])
def test_what_is_no_code_is_told(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch, raw: bytes
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    done = run("run")
    assert done.code == 2
    assert "hint: " in done.err
    assert live.seen == []


def test_without_a_daemon_and_without_leave_to_start_one_it_ends(run: Run) -> None:
    done = run("run", "1", "--no-start")
    assert (done.code, done.out) == (3, "")


def test_what_failed_is_taken_back_if_that_is_wanted(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        failure = {"type": "code_raised", "name": "ValueError", "message": "no", "traceback": ""}
        failed = {"type": "cell_failed", "cell": "c1", "failure": failure, "undone": True}
        events.row(9, failed, cause=key)

    tells(live, story)
    done = run("run", "f()", "--on-error", "undo")
    assert done.code == 1
    assert done.err.endswith("what it did to the interpreter was taken back\n")
    assert live.asked(COMMANDS)[-1].body["on_error"] == "undo"
    assert run("run", "f()", "--on-error", "undo", "--json").json["undone"] is True
    wrong = run("run", "f()", "--on-error", "panic")
    assert wrong.code == 2
    assert "one of: undo, keep" in wrong.err


def test_a_cell_that_cannot_be_taken_back_says_so(run: Run, live: FakeDaemon) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        events.row(9, {"type": "cell_not_kept", "cell": "c1", "obstacles": ["a socket is open"]})
        events.row(10, finished(), cause=key)

    tells(live, story)
    done = run("run", "x")
    assert done.code == 0
    assert done.err == "note: c1 cannot be taken back: a socket is open\n"
    assert "outcome" in run("run", "x", "--json").json
