import socket

from tests.clients.mcp.test_exchange import _found

from hearth.clients.mcp.errand import Errand, How, request_bytes
from hearth.clients.mcp.messages import understood


def _bytes(errand: Errand, how: How, family: int = socket.AF_UNIX) -> list[str]:
    with socket.socket(family) as line:
        written = request_bytes(errand, line, _found("/s", 7), how, {"Mcp-Session-Id": "x"})
    return written.decode().split("\r\n")


def test_a_request_says_who_asks_from_where() -> None:
    how = How("/home", "/work/über uns", may_start=True)
    lines = _bytes(Errand("POST", b'{"a": 1}'), how)
    assert lines[0] == "POST /mcp HTTP/1.1"
    assert {
        "Host: hearth",
        "Authorization: Bearer t",
        "Hearth-Directory: %2Fwork%2F%C3%BCber%20uns",
        "Accept: application/json, text/event-stream",
        "Content-Length: 8",
        "Mcp-Session-Id: x",
    } <= set(lines)
    assert lines[-2:] == ["", '{"a": 1}']


def test_an_agent_speaks_with_its_own_token_and_over_a_port_to_that_host() -> None:
    lines = _bytes(Errand("GET"), How("/h", "", token="own", may_start=False), socket.AF_INET)  # noqa: S106 - it is none
    assert "Authorization: Bearer own" in lines
    assert "Host: 127.0.0.1:7" in lines
    assert "Accept: text/event-stream" in lines
    assert not [one for one in lines if one.startswith(("Hearth-Directory", "Content"))]


def test_an_errand_knows_whether_somebody_waits() -> None:
    asked = understood(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    assert Errand("POST", asked.raw, message=asked).is_request
    assert not Errand("POST", asked.raw, message=asked).is_modern
    assert not Errand("GET").is_request
