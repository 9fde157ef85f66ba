"""Questions to an interpreter that are answered while a cell runs, or not at all."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec.structs import replace

from hearth.performers.interpreter.connection import Message, Request

if TYPE_CHECKING:
    from hearth.performers.interpreter.running_cell import RunningCell
    from hearth.performers.interpreter.worker import Worker

MOST_STUCK: Final = 4
"""So many subshells may hang in somebody's code before no other is made."""
PING: Final = 0.5
SOON: Final = 0.1
LATE: Final = 30.0
"""One who is not heard yet is asked after so long, then after twice as long, up to this."""
AGAIN: Final = 2.0
"""One who does not say who it is within this time is come to once more."""

Where = Literal["main", "beside", "control"]


class Asking:
    """Sends questions and waits for their answers. None is the answer of one who cannot."""

    def __init__(self, worker: "Worker") -> None:
        self._worker = worker
        self._open: dict[str, asyncio.Future[Message]] = {}
        self._subshell: asyncio.Task[str | None] | None = None
        self._stuck = 0
        self._closed = False
        self._is_waking = False

    @property
    def is_ours(self) -> bool:
        """Whether the process runs hearth's own kernel, which knows hearth's questions."""
        return self._worker.record.kind == "python"

    def hear(self, message: Message) -> None:
        """Something came that is not about a cell."""
        if not message.type.endswith("_reply"):
            return  # what code publishes on the way to an answer is not the answer
        future = self._open.pop(message.parent, None)
        if future is not None and not future.done():
            future.set_result(message)

    def begin_anew(self) -> None:
        """Another process answers from now on, which knows nothing of what was asked before.

        Until it is greeted: what is heard before may still be of the one that was.
        """
        self._is_waking = True
        for future in self._open.values():
            future.cancel()
        self._open.clear()
        if self._subshell is not None:
            self._subshell.cancel()
        self._subshell = None
        self._stuck = 0

    def close(self) -> None:
        """Nobody gets an answer any more."""
        self._closed = True
        for future in self._open.values():
            future.cancel()
        self._open.clear()
        if self._subshell is not None:
            self._subshell.cancel()

    async def ask(
        self, name: str, args: dict[str, Any], *, where: Where = "beside", patience: float
    ) -> dict[str, Any] | None:
        """One of hearth's own questions; None if it could not be answered in time."""
        if not self.is_ours:
            return None
        content = {"ask": name, "args": args}
        reply = await self.request("hearth_request", content, where=where, patience=patience)
        if reply is None or reply.get("status") != "ok":
            return None
        answer = reply.get("answer")
        return answer if isinstance(answer, dict) else None

    async def request(
        self, kind: str, content: dict[str, Any], *, where: Where = "beside", patience: float
    ) -> dict[str, Any] | None:
        """A request of Jupyter's, and its reply; None if none came in time."""
        subshell = None
        if where == "beside" and self._worker.record.subshells:
            subshell = await self._beside()
            if subshell is None:
                return None
        elif where == "beside" and self._worker.running is not None:
            return None  # it answers nothing until the cell is over
        sent = self._send("control" if where == "control" else "shell", kind, content, subshell)
        reply = await self._reply(sent, patience)
        if reply is None and subshell is not None and not self._closed:
            await self._look_after(subshell)
        return reply

    def begin(self, kind: str, content: dict[str, Any], *, request_id: str = "") -> str:
        """Send a request to the main shell, to be awaited with `answer_to`."""
        return self._send("shell", kind, content, None, request_id)

    async def answer_to(self, request: str, patience: float | None) -> dict[str, Any] | None:
        """The reply to a request that was begun; None if none came in time."""
        return await self._reply(request, patience)

    async def round_trip(self) -> bool:
        """Wait until everything that was asked of the main shell before has been taken."""
        request = self._send("shell", "kernel_info_request", {}, None)
        return await self._reply(request, None) is not None

    async def greet(self, patience: float) -> dict[str, Any] | None:
        """Wait until it answers and is heard; what it says about itself."""
        try:
            async with asyncio.timeout(patience):
                reply = await self._introduced()
                while reply is not None and not await self._is_heard(SOON):
                    # It may have published before we listened: let it publish again.
                    reply = await self._introduced()
        finally:
            self._is_waking = False
        return reply

    async def _introduced(self) -> dict[str, Any] | None:
        """What it says about itself, asked until it says it; None if it ends instead.

        One that is just beginning to read may not notice what came before, nor that we came: then
        we come again. Whichever question it answers, it is the same answer.
        """
        asked: dict[str, asyncio.Future[Message]] = {}
        gone = asyncio.ensure_future(self._worker.process.over())
        try:
            while not self._closed and not gone.done():
                if asked:
                    self._worker.connection.disconnect()
                    self._worker.connection.open()
                request = self._send("shell", "kernel_info_request", {}, None)
                asked[request] = self._open[request]
                waiting: set[asyncio.Future[Any]] = {gone, *asked.values()}
                await asyncio.wait(waiting, timeout=AGAIN, return_when="FIRST_COMPLETED")
                for one in asked.values():
                    if one.done():
                        return None if one.cancelled() else one.result().content
        finally:
            gone.cancel()
            for request in asked:
                self._open.pop(request, None)
        return None

    async def follow(self, running: "RunningCell") -> None:
        """Wait until it is heard while it runs this cell: whatever it does publishes something.

        What it said before is in the journal. What it says once it is heard has its number, by
        which it is noticed if anything is missing. What lay between would never be looked for.
        """
        patience = SOON
        while self._worker.running is running and not self._closed:
            await self.is_reachable(patience)
            if await self._is_heard(patience):
                await self._worker.connection.sequence.catch_up()
                return
            patience = min(2 * patience, LATE)

    async def _is_heard(self, patience: float) -> bool:
        """Whether what it publishes comes here, or does within this time."""
        listening = self._worker.connection.listening
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(listening.wait(), patience)
        return listening.is_set()

    async def is_reachable(self, patience: float = PING) -> bool:
        """Whether any Python code of ours gets a turn in it."""
        kind = "hearth_request" if self.is_ours else "kernel_info_request"
        content = {"ask": "ping", "args": {}} if self.is_ours else {}
        return await self.request(kind, content, where="control", patience=patience) is not None

    def prepare_beside(self) -> None:
        """Make the subshell before a cell may need it."""
        # What is sent while nobody reads yet is lost, and whoever asks would wait in vain for it.
        if self._worker.record.subshells and self._subshell is None and not self._is_waking:
            self._subshell = asyncio.get_running_loop().create_task(self._make_subshell())

    def _send(
        self,
        channel: Literal["shell", "control"],
        kind: str,
        content: dict[str, Any],
        subshell: str | None,
        request_id: str = "",
    ) -> str:
        request = Request(channel, kind, content, id=request_id, subshell=subshell)
        sent = self._worker.connection.send(request)
        if not self._closed:
            self._open[sent] = asyncio.get_running_loop().create_future()
        return sent

    async def _reply(self, request: str, patience: float | None) -> dict[str, Any] | None:
        future = self._open.get(request)
        if future is None:
            return None
        gone = asyncio.ensure_future(self._worker.process.over())
        try:
            both: set[asyncio.Future[Any]] = {future, gone}
            await asyncio.wait(both, timeout=patience, return_when="FIRST_COMPLETED")
        finally:
            gone.cancel()
            self._open.pop(request, None)
        if future.cancelled() or not future.done():
            return None
        return future.result().content

    async def _beside(self) -> str | None:
        self.prepare_beside()
        if self._subshell is None:
            return None
        making = self._subshell
        await asyncio.wait({making})  # unlike its result, this is not cancelled with it
        return None if making.cancelled() else making.result()

    async def _make_subshell(self) -> str | None:
        reply = await self.request(
            "create_subshell_request", {}, where="control", patience=self._worker.preferences.answer
        )
        found = (reply or {}).get("subshell_id")
        if not isinstance(found, str):
            self._subshell = None
            return None
        return found

    async def _look_after(self, subshell: str) -> None:
        """It hangs in somebody's code: the next question gets another. Or nothing gets a turn."""
        if self._stuck < MOST_STUCK and await self.is_reachable():
            current = self._subshell
            if current is None or not current.done() or current.result() != subshell:
                return  # somebody else who waited for it has seen to that
            self._stuck += 1
            self._subshell = None
        elif self._stuck >= MOST_STUCK:
            self._worker.record = replace(self._worker.record, subshells=False)
