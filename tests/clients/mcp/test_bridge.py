"""What the bridge does with each message; sockets and daemons are told, not there."""

import json
from collections.abc import Mapping
from typing import Any

from tests.clients.mcp.bridged import META

from hearth.clients.mcp.bridge import MOST_OPEN, MOST_WAITING, Bridge
from hearth.clients.mcp.errand import Errand
from hearth.clients.mcp.finding import NoDaemon
from hearth.clients.mcp.reaching import MOST_PROBES

NOBODY = {"code": -32600, "message": "Session not found"}


class Exchange:
    """An answer that is there already."""

    def __init__(self, status: int = 0, body: bytes = b"", **headers: str) -> None:
        self.status = status
        self.body = body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.is_reusable = False
        self.is_stream = False
        self.line = None

    def close(self) -> None:
        """Nothing is open."""


class Connections:
    """The ways to a daemon that is told of."""

    def __init__(self) -> None:
        self.found = self

    def close(self) -> None:
        """Nothing is open."""


class Scene:
    """A bridge, and all that is around it."""

    def __init__(self, session: str = "") -> None:
        self.sent: list[Errand] = []
        self.dropped: list[Errand] = []
        self.probes: list[Errand] = []
        self.headers: list[Mapping[str, str]] = []
        self.lines: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.lives = True
        self.refuses = False
        self.doubted = 0
        anything: Any = self
        self.bridge = Bridge(anything, anything, self._write, self.notes.append, session)

    # -- the daemon, and the way to it

    def reach(self) -> Connections | None:
        if not self.lives:
            raise NoDaemon("nobody is there; hint: start it")
        return Connections()

    def look(self) -> Connections | None:
        return Connections() if self.lives else None

    def is_there(self, _found: object) -> bool:
        return self.lives

    def doubt(self) -> None:
        self.doubted += 1

    def begin(self, errand: Errand, _connections: object, headers: Mapping[str, str]) -> None:
        if self.refuses:
            raise ConnectionRefusedError(111, "refused")
        errand.is_answered = False
        if errand.path != "/mcp":
            self.probes.append(errand)
            return
        self.sent.append(errand)
        self.headers.append(headers)

    def drop(self, errand: Errand) -> None:
        self.dropped.append(errand)

    # -- what happens

    def says(self, **said: Any) -> None:
        self.bridge.take(json.dumps({"jsonrpc": "2.0", **said}).encode())
        self.bridge.pump()

    def answers(self, errand: Errand, status: int = 200, name: str = "s1", **said: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **said}).encode() if said else b""
        anything: Any = Exchange(status, body, mcp_session_id=name)
        errand.exchange = anything
        self.bridge.finished(errand)
        self.bridge.pump()

    def proves(self) -> None:
        """The daemon answers that it lives."""
        self.answers(self.probes[-1], 200)

    def breaks(self, errand: Errand, why: str = "no answer came") -> None:
        self.bridge.broke(errand, why)
        self.bridge.pump()

    def opens(self) -> None:
        self.says(id=0, method="initialize", params={"protocolVersion": "v"})
        self.answers(self.sent[-1], id=0, result={"protocolVersion": "v"})
        self.says(method="notifications/initialized")
        self.answers(self.sent[-1], 202)

    @property
    def methods(self) -> list[str]:
        """What was sent, in order."""
        bodies = [json.loads(one.body) if one.body else {} for one in self.sent]
        return [said.get("method", one.method) for one, said in zip(self.sent, bodies, strict=True)]

    def _write(self, line: bytes) -> None:
        self.lines.append(json.loads(line))


def test_a_connection_opens_in_order_and_then_listens() -> None:
    scene = Scene()
    scene.says(id=0, method="initialize")
    scene.says(method="notifications/initialized")
    scene.says(id=1, method="tools/list")
    assert scene.methods == ["initialize"]
    scene.answers(scene.sent[0], id=0, result={"protocolVersion": "v"})
    assert scene.methods == ["initialize", "notifications/initialized"]
    scene.answers(scene.sent[1], 202)
    assert scene.methods == ["initialize", "notifications/initialized", "GET", "tools/list"]
    assert scene.headers[-1] == {"Mcp-Session-Id": "s1", "MCP-Protocol-Version": "v"}
    assert not scene.headers[0]


