"""A turn that is followed, answered and stopped from here."""

import json
import os
import pty
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.clients.cli.fake_daemon import Events, FakeDaemon, Seen, refusal
from tests.clients.cli.turns import (
    EVENTS,
    SESSION,
    commands,
    delta,
    finished,
    listed,
    row,
    sealed,
    started,
    taking,
    tells,
    text,
)

from hearth.clients.cli import approving, followed
from hearth.clients.cli.asking import AskedTurn
from hearth.clients.cli.messages import Answer
from hearth.clients.cli.pressing import Presses
from hearth.clients.cli.server_sent import Sent
from hearth.clients.cli.troubles import Trouble
from hearth.clients.cli.wire import Wire

SEND = {"type": "send_message", "text": "hi"}


class Told:
    """Remembers what it was shown."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.pieces: list[str] = []
        self.raw: list[str] = []
        self.said: list[str] = []
        self.is_asking = False

    def event(self, envelope: dict[str, Any], raw: str) -> None:
        self.events.append(envelope["event"]["type"])
        self.raw.append(raw)

    def progress(self, progress: dict[str, Any], raw: str) -> None:
        self.pieces.append(progress.get("text") or progress["type"])
        self.raw.append(raw)

    def tell(self, text: str) -> None:
        self.said.append(text)

    def tick(self) -> float | None:
        return None

    def pause(self) -> None:
        self.events.append("paused")

    def close(self) -> None:
        self.events.append("closed")


@pytest.fixture
def live(daemon: FakeDaemon) -> FakeDaemon:
    listed(daemon, row("/work"))
    return daemon


@pytest.fixture
def presses() -> Iterator[Presses]:
    with Presses() as made:
        yield made


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def turn(live: FakeDaemon, presses: Presses, told: Told) -> Iterator[AskedTurn]:
    made = AskedTurn(Wire(live.found, "ann"), SESSION, 7, presses)
    made.show = told
    yield made
    made.close()


def interrupted(monkeypatch: pytest.MonkeyPatch, turn: AskedTurn, times: int = 1) -> None:
    """Ctrl-C is pressed so often while it is followed, once something is known of it."""
    left, real = [None] * times, turn._following.next

    def pressed(patience: float | None = None) -> Sent | None:
        if (turn.turn or turn.message) and left:
            left.pop()
            signal.raise_signal(signal.SIGINT)
        return real(patience)

    monkeypatch.setattr(turn._following, "next", pressed)


def test_a_turn_is_followed_from_its_beginning_to_its_end(
    live: FakeDaemon, turn: AskedTurn, told: Told
) -> None:
    def story(events: Events, key: str) -> None:
        events.row(8, {"type": "cell_started", "cell": "c9"}, cause="other")
        started(events, key, 9)
        events.progress(delta("not ours", turn="t0"))
        events.progress(delta("ours"))
        events.row(11, text("ours"), cause=key)
        tool = {"type": "tool_started", "turn": "t1", "call": "k1", "name": "x", "cell": "c1"}
        events.row(12, tool, cause=key)
        events.row(13, {"type": "cell_started", "cell": "c1"}, cause=f"{key}.k1")
        events.progress({"type": "output_chunk", "cell": "c1", "text": "from the cell"})
        events.progress({"type": "tool_output", "call": "k1", "text": "from the tool"})
        events.progress({"type": "progress_dropped", "count": 2})
        events.row(14, finished(), cause=key)

    tells(live, story)
    turn.submit(SEND)
    turn.follow()
    assert turn.turn == "t1"
    assert turn.ending is not None
    assert turn.ending["end"] == "done"
    assert told.events == [
        "turn_started",
        "model_asked",
        "block_sealed",
        "tool_started",
        "cell_started",
        "turn_finished",
    ]
    assert told.pieces == ["ours", "from the cell", "from the tool", "progress_dropped"]
    assert json.loads(told.raw[0])["seq"] == 9


def test_a_message_that_waits_is_followed_into_the_turn_that_hears_it(
    live: FakeDaemon, turn: AskedTurn, told: Told
) -> None:
    def story(events: Events, key: str) -> None:
        events.row(8, {"type": "message_queued", "message": "m4", "text": "hi"}, cause=key)
        events.progress(delta("to somebody else", turn="t3"))
        events.row(9, text("to somebody else", "t3"), cause="other")
        delivered = {"type": "message_delivered", "message": "m4", "turn": "t3", "block": "b9"}
        events.row(10, delivered, cause=key)
        events.progress(delta("to both", turn="t3"))
        events.row(11, text("to both", "t3"), cause="other")
        events.row(12, finished(turn="t3"), cause="other")

    tells(live, story)
    turn.submit(SEND)
    turn.follow()
    assert (turn.message, turn.turn) == ("m4", "t3")
    assert told.pieces == ["to both"]
    assert told.events.count("block_sealed") == 1


def test_a_message_that_somebody_takes_back_ends_there(live: FakeDaemon, turn: AskedTurn) -> None:
    def story(events: Events, key: str) -> None:
        events.row(8, {"type": "message_queued", "message": "m4"}, cause=key)
        withdrawn = {"type": "message_withdrawn", "message": "m4", "reason": "taken back"}
        events.row(9, withdrawn, cause="other")

    tells(live, story)
    turn.submit(SEND)
    turn.follow()
    assert turn.ending is not None
    assert (turn.ending["end"], turn.ending["why"]) == ("cancelled", "taken back")


@pytest.mark.promise("LK-CANC-02")
def test_the_first_interruption_cancels_the_turn_and_waits_for_its_end(
    live: FakeDaemon, turn: AskedTurn, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    def cancel(_: Seen, key: str) -> None:
        events = live.events(EVENTS)
        events.row(10, {"type": "turn_cancel_requested", "turn": "t1"}, cause="x")
        events.row(11, text("as far as it came"), cause=key)
        events.row(12, finished("cancelled"), cause=key)

    taking(
        live,
        {"send_message": lambda _, key: started(live.events(EVENTS), key), "cancel_turn": cancel},
    )
    interrupted(monkeypatch, turn)
    turn.submit(SEND)
    turn.follow()
    assert turn.is_stopped
    assert turn.ending is not None
    assert turn.ending["end"] == "cancelled"
    assert commands(live)[1:] == [{"type": "cancel_turn", "turn": "t1"}]
    assert "turn_cancel_requested" in told.events
    assert told.events[-1] == "turn_finished"


def test_the_second_interruption_leaves_at_once(
    live: FakeDaemon, turn: AskedTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    taking(
        live,
        {
            "send_message": lambda _, key: started(live.events(EVENTS), key),
            "cancel_turn": lambda _, __: None,
        },
    )
    interrupted(monkeypatch, turn, times=2)
    turn.submit(SEND)
    with pytest.raises(KeyboardInterrupt):
        turn.follow()
    assert turn.ending is None


def test_a_message_that_still_waits_is_taken_back(
    live: FakeDaemon, turn: AskedTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def queue(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "message_queued", "message": "m1"}, cause=key)

    def withdraw(_: Seen, key: str) -> None:
        del key
        withdrawn = {"type": "message_withdrawn", "message": "m1"}
        live.events(EVENTS).row(9, withdrawn, cause="x")

    taking(live, {"send_message": queue, "withdraw_message": withdraw})
    interrupted(monkeypatch, turn)
    turn.submit(SEND)
    turn.follow()
    assert commands(live)[1:] == [{"type": "withdraw_message", "message": "m1"}]
    assert turn.ending is not None
    assert "taken back" in turn.ending["why"]


def test_a_message_that_was_heard_just_then_is_cancelled_with_its_turn(
    live: FakeDaemon, turn: AskedTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def queue(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "message_queued", "message": "m1"}, cause=key)

    def too_late(_: Seen, key: str) -> bytes:
        delivered = {"type": "message_delivered", "message": "m1", "turn": "t2"}
        live.events(EVENTS).row(9, delivered, cause=key)
        return refusal("not_now")

    def cancel(_: Seen, key: str) -> None:
        live.events(EVENTS).row(10, finished("cancelled", "t2"), cause=key)

    taking(live, {"send_message": queue, "withdraw_message": too_late, "cancel_turn": cancel})
    interrupted(monkeypatch, turn)
    turn.submit(SEND)
    turn.follow()
    assert commands(live)[2:] == [{"type": "cancel_turn", "turn": "t2"}]


def test_an_interruption_before_the_turn_is_known_cancels_it_once_it_is(
    live: FakeDaemon, turn: AskedTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancel(_: Seen, key: str) -> None:
        live.events(EVENTS).row(10, finished("cancelled"), cause=key)

    taking(
        live,
        {"send_message": lambda _, key: started(live.events(EVENTS), key), "cancel_turn": cancel},
    )
    real = turn._post

    def pressed(command: dict[str, Any], key: str) -> Answer:
        signal.raise_signal(signal.SIGINT)
        monkeypatch.setattr(turn, "_post", real)
        return real(command, key)

    monkeypatch.setattr(turn, "_post", pressed)
    turn.submit(SEND)
    turn.follow()
    assert turn.is_stopped
    assert commands(live)[-1] == {"type": "cancel_turn", "turn": "t1"}


def test_a_turn_that_does_not_stop_is_left(
    live: FakeDaemon, turn: AskedTurn, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    monkeypatch.setattr(AskedTurn, "stopping", 0.01)
    taking(
        live,
        {
            "send_message": lambda _, key: started(live.events(EVENTS), key),
            "cancel_turn": lambda _, __: None,
        },
    )
    interrupted(monkeypatch, turn)
    turn.submit(SEND)
    with pytest.raises(KeyboardInterrupt):
        turn.follow()
    assert "did not stop" in told.said[-1]


ASKS = {
    "type": "approval_requested",
    "turn": "t1",
    "approval": "a1",
    "calls": ["k1"],
    "why": "the same call, three times",
}
ALLOWED = {"type": "approval_answered", "approval": "a1", "answer": "once"}


def waiting(live: FakeDaemon) -> None:
    """The agent waits for a person, and goes on once it is answered."""

    def start(_: Seen, key: str) -> None:
        started(live.events(EVENTS), key)
        live.events(EVENTS).row(10, ASKS, cause=key)

    def answered(_: Seen, key: str) -> None:
        live.events(EVENTS).row(11, ALLOWED, cause="another")
        live.events(EVENTS).row(12, finished(), cause=key)

    taking(live, {"send_message": start, "answer_approval": answered})


@contextmanager
def typing(typed: bytes) -> Iterator[None]:
    """A terminal is our stdin, and this was typed in it."""
    keyboard, screen = pty.openpty()
    with os.fdopen(screen, encoding="utf-8") as stdin, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        # It is there before the question is, and must not be forgotten with it.
        patch.setattr(approving, "forget_typed", lambda _: None)
        os.write(keyboard, typed)
        yield
    os.close(keyboard)


def test_a_person_is_asked_and_the_answer_sent(
    live: FakeDaemon, turn: AskedTurn, told: Told
) -> None:
    waiting(live)
    turn.can_approve = True
    with typing(b"yes just this once\n"):
        turn.submit(SEND)
        turn.follow()
    assert commands(live)[1:] == [
        {
            "type": "answer_approval",
            "approval": "a1",
            "answer": "once",
            "text": "just this once",
        }
    ]
    assert turn.ending is not None
    assert turn.waits_for == {}
    assert "approval_answered" in told.events


def test_where_nobody_can_be_asked_it_ends_while_the_agent_waits(
    live: FakeDaemon, turn: AskedTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "LOOK", 10_000.0)  # it ends at once, or never
    waiting(live)
    turn.submit(SEND)
    turn.follow()
    assert turn.ending is None
    assert list(turn.waits_for) == ["a1"]
    assert turn.waits_for["a1"]["why"] == ASKS["why"]
    assert len(commands(live)) == 1


QUEUED = {"type": "message_queued", "message": "m4"}
DELIVERED = {"type": "message_delivered", "message": "m4", "turn": "t1", "block": "b9"}


def busy(live: FakeDaemon, *approvals: dict[str, Any]) -> None:
    """The agent is in the middle of another's turn, in which it asks for these."""
    now = {"turn": "t1", "approvals": list(approvals)}
    live.on(f"GET /sessions/{SESSION}/views/conversation", {"value": {"now": now}, "seq": 8})


