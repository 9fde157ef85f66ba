"""An agent of which every word is chosen, behind the fake daemon."""

import io
import sys
from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.clients.cli.fake_daemon import Events, FakeDaemon, Seen, answer

SESSION: Final = "session-a1b2c3"
EVENTS: Final = f"/sessions/{SESSION}/events"
OTHER: Final = "session-0000ff"
THIRD: Final = "session-0000ee"
COMMANDS: Final = f"POST /sessions/{SESSION}/commands"
Story = Callable[[Events, str], None]


def pipe(monkeypatch: pytest.MonkeyPatch, content: bytes = b"") -> None:
    """This is piped in, and nothing more."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), "utf-8"))


def row(directory: str, **more: Any) -> dict[str, Any]:
    """A session in the list: live, of this directory, with nothing said in it."""
    usual = {"session": SESSION, "name": "", "directory": directory, "state": "ready"}
    return {**usual, **more}


def said(here: str, session: str, at: str, preview: str, **more: Any) -> dict[str, Any]:
    """A session in which something was said and answered."""
    talk = {"talked": at, "preview": preview, "messages": 4, "replied": True}
    return row(here, session=session, **{**talk, **more})


def three(here: str) -> list[dict[str, Any]]:
    """Out of order, one of them stopped, one elsewhere, one in which nothing was said."""
    return [
        said(here, OTHER, "2026-01-02T10:00:00Z", "the older one", stopped=True),
        said("/elsewhere", THIRD, "2026-03-01T10:00:00Z", "not here"),
        said(here, SESSION, "2026-02-02T10:00:00Z", "the newer one"),
        row(here, session="session-silent", last_activity="2026-04-01T10:00:00Z"),
    ]


def listed(daemon: FakeDaemon, *rows: dict[str, Any]) -> None:
    """These are all sessions there are; each can be followed, and found by its id."""
    daemon.on("GET /sessions", {"value": {"rows": list(rows)}, "seq": 7})
    for one in rows:
        daemon.on(f"GET /sessions/{one['session']}", {"value": one, "seq": 7})
        daemon.events(f"/sessions/{one['session']}/events")


def taking(
    daemon: FakeDaemon,
    does: dict[str, Callable[[Seen, str], bytes | None]],
    session: str = SESSION,
) -> None:
    """By the type of a command, what happens when it comes; the answer is 202 unless it is told.

    Each is given the key of the newest message: it is the cause of all that follows.
    """
    causes = [""]

    def taken(seen: Seen) -> bytes:
        key = seen.headers["idempotency-key"]
        if seen.body["type"] == "send_message":
            causes.append(key)
        made = does[seen.body["type"]](seen, causes[-1])
        return made or answer({"id": key, "session": session, "seq": 8}, 202)

    daemon.does(f"POST /sessions/{session}/commands", taken)


def tells(daemon: FakeDaemon, story: Story, session: str = SESSION) -> None:
    """What happens once a message is taken."""
    taking(
        daemon,
        {"send_message": lambda _, key: story(daemon.events(f"/sessions/{session}/events"), key)},
        session,
    )


def commands(daemon: FakeDaemon) -> list[dict[str, Any]]:
    return [one.body for one in daemon.asked(COMMANDS)]


def started(events: Events, key: str, seq: int = 8) -> None:
    """A turn begins with what was sent."""
    events.row(seq, {"type": "turn_started", "turn": "t1"}, cause=key)
    events.row(seq + 1, {"type": "model_asked", "turn": "t1", "request": "r1"}, cause=key)


def delta(text: str, offset: int = 0, turn: str = "t1") -> dict[str, Any]:
    return {
        "type": "text_delta",
        "turn": turn,
        "step": 1,
        "place": 0,
        "offset": offset,
        "text": text,
    }


def sealed(content: dict[str, Any], role: str = "assistant", turn: str = "t1") -> dict[str, Any]:
    return {"type": "block_sealed", "turn": turn, "step": 1, "role": role, "content": content}


def text(said: str, turn: str = "t1") -> dict[str, Any]:
    return sealed({"type": "text_block", "text": said}, turn=turn)


def finished(end: str = "done", turn: str = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "turn_finished", "turn": turn, "end": end, "steps": 1, **more}


def answering(said: str) -> Story:
    """A turn that says this."""

    def story(events: Events, key: str) -> None:
        started(events, key)
        events.progress(delta(said))
        events.row(10, text(said), cause=key)
        events.row(11, finished(usage={"fresh": 20, "cache_read": 80, "output": 5}), cause=key)

    return story


def was_spoken_to(daemon: FakeDaemon, session: str = SESSION) -> bool:
    """Whether that session was spoken to."""
    return bool(daemon.asked(f"POST /sessions/{session}/commands"))
