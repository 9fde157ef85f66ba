"""A server of this machine that answers as it is told, and remembers what it was asked."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.permitting import Need
from hearth.performers.tools.tool import Scene

LIMIT: Final = 30.0
CERTIFICATE: Final = Path(__file__).parent / "fixtures" / "localhost.pem"
"""Of `localhost`, with its key, which keeps nothing secret."""
SCENE: Final = Scene(SessionId("session-1"), "/work")


@dataclass
class Server:
    """Where it is, and what it heard."""

    port: int
    answers: dict[str, bytes]
    heard: list[str] = field(default_factory=list)
    """Each request, from its first line to the end of its headers."""
    open: set[asyncio.Task[None]] = field(default_factory=set)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def header(self, name: str, request: int = -1) -> str:
        """What a request said under this name."""
        lines = self.heard[request].split("\r\n")[1:]
        found = (line.partition(": ") for line in lines)
        return next((value for one, _, value in found if one.lower() == name), "")

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heard.append(request)
        path = request.split(" ")[1]
        answer = self.answers.get(path, said("not here", status="404 Not Found"))
        if answer is SILENCE:
            await reader.read()  # until whoever asked gives up
        writer.write(answer)
        await writer.drain()
        writer.close()


SILENCE: Final = b"silence"


def said(
    content: str | bytes = "",
    media_type: str = "text/plain; charset=utf-8",
    status: str = "200 OK",
    **headers: str,
) -> bytes:
    """An answer."""
    body = content.encode() if isinstance(content, str) else content
    named = {
        "content-length": str(len(body)),
        **({"content-type": media_type} if media_type else {}),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = (f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items()))
    return "\r\n".join((*lines, "", "")).encode() + body


def moved(to: str, status: str = "302 Found") -> bytes:
    """An answer that the page is elsewhere."""
    return said("elsewhere", status=status, location=to)


@asynccontextmanager
async def serving(
    answers: Mapping[str, bytes] | None = None, *, secure: bool = False
) -> AsyncIterator[Server]:
    """A server, until the end of the block."""
    server = Server(0, dict(answers or {}))
    tls = None
    if secure:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(CERTIFICATE)

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(_quietly(server, reader, writer))
        server.open.add(task)
        task.add_done_callback(server.open.discard)

    async with asyncio.timeout(LIMIT):
        listening = await asyncio.start_server(begin, "127.0.0.1", 0, ssl=tls)
        server.port = listening.sockets[0].getsockname()[1]
        try:
            yield server
        finally:
            listening.close()
            for task in server.open:
                task.cancel()
            await asyncio.gather(*server.open, return_exceptions=True)


async def _quietly(
    server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        await server.answer(reader, writer)
    except (OSError, asyncio.IncompleteReadError):
        pass  # whoever asked has gone, as tests want it
    finally:
        writer.close()


def allowing(*needs: Need) -> Scene:
    """A scene in which this was allowed."""
    return Scene(SCENE.session, SCENE.directory, needs=needs)
