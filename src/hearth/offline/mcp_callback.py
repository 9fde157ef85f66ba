"""Where a browser comes back to after a login: one page on loopback, for one answer."""

import asyncio
import contextlib
import socket
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import parse_qs, urlsplit

HOST: Final = "127.0.0.1"
PATH: Final = "/callback"
LONGEST: Final = 64 * 1024
"""Bytes of a request: what comes back is one line."""
READING: Final = 10.0
_PAGE: Final = (
    "<!doctype html><meta charset=utf-8><title>hearth</title>"
    "<p style='font: 1.2em system-ui; margin: 4em'>{}</p>"
)


class NotLoggedIn(Exception):
    """Nobody came back, or with a no; the text says which."""


@dataclass(frozen=True)
class CameBack:
    """What the browser brought."""

    code: str
    state: str | None
    iss: str | None


class Callback:
    """Listens on loopback until the browser has come back. `async with` it."""

    def __init__(self, port: int = 0) -> None:
        """At this port, or at any that is free. OSError."""
        self._socket = socket.create_server((HOST, port))
        self.port: int = self._socket.getsockname()[1]
        self.uri = f"http://{HOST}:{self.port}{PATH}"
        self.state = ""
        """Only who brings this is believed; empty until it is known."""
        self._server: asyncio.Server | None = None
        self._answer: asyncio.Future[CameBack] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._visited, sock=self._socket, limit=LONGEST)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        self._answer.cancel()

    async def wait(self, patience: float) -> CameBack:
        """What came back. NotLoggedIn."""
        try:
            async with asyncio.timeout(patience):
                return await self._answer
        except TimeoutError:
            raise NotLoggedIn(f"nobody logged in within {patience:g} s") from None

    async def _visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READING):
                head = await reader.readuntil(b"\r\n\r\n")
            status, text = self._taken(head.decode("latin-1"))
            body = _PAGE.format(text).encode()
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
                + body
            )
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # whoever it was, it was not the browser that is waited for
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _taken(self, head: str) -> tuple[str, str]:
        method, _, rest = head.partition(" ")
        address = urlsplit(rest.partition(" ")[0])
        said = {name: values[0] for name, values in parse_qs(address.query).items()}
        if method != "GET" or address.path != PATH:
            return "404 Not Found", "There is nothing here."
        if not self.state or said.get("state") != self.state:
            # Any page can send a browser here; only the server we asked knows this word.
            return "400 Bad Request", "This is not the answer that hearth waits for."
        if self._answer.done():
            return "200 OK", "You are done here already, and can close this window."
        if "error" in said:
            why = said.get("error_description") or said["error"]
            self._answer.set_exception(NotLoggedIn(f"the server did not log you in: {why[:300]}"))
            return "200 OK", "You were not logged in. You can close this window."
        if "code" not in said:
            return "400 Bad Request", "This is not the answer that hearth waits for."
        self._answer.set_result(CameBack(said["code"], said.get("state"), said.get("iss")))
        return "200 OK", "hearth is logged in. You can close this window."
