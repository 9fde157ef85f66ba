"""A cell that is stopped from here, or asks."""

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.clients.cli.fake_daemon import Events, FakeDaemon, Seen, answer, refusal

from hearth.clients.cli.cell import RunningCell
from hearth.clients.cli.cell_output import CellOutput
from hearth.clients.cli.messages import Answer
from hearth.clients.cli.pressing import Presses
from hearth.clients.cli.server_sent import Sent
from hearth.clients.cli.wire import Wire

LIMIT = 30.0
SESSION = "session-a1b2c3"
EVENTS = f"/sessions/{SESSION}/events"
COMMANDS = f"POST /sessions/{SESSION}/commands"
ENDED = {"type": "cell_cancelled", "cell": "c1"}


@pytest.fixture
def live(daemon: FakeDaemon) -> FakeDaemon:
    daemon.on(f"GET /sessions/{SESSION}", {"value": {"session": SESSION}, "seq": 7})
    daemon.events(EVENTS)
    return daemon


def taking(live: FakeDaemon, does: dict[str, Callable[[Seen, str], bytes | None]]) -> None:
    """By the type of a command, what happens when it comes; the answer is 202 unless it is told."""
    keys: list[str] = []

    def taken(seen: Seen) -> bytes:
        keys.append(seen.headers["idempotency-key"])
        made = does[seen.body["type"]](seen, keys[0])
        return made or answer({"id": keys[-1], "session": SESSION, "seq": 8}, 202)

    live.does(COMMANDS, taken)


def interrupted(monkeypatch: pytest.MonkeyPatch, cell: RunningCell, times: int = 1) -> RunningCell:
    """Ctrl-C is pressed so often while it is followed, once it runs."""
    left, real = [None] * times, cell._following.next

    def pressed(patience: float | None = None) -> Sent | None:
        if cell.cell and left:
            left.pop()
            signal.raise_signal(signal.SIGINT)
        return real(patience)

    monkeypatch.setattr(cell._following, "next", pressed)
    return cell


def commands(live: FakeDaemon) -> list[dict[str, Any]]:
    return [one.body for one in live.asked(COMMANDS)]


@pytest.fixture
def presses() -> Iterator[Presses]:
    with Presses() as made:
        yield made


@pytest.fixture
def cell(live: FakeDaemon, presses: Presses) -> Iterator[RunningCell]:
    made = RunningCell(Wire(live.found, "ann"), SESSION, presses)
    yield made
    made.close()


def test_the_first_interruption_stops_the_code_and_waits_for_its_end(
    live: FakeDaemon, cell: RunningCell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "cell_started", "cell": "c1"}, cause=key)

    def stop(_: Seen, key: str) -> None:
        live.events(EVENTS).row(9, {"type": "cell_cancel_requested", "cell": "c1"}, cause="x")
        live.events(EVENTS).row(10, ENDED, cause=key)

    taking(live, {"run_cell": start, "cancel_cell": stop})
    interrupted(monkeypatch, cell)
    cell.submit({"type": "run_cell", "code": "x"})
    cell.follow()
    assert cell.is_stopped
    assert cell.ending is not None
    assert cell.ending["type"] == "cell_cancelled"
    assert commands(live)[1:] == [{"type": "cancel_cell", "cell": "c1"}]


def test_an_interruption_before_the_cell_is_known_stops_it_once_it_is(
    live: FakeDaemon, cell: RunningCell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "cell_started", "cell": "c1"}, cause=key)

    def stop(_: Seen, key: str) -> None:
        live.events(EVENTS).row(9, ENDED, cause=key)

    taking(live, {"run_cell": start, "cancel_cell": stop})
    real = cell._post

    def pressed(command: dict[str, Any], key: str) -> Answer:
        signal.raise_signal(signal.SIGINT)
        monkeypatch.setattr(cell, "_post", real)
        return real(command, key)

    monkeypatch.setattr(cell, "_post", pressed)
    cell.submit({"type": "run_cell", "code": "x"})
    cell.follow()
    assert cell.is_stopped
    assert commands(live)[-1] == {"type": "cancel_cell", "cell": "c1"}


def test_a_cell_that_ends_just_then_is_no_trouble(
    live: FakeDaemon, cell: RunningCell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "cell_started", "cell": "c1"}, cause=key)

    def stop(_: Seen, key: str) -> bytes:
        live.events(EVENTS).row(9, {"type": "cell_finished", "cell": "c1"}, cause=key)
        return refusal("not_now")

    taking(live, {"run_cell": start, "cancel_cell": stop})
    interrupted(monkeypatch, cell)
    cell.submit({"type": "run_cell", "code": "x"})
    cell.follow()
    assert cell.ending is not None
    assert cell.ending["type"] == "cell_finished"


