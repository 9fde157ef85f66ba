"""Speaks HTTP/1.1 with the daemon: over its unix socket, or over TCP where that cannot be had."""

from __future__ import annotations

# The bare module of the interpreter: what `socket` adds to it (enums, selectors) nobody needs here,
# and it takes as long to import as the daemon takes to answer.
import _socket as socket
import select
import time

from hearth.clients.cli.messages import Answer, Request
from hearth.clients.cli.server_sent import Sent, ServerSent, TooMuch
from hearth.clients.cli.troubles import Trouble, unreachable
from hearth.clients.incoming import Incoming, NotHttp
from hearth.daemon import plain_json
from hearth.daemon.versions import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Sequence
    from typing import Any, Final, Self

    from hearth.daemon.discovery import Found

PATIENCE: Final = 30.0
"""Seconds for an answer that nobody has to wait for."""
CONNECTING: Final = 5.0
LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a body; more is never asked for."""
ALIVE: Final = 60.0
"""A stream that says nothing for so long, not even that it lives, is dead. It does every 15 s."""
PIECE: Final = 64 * 1024


class Wire:
    """A connection to one daemon, made when it is first needed and again when it was lost."""

    def __init__(self, found: Found, name: str) -> None:
        self.found = found
        self._name = name
        self._socket: socket.socket | None = None
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def another(self) -> Wire:
        """A second connection to the same daemon."""
        return Wire(self.found, self._name)

    def get(self, path: str) -> Any:
        """What is there, decoded. Trouble."""
        return self.ask(Request("GET", path)).good()

    def ask(self, request: Request, patience: float = PATIENCE) -> Answer:
        """The answer to one request. Trouble if none comes, or none that can be understood."""
        return self.ask_all([request], patience)[0]

    def ask_all(self, requests: Sequence[Request], patience: float = PATIENCE) -> list[Answer]:
        """The answers to several requests, which are sent at once. Trouble as `ask`."""
        until = time.monotonic() + patience + max((one.wait for one in requests), default=0.0)
        repeatable = all(one.method == "GET" or one.key for one in requests)
        while True:
            line, is_fresh = self._line()
            try:
                line.settimeout(patience)
                self._send(line, b"".join(self._bytes(line, one) for one in requests))
                return [self._answer(line, until) for _ in requests]
            except TimeoutError:
                self.close()
                raise unreachable("the daemon did not answer in time", code="timeout") from None
            except (OSError, NotHttp) as error:
                self.close()
                if is_fresh or not repeatable:
                    raise _lost(error) from None
                # It was closed for being idle just when we used it again.
            except BaseException:
                self.close()  # half an answer would be taken for the next one
                raise

    def stream(self, path: str, after: int | None = None) -> Stream:
        """The events of this path, over a connection of their own. Trouble."""
        line = self._connected()
        cursor = f"{'&' if '?' in path else '?'}after={after}" if after is not None else ""
        try:
            line.settimeout(PATIENCE)
            line.sendall(self._bytes(line, Request("GET", path + cursor), "text/event-stream"))
            return Stream(line, time.monotonic() + PATIENCE)
        except TimeoutError:
            line.close()
            raise unreachable("the daemon did not answer in time", code="timeout") from None
        except (OSError, NotHttp) as error:
            line.close()
            raise _lost(error) from None
        except BaseException:
            line.close()
            raise

    def waits_for(self, seconds: float, request: Request, patience: float) -> Answer | None:
        """Send a request and wait so long for its answer; None: `answer` gives it later."""
        line, _ = self._line()
        try:
            line.settimeout(patience)
            line.sendall(self._bytes(line, request))
        except OSError as error:
            self.close()
            raise _lost(error) from None
        readable, _, _ = select.select([line], [], [], seconds)
        return self.answer(patience) if readable else None

    def answer(self, patience: float) -> Answer:
        """The answer to what `waits_for` has sent. Trouble."""
        line = self._socket
        if line is None:
            raise unreachable("the connection to the daemon is lost")
        try:
            return self._answer(line, time.monotonic() + patience)
        except TimeoutError:
            self.close()
            raise unreachable("the daemon did not answer in time", code="timeout") from None
        except (OSError, NotHttp) as error:
            self.close()
            raise _lost(error) from None

    def fileno(self) -> int:
        """For select; -1 without a connection."""
        return self._socket.fileno() if self._socket is not None else -1

    def close(self) -> None:
        """Let the connection go."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._rest = b""

    def _line(self) -> tuple[socket.socket, bool]:
        """The connection, and whether it is a new one."""
        if self._socket is not None:
            readable, _, _ = select.select([self._socket], [], [], 0)
            if not readable:
                return self._socket, False
            self.close()  # nobody asked anything: what can be read is its end
        self._socket = self._connected()
        return self._socket, True

    def _connected(self) -> socket.socket:
        found = self.found
        if found.socket:
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                line.settimeout(CONNECTING)
                line.connect(found.socket)
            except OSError:
                line.close()  # it may still listen on its port
            else:
                return line
        line = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            line.settimeout(CONNECTING)
            line.connect(("127.0.0.1", found.port))
        except OSError as error:
            line.close()
            raise unreachable(
                f"the daemon (pid {found.pid}) cannot be reached: {error.strerror or error}"
            ) from None
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return line

    def _bytes(
        self, line: socket.socket, request: Request, accepts: str = "application/json"
    ) -> bytes:
        is_local = line.family == socket.AF_UNIX
        origin = plain_json.dumps({"actor": "person", "name": self._name, "door": "cli"})
        lines = [
            f"{request.method} {request.path} HTTP/1.1",
            f"Host: {'hearth' if is_local else f'127.0.0.1:{self.found.port}'}",
            f"Authorization: Bearer {self.found.token}",
            f"Hearth-Client: {VERSION}",
            f"Hearth-Origin: {origin}",
            f"Accept: {accepts}",
        ]
        if request.wait:
            lines.append(f"Prefer: wait={request.wait:g}")
        if request.key:
            lines.append(f"Idempotency-Key: {request.key}")
        body = b""
        if request.body is not None:
            body = plain_json.dumps(request.body).encode("ascii")
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        elif request.method != "GET":
            lines.append("Content-Length: 0")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body

    def _send(self, line: socket.socket, data: bytes) -> None:
        try:  # noqa: SIM105 - contextlib takes too long to import
            line.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # whoever refuses a large body hangs up behind the answer, which is there to read

    def _answer(self, line: socket.socket, until: float) -> Answer:
        incoming, pieces, size = Incoming(), [], 0
        data, self._rest = self._rest, b""
        while True:
            if data:
                piece = incoming.feed(data)
                pieces.append(piece)
                size += len(piece)
                if size > LARGEST:
                    raise NotHttp(f"the answer has more than {LARGEST} bytes")
            if incoming.done:
                break
            line.settimeout(max(0.001, until - time.monotonic()))
            data = line.recv(PIECE)
            if not data:
                incoming.ended()
        self._rest = incoming.rest
        if not data or incoming.headers.get("connection", "").lower() == "close":
            self.close()
        return Answer(incoming.status, incoming.headers, b"".join(pieces))


