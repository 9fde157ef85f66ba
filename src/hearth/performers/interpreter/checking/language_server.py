"""A language server as a child process: questions and answers over its stdin and stdout."""

import asyncio
import contextlib
import itertools
import json
import os
import signal
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from hearth.performers.interpreter.checking.tools import Unavailable, environment
from hearth.performers.interpreter.spawning import end, spawn

LARGEST_MESSAGE: Final = 4 * 1024 * 1024
LARGEST_AT_ONCE: Final = 256 * 1024
"""What is larger is decoded beside the event loop."""
MOST_UNREAD: Final = 64 * 1024 * 1024
"""A server that does not read so much of what it is told and answered is not kept."""
LONGEST_COMPLAINT: Final = 2000
MOST_HEADERS: Final = 20
"""Lines before a message; the protocol knows two."""
_LAST_WORDS: Final = 0.5
_HEAD: Final = 200


class Refused(Unavailable):
    """The server answered that it will not answer this."""


class LanguageServer:
    """One running server. It answers until it has ended; after that every question raises.

    What it says and asks by itself goes to `hear` and `answer`, which are there to be extended.
    """

    largest: ClassVar[int] = LARGEST_MESSAGE
    largest_skipped: ClassVar[int] = 0
    """A message of more bytes than `largest` is skipped up to this size; of more, it is nonsense,
    and ends the server."""

    def __init__(self, process: asyncio.subprocess.Process, settings: dict[str, Any]) -> None:
        self._process = process
        self._settings = settings
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._complaint = bytearray()
        self._overhearing = asyncio.create_task(self._overhear())
        self._reading = asyncio.create_task(self._read())
        self.ended = asyncio.Event()
        """Set when the process is gone, by whatever way."""

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def is_over(self) -> bool:
        """Whether it ends or has ended, so that it will answer no more."""
        stdin = self._process.stdin
        return self.ended.is_set() or stdin is None or stdin.is_closing()

    @property
    def complaint(self) -> str:
        """The last that it wrote to stderr, if that is a pipe."""
        return self._complaint.decode(errors="replace").strip()

    def hear(self, method: str, params: Any) -> None:
        """Take what the server tells. Here: what it would show in an editor is let go."""

    def answer(self, method: str, params: Any) -> Any:
        """What the server is answered when it asks. Here: its settings, and nothing else."""
        if method == "workspace/configuration":
            return [self._settings for _ in params["items"]]
        return None

    def too_large(self, size: int, head: bytes) -> None:  # noqa: ARG002 - whoever extends it may care
        """Take in that a message, of which `head` is the beginning, is skipped for its size."""
        self._fail(f"it said more than can be taken ({size} bytes)")

    async def ask(self, method: str, params: Any) -> Any:
        """The server's answer, however long it takes; `Unavailable` if it refuses or ends."""
        number = next(self._ids)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            await self._send({"id": number, "method": method, "params": params})
            return await answer
        except asyncio.CancelledError:
            with contextlib.suppress(Unavailable):
                self._write({"method": "$/cancelRequest", "params": {"id": number}})
            raise
        finally:
            self._waiting.pop(number, None)

    async def tell(self, method: str, params: Any) -> None:
        """Say something that has no answer."""
        await self._send({"method": method, "params": params})

    async def close(self) -> None:
        """End the process at once: it holds nothing that would be lost."""
        self._kill()
        await self.ended.wait()
        await asyncio.gather(self._reading, return_exceptions=True)

    def _kill(self) -> None:
        """End the process with those it started, as long as its number is surely its own."""
        if self._process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if os.getpgid(self.pid) == self.pid:
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._process.kill()

    async def _send(self, message: dict[str, Any]) -> None:
        self._write(message)
        assert self._process.stdin is not None  # noqa: S101  it was asked for as a pipe
        try:
            await self._process.stdin.drain()
        except (OSError, RuntimeError) as error:
            raise Unavailable(f"the server ended: {error}") from error

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101  it was asked for as a pipe
        if self.is_over:
            raise Unavailable("the server ended")
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        if self._process.stdin.transport.get_write_buffer_size() > MOST_UNREAD:
            self._kill()
            raise Unavailable("the server does not read")

    async def _read(self) -> None:
        why = "the server ended"
        try:
            while True:
                self._take(await self._message())
                # What is here already is read without waiting: who says very much must not keep
                # everybody else from their turn.
                await asyncio.sleep(0)
        except (OSError, EOFError, ValueError, TypeError, KeyError, RuntimeError) as error:
            # The end of its output, or nothing that can be understood: no answer can follow.
            # (RuntimeError: nested too deeply, and uvloop's word for what is closed.)
            why = f"the server ended: {type(error).__name__}"
        except asyncio.LimitOverrunError:
            why = "the server ended: a line of its headers does not end"
        finally:
            self._kill()
            # What it wrote last says best why it ended; somebody else may hold the pipe for ever.
            await asyncio.wait({self._overhearing}, timeout=_LAST_WORDS)
            self._overhearing.cancel()
            await asyncio.wait({self._overhearing})
            await end(self._process)
            self.ended.set()
            self._fail(why)

    async def _overhear(self) -> None:
        """Read stderr, so that the server is never stuck writing to it; the last of it is kept."""
        stream = self._process.stderr
        while stream is not None and (said := await stream.read(64 * 1024)):
            self._complaint += said
            del self._complaint[:-LONGEST_COMPLAINT]

    async def _message(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101  it was asked for as a pipe
        size = 0
        for _ in range(MOST_HEADERS):
            line = (await self._process.stdout.readuntil(b"\n")).strip()
            if not line:
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        else:
            raise ValueError("its headers do not end")
        if not 0 < size <= max(self.largest, self.largest_skipped):
            raise ValueError(size)
        if size > self.largest:
            head = await self._process.stdout.readexactly(_HEAD)
            self.too_large(size, head)
            size -= _HEAD
            while size := size - len(await self._process.stdout.read(min(size, LARGEST_MESSAGE))):
                if self._process.stdout.at_eof():
                    raise EOFError
            return {}
        body = await self._process.stdout.readexactly(size)
        message = (
            json.loads(body)
            if size <= LARGEST_AT_ONCE
            else await asyncio.to_thread(json.loads, body)
        )
        if not isinstance(message, dict):
            raise TypeError(type(message))
        return message

    def _take(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        match message:
            case {"method": str(method), "id": _}:
                self._reply(number, self.answer(method, message.get("params")))
            case {"method": str(method)}:
                self.hear(method, message.get("params"))
            case {"error": error}:
                said = error.get("message", "refused") if isinstance(error, dict) else error
                self._settle(number, Refused(str(said)[:200]))
            case _:
                self._settle(number, message.get("result"))

    def _reply(self, number: Any, result: Any) -> None:
        # Without waiting until it is read: the server may read only after it has written.
        with contextlib.suppress(Unavailable):  # its end is found out by who reads
            self._write({"id": number, "result": result})

    def _fail(self, why: str) -> None:
        """Let nobody wait any longer."""
        for number in tuple(self._waiting):
            self._settle(number, Unavailable(why))

    def _settle(self, number: Any, outcome: Any) -> None:
        answer = self._waiting.get(number)
        if answer is None or answer.done():
            return  # Nobody waits any more.
        if isinstance(outcome, Unavailable):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)


async def start(arguments: list[str], directory: str, settings: dict[str, Any]) -> LanguageServer:
    """Start a server in a folder, with what it is to hear when it asks for its settings."""
    process = await launch(arguments, directory, environment(), stderr=asyncio.subprocess.DEVNULL)
    return LanguageServer(process, settings)


async def launch(
    arguments: list[str], directory: str, variables: Mapping[str, str], *, stderr: int
) -> asyncio.subprocess.Process:
    """The process of a server, for a `LanguageServer`. `Unavailable` if it cannot be started."""
    try:
        return await spawn(
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            cwd=directory,
            env=dict(variables),
            # Of the daemon's terminal it must not hear an interrupt.
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Unavailable(f"{arguments[0]} cannot be started: {why}") from error