def test_the_second_interruption_leaves_at_once(
    live: FakeDaemon, cell: RunningCell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "cell_started", "cell": "c1"}, cause=key)

    taking(live, {"run_cell": start, "cancel_cell": lambda _, __: None})
    interrupted(monkeypatch, cell, times=2)
    cell.submit({"type": "run_cell", "code": "x"})
    with pytest.raises(KeyboardInterrupt):
        cell.follow()
    assert cell.ending is None


def test_code_that_does_not_stop_is_left(
    live: FakeDaemon,
    cell: RunningCell,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(RunningCell, "stopping", 0.01)

    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "cell_started", "cell": "c1"}, cause=key)

    taking(live, {"run_cell": start, "cancel_cell": lambda _, __: None})
    interrupted(monkeypatch, cell)
    cell.submit({"type": "run_cell", "code": "x"})
    with pytest.raises(KeyboardInterrupt):
        cell.follow()
    assert "c1 did not stop" in capsys.readouterr().err


class Terminal(io.TextIOWrapper):
    """A stdin with a descriptor, into which a test types."""

    def __init__(self) -> None:
        reading, self.typing = os.pipe()
        super().__init__(os.fdopen(reading, "rb"), "utf-8")

    def type(self, text: str) -> None:
        os.write(self.typing, text.encode())

    def hang_up(self) -> None:
        os.close(self.typing)


def asking(live: FakeDaemon) -> None:
    def start(_: Seen, key: str) -> None:
        events = live.events(EVENTS)
        events.row(8, {"type": "cell_started", "cell": "c1"}, cause=key)
        events.row(9, {"type": "input_requested", "cell": "c1", "prompt": "name? "})

    def taken(_: Seen, key: str) -> None:
        events = live.events(EVENTS)
        events.row(10, {"type": "input_answered", "cell": "c1", "text": "ann"})
        events.row(11, {"type": "cell_finished", "cell": "c1"}, cause=key)

    taking(live, {"run_cell": start, "answer_input": taken, "cancel_cell": taken})


