"""A pretended provider in this process: `async with provider("anthropic", script) as fake`.

It refuses whatever its protocol does not allow, remembers what it was asked and what it refused,
and answers from its script. What requests share is computed for each that it streams to.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Literal, NamedTuple, TypeAlias, assert_never

from tests.providers.anthropic import AnthropicWire
from tests.providers.caching import Cache, Shares
from tests.providers.chat import ChatWire, DeepSeekWire
from tests.providers.connection import LARGEST_HEAD, Asked, Connection
from tests.providers.responses import ResponsesWire
from tests.providers.script import (
    Chooser,
    Cut,
    Garbage,
    Json,
    NoReplyLeft,
    Overflow,
    Reply,
    Script,
    Silence,
    Status,
    StreamError,
    called,
    in_order,
    place_in,
)
from tests.providers.wire import Frame, Refused, Wire

PATIENCE: Final = 30.0
STREAM: Final = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "request-id": "req_011pretended",
}

Dialect = Literal["anthropic", "responses", "chat", "deepseek"]
Outcome = Literal["open", "whole", "status", "refused", "broken", "left"]
"""What became of a request; `broken`: by a fault of the script, `left`: the client did not wait."""

ScriptLike: TypeAlias = Script | Sequence[Reply] | Callable[[Json, int], Reply]

WIRES: Final[Mapping[Dialect, Callable[[], Wire]]] = {
    "anthropic": AnthropicWire,
    "responses": ResponsesWire,
    "chat": ChatWire,
    "deepseek": DeepSeekWire,
}


class Pace(NamedTuple):
    """How fast a model is. For measurements, whose model takes time; tests do not wait for it."""

    delay: float = 0.0
    """Seconds before the first byte."""
    tokens_per_second: float = 0.0
    """0: as fast as it goes."""


@dataclass(slots=True)
class Received:
    """One request, as it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    json: Json
    at: float
    """When its first byte was there, of the monotonic clock that all processes share."""
    shares: Shares | None = None
    """Of a request that was streamed to."""
    outcome: Outcome = "open"
    ended: float = 0.0
    """When the last byte of the answer was written."""


class Refusal(NamedTuple):
    """A request that was not accepted, and why."""

    request: Received
    why: str


