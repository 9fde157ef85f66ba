"""What a session does for us is followed and stopped alike, whatever it is."""

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from tests.clients.cli.fake_daemon import Events, FakeDaemon, refusal
from tests.clients.cli.turns import (
    EVENTS,
    SESSION,
    commands,
    finished,
    listed,
    row,
    started,
    taking,
    tells,
    text,
)

from hearth.clients.cli import followed
from hearth.clients.cli.followed import Followed
from hearth.clients.cli.pressing import Presses
from hearth.clients.cli.troubles import Trouble
from hearth.clients.cli.wire import Wire

SEND = {"type": "send_message", "text": "hi"}


class Watched(Followed):
    """Remembers what it heard; is known from its first event on, and over with its turn."""

    stopping = 0.01

    def __init__(self, wire: Wire, presses: Presses) -> None:
        super().__init__(wire, SESSION, 7, presses)
        self.events: list[str] = []
        self.pieces: list[str] = []
        self.said: list[str] = []

    def _happened(self, envelope: dict[str, Any], raw: str) -> None:
        assert json.loads(raw)
        event = envelope["event"]
        self.events.append(event["type"])
        if event["type"] == "turn_finished":
            self.ending = event

    def _goes_on(self, progress: dict[str, Any], raw: str) -> None:
        assert json.loads(raw)["progress"] == progress
        self.pieces.append(progress["type"])

    def _progress_lost(self) -> None:
        self.pieces.append("lost")

    def _stopping_command(self) -> dict[str, Any] | None:
        return {"type": "cancel_turn", "turn": "t1"} if self.events else None

    def _stubborn(self) -> str:
        return "it did not stop"

    def _tell(self, text: str) -> None:
        self.said.append(text)

    def _typed(self) -> None:
        raise AssertionError("nobody was asked anything")


@pytest.fixture
def live(daemon: FakeDaemon) -> FakeDaemon:
    listed(daemon, row("/work"))
    return daemon


@pytest.fixture
def watched(live: FakeDaemon) -> Iterator[Watched]:
    with Presses() as presses:
        made = Watched(Wire(live.found, "ann"), presses)
        yield made
        made.close()


def test_what_waits_for_the_store_is_heard_once(live: FakeDaemon, watched: Watched) -> None:
    def story(events: Events, key: str) -> None:
        started(events, key)
        stored = {"id": "e10", "cause": key, "event": text("kept on disk")}
        events.progress({"type": "store_warning", "unsaved": 1, "message": "the disk is full"})
        events.progress({"type": "event_unsaved", "json": json.dumps(stored)})
        events.row(10, text("kept on disk"), cause=key)
        events.row(11, finished(), cause=key)

    tells(live, story)
    watched.submit(SEND)
    watched.follow()
    assert watched.events == ["turn_started", "model_asked", "block_sealed", "turn_finished"]
    assert watched.pieces == []
    assert watched.said == ["warning: the disk is full"]


def test_a_refusal_is_told_and_a_repetition_is_not(live: FakeDaemon, watched: Watched) -> None:
    taking(live, {"send_message": lambda _, __: refusal("not_now")})
    with pytest.raises(Trouble) as caught:
        watched.submit(SEND)
    assert caught.value.code == "not_now"
    taking(live, {"send_message": lambda _, __: refusal("duplicate_command")})
    watched.submit(SEND)


def test_large_texts_are_had_over_the_same_wire(live: FakeDaemon, watched: Watched) -> None:
    live.does("GET /blobs/abc", lambda _: b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    assert watched.fetch("abc") == "hi"
    with pytest.raises(Trouble):
        watched.fetch("none")


def test_what_does_not_stop_is_left_and_that_is_told(live: FakeDaemon, watched: Watched) -> None:
    live.events(EVENTS).row(8, {"type": "turn_started"}, cause=watched.key)
    taking(live, {"cancel_turn": lambda _, __: refusal("not_now")})
    while not watched.events:
        watched._step()
    watched.stop()
    watched.stop()
    with pytest.raises(KeyboardInterrupt):
        watched.follow()
    assert watched.said == ["it did not stop"]
    assert commands(live) == [{"type": "cancel_turn", "turn": "t1"}]


def test_what_was_never_heard_of_is_left_without_a_word(
    live: FakeDaemon, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "UNHEARD", 0.01)
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        watched.follow()
    assert watched.is_stopped
    assert watched.said == []
    assert commands(live) == []
