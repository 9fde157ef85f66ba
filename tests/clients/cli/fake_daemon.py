"""A daemon of which every byte is chosen: it has a home, a socket and the answers it is given."""

import fcntl
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any, Final

from hearth.daemon.discovery import Found, announce, withdraw
from hearth.daemon.versions import VERSION

LIMIT: Final = 30.0
TOKEN: Final = f"token-of-{os.getpid()}"


@dataclass(frozen=True)
class Seen:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


Answering = Callable[[Seen], bytes]


class Events:
    """One stream of events that a client has open. What is put into it is sent; None ends it."""

    def __init__(self) -> None:
        self.queue: Queue[bytes | None] = Queue()
        self.opened = threading.Event()
        self.after = ""
        self._gathered: list[bytes] | None = None

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What is put into it inside of this comes in one piece: nobody sees half of it."""
        gathered = self._gathered = []
        try:
            yield
        finally:
            self._gathered = None
            self.raw(b"".join(gathered))

    def row(self, seq: int, event: dict[str, Any], **more: Any) -> None:
        envelope = {
            "seq": seq,
            "session": "session-a1b2c3",
            "version": seq,
            "id": f"e{seq}",
            "at": "2026-01-02T03:04:05Z",
            "origin": {"actor": "person", "name": "ann", "door": "cli"},
            "cause": "",
            "event": event,
            **more,
        }
        self.raw(f"id: {seq}\ndata: {json.dumps(envelope)}\n\n".encode())

    def progress(self, progress: dict[str, Any]) -> None:
        said = {"session": "session-a1b2c3", "progress": progress}
        self.raw(f"event: progress\ndata: {json.dumps(said)}\n\n".encode())

    def raw(self, data: bytes) -> None:
        if self._gathered is None:
            self.queue.put(data)
        else:
            self._gathered.append(data)

    def end(self) -> None:
        self.queue.put(None)


def answer(body: Any, status: int = 200, **headers: str) -> bytes:
    """An answer with a length."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Fine", f"Content-Length: {len(raw)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + raw


def refusal(code: str, status: int = 409, **more: Any) -> bytes:
    """An answer that says no."""
    error = {"code": code, "message": f"no: {code}", "hint": "try something else", **more}
    return answer({"error": error}, status)


@dataclass
class FakeDaemon:
    """Listens on a unix socket of a home. Requests without an answer get a 404."""

    home: Path
    version: str = VERSION
    pid: int = field(default_factory=os.getpid)
    answers: dict[str, Answering] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    streams: dict[str, Events] = field(default_factory=dict)
    """By path, without the query."""

    def on(self, what: str, body: Any = None, status: int = 200) -> None:
        """Answer `GET /path` with this."""
        raw = answer(body, status)
        self.answers[what] = lambda _: raw

    def does(self, what: str, answering: Answering) -> None:
        """Answer by a function of the request."""
        self.answers[what] = answering

    def events(self, path: str) -> Events:
        """The stream at this path."""
        return self.streams.setdefault(path, Events())

    def asked(self, what: str) -> list[Seen]:
        """The requests of this kind that came."""
        return [one for one in self.seen if f"{one.method} {one.path}" == what]

    @property
    def found(self) -> Found:
        """As it is found."""
        return Found(
            pid=self.pid,
            port=1,
            socket=str(self.home / "hearth.sock"),
            token=TOKEN,
            started_at="2026-01-02T03:04:05Z",
            version=self.version,
        )

    @contextmanager
    def serving(self) -> Iterator["FakeDaemon"]:
        """It runs, and is found, until the end of the block."""
        self.home.mkdir(mode=0o700, exist_ok=True)
        path = self.home / "hearth.sock"
        path.unlink(missing_ok=True)
        lock = os.open(self.home / "daemon.lock", os.O_RDWR | os.O_CREAT)
        fcntl.flock(lock, fcntl.LOCK_EX)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(path))
        listening.listen(16)
        open_ones: list[socket.socket] = []
        threads: list[threading.Thread] = []

        def accept() -> None:
            while True:
                try:
                    line, _ = listening.accept()
                except OSError:
                    return
                line.settimeout(LIMIT)
                open_ones.append(line)
                thread = threading.Thread(target=self._converse, args=(line,), daemon=True)
                threads.append(thread)
                thread.start()

        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        announce(str(self.home), self.found)
        try:
            yield self
        finally:
            withdraw(str(self.home), self.pid)
            os.close(lock)
            for stream in self.streams.values():
                stream.end()
            for one in [listening, *open_ones]:
                _shut(one)
            for thread in [accepting, *threads]:
                thread.join(LIMIT)

    def _converse(self, line: socket.socket) -> None:
        with line, line.makefile("rb") as reading:
            while True:
                try:
                    request = _read(reading)
                    if request is None:
                        return
                    self.seen.append(request)
                    where = request.path.partition("?")[0]
                    if request.method == "GET" and where in self.streams:
                        stream = self._fresh(where)
                        self._send(line, stream, request)
                        return
                    answering = self.answers.get(f"{request.method} {where}")
                    line.sendall(
                        answering(request) if answering else refusal("unknown_session", 404)
                    )
                except (OSError, ValueError):
                    return  # the client has gone, which is its right

    def _fresh(self, where: str) -> Events:
        """Each client has a stream of its own; the first gets what was put in before it came."""
        stream = self.streams[where]
        if stream.opened.is_set():
            stream.end()
            stream = self.streams[where] = Events()
        return stream

    def _send(self, line: socket.socket, stream: Events, request: Seen) -> None:
        stream.after = request.path.partition("?")[2]
        stream.opened.set()
        line.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        while (data := stream.queue.get(timeout=LIMIT)) is not None:
            line.sendall(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _read(reading: Any) -> Seen | None:
    first = reading.readline().decode()
    if not first:
        return None
    method, path, _ = first.split(" ")
    headers: dict[str, str] = {}
    while (text := reading.readline().decode().strip()) != "":
        name, _, value = text.partition(": ")
        headers[name.lower()] = value
    length = int(headers.get("content-length", "0"))
    body = reading.read(length)
    return Seen(method, path, headers, json.loads(body) if body else None)


def _shut(one: socket.socket) -> None:
    with suppress(OSError):  # it was not connected any more
        one.shutdown(socket.SHUT_RDWR)
    one.close()