def test_what_code_asks_is_answered_from_here(
    live: FakeDaemon,
    cell: RunningCell,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asking(live)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", terminal)
    terminal.type("ann é\n")
    cell.submit({"type": "run_cell", "code": "x", "may_ask": True})
    cell.follow()
    assert commands(live)[1] == {"type": "answer_input", "text": "ann é", "cell": "c1"}
    assert capsys.readouterr().err == "name? "
    terminal.hang_up()
    terminal.close()


def test_an_end_of_input_stops_the_code(
    live: FakeDaemon,
    cell: RunningCell,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asking(live)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", terminal)
    terminal.hang_up()
    cell.submit({"type": "run_cell", "code": "x", "may_ask": True})
    cell.follow()
    assert commands(live)[1] == {"type": "cancel_cell", "cell": "c1"}
    assert "input has ended" in capsys.readouterr().err
    terminal.close()


def test_somebody_else_may_answer(
    live: FakeDaemon,
    cell: RunningCell,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def start(_: Seen, key: str) -> None:
        events = live.events(EVENTS)
        events.row(8, {"type": "cell_started", "cell": "c1"}, cause=key)
        events.row(9, {"type": "input_requested", "cell": "c1", "prompt": "name? "})
        bot = {"actor": "agent", "name": "bot"}
        events.row(10, {"type": "input_answered", "cell": "c1", "text": "x"}, origin=bot)
        events.row(11, {"type": "cell_finished", "cell": "c1"}, cause=key)

    taking(live, {"run_cell": start})
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", terminal)
    cell.submit({"type": "run_cell", "code": "x", "may_ask": True})
    cell.follow()
    assert "answered by bot" in capsys.readouterr().err
    assert len(commands(live)) == 1
    terminal.hang_up()
    terminal.close()


def test_a_question_that_was_heard_before_it_was_stored_is_asked_once(
    live: FakeDaemon,
    cell: RunningCell,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def start(_: Seen, key: str) -> None:
        events = live.events(EVENTS)
        events.row(8, {"type": "cell_started", "cell": "c1"}, cause=key)
        asks = {"type": "input_requested", "cell": "c1", "prompt": "name? "}
        unsaved = {"id": "e9", "cause": key, "event": asks}
        events.progress({"type": "event_unsaved", "json": json.dumps(unsaved)})
        events.row(9, asks)
        events.row(10, {"type": "cell_finished", "cell": "c1"}, cause=key)

    taking(live, {"run_cell": start})
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", terminal)
    cell.submit({"type": "run_cell", "code": "x", "may_ask": True})
    cell.follow()
    assert capsys.readouterr().err == "name? "
    terminal.hang_up()
    terminal.close()


def test_over_a_restart_of_the_daemon_the_output_is_whole(
    live: FakeDaemon, cell: RunningCell, capsys: pytest.CaptureFixture[str]
) -> None:
    def chunk(text: str) -> dict[str, Any]:
        return {"type": "output_chunk", "cell": "c1", "stream": "stdout", "text": text}

    def start(_: Seen, key: str) -> None:
        before = live.events(EVENTS)
        before.row(8, {"type": "cell_started", "cell": "c1"}, cause=key)
        before.progress(chunk("one\n"))
        before.end()
        after = live.streams[EVENTS] = Events()
        after.progress(chunk("three\n"))
        outputs = [{"type": "stream_text", "stream": "stdout", "text": "one\ntwo\nthree\n"}]
        after.row(9, {"type": "cell_finished", "cell": "c1", "outputs": outputs}, cause=key)

    taking(live, {"run_cell": start})
    cell.output = CellOutput(cell.fetch)
    cell.submit({"type": "run_cell", "code": "x"})
    cell.follow()
    assert cell.ending is not None
    cell.output.close(cell.outputs_of(cell.ending), 0)
    assert capsys.readouterr().out == "one\ntwo\nthree\n"
    assert live.events(EVENTS).after == "after=8"


@pytest.mark.parametrize(
    ("status", "says"),
    [
        ({"state": "warming_up"}, "the session is warming up"),
        ({"state": "ready"}, "the session is busy"),
        ({"current": {"cell": "c7", "code": "f()"}}, "the session runs c7 of somebody: f()"),
    ],
)
def test_what_is_waited_for_is_told(
    live: FakeDaemon,
    presses: Presses,
    capsys: pytest.CaptureFixture[str],
    status: dict[str, Any],
    says: str,
) -> None:
    live.on(f"GET /sessions/{SESSION}", {"value": {"session": SESSION, **status}, "seq": 7})

    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "cell_queued", "cell": "c1"}, cause=key)
        live.events(EVENTS).row(9, {"type": "cell_finished", "cell": "c1"}, cause=key)

    taking(live, {"run_cell": start})
    cell = RunningCell(Wire(live.found, "ann"), SESSION, presses)
    cell.output = CellOutput(cell.fetch)
    cell.submit({"type": "run_cell", "code": "x"})
    cell.follow()
    assert capsys.readouterr().err == f"waiting: {says}\n"
    cell.close()


def test_ctrl_c_is_heard_while_output_floods_in(live: FakeDaemon, cell: RunningCell) -> None:
    ended = threading.Event()

    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "cell_started", "cell": "c1"}, cause=key)
        for _number in range(500):
            live.events(EVENTS).progress({"type": "output_chunk", "cell": "c1", "text": "y"})

    def stop(_: Seen, key: str) -> None:
        ended.set()
        live.events(EVENTS).row(9, ENDED, cause=key)

    class Pressing(CellOutput):
        def chunk(self, stream: str, text: str) -> None:
            if not cell.is_stopped:
                signal.raise_signal(signal.SIGINT)
            assert (stream, text) == ("None", "y")

    taking(live, {"run_cell": start, "cancel_cell": stop})
    cell.output = Pressing(cell.fetch)
    cell.submit({"type": "run_cell", "code": "x"})
    cell.follow()
    assert ended.is_set()
    assert cell.is_stopped


def test_ctrl_c_ends_lingering(live: FakeDaemon, cell: RunningCell) -> None:
    def start(_: Seen, key: str) -> None:
        live.events(EVENTS).row(8, {"type": "cell_started", "cell": "c1"}, cause=key)
        live.events(EVENTS).row(9, {"type": "cell_finished", "cell": "c1"}, cause=key)

    taking(live, {"run_cell": start})
    cell.submit({"type": "run_cell", "code": "x"})
    cell.follow()
    signal.raise_signal(signal.SIGINT)
    cell.linger(LIMIT)
    assert not cell.is_stopped
