import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import (
    NAME_BEARING_METHODS,
    InboundModernRoute,
    classify_inbound_request,
    decode_header_value,
    encode_header_value,
)
from mcp_types import PROTOCOL_VERSION_META_KEY
from tests.clients.mcp.bridged import META

from hearth.clients.mcp.messages import (
    NAMED_BY,
    VERSION_KEY,
    WITHOUT_SESSION,
    Message,
    NotUnderstood,
    header_value,
    key_of,
    request_line,
    routing_headers,
    understood,
)
from hearth.servers.mcp.tools.table import TABLE


def test_the_names_of_the_protocol_are_those_of_the_sdk() -> None:
    assert dict(NAME_BEARING_METHODS) == NAMED_BY
    assert VERSION_KEY == PROTOCOL_VERSION_META_KEY


def test_the_tools_that_are_about_no_session_are_those_of_the_daemon() -> None:
    can_do_without = {one.name for one in TABLE if not one.needs_session}
    assert can_do_without - {"get_ui_state", "stop_session"} == WITHOUT_SESSION


def test_a_request_a_notification_and_an_answer_are_told_apart() -> None:
    request = _said(id=1, method="ping")
    assert request.is_request
    assert not request.is_modern
    notification = _said(method="notifications/cancelled", params={"requestId": 1})
    assert not notification.is_request
    assert notification.cancels == key_of(1)
    answer = _said(id=1, result={})
    assert not answer.is_request
    assert answer.cancels is None
    modern = _said(id=1, method="ping", params={"_meta": META})
    assert modern.is_modern


def test_one_and_the_text_one_are_two_requests() -> None:
    assert key_of(1) != key_of("1")
    nothing: tuple[object, ...] = (None, True, 1.5, {}, [])
    assert [key_of(one) for one in nothing] == [None] * 5


@pytest.mark.parametrize(
    "line", [b"[]", b"null", b"{}", b'{"id": 1}', b'{"method": 1}', b"{", b"", b"\xff"]
)
def test_what_is_no_message_is_told_why(line: bytes) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        understood(line)
    assert wrong.value.code in {-32700, -32600}
    assert wrong.value.why


@given(st.text(max_size=30))
def test_names_come_through_headers_as_the_sdk_sends_them(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        return  # half a character is no text for the SDK
    value = header_value(name)
    assert value == encode_header_value(name)
    assert decode_header_value(value) == name
    value.encode("ascii")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "run_code", "arguments": {}}),
        ("prompts/get", {"name": "  grüße\n"}),
        ("resources/read", {"uri": "hearth://räume"}),
        ("tasks/get", {"taskId": "t1"}),
        ("server/discover", {}),
    ],
)
def test_the_headers_of_a_stateless_request_are_what_the_sdk_wants(
    method: str, params: dict[str, Any]
) -> None:
    message = _said(id=1, method=method, params={**params, "_meta": META})
    headers = {name.lower(): value for name, value in routing_headers(message).items()}
    route = classify_inbound_request(json.loads(message.raw), headers=headers)
    assert isinstance(route, InboundModernRoute)
    if method == "tasks/get":
        assert headers["mcp-name"] == "t1"


def test_requests_are_lines_of_json() -> None:
    assert json.loads(request_line("a", "ping", {}))["method"] == "ping"


def _said(**said: Any) -> Message:
    return understood(json.dumps({"jsonrpc": "2.0", **said}).encode())
