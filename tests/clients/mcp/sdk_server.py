"""A small server of the official SDK where the daemon would be: a program, killed as one is.

`python -m tests.clients.mcp.sdk_server HOME` holds the lock of that home, announces itself there
and serves `/mcp` over a unix socket, in both eras. It notes what it was asked in HOME/asked.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hearth.daemon.discovery import Found, announce
from hearth.daemon.home import DAEMON_LOCK, ensure_home
from hearth.daemon.locking import take
from hearth.daemon.versions import VERSION

TOKEN: Final = "the-token-of-the-person"  # noqa: S105 - of nobody
ASKED: Final = "asked"

server = MCPServer("in-place-of-hearth", instructions="for tests")
_home = Path()
_active: dict[str, str] = {}
_released = asyncio.Event()


def note(**said: Any) -> None:
    """Write down, whole, what happened."""
    with (_home / ASKED).open("ab") as file:
        file.write(json.dumps(said).encode() + b"\n")


def _connection(context: "Context[Any, Any]") -> str:
    request = context.request_context.request
    return str(request.headers.get("mcp-session-id", "")) if request else ""


@server.tool()
def add(a: int, b: int) -> int:
    """Answer at once."""
    return a + b


@server.tool()
async def wait(context: "Context[Any, Any]") -> str:
    """Answer once somebody calls `release`; say so when it begins."""
    note(began="wait")
    await context.report_progress(1, 2, "waiting")
    try:
        await _released.wait()
    except asyncio.CancelledError:
        note(cancelled="wait")
        raise
    return "released"


@server.tool()
async def step(context: "Context[Any, Any]") -> str:
    """Tell how far it is, then answer."""
    await context.report_progress(1, 2, "half")
    return "done"


@server.tool()
def release() -> str:
    """Let all go that wait now."""
    global _released  # noqa: PLW0603 - as below
    _released.set()
    _released = asyncio.Event()
    return "let go"


@server.tool()
def switch_session(session: str, context: "Context[Any, Any]") -> dict[str, str]:
    """Use this one where none is named."""
    _active[_connection(context)] = session
    return {"session": session, "state": "ready"}


@server.tool()
def where(context: "Context[Any, Any]") -> str:
    """The session of this connection."""
    return _active.get(_connection(context), "none")


@server.tool()
def largest(size: int) -> str:
    """So much text."""
    return "ä" * size


@server.prompt("grüße")
def greeting(who: str) -> str:
    """A name that no header can carry as it is."""
    return f"hello {who}"


@server.resource("test://räume")
def rooms() -> str:
    """An address that no header can carry as it is."""
    return "three"


class Noting:
    """Writes down each request, and lets only the person's token in."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
        token = headers.pop("authorization", "")
        if token != f"Bearer {TOKEN}":
            await _turned_away(send)
            return

        async def noted() -> Message:
            message = await receive()
            if message["type"] == "http.request" and message.get("body"):
                body = json.loads(message["body"])
                note(http=scope["method"], headers=headers, method=body.get("method"))
            return message

        if scope["method"] != "POST" and scope["path"] == "/mcp":
            note(http=scope["method"], headers=headers)
        await self._app(scope, noted, send)


async def _turned_away(send: Send) -> None:
    error = {"code": "bad_token", "message": "this token is not known", "hint": "make another"}
    body = json.dumps({"error": error}).encode()
    kind = (b"content-type", b"application/json")
    await send({"type": "http.response.start", "status": 401, "headers": [kind]})
    await send({"type": "http.response.body", "body": body})


async def serve(home: Path) -> None:
    """Until it is killed."""
    global _home  # noqa: PLW0603 - one server in one process
    _home = home
    ensure_home(str(home))
    lock = take(str(home / DAEMON_LOCK), 10.0)
    assert lock is not None
    path = home / "hearth.sock"
    path.unlink(missing_ok=True)
    app = server.streamable_http_app(
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False)
    )
    config = uvicorn.Config(Noting(app), uds=str(path), log_level="warning", lifespan="on")
    uvicorn_server = uvicorn.Server(config)
    serving = asyncio.create_task(uvicorn_server.serve())
    while not uvicorn_server.started:  # noqa: ASYNC110 - it tells nobody
        await asyncio.sleep(0)
    found = Found(
        pid=os.getpid(),
        port=9,
        socket=str(path),
        token=TOKEN,
        started_at="2026-01-01T00:00:00Z",
        version=VERSION,
    )
    announce(str(home), found)
    sys.stdout.write("serving\n")
    sys.stdout.flush()
    await serving


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
