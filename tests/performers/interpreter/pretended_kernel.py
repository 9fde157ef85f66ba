"""A kernel without an interpreter: real sockets, and tests say what comes over them."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import zmq
import zmq.asyncio
from jupyter_client.session import Session
from tests.contracts.performer import Recorded

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.inside import journal
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.worker_folder import WorkerFolder, WorkerRecord

PATIENCE: Final = 20.0


class Asked(NamedTuple):
    """A request that came."""

    channel: str
    identities: list[bytes]
    message: dict[str, Any]

    @property
    def kind(self) -> str:
        return str(self.message["header"]["msg_type"])

    @property
    def id(self) -> str:
        return str(self.message["header"]["msg_id"])

    @property
    def content(self) -> dict[str, Any]:
        found: dict[str, Any] = self.message["content"]
        return found


Answer = Callable[[Asked], dict[str, Any] | None]
"""The content of a reply; None for no reply."""


class PretendedKernel:
    """Binds the sockets of a worker's folder and answers as it is told to."""

    def __init__(
        self, folder: WorkerFolder, context: zmq.asyncio.Context, *, numbered: bool = False
    ) -> None:
        info = folder.connection()
        self.session = Session(key=str(info["key"]).encode(), signature_scheme="hmac-sha256")
        self.journal = journal.Writer(folder.journal) if numbered else None
        self.asked: list[Asked] = []
        self.answers: dict[str, Answer] = {}
        """By the kind of the request; for hearth's own questions by their name."""
        self.tells_when_idle = False
        """Whether it publishes that it has answered, as kernels do."""
        self._news = asyncio.Event()
        self._subscribed = asyncio.Event()
        self._sockets: dict[str, zmq.asyncio.Socket] = {}
        for channel in ("shell", "control", "stdin"):
            self._bind(context, channel, zmq.ROUTER, info)
        self._bind(context, "iopub", zmq.XPUB, info)
        self._readers = [
            asyncio.get_running_loop().create_task(self._read(channel)) for channel in self._sockets
        ]

    def _bind(
        self, context: zmq.asyncio.Context, channel: str, kind: int, info: dict[str, Any]
    ) -> None:
        socket = context.socket(kind)
        socket.linger = 0
        if kind == zmq.ROUTER:
            socket.router_handover = 1  # as kernels do: the next daemon has the last one's name
        socket.bind(f"ipc://{info['ip']}-{info[f'{channel}_port']}")
        self._sockets[channel] = socket

    async def _read(self, channel: str) -> None:
        while True:
            frames = await self._sockets[channel].recv_multipart()
            if channel == "iopub":
                self._subscribed.set()
                continue
            identities, parts = self.session.feed_identities(frames)
            asked = Asked(channel, identities, self.session.deserialize(parts))
            self.asked.append(asked)
            self._news.set()
            await self._answer(asked)

    async def _answer(self, asked: Asked) -> None:
        name = str(asked.content.get("ask")) if asked.kind == "hearth_request" else asked.kind
        answer = self.answers.get(name)
        found = answer(asked) if answer is not None else None
        if found is not None:
            await self.reply(asked, found)
            if self.tells_when_idle:
                await self.publish("status", {"execution_state": "idle"}, asked.id)

    async def heard(self, kind: str, nth: int = 1) -> Asked:
        """The n-th request of this kind (or question of this name), once it has come."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = [one for one in self.asked if kind in {one.kind, one.content.get("ask")}]
                if len(found) >= nth:
                    return found[nth - 1]
                self._news.clear()
                await self._news.wait()

    async def listened_to(self) -> None:
        """Return when what is published is heard."""
        async with asyncio.timeout(PATIENCE):
            await self._subscribed.wait()

    async def reply(self, asked: Asked, content: dict[str, Any], kind: str = "") -> None:
        """Answer a request."""
        kind = kind or asked.kind.replace("_request", "_reply")
        message = self.session.msg(kind, content, parent=asked.message)
        await self.send(asked.channel, message, asked.identities)

    async def publish(self, kind: str, content: dict[str, Any], parent: str = "") -> None:
        """Publish something about a request."""
        message = self.session.msg(kind, content)
        message["parent_header"] = {"msg_id": parent} if parent else {}
        await self.send("iopub", message, [kind.encode()])

    async def ask_person(self, content: dict[str, Any], asked: Asked) -> None:
        """Ask with `input()` for a running cell."""
        message = self.session.msg("input_request", content, parent=asked.message)
        await self.send("stdin", message, asked.identities)

    async def run(self, asked: Asked, reply: dict[str, Any], *printed: str) -> None:
        """Do what a kernel does with a cell: be busy, print, answer, be idle."""
        await self.publish("status", {"execution_state": "busy"}, asked.id)
        for text in printed:
            await self.publish("stream", {"name": "stdout", "text": text}, asked.id)
        await self.reply(asked, reply)
        await self.publish("status", {"execution_state": "idle"}, asked.id)

    async def send(self, channel: str, message: dict[str, Any], identities: list[bytes]) -> None:
        """Send a message, numbered if this kernel numbers."""
        frames = self.session.serialize(message)
        if self.journal is not None and channel != "stdin":
            kind = journal.IOPUB if channel == "iopub" else journal.REPLY
            identities = [*identities, f"#{self.journal.put(kind, frames)}".encode()]
        await self.send_frames(channel, [*identities, *frames])

    async def send_frames(self, channel: str, frames: list[bytes]) -> None:
        """Send whatever it is."""
        await self._sockets[channel].send_multipart(frames)

    async def close(self) -> None:
        """Be gone."""
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        for socket in self._sockets.values():
            socket.close(linger=0)


@contextlib.asynccontextmanager
async def pretending(
    folder: WorkerFolder, *, numbered: bool = False
) -> AsyncIterator[tuple[PretendedKernel, zmq.asyncio.Context]]:
    """A pretended kernel in a folder, and the sockets to reach it with."""
    context = zmq.asyncio.Context()
    kernel = PretendedKernel(folder, context, numbered=numbered)
    try:
        yield kernel, context
    finally:
        await kernel.close()
        context.destroy(linger=0)


class Staged(NamedTuple):
    """A worker of a session, the kernel it speaks with, and what it reports."""

    worker: Worker
    kernel: PretendedKernel
    stage: Recorded
    context: zmq.asyncio.Context


@contextlib.asynccontextmanager
async def staged(preferences: Preferences | None = None, **record: Any) -> AsyncIterator[Staged]:
    """A worker whose process is pretended; its kernel numbers what it says if it is ours."""
    with tempfile.TemporaryDirectory(prefix="hw-", dir="/tmp") as made:  # sockets have short paths
        folder = WorkerFolder(Path(made))
        folder.write_connection()
        told = WorkerRecord(name=folder.name, **{"subshells": True, **record})
        async with pretending(folder, numbered=told.kind == "python") as (kernel, context):
            worker = Worker(folder, told, context, preferences or Preferences())
            stage = Recorded()
            worker.claim(SessionId("session-one"), 1, stage)
            worker.connection.open()
            await kernel.listened_to()
            kernel.answers["create_subshell_request"] = lambda _: {"subshell_id": "beside"}
            kernel.answers["ping"] = lambda _: ok({"busy": False})
            try:
                yield Staged(worker, kernel, stage, context)
            finally:
                worker.close()


def ok(answer: dict[str, Any]) -> dict[str, Any]:
    """The content of a reply to one of hearth's own questions."""
    return {"status": "ok", "answer": answer}