def test_who_waits_behind_a_question_is_told_of_it(live: FakeDaemon, turn: AskedTurn) -> None:
    busy(live, ASKS)
    tells(live, lambda events, key: events.row(8, QUEUED, cause=key))
    turn.submit(SEND)
    turn.follow()
    assert turn.ending is None
    assert list(turn.waits_for) == ["a1"]


def test_who_waits_behind_a_turn_is_asked_what_it_asks_and_then_heard(
    live: FakeDaemon, turn: AskedTurn, told: Told
) -> None:
    busy(live)

    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, QUEUED, cause=key)
        live.events(EVENTS).row(9, {**ASKS, "turn": "t0"}, cause="another's")
        live.events(EVENTS).row(10, {**ASKS, "approval": "a2"}, cause="other")

    def answered(_: Seen, key: str) -> None:
        live.events(EVENTS).row(11, {**ALLOWED, "approval": "a2"}, cause="answer")
        live.events(EVENTS).row(12, DELIVERED, cause=key)
        live.events(EVENTS).row(13, finished(), cause="other")

    taking(live, {"send_message": start, "answer_approval": answered})
    turn.can_approve = True
    with typing(b"y\n"):
        turn.submit(SEND)
        turn.follow()
    assert [one["approval"] for one in commands(live)[1:]] == ["a2"]
    assert turn.ending is not None
    assert told.events.count("approval_requested") == 1


