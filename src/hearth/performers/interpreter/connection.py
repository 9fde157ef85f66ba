"""The sockets to one interpreter process, in Jupyter's own words."""

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import Callable
from hmac import compare_digest
from typing import Any, Final, Literal, NamedTuple

import msgspec
import zmq
import zmq.asyncio
from jupyter_client.session import DELIM, Session

from hearth.performers.interpreter.sequence import Frames, Sequence
from hearth.performers.interpreter.worker_folder import WorkerFolder

Channel = Literal["shell", "control", "stdin"]

BREATH: Final = 0.01
"""A flood of messages is read for so many seconds, then others have their turn."""

CONTENT: Final = 4
"""Where the content stands after the delimiter: signature, header, parent, metadata, content."""

CURRENT: Final = "5."
"""The protocol whose words are used here; messages of an older one are translated."""

_said = logging.getLogger(__name__)


class Message(NamedTuple):
    """What came, and what it is about."""

    type: str
    parent: str
    """The id of the request that led to it; empty for none."""
    content: dict[str, Any]
    metadata: dict[str, Any]


class Request(NamedTuple):
    """What is sent."""

    channel: Channel
    kind: str
    content: dict[str, Any]
    id: str = ""
    """Chosen by the sender; a fresh one if it is empty."""
    metadata: dict[str, Any] | None = None
    subshell: str | None = None


