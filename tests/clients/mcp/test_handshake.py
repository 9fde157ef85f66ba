import json
from typing import Any

from hearth.clients.mcp.handshake import Handshake
from hearth.clients.mcp.messages import Message, understood


def test_what_was_agreed_on_is_carried_by_every_message() -> None:
    handshake = Handshake()
    assert handshake.headers == {}
    handshake.begin(_said(id=1, method="initialize"))
    assert not handshake.opened({}, {"error": {}})
    assert handshake.opened({"mcp-session-id": "s"}, {"result": {"protocolVersion": "v"}})
    assert handshake.headers == {"Mcp-Session-Id": "s", "MCP-Protocol-Version": "v"}
    handshake.lose()
    assert handshake.state == "lost"
    assert handshake.headers == {}


def test_another_daemon_is_told_what_still_holds_and_nothing_else() -> None:
    handshake = Handshake()
    handshake.begin(_said(id=1, method="initialize"))
    handshake.initialized = _said(method="notifications/initialized")
    done: dict[str, Any] = {"result": {}}
    handshake.noted(_said(id=2, method="resources/subscribe", params={"uri": "a"}), done)
    handshake.noted(_said(id=3, method="resources/subscribe", params={"uri": "b"}), done)
    handshake.noted(_said(id=4, method="resources/unsubscribe", params={"uri": "a"}), done)
    handshake.noted(_said(id=5, method="resources/subscribe", params={"uri": "c"}), {"error": {}})
    handshake.noted(_said(id=6, method="logging/setLevel", params={"level": "info"}), done)
    handshake.noted(_said(id=7, method="tools/call", params={"name": "run_code"}), done)
    assert _told(handshake) == [
        ("notifications/initialized", None),
        ("logging/setLevel", {"level": "info"}),
        ("resources/subscribe", {"uri": "b"}),
    ]
    handshake.begin(_said(id=1, method="initialize"))
    assert _told(handshake) == []


def test_the_session_that_was_chosen_last_is_chosen_again() -> None:
    handshake = Handshake()
    assert _told(handshake) == []
    call = _said(id=1, method="tools/call", params={"name": "switch_session"})
    handshake.noted(call, {"result": {"isError": True, "structuredContent": {"session": "x"}}})
    assert handshake.chosen == ""
    handshake.noted(call, {"result": {"structuredContent": {"session": "shop"}}})
    assert _told(handshake)[-1][1]["arguments"] == {"session": "shop"}


def _told(handshake: Handshake) -> list[tuple[str, Any]]:
    return [(one["method"], one.get("params")) for one in map(json.loads, handshake.again())]


def _said(**said: Any) -> Message:
    return understood(json.dumps({"jsonrpc": "2.0", **said}).encode())