class Stream:
    """Events as they come."""

    def __init__(self, line: socket.socket, until: float) -> None:
        """Wait for the head of the answer. Trouble if it is a refusal; OSError, NotHttp."""
        self._line = line
        self._incoming = Incoming()
        self._events = ServerSent()
        self._ready: list[Sent] = []
        body = b""
        while not self._incoming.status:
            body += self._read(until)
        if self._incoming.status != 200:
            while not self._incoming.done:
                body += self._read(until)
            raise Answer(self._incoming.status, self._incoming.headers, body).trouble()
        self._ready += self._events.feed(body)

    def fileno(self) -> int:
        """For select; look at `next(0)` first: something may have been read already."""
        return self._line.fileno()

    def ready(self) -> Sent | None:
        """The next event, if it was read already."""
        return self._ready.pop(0) if self._ready else None

    def next(self, patience: float | None = None) -> Sent | None:
        """The next event; None if none comes in this time. Trouble at the end of the stream.

        Without a time it waits as long as the daemon says that it lives, as it does every 15 s.
        """
        until = time.monotonic() + (ALIVE if patience is None else patience)
        while not self._ready:
            try:
                self._ready += self._events.feed(self._read(until))
            except TimeoutError:
                if patience is None or time.monotonic() - self._heard > ALIVE:
                    raise unreachable("the daemon has fallen silent", code="silent") from None
                return None
            except (OSError, NotHttp, TooMuch) as error:
                raise _lost(error) from None
            if patience is None:
                until = time.monotonic() + ALIVE  # it lives, if only a comment came
            if self._incoming.done and not self._ready:
                raise unreachable("the daemon ended the stream", code="stream_ended")
        return self._ready.pop(0)

    def close(self) -> None:
        """Let the connection go."""
        self._line.close()

    def _read(self, until: float) -> bytes:
        self._line.settimeout(max(0.0, until - time.monotonic()))
        try:
            data = self._line.recv(PIECE)
        except BlockingIOError:
            raise TimeoutError from None  # a limit of 0 makes it a socket that never waits
        if not data:
            self._incoming.ended()
        self._heard = time.monotonic()
        return self._incoming.feed(data)


def _lost(error: Exception) -> Trouble:
    if isinstance(error, NotHttp) and str(error) not in {"no answer came", "the answer broke off"}:
        return unreachable(f"the daemon cannot be understood: {error}", code="protocol")
    if isinstance(error, TooMuch):
        return unreachable("the daemon sends an event without an end", code="protocol")
    return unreachable(
        "the connection to the daemon was lost",
        hint="`hearth status` says whether it still runs",
        code="connection_lost",
    )
