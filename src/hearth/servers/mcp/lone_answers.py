"""One answer in one piece: a stream that carries nothing but the answer is sent as plain JSON.

The library begins a stream for every request of an earlier client, before it knows whether anything
comes before the answer. Here the beginning is held back until the first event is there. If that is
the answer itself, it is sent whole, with its length; a client takes either.
"""

from http import HTTPStatus
from typing import Any, Final

import msgspec
from starlette.types import Message, Send

STREAM: Final = b"text/event-stream"
JSON: Final = b"application/json"
INVALID: Final = -32600
"""The protocol's number for a request that is none."""
_DATA: Final = b"data: "
_OF_STREAMS: Final = frozenset(
    {b"content-type", b"content-length", b"x-accel-buffering", b"cache-control", b"connection"}
)
"""Headers that are of the stream, not of what is sent on it."""


class _Sent(msgspec.Struct):
    """As much of a message as tells an answer from everything else."""

    method: str = ""


_decoder: Final = msgspec.json.Decoder(_Sent)


class LoneAnswers:
    """`send`, for one request. Without `holds_back` a stream begins at once."""

    __slots__ = ("_begun", "_holds_back", "_is_open", "_send", "_start")

    def __init__(self, send: Send, *, holds_back: bool = True) -> None:
        self._send = send
        self._holds_back = holds_back
        self._start: Message | None = None
        self._begun = False
        """Whether a stream was begun, or the answer given."""
        self._is_open = False
        """Whether more is expected of what was begun."""

    async def __call__(self, message: Message) -> None:
        """Pass on, or hold back, or send whole."""
        if self._begun:
            await self._onward(message)
        elif message["type"] == "http.response.start":
            if self._holds_back and _kind(message).startswith(STREAM):
                self._start = message
            elif message["status"] >= HTTPStatus.BAD_REQUEST and not _kind(message):
                await self._decline(message)
            else:
                self._begun = self._is_open = True
                await self._send(message)
        elif self._start is not None:
            await self._first(self._start, message)

    async def _decline(self, start: Message) -> None:
        """What is declined without a word is given one: nobody should have to guess."""
        self._start, self._begun = start, True
        phrase = HTTPStatus(start["status"]).phrase
        error = {"code": INVALID, "message": phrase}
        body = msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error})
        kept = [pair for pair in start.get("headers", ()) if pair[0].lower() != b"content-length"]
        headers = [*kept, (b"content-type", JSON), (b"content-length", b"%d" % len(body))]
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    async def finish(self) -> None:
        """End properly what was broken off: a stream that is to end has said all it had to."""
        if self._start is not None and not self._begun:
            self._begun = self._is_open = True
            await self._send(self._start)
            self._start = None
        if self._is_open:
            await self._onward({"type": "http.response.body", "body": b"", "more_body": False})

    async def _first(self, start: Message, message: Message) -> None:
        self._begun = True
        answer = lone_answer(message.get("body", b""))
        if answer is None:
            self._start = None
            self._is_open = True
            await self._send(start)
            await self._onward(message)
            return
        kept = [pair for pair in start["headers"] if pair[0].lower() not in _OF_STREAMS]
        headers = [*kept, (b"content-type", JSON), (b"content-length", b"%d" % len(answer))]
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": answer})

    async def _onward(self, message: Message) -> None:
        if self._start is None:
            self._is_open = bool(message.get("more_body", False))
            await self._send(message)
        # Otherwise the answer is given: what ends the stream has nothing to say.


def lone_answer(event: bytes) -> bytes | None:
    """The answer that this event of a stream is; None if it is anything else."""
    data: list[bytes] = []
    for line in event.splitlines():
        if line.startswith(_DATA):
            data.append(line[len(_DATA) :])
        elif line.startswith(b"id:"):
            return None  # its place in the stream counts: somebody may go on from there
    if len(data) != 1 or not data[0].startswith(b"{"):
        return None
    try:
        sent = _decoder.decode(data[0])
    except msgspec.DecodeError:
        return None
    return None if sent.method else data[0]


def _kind(start: Message) -> bytes:
    headers: Any = start.get("headers", ())
    return next((value for name, value in headers if name.lower() == b"content-type"), b"")
