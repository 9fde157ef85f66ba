"""Asks the daemon about tools, through the socket beside the kernel's own.

Each question has a connection of its own, so that threads, tasks and forked copies never share
one; whoever stops waiting closes it, which stops the call.
"""

import contextlib
import hashlib
import hmac
import json
import socket
import struct
import threading
from pathlib import Path
from typing import Any, Final

from .cells import CURRENT
from .streams import CAUSE
from .tool_results import NotAvailable, ToolError, error_of
from .tools import SOCKET, here

LARGEST_QUESTION: Final = 4 << 20
LARGEST_ANSWER: Final = 64 << 20
"""More than a daemon sends; so much more would come from somebody else."""
_LENGTH: Final = struct.Struct(">I")
_AT_ONCE: Final = 1 << 16
_UNKNOWN: Final = (
    "hearth went away before it answered: whether the tool was run is not known. "
    "It is not run again by itself"
)


class Talk:
    """One question. `stop` may be called from any thread, also before it is asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = here(folder)
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_stopped = False

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """What the daemon answers. ToolError, NotAllowed, NotAvailable."""
        sent = False
        try:
            with contextlib.closing(self._connected()) as connection:
                greeting = _received(connection)
                said = {**question, "cell": calling_cell(), "proof": self._proof(greeting)}
                content = encoded(said)
                sent = True
                connection.sendall(_LENGTH.pack(len(content)) + content)
                answer = _received(connection)
        except (OSError, EOFError, ValueError) as broken:
            if sent and question.get("ask") == "call":
                raise ToolError(_UNKNOWN) from None
            raise NotAvailable(f"hearth cannot be asked for tools just now: {broken}") from None
        if isinstance(answer.get("error"), dict):
            raise error_of(answer["error"])
        return answer

    def stop(self) -> None:
        """Wait no more; the daemon notices."""
        with self._lock:
            self._is_stopped = True
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with self._lock:
                self._socket = made
                if self._is_stopped:
                    made.shutdown(socket.SHUT_RDWR)  # OSError: it is not connected
            made.connect(str(self._folder / SOCKET))
        except BaseException:
            made.close()
            raise
        return made

    def _proof(self, greeting: dict[str, Any]) -> str:
        connection = json.loads((self._folder / "connection.json").read_bytes())
        nonce = str(greeting.get("nonce") or "")
        return hmac.new(str(connection["key"]).encode(), nonce.encode(), hashlib.sha256).hexdigest()


def calling_cell() -> str:
    """The request of the cell whose code calls; "" if none does.

    A task belongs to the cell that made it, a thread to the one that started it.
    """
    cell = CURRENT.get()
    if cell is not None:
        return cell.request
    cause = getattr(threading.current_thread(), CAUSE, None)
    return str(cause.get("msg_id") or "") if isinstance(cause, dict) else ""


def encoded(question: dict[str, Any]) -> bytes:
    """A question as it is sent. TypeError for what JSON cannot say; ToolError if it is too long."""
    try:
        content = json.dumps(question, allow_nan=False, default=_as_text).encode()
    except ValueError as wrong:  # what is not a number, or has itself in it
        raise TypeError(f"this cannot be given to a tool: {wrong}") from None
    if len(content) > LARGEST_QUESTION:
        raise ToolError(
            f"the arguments take {len(content)} bytes; at most {LARGEST_QUESTION} can be sent"
        )
    return content


def _as_text(value: object) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a {type(value).__name__} cannot be given to a tool: JSON has no such thing")


def _received(connection: socket.socket) -> dict[str, Any]:
    """The next message. OSError, EOFError, ValueError."""
    (length,) = _LENGTH.unpack(_bytes(connection, _LENGTH.size))
    if length > LARGEST_ANSWER:
        raise ValueError("what answers there is not hearth")
    found = json.loads(_bytes(connection, length))
    if not isinstance(found, dict):
        raise ValueError("what answers there is not hearth")  # noqa: TRY004 - bad content, not a bad call
    return found


def _bytes(connection: socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = connection.recv(min(count, _AT_ONCE))
        if not part:
            raise EOFError("it ended the conversation")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