def test_a_session_that_was_named_is_that_of_calls_that_name_none() -> None:
    scene = Scene("shop")
    calls: list[dict[str, Any]] = [
        {"name": "run_code", "arguments": {"code": "1"}},
        {"name": "get_status"},
        {"name": "run_code", "arguments": {"code": "1", "session": "own"}},
        {"name": "list_sessions", "arguments": {}},
        {"name": "run_code", "arguments": 3},
    ]
    for number, params in enumerate(calls):
        scene.says(id=number, method="tools/call", params={**params, "_meta": META})
    sent = [json.loads(one.body)["params"].get("arguments") for one in scene.sent]
    assert sent == [
        {"code": "1", "session": "shop"},
        {"session": "shop"},
        {"code": "1", "session": "own"},
        {},
        3,
    ]


def test_a_client_that_chooses_another_session_has_that() -> None:
    scene = Scene("shop")
    scene.opens()
    call = {"name": "switch_session", "arguments": {"session": "other"}}
    scene.says(id=1, method="tools/call", params=call)
    scene.answers(scene.sent[-1], id=1, result={"structuredContent": {"session": "other"}})
    scene.says(id=2, method="tools/call", params={"name": "get_status", "arguments": {}})
    assert json.loads(scene.sent[-1].body)["params"]["arguments"] == {}


def test_a_refused_handshake_is_told_and_can_be_tried_again() -> None:
    scene = Scene()
    scene.says(id=0, method="initialize")
    scene.answers(scene.sent[0], id=0, error={"code": 1, "message": "no"})
    scene.says(id=1, method="initialize")
    assert scene.methods == ["initialize", "initialize"]
    assert scene.lines[0]["error"]["message"] == "no"


def test_beginning_anew_ends_what_was_there() -> None:
    scene = Scene()
    scene.opens()
    stream = scene.sent[-1]
    scene.says(id=9, method="initialize")
    assert scene.methods[-2:] == ["DELETE", "initialize"]
    assert scene.headers[-2]["Mcp-Session-Id"] == "s1"
    assert scene.dropped == [stream]
    assert not scene.headers[-1]


def test_stateless_requests_wait_for_nobody() -> None:
    scene = Scene()
    scene.says(id=0, method="initialize")
    scene.says(id=1, method="server/discover", params={"_meta": META})
    assert scene.methods == ["initialize", "server/discover"]
    assert scene.headers[1]["Mcp-Method"] == "server/discover"
    assert "Mcp-Session-Id" not in scene.headers[1]


def test_before_any_handshake_requests_are_asked_and_all_else_is_left_out() -> None:
    scene = Scene()
    scene.says(id=1, method="ping")
    scene.says(method="notifications/initialized")
    scene.says(method="notifications/cancelled", params={"requestId": 5})
    scene.says(id=7, result={})
    assert scene.methods == ["ping"]


def test_what_the_daemon_says_beside_an_answer_is_passed_on() -> None:
    scene = Scene()
    scene.opens()
    stream = scene.sent[-1]
    scene.says(id=1, method="tools/call", params={"name": "run_code"})
    call = scene.sent[-1]
    scene.bridge.came(call, '{"jsonrpc": "2.0", "method": "notifications/progress"}')
    scene.bridge.came(stream, '{"jsonrpc": "2.0", "id": 3, "method": "elicitation/create"}')
    scene.bridge.came(call, "no json")
    scene.bridge.came(call, '{"jsonrpc": "2.0", "id": 1, "result": {}}')
    scene.bridge.came(call, '{"jsonrpc": "2.0", "id": 1, "result": {"twice": true}}')
    assert [line.get("method", line.get("id")) for line in scene.lines[1:]] == [
        "notifications/progress",
        "elicitation/create",
        1,
    ]
    assert len(scene.notes) == 1
    scene.says(id=3, result={"action": "accept"})
    assert scene.sent[-1].body.endswith(b'{"action": "accept"}}')


def test_a_request_that_waits_is_taken_back_without_a_word() -> None:
    scene = Scene()
    scene.says(id=0, method="initialize")
    scene.says(id=1, method="tools/list")
    scene.says(method="notifications/cancelled", params={"requestId": 1})
    scene.answers(scene.sent[0], id=0, result={})
    assert scene.methods == ["initialize"]


