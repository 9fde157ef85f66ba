"""Messages to and from a server over its pipes, as the protocol's library wants to have them.

Imports that library: see `speaking`.
"""

import asyncio
from types import TracebackType
from typing import Any, Final, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, jsonrpc_message_adapter

from hearth.performers.mcp_client.frames import LARGEST, Giant, LineReader, LineWriter

TOO_LARGE: Final = -32099
_IN_A_THREAD: Final = 256 * 1024
"""A longer line is read beside the event loop."""


class Incoming:
    """Messages of a server: noise is skipped and counted, giants are answered with an error."""

    def __init__(self, reader: LineReader, ended: asyncio.Event) -> None:
        self._reader = reader
        self._ended = ended
        self.noise = 0

    async def receive(self) -> SessionMessage:
        """The next one. EndOfStream."""
        while True:
            line = await self._reader.line()
            match line:
                case None:
                    break
                case Giant(answers=None):
                    break  # whose answer it is cannot be seen: nobody must wait for it
                case Giant(answers=int(number)):
                    said = f"its answer is longer than {LARGEST // 1024**2} MiB"
                    error = ErrorData(code=TOO_LARGE, message=said)
                    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=number, error=error))
                case bytes() if message := await self._message(line):
                    return message
                case _:
                    continue
        self._ended.set()
        raise anyio.EndOfStream

    async def _message(self, line: bytes) -> SessionMessage | None:
        if not line.strip():
            return None
        try:
            if len(line) > _IN_A_THREAD:
                found = await asyncio.to_thread(_parsed, line)
            else:
                found = _parsed(line)
        except ValueError:
            self.noise += 1
            return None
        return SessionMessage(found)

    async def aclose(self) -> None:
        """Read no more."""
        self._reader.close()

    def __aiter__(self) -> "Incoming":
        """Each message in its turn."""
        return self

    async def __anext__(self) -> SessionMessage:
        """The next one."""
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        """Nothing is to be opened."""
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Read no more."""
        self._reader.close()


class Outgoing:
    """Messages to a server."""

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer

    async def send(self, item: SessionMessage, /) -> None:
        """Send one. BrokenResourceError: nobody reads any more."""
        line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        try:
            await self._writer.write(line)
        except OSError:
            raise anyio.BrokenResourceError from None

    async def aclose(self) -> None:
        """Send no more."""
        self._writer.close()

    async def __aenter__(self) -> Self:
        """Nothing is to be opened."""
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Send no more."""
        self._writer.close()


def _parsed(line: bytes) -> Any:
    return jsonrpc_message_adapter.validate_json(line, by_name=False)