def test_what_was_asked_in_a_turn_that_is_over_is_asked_no_more(
    live: FakeDaemon, turn: AskedTurn
) -> None:
    busy(live, ASKS)

    def story(events: Events, key: str) -> None:
        with events.at_once():
            events.row(8, QUEUED, cause=key)
            events.row(9, finished("cancelled"), cause="other")
            events.row(10, {"type": "turn_started", "turn": "t2"}, cause=key)
            events.row(11, {**DELIVERED, "turn": "t2"}, cause=key)
            events.row(12, finished(turn="t2"), cause=key)

    tells(live, story)
    turn.submit(SEND)
    turn.follow()
    assert (turn.turn, turn.waits_for) == ("t2", {})
    assert turn.ending is not None
    assert turn.ending["end"] == "done"


def test_who_stops_it_is_asked_nothing_more(
    live: FakeDaemon, turn: AskedTurn, told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(_: Seen, key: str) -> None:
        started(live.events(EVENTS), key)
        live.events(EVENTS).row(10, ASKS, cause=key)

    def cancelled(_: Seen, key: str) -> None:
        live.events(EVENTS).row(11, text("not run"), cause=key)
        live.events(EVENTS).row(12, finished("cancelled"), cause=key)

    taking(live, {"send_message": start, "cancel_turn": cancelled})
    turn.can_approve = True
    real = told.event

    def event(envelope: dict[str, Any], raw: str) -> None:
        told.is_asking = False
        real(envelope, raw)

    told.event = event  # type: ignore[method-assign]  # each line is one that is told
    with typing(b""):
        turn.submit(SEND)
        while turn._question is None:
            turn._step()
        signal.raise_signal(signal.SIGINT)
        turn.follow()
    assert turn.ending is not None
    assert capsys.readouterr().err.count("let it go on?") == 1
    assert told.said == [""]


def test_who_hangs_up_leaves_the_agent_waiting(live: FakeDaemon, turn: AskedTurn) -> None:
    waiting(live)
    turn.can_approve = True
    with typing(b"\x04"):
        turn.submit(SEND)
        turn.follow()
    assert turn.ending is None
    assert list(turn.waits_for) == ["a1"]
    assert turn.waits_for["a1"]["why"] == ASKS["why"]


def test_another_may_answer_first(live: FakeDaemon, turn: AskedTurn, told: Told) -> None:
    def start(_: Seen, key: str) -> None:
        events = live.events(EVENTS)
        started(events, key)
        events.row(10, ASKS, cause=key)
        events.row(11, ALLOWED, cause="bob's")
        events.row(12, finished(), cause=key)

    taking(live, {"send_message": start})
    turn.can_approve = True
    with typing(b""):
        turn.submit(SEND)
        turn.follow()
    assert turn.ending is not None
    assert "approval_answered" in told.events


def asks(name: str, **more: Any) -> dict[str, Any]:
    return {**ASKS, "approval": name, "name": "run_shell", "details": f"$ make {name}", **more}


def answers(name: str, answer: str = "once", **more: Any) -> dict[str, Any]:
    return {"type": "approval_answered", "approval": name, "answer": answer, **more}


@pytest.mark.promise("DL-APPR-01")
def test_several_things_are_asked_one_after_the_other(
    live: FakeDaemon, turn: AskedTurn, capsys: pytest.CaptureFixture[str]
) -> None:
    events = live.events(EVENTS)
    offers = [{"permission": "execute", "pattern": "make *"}]

    def start(_: Seen, key: str) -> None:
        started(events, key)
        events.row(10, asks("a1"), cause=key, origin={"actor": "agent", "name": "weaver"})
        events.row(11, asks("a2", offers=offers), cause=key)

    def answered(seen: Seen, key: str) -> None:
        name = seen.body["approval"]
        events.row(11 + int(name[1:]), answers(name), cause="x")
        if name == "a2":
            events.row(14, finished(), cause=key)

    taking(live, {"send_message": start, "answer_approval": answered})
    turn.can_approve = True
    with typing(b"y\ns\n"):
        turn.submit(SEND)
        turn.follow()
    first, second = commands(live)[1:]
    assert (first["approval"], first["answer"]) == ("a1", "once")
    assert (second["approval"], second["answer"]) == ("a2", "session")
    assert second["patterns"] == ["make *"]
    shown = capsys.readouterr().err
    assert "a1 · weaver wants to use run_shell" in shown
    assert shown.index("$ make a1") < shown.index("$ make a2")
    assert turn.ending is not None


def test_what_is_answered_with_another_is_not_asked(
    live: FakeDaemon, turn: AskedTurn, capsys: pytest.CaptureFixture[str]
) -> None:
    events = live.events(EVENTS)

    def start(_: Seen, key: str) -> None:
        started(events, key)
        events.row(10, asks("a1"), cause=key)
        events.row(11, asks("a2"), cause=key)

    def answered(_: Seen, key: str) -> None:
        events.row(12, answers("a1", "reject"), cause="x")
        events.row(13, answers("a2", "reject", because="a1"), cause="x")
        events.row(14, finished(), cause=key)

    taking(live, {"send_message": start, "answer_approval": answered})
    turn.can_approve = True
    with typing(b"n use the other one\n"):
        turn.submit(SEND)
        turn.follow()
    assert [one["type"] for one in commands(live)] == ["send_message", "answer_approval"]
    assert "$ make a2" not in capsys.readouterr().err
    assert turn.waits_for == {}


def test_what_was_said_no_to_with_another_is_not_asked_however_late_we_hear_of_it(
    live: FakeDaemon,
    turn: AskedTurn,
    told: Told,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = live.events(EVENTS)

    def start(_: Seen, key: str) -> None:
        started(events, key)
        events.row(10, asks("a1"), cause=key)
        events.row(11, asks("a2"), cause=key)

    def answered(_: Seen, _key: str) -> None:
        events.row(12, answers("a1", "reject"), cause="x")

    def tick() -> float | None:
        # Only once there was time to ask for what is left.
        if told.events.count("approval_answered") == 1:
            events.row(13, answers("a2", "reject", because="a1"), cause="x")
            events.row(14, finished(), cause=turn.key)
        return None

    taking(live, {"send_message": start, "answer_approval": answered})
    monkeypatch.setattr(told, "tick", tick)
    turn.can_approve = True
    with typing(b"n use the other one\n"):
        turn.submit(SEND)
        turn.follow()
    assert told.events.count("approval_answered") == 2
    assert "$ make a2" not in capsys.readouterr().err
    assert turn.ending is not None


def test_what_comes_while_a_question_stands_there_is_shown_and_it_is_put_again(
    live: FakeDaemon,
    turn: AskedTurn,
    told: Told,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = live.events(EVENTS)
    real = told.event

    def beside(envelope: dict[str, Any], raw: str) -> None:
        real(envelope, raw)
        if envelope["event"]["type"] == "block_sealed":
            told.is_asking = False

    monkeypatch.setattr(told, "event", beside)

    def start(_: Seen, key: str) -> None:
        started(events, key)
        tool = {"type": "tool_started", "turn": "t1", "call": "k9", "name": "run_shell"}
        events.row(10, tool, cause=key)
        events.row(11, asks("a1"), cause=key)

    taking(live, {"send_message": start})
    turn.can_approve = True

    with typing(b""):
        turn.submit(SEND)
        while turn._question is None:
            turn._step()
        assert told.is_asking
        events.progress({"type": "tool_output", "call": "k9", "text": "not into the question"})
        events.row(12, text("a result"), cause=turn.key)
        events.row(13, text("another"), cause=turn.key)
        while told.events.count("block_sealed") != 2 or not told.is_asking:
            turn._step()
        events.row(14, answers("a1"), cause="bob's")
        events.row(15, finished(), cause=turn.key)
        turn.follow()
    # Once for all that came; twice where the second of it came a moment later.
    assert capsys.readouterr().err.count("a1: allow it?") in {2, 3}
    assert "not into the question" not in told.pieces


def test_an_answer_that_came_too_late_is_no_trouble(live: FakeDaemon, turn: AskedTurn) -> None:
    events = live.events(EVENTS)

    def start(_: Seen, key: str) -> None:
        started(events, key)
        events.row(10, asks("a1"), cause=key)

    def late(_: Seen, key: str) -> bytes:
        events.row(11, answers("a1"), cause="bob's")
        events.row(12, finished(), cause=key)
        return refusal("not_now")

    taking(live, {"send_message": start, "answer_approval": late})
    turn.can_approve = True
    with typing(b"y\n"):
        turn.submit(SEND)
        turn.follow()
    assert turn.ending is not None


def test_a_turn_that_runs_already_is_joined(live: FakeDaemon, turn: AskedTurn, told: Told) -> None:
    events = live.events(EVENTS)
    events.row(8, text("for all", "t5"), cause="other")
    events.row(9, finished(turn="t5"), cause="other")
    turn.join("t5")
    turn.follow()
    assert told.events == ["block_sealed", "turn_finished"]


def test_a_daemon_that_comes_back_is_followed_on(
    live: FakeDaemon, turn: AskedTurn, told: Told
) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        live.streams[EVENTS] = Events()
        live.streams[EVENTS].row(10, text("after the restart"), cause=key)
        live.streams[EVENTS].row(11, finished(), cause=key)
        events.end()

    tells(live, story)
    turn.submit(SEND)
    turn.follow()
    assert turn.ending is not None
    assert told.pieces == ["progress_dropped"]
    assert live.streams[EVENTS].after == "after=9"


def test_the_branch_of_a_fork_is_waited_for(live: FakeDaemon, turn: AskedTurn) -> None:
    forked = {"type": "conversation_forked", "source": "session-0", "block": "b3"}
    live.events(EVENTS).row(8, forked, cause="create")
    turn.follow_until_branched()
    failing = {"type": "lookup_failed", "block": "b9", "why": "there is no block b9"}
    turn.branched = {}
    live.events(EVENTS).row(9, failing, cause="create")
    with pytest.raises(Trouble) as caught:
        turn.follow_until_branched()
    assert "there is no block b9" in caught.value.message
    assert caught.value.hint
    assert len(live.asked(f"DELETE /sessions/{SESSION}")) == 1


def test_views_are_had_over_the_same_wire(live: FakeDaemon, turn: AskedTurn) -> None:
    live.on(f"GET /sessions/{SESSION}/views/usage", {"value": {"missed": 0}, "seq": 9})
    assert turn.seen("usage") == {"missed": 0}
    assert turn.seen("nothing") == {}


def test_who_does_not_wait_follows_until_the_turn_is_known(
    live: FakeDaemon, turn: AskedTurn
) -> None:
    tells(live, started)
    turn.submit(SEND)
    turn.follow_until_known()
    assert (turn.turn, turn.message, turn.ending) == ("t1", "", None)


def test_blocks_of_others_are_not_ours(live: FakeDaemon, turn: AskedTurn, told: Told) -> None:
    def story(events: Events, key: str) -> None:
        events.row(8, sealed({"type": "text_block", "text": "x"}, turn=""), cause="other")
        started(events, key, 9)
        events.row(11, finished(), cause=key)

    tells(live, story)
    turn.submit(SEND)
    turn.follow()
    assert "block_sealed" not in told.events
