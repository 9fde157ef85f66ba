import json
from types import SimpleNamespace
from typing import Any

from hearth.clients.mcp.errand import Errand
from hearth.clients.mcp.messages import Message, understood
from hearth.clients.mcp.resuming import Resuming

OPENED = {"result": {"protocolVersion": "v"}}


class Scene:
    """A connection, and a daemon that may take what it is told."""

    def __init__(self) -> None:
        self.takes = True
        self.sent: list[Errand] = []
        self.refused: list[str] = []
        self.notes: list[str] = []
        self.resuming = Resuming(self._send, self.refused.append, self.notes.append)

    def opened(self) -> Resuming:
        handshake = self.resuming.handshake
        handshake.begin(_said(id=0, method="initialize"))
        handshake.opened({"mcp-session-id": "s"}, OPENED)
        handshake.initialized = _said(method="notifications/initialized")
        self.resuming.confirmed()
        return self.resuming

    def answers(self, said: dict[str, Any] | None) -> None:
        headed: Any = SimpleNamespace(headers={"mcp-session-id": "again"})
        self.sent[-1].exchange = headed
        then = self.sent[-1].then
        assert then is not None
        then(said)

    def _send(self, errand: Errand) -> bool:
        if self.takes:
            self.sent.append(errand)
        return self.takes


def test_an_open_connection_has_a_stream() -> None:
    scene = Scene()
    assert scene.opened().stream is scene.sent[0]
    assert scene.sent[0].method == "GET"
    assert not scene.resuming.waits_for_stream


def test_a_stream_that_could_not_be_opened_is_waited_for() -> None:
    scene = Scene()
    scene.takes = False
    assert scene.opened().stream is None
    assert scene.resuming.waits_for_stream
    scene.resuming.stream_ended(404)
    assert scene.resuming.is_lost


def test_another_daemon_is_told_step_by_step() -> None:
    scene = Scene()
    resuming = scene.opened()
    resuming.lose()
    resuming.stream = None
    assert resuming.is_lost
    resuming.resume()
    assert not resuming.is_lost
    scene.answers(OPENED)
    scene.answers({})
    methods = [json.loads(one.body)["method"] for one in scene.sent[1:-1]]
    assert methods == ["initialize", "notifications/initialized"]
    assert resuming.stream is scene.sent[-1]
    assert resuming.handshake.headers["Mcp-Session-Id"] == "again"


def test_one_that_refuses_is_told_of_and_tried_again_later() -> None:
    scene = Scene()
    resuming = scene.opened()
    resuming.lose()
    resuming.resume()
    scene.answers({"error": {"message": "too many"}})
    assert scene.refused == ["too many"]
    assert resuming.is_lost
    scene.takes = False
    resuming.resume()
    assert scene.refused == ["too many", ""]
    assert resuming.is_lost


def test_what_does_not_hold_any_more_is_told_and_stops_nothing() -> None:
    scene = Scene()
    resuming = scene.opened()
    resuming.handshake.chosen = "shop"
    resuming.lose()
    resuming.resume()
    scene.answers(OPENED)
    scene.answers({})
    scene.answers({"result": {"isError": True}})
    assert "shop" in scene.notes[0]
    assert resuming.handshake.state == "open"


def _said(**said: Any) -> Message:
    return understood(json.dumps({"jsonrpc": "2.0", **said}).encode())