def test_so_many_are_asked_at_once_and_a_ping_always() -> None:
    scene = Scene()
    for number in range(MOST_OPEN + MOST_WAITING + 1):
        scene.says(id=number, method="tools/list", params={"_meta": META})
    assert len(scene.sent) == MOST_OPEN
    assert scene.bridge.is_crowded
    scene.says(id="p", method="ping", params={"_meta": META})
    assert scene.methods[-1] == "ping"
    scene.answers(scene.sent[0], id=0, result={})
    assert len(scene.sent) == MOST_OPEN + 1
    scene.answers(scene.sent[1], id=1, result={})
    assert len(scene.sent) == MOST_OPEN + 2
    assert not scene.bridge.is_crowded


def test_a_lost_daemon_fails_what_was_open_and_the_next_one_is_told_everything() -> None:
    scene = Scene()
    scene.opens()
    stream = scene.sent[-1]
    scene.says(id=1, method="tools/call", params={"name": "run_code"})
    call = scene.sent[-1]
    scene.lives = False
    scene.breaks(call)
    scene.breaks(stream)
    assert "may have taken effect" in scene.lines[-1]["error"]["message"]
    assert scene.notes == ["the daemon is gone; the next request finds it again, or starts it"]
    scene.says(id=2, method="tools/list")
    assert "nobody is there" in scene.lines[-1]["error"]["message"]
    assert scene.bridge.is_uneasy
    scene.bridge.look_around()
    scene.lives = True
    before = len(scene.sent)
    scene.says(id=3, method="tools/list")
    scene.says(id=4, method="prompts/list")
    assert scene.methods[before:] == []
    scene.proves()
    assert scene.methods[before:] == ["initialize"]
    scene.answers(scene.sent[-1], id=0, result={"protocolVersion": "v"})
    scene.answers(scene.sent[-1], 202)
    assert scene.methods[before:] == [
        "initialize",
        "notifications/initialized",
        "GET",
        "tools/list",
        "prompts/list",
    ]
    assert [line.get("id") for line in scene.lines] == [0, 1, 2]


def test_a_daemon_that_comes_back_is_taken_up_though_nobody_asks() -> None:
    scene = Scene()
    scene.opens()
    scene.lives = False
    scene.breaks(scene.sent[-1])
    before = len(scene.sent)
    scene.bridge.look_around()
    assert len(scene.sent) == before
    scene.lives = True
    for wanted in (["initialize"], ["initialize", "initialize"]):
        scene.lives = True
        scene.bridge.look_around()
        scene.proves()
        scene.bridge.look_around()
        assert scene.methods[before:] == wanted
        scene.lives = False
        scene.breaks(scene.sent[-1])
        assert scene.bridge.is_uneasy


def test_what_could_not_be_sent_at_all_is_sent_once_there_is_a_daemon() -> None:
    scene = Scene()
    scene.refuses = True
    scene.says(id=1, method="ping", params={"_meta": META})
    scene.bridge.pump()
    assert not scene.lines
    assert scene.bridge.is_uneasy
    scene.refuses = False
    scene.bridge.pump()
    scene.proves()
    assert scene.methods == ["ping"]
    assert scene.doubted >= 1


def test_a_daemon_that_went_while_nobody_spoke_is_missed_by_the_next_request() -> None:
    scene = Scene()
    scene.says(id=1, method="ping", params={"_meta": META})
    scene.answers(scene.sent[0], id=1, result={})
    scene.refuses, scene.lives = True, False
    scene.says(id=2, method="ping", params={"_meta": META})
    assert scene.lines[-1]["id"] == 2
    assert "nobody is there" in scene.lines[-1]["error"]["message"]
    assert not scene.bridge.is_uneasy


def test_a_daemon_that_is_dying_gets_nothing_more_to_do() -> None:
    scene = Scene()
    scene.says(id=1, method="tools/list", params={"_meta": META})
    scene.breaks(scene.sent[-1])
    scene.says(id=2, method="tools/list", params={"_meta": META})
    for number in range(1, 4):
        assert len(scene.probes) == number
        scene.breaks(scene.probes[-1])  # it is announced, takes connections, and ends them
    assert [line["id"] for line in scene.lines] == [1]
    scene.proves()
    assert scene.methods == ["tools/list", "tools/list"]
    scene.answers(scene.sent[-1], id=2, result={})
    assert "result" in scene.lines[-1]
    assert len(scene.notes) == 1


