"""A stream with nothing but the answer is sent as plain JSON."""

from typing import Any

from hearth.servers.mcp.lone_answers import LoneAnswers, lone_answer

START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"mcp-session-id", b"abc"),
        (b"cache-control", b"no-cache"),
    ],
}
ANSWER = b'event: message\r\ndata: {"jsonrpc":"2.0","id":1,"result":{"method":"x"}}\r\n\r\n'
PROGRESS = b'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\r\n\r\n'


async def sent(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[Any] = []

    async def send(message: Any) -> None:
        found.append(message)

    answering = LoneAnswers(send)
    for message in messages:
        await answering(message)
    return found


def body(data: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def test_a_lone_answer_is_one_piece_of_json_with_its_length() -> None:
    start, only = await sent(START, body(ANSWER), body(b"", more=False))
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"application/json"
    assert headers[b"mcp-session-id"] == b"abc"
    assert b"cache-control" not in headers
    assert only["body"] == b'{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}'
    assert headers[b"content-length"] == b"%d" % len(only["body"])
    assert "more_body" not in only


async def test_what_comes_before_the_answer_makes_it_a_stream() -> None:
    messages = [START, body(PROGRESS), body(ANSWER), body(b"", more=False)]
    assert await sent(*messages) == messages


async def test_nothing_is_sent_before_the_first_event() -> None:
    assert await sent(START) == []


async def test_what_is_no_stream_passes_as_it_is() -> None:
    plain = {"type": "http.response.start", "status": 202, "headers": []}
    assert await sent(plain, body(b"")) == [plain, body(b"")]


async def test_what_is_declined_without_a_word_is_given_one() -> None:
    declined = {"type": "http.response.start", "status": 405, "headers": [(b"allow", b"POST")]}
    start, only = await sent(declined, body(b"", more=False))
    assert (b"allow", b"POST") in start["headers"]
    assert b"Method Not Allowed" in only["body"]


async def test_what_is_broken_off_is_ended_properly() -> None:
    found: list[Any] = []

    async def send(message: Any) -> None:
        found.append(message)

    listening = LoneAnswers(send, holds_back=False)
    await listening(START)
    assert found == [START]
    await listening(body(PROGRESS))
    await listening.finish()
    await listening.finish()
    assert found[-1] == body(b"", more=False)
    assert len(found) == 3
    silent = LoneAnswers(send)
    await silent(START)
    await silent.finish()
    assert found[3:] == [START, body(b"", more=False)]


def test_only_an_answer_is_one() -> None:
    assert lone_answer(ANSWER) is not None
    assert lone_answer(PROGRESS) is None
    assert lone_answer(b": ping\r\n\r\n") is None
    assert lone_answer(b"id: 1\r\n" + ANSWER) is None
    assert lone_answer(b"data: {broken\r\n\r\n") is None
    assert lone_answer(b'data: {"id":1}\r\ndata: {"id":2}\r\n\r\n') is None