@dataclass(slots=True)
class Fake:
    """A pretended provider that listens."""

    wire: Wire
    choose: Chooser
    cache: Cache
    key: str | None
    pace: Pace
    heard: Callable[[int, Received], None]
    """Called when a request has come, and once more when it is over."""
    url: str = ""
    """The base address, as people give it to hearth."""
    requests: list[Received] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    defects: list[Exception] = field(default_factory=list)
    _open: dict[Connection, "asyncio.Task[None]"] = field(default_factory=dict)
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def shares(self) -> list[Shares]:
        """Of all requests that were streamed to, in their order."""
        return [one.shares for one in self.requests if one.shares is not None]

    @property
    def connections(self) -> int:
        """How many are open now."""
        return len(self._open)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until this is so."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._moved.clear()
                await self._moved.wait()

    async def received(self, count: int) -> Received:
        """Wait until so many requests have come; the last of them."""
        await self.until(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def left_alone(self) -> None:
        """Wait until nobody is connected any more."""
        await self.until(lambda: not self._open)

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer whoever has connected, until one side leaves."""
        connection = Connection(reader, writer)
        self._open[connection] = asyncio.create_task(self._serve(connection))

    async def _serve(self, connection: Connection) -> None:
        try:
            while (head := await connection.head()) is not None:
                at = monotonic()
                if not await self._exchange(connection, await connection.rest(head), at):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left: what became of its request says so
        except Exception as defect:  # noqa: BLE001 - it is ours, and raised when the provider ends
            self.defects.append(defect)
        finally:
            await connection.close()
            del self._open[connection]
            self._moved.set()

    async def close(self) -> None:
        """Let go of everyone."""
        tasks = list(self._open.values())
        for connection in list(self._open):
            connection.abort()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _exchange(self, connection: Connection, asked: Asked, at: float) -> bool:
        """Answer a request; whether the connection may be used for another."""
        number = len(self.requests)
        received = Received(asked.path, asked.headers, asked.body, _parsed(asked.body), at)
        self.requests.append(received)
        self.heard(number, received)
        self._moved.set()
        try:
            return await self._answer(connection, received, number)
        except (ConnectionError, asyncio.IncompleteReadError):
            received.outcome = "left"
            raise
        finally:
            received.ended = received.ended or monotonic()
            self.heard(number, received)
            self._moved.set()

    async def _answer(self, connection: Connection, received: Received, number: int) -> bool:
        try:
            self._admit(received)
        except Refused as why:
            self.refusals.append(Refusal(received, str(why)))
            body = self.wire.error(why.status, why.kind, str(why), why.code)
            return await self._failed(connection, received, why.status, body, outcome="refused")
        try:
            step, reply = self.choose(received.json, number)
        except NoReplyLeft as why:
            self.refusals.append(Refusal(received, str(why)))
            body = self.wire.error(500, "", str(why))
            return await self._failed(connection, received, 500, body, outcome="refused")
        match reply.fault:
            case Status() as fault:
                body = self.wire.error(fault.status, fault.kind, fault.message, fault.code)
                if fault.body is not None:
                    body = fault.body.encode()
                return await self._failed(
                    connection, received, fault.status, body, headers=fault.headers
                )
            case Overflow():
                failure = self.wire.overflow()
                return await self._failed(connection, received, failure.status, failure.body)
            case fault:
                return await self._stream(connection, received, step, reply, fault)

    def _admit(self, received: Received) -> None:
        if received.path != self.wire.path:
            raise Refused(f"there is no {received.path} here", status=404)
        self.wire.admit(received.headers, self.key)
        if not received.json:
            raise Refused("the body is not a JSON object")
        self.wire.check(received.json)

    async def _failed(
        self,
        connection: Connection,
        received: Received,
        status: int,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        outcome: Outcome = "status",
    ) -> bool:
        received.outcome = outcome
        connection.answer(status, {"content-type": "application/json", **(headers or {})}, body)
        await connection.flush()
        return True

    async def _stream(
        self,
        connection: Connection,
        received: Received,
        step: int,
        reply: Reply,
        fault: Cut | Silence | Garbage | StreamError | None,
    ) -> bool:
        received.shares = self.cache.take(received.body)
        usage = reply.usage or received.shares.usage(reply.output)
        frames = self.wire.stream(received.json, step, reply, usage)
        written = b"".join(frame.data for frame in frames)
        begun = asyncio.get_running_loop().time()
        await _until(begun + self.pace.delay)
        connection.begin(STREAM)
        match fault:
            case None:
                await self._whole(connection, frames, reply.split)
                received.ended = monotonic()
                received.outcome = "whole"
                return True
            case Cut() as cut:
                _chunked(connection, written[: place_in(written, cut)], reply.split)
                received.outcome = "broken"
                if cut.politely:
                    connection.end()
                await connection.flush()
                return cut.politely
            case Silence() as silence:
                _chunked(connection, written[: place_in(written, silence)], reply.split)
            case Garbage() as garbage:
                end = written.index(b"\n\n", place_in(written, garbage)) + 2
                _chunked(connection, written[:end] + garbage.data.encode(), reply.split)
            case StreamError() as error:
                end = written.index(b"\n\n", place_in(written, error)) + 2
                said = self.wire.stream_error(error.kind, error.message)
                _chunked(connection, written[:end] + said, reply.split)
                received.outcome = "broken"
                connection.end()
                await connection.flush()
                return True
            case _:
                assert_never(fault)
        received.outcome = "broken"
        self._moved.set()
        await connection.flush()
        await connection.left()
        return False

    async def _whole(self, connection: Connection, frames: list[Frame], split: int) -> None:
        loop = asyncio.get_running_loop()
        begun, tokens = loop.time(), 0
        for frame in frames:
            if frame.delta and self.pace.tokens_per_second:
                tokens += 1
                await connection.flush()
                await _until(begun + tokens / self.pace.tokens_per_second)
            _chunked(connection, frame.data, split)
        connection.end()
        await connection.flush()


@contextlib.asynccontextmanager
async def provider(
    dialect: Dialect,
    script: ScriptLike,
    *,
    key: str | None = None,
    pace: Pace = Pace(),  # noqa: B008 - a tuple
    port: int = 0,
    heard: Callable[[int, Received], None] = lambda _, __: None,
) -> AsyncIterator[Fake]:
    """A provider that listens on this machine and speaks this dialect.

    With a key, every other is refused; without, any will do (and none, where none is needed).
    """
    wire = WIRES[dialect]()
    cache = Cache(marks=dialect == "anthropic")
    fake = Fake(wire, _chooser(script), cache, key, pace, heard)
    server = await asyncio.start_server(fake.serve, "127.0.0.1", port, limit=LARGEST_HEAD)
    fake.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{wire.base}"
    try:
        yield fake
    finally:
        server.close()
        await fake.close()
    if fake.defects:
        raise fake.defects[0]


def _chooser(script: ScriptLike) -> Chooser:
    if isinstance(script, Script):
        return script.chooser()
    return called(script) if callable(script) else in_order(script)


def _parsed(body: bytes) -> Json:
    try:
        value = json.loads(body)
    except ValueError:
        return {}  # refused, since no request is empty
    return value if isinstance(value, dict) else {}


def _chunked(connection: Connection, data: bytes, split: int) -> None:
    size = split or len(data) or 1
    for begin in range(0, len(data), size):
        connection.chunk(data[begin : begin + size])


async def _until(time: float) -> None:
    """Let the loop's clock come so far."""
    loop = asyncio.get_running_loop()
    if time <= loop.time():
        return
    over = asyncio.Event()
    loop.call_at(time, over.set)
    await over.wait()