def test_one_that_never_answers_is_given_up() -> None:
    scene = Scene()
    scene.says(id=1, method="tools/list", params={"_meta": META})
    scene.breaks(scene.sent[-1])
    scene.says(id=2, method="tools/list", params={"_meta": META})
    for _ in range(MOST_PROBES):
        scene.breaks(scene.probes[-1])
    assert "answers nothing" in scene.lines[-1]["error"]["message"]


def test_one_connection_that_breaks_off_is_no_lost_daemon() -> None:
    scene = Scene()
    scene.opens()
    scene.says(id=1, method="tools/list")
    scene.breaks(scene.sent[-1])
    scene.says(id=2, method="tools/list")
    scene.proves()
    assert scene.methods[-1] == "tools/list"
    assert "initialize" not in scene.methods[3:]
    assert not scene.notes


def test_a_daemon_that_does_not_take_the_client_back_is_told_to_who_waits() -> None:
    scene = Scene()
    scene.opens()
    scene.lives = False
    scene.breaks(scene.sent[-1])
    scene.lives = True
    scene.says(id=1, method="tools/list")
    scene.proves()
    scene.answers(scene.sent[-1], id=0, error={"code": 1, "message": "too many"})
    assert scene.lines[-1]["id"] == 1
    assert "too many" in scene.lines[-1]["error"]["message"]


def test_a_connection_that_was_forgotten_is_made_anew_for_the_same_request() -> None:
    scene = Scene()
    scene.opens()
    scene.says(id=1, method="tools/list")
    call = scene.sent[-1]
    scene.answers(call, 404, id=None, error=NOBODY)
    assert scene.methods[-1] == "initialize"
    scene.answers(scene.sent[-1], id=0, result={"protocolVersion": "v"})
    scene.answers(scene.sent[-1], 202)
    assert scene.sent[-1] is call
    assert len(scene.lines) == 1


def test_all_that_was_forgotten_is_asked_again_in_the_order_it_was_said() -> None:
    scene = Scene()
    scene.opens()
    for number, method in enumerate(("tools/list", "prompts/list", "resources/list"), 1):
        scene.says(id=number, method=method)
    calls = scene.sent[-3:]
    scene.says(id=4, method="tools/call", params={"name": "run_code"})
    for call in (calls[1], calls[0]):
        scene.answers(call, 404, id=None, error=NOBODY)
    scene.says(id=5, method="ping")
    opening = scene.sent[-1]
    scene.answers(opening, id=0, result={"protocolVersion": "v"}, name="s2")
    confirmed = scene.sent[-1]
    scene.answers(calls[2], 404, id=None, error=NOBODY)
    scene.answers(confirmed, 202)
    assert scene.methods[-4:] == ["tools/list", "prompts/list", "resources/list", "ping"]
    assert scene.methods.count("initialize") == 2
    assert all(one["Mcp-Session-Id"] == "s2" for one in scene.headers[-5:])
    assert [line.get("id") for line in scene.lines] == [0]


def test_a_stream_that_is_not_offered_is_not_asked_for_again() -> None:
    scene = Scene()
    scene.opens()
    scene.answers(scene.sent[-1], 405)
    assert not scene.bridge.is_uneasy
    before = len(scene.sent)
    scene.bridge.look_around()
    assert len(scene.sent) == before


def test_a_stream_that_ended_is_opened_again_after_a_while() -> None:
    scene = Scene()
    scene.opens()
    scene.answers(scene.sent[-1], 200)
    assert scene.bridge.is_uneasy
    scene.bridge.look_around()
    assert scene.methods[-2:] == ["GET", "GET"]


def test_only_what_will_be_answered_keeps_it_busy() -> None:
    scene = Scene()
    scene.says(id=1, method="subscriptions/listen", params={"_meta": META})
    assert not scene.bridge.is_busy
    scene.says(id=2, method="tools/list", params={"_meta": META})
    assert scene.bridge.is_busy
    scene.answers(scene.sent[-1], id=2, result={})
    assert not scene.bridge.is_busy