class Connection:
    """Sends requests and delivers what comes back, in order, to one listener.

    Nothing here waits for the interpreter: requests go out at once, answers come to `hear`.
    """

    def __init__(
        self,
        folder: WorkerFolder,
        sockets: dict[str, Any],
        context: zmq.asyncio.Context,
        hear: Callable[[Message], None],
    ) -> None:
        self._folder = folder
        self._info = sockets
        self._context = context
        self._hear = hear
        self._session = Session(
            key=str(sockets["key"]).encode(),
            signature_scheme=sockets["signature_scheme"],
            username="hearth",
        )
        self._caller = folder.caller
        self._has_left = False
        """It was connected, and closed its sockets."""
        self._sockets: dict[str, zmq.asyncio.Socket] = {}
        self._readers: list[asyncio.Task[None]] = []
        self._closed = False
        self.sequence = Sequence(folder.journal, self._decode)
        self.listening = asyncio.Event()
        """Set while what it publishes is heard: one who has just come may not be known yet."""

    def open(self) -> None:
        """Connect; what is said from now on is heard.

        Every daemon has the same name: the answer to a dead one's request reaches the next. But of
        two who have one name at the same time the interpreter hears only the one who came last.
        Who leaves does so a while later, and may come back by itself until then: who comes after
        that has another name.
        """
        if self._closed:
            return
        if self._has_left:
            self._caller += 1
            # Without it, the next daemon is not told what a cell asks a person.
            with contextlib.suppress(OSError):
                self._folder.write_caller(self._caller)
        name = f"daemon-{self._folder.name}"
        self._session.session = f"{name}-{self._caller}" if self._caller else name
        for channel in ("shell", "control", "stdin"):
            socket = self._context.socket(zmq.DEALER)
            socket.identity = self._session.bsession
            self._connect(channel, socket)
        listener = self._context.socket(zmq.SUB)
        # A publisher drops what its listeners are slow to take: what ends a cell may be among it.
        listener.rcvhwm = 0
        listener.subscribe(b"")
        self._connect("iopub", listener)

    def disconnect(self) -> None:
        """Hear and send nothing until `open` is called again."""
        self._has_left = True
        for reader in self._readers:
            reader.cancel()
        self._readers.clear()
        self.listening.clear()
        for socket in self._sockets.values():
            socket.close(linger=0)
        self._sockets.clear()

    def close(self) -> None:
        """Hear nothing more."""
        self._closed = True
        self.sequence.close()
        self.disconnect()

    def send(self, request: Request) -> str:
        """Send a request; its id is the `parent` of everything that follows from it."""
        header = self._session.msg_header(request.kind)
        # Not as Jupyter counts them: a daemon that comes after this one may have its number.
        header["msg_id"] = request.id or secrets.token_hex(12)
        if request.subshell is not None:
            header["subshell_id"] = request.subshell
        message = self._session.msg(
            request.kind, request.content, header=header, metadata=request.metadata
        )
        socket = self._sockets.get(request.channel)
        if socket is not None:
            sending = socket.send_multipart(self._session.serialize(message))
            asyncio.ensure_future(sending).add_done_callback(_sent)
        return str(header["msg_id"])

    def _connect(self, channel: str, socket: zmq.asyncio.Socket) -> None:
        socket.linger = 0
        socket.reconnect_ivl = 5
        socket.reconnect_ivl_max = 100
        socket.connect(f"ipc://{self._info['ip']}-{self._info[f'{channel}_port']}")
        self._sockets[channel] = socket
        reading = self._read(socket, is_published=channel == "iopub")
        self._readers.append(asyncio.get_running_loop().create_task(reading))

    async def _read(self, socket: zmq.asyncio.Socket, *, is_published: bool) -> None:
        breath = time.monotonic()
        while not self._closed:
            frames = await socket.recv_multipart()
            if is_published:
                self.listening.set()
            self._sort(frames)
            if time.monotonic() - breath > BREATH:
                # A receive that finds something does not let others run.
                await asyncio.sleep(0)
                breath = time.monotonic()

    def _sort(self, frames: Frames) -> None:
        try:
            at = frames.index(DELIM)
        except ValueError:
            return
        for identity in frames[:at]:
            if identity.startswith(b"#") and identity[1:].isdigit():
                self.sequence.feed(int(identity[1:]), frames)
                return
        self._decode(frames)

    def _decode(self, frames: Frames) -> None:
        try:
            heard = self._message(frames[frames.index(DELIM) + 1 :])
        except (ValueError, LookupError, TypeError, AttributeError) as broken:
            # Whoever can write to the socket can write nonsense; the next message may be fine.
            _said.warning("a message from %s makes no sense: %s", self._session.session, broken)
            return
        self._hear(heard)

    def _message(self, parts: Frames) -> Message:
        """The message in these frames. ValueError, LookupError, TypeError, AttributeError.

        Not by `Session.deserialize`, which takes nine times as long: it reads the dates of both
        headers, at which nobody here looks.
        """
        signature, *packed = parts[: CONTENT + 1]
        if not compare_digest(signature, self._session.sign(packed)):
            raise ValueError("it is not signed with the key of this interpreter")
        header, parent, metadata, content = map(_unpacked, packed)
        if not str(header.get("version", CURRENT)).startswith(CURRENT):
            old = self._session.deserialize(parts)
            header, content = old["header"], old["content"]
        return Message(
            type=str(header["msg_type"]),
            parent=str(parent.get("msg_id") or ""),
            content=_storable(packed[-1], dict(content.items())),
            metadata=dict(metadata.items()),
        )


def _unpacked(packed: bytes) -> Any:
    try:
        return msgspec.json.decode(packed)
    except msgspec.DecodeError:
        # Some kernels send what is only nearly JSON: not a number, or half a character.
        return json.loads(packed.decode(errors="replace"))


def _storable(raw: Any, content: dict[str, Any]) -> dict[str, Any]:
    """The content, with a question mark for each half of a character: no log takes those.

    Only escapes can bring them, which are rare: what has none is not looked through.
    """
    if b"\\u" not in bytes(raw):
        return content
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        whole = json.dumps(content, ensure_ascii=False).encode(errors="replace")
        content = json.loads(whole)
    return content


def _sent(sending: asyncio.Future[Any]) -> None:
    with contextlib.suppress(asyncio.CancelledError, zmq.ZMQError):  # closed meanwhile
        sending.result()
