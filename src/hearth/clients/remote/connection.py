"""One connection to the daemon: a request, and its answer whole or piece by piece.

Our own, because a client for HTTP of the usual kind takes longer to import than all the rest of a
terminal client, and somebody waits for its prompt.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import msgspec

from hearth.clients.incoming import Incoming, NotHttp

READ: Final = 64 * 1024
CONNECT: Final = 5.0


class Lost(Exception):
    """This time it did not answer. What it did with the request is unknown."""


class Answer:
    """What the daemon answered; of a stream only the beginning."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes = b"") -> None:
        self.status = status
        self.headers = headers
        self.content = content

    @property
    def is_success(self) -> bool:
        """Whether it did what was asked."""
        return 200 <= self.status < 300

    def json(self) -> Any:
        """The content, decoded. msgspec.DecodeError."""
        return msgspec.json.decode(self.content)


class Connection:
    """Asks one thing at a time. Lost, whenever the other side is not there any more."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._answer = Incoming()

    @classmethod
    async def to(cls, socket: str, port: int) -> "Connection":
        """To this socket, or to this port if there is none. Lost."""
        try:
            async with asyncio.timeout(CONNECT):
                if socket:
                    return cls(*await asyncio.open_unix_connection(socket))
                return cls(*await asyncio.open_connection("127.0.0.1", port))
        except TimeoutError as late:
            raise Lost(f"nobody answered within {CONNECT:g} seconds") from late
        except OSError as error:
            raise Lost(error.strerror or str(error)) from error

    @property
    def is_open(self) -> bool:
        """Whether it can be asked something."""
        return not self._reader.at_eof() and not self._writer.is_closing()

    async def ask(
        self, method: str, path: str, headers: Mapping[str, str], content: bytes | None
    ) -> None:
        """Send a request; `head` or `whole` gives what comes back. Lost."""
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if content is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        elif method != "GET":
            lines.append("Content-Length: 0")
        head = "\r\n".join((*lines, "", "")).encode("latin-1")
        self._answer = Incoming()
        try:
            self._writer.write(head + (content or b""))
            await self._writer.drain()
        except OSError as error:
            raise Lost(str(error) or "it hung up") from error

    async def whole(self, within: float) -> Answer:
        """The answer to the end. Lost."""
        pieces = []
        try:
            async with asyncio.timeout(within):
                async for piece in self._pieces():
                    pieces.append(piece)  # noqa: PERF401 - kept as far as they came if it breaks off
        except TimeoutError as late:
            raise Lost(f"it did not answer within {within:g} seconds") from late
        return Answer(self._answer.status, self._answer.headers, b"".join(pieces))

    async def head(self, within: float) -> tuple[Answer, bytes]:
        """The beginning of an answer that goes on, with what came of its body already. Lost."""
        body = b""
        try:
            async with asyncio.timeout(within):
                while not self._answer.status:
                    body += self._fed(await self._read())
        except TimeoutError as late:
            raise Lost(f"it did not answer within {within:g} seconds") from late
        return Answer(self._answer.status, self._answer.headers), body

    async def pieces(self, silence: float) -> AsyncIterator[bytes]:
        """The body as it comes; silence of so many seconds means that nobody is there. Lost."""
        while not self._answer.done:
            try:
                async with asyncio.timeout(silence):
                    data = await self._read()
            except TimeoutError as late:
                raise Lost(f"it said nothing for {silence:g} seconds") from late
            if piece := self._fed(data):
                yield piece

    def close(self) -> None:
        """Hang up."""
        self._writer.close()

    @property
    def is_reusable(self) -> bool:
        """Whether the answer has been read and another question may follow."""
        ends = self._answer.headers.get("connection", "").lower() == "close"
        return self._answer.done and not ends and self.is_open

    async def _pieces(self) -> AsyncIterator[bytes]:
        while not self._answer.done:
            yield self._fed(await self._read())

    async def _read(self) -> bytes:
        try:
            return await self._reader.read(READ)
        except OSError as error:
            raise Lost(str(error) or "it hung up") from error

    def _fed(self, data: bytes) -> bytes:
        try:
            if data:
                return self._answer.feed(data)
            self._answer.ended()
        except NotHttp as wrong:
            raise Lost(str(wrong)) from wrong
        return b""
