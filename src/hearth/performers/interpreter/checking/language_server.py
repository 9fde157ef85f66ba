"""A language server as a child process: questions and answers over its stdin and stdout."""

import asyncio
import contextlib
import itertools
import json
from typing import Any, Final

from hearth.performers.interpreter.checking.tools import Unavailable, environment
from hearth.performers.interpreter.spawning import end, spawn

LARGEST_MESSAGE: Final = 4 * 1024 * 1024


class LanguageServer:
    """One running server. It answers until it has ended; after that every question raises."""

    def __init__(self, process: asyncio.subprocess.Process, settings: dict[str, Any]) -> None:
        self._process = process
        self._settings = settings
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reading = asyncio.create_task(self._read())
        self.ended = asyncio.Event()
        """Set when the process is gone, by whatever way."""

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

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
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self.ended.wait()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _send(self, message: dict[str, Any]) -> None:
        self._write(message)
        assert self._process.stdin is not None  # noqa: S101  it was asked for as a pipe
        try:
            await self._process.stdin.drain()
        except (OSError, RuntimeError) as error:
            raise Unavailable(f"the server ended: {error}") from error

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101  it was asked for as a pipe
        if self.ended.is_set() or self._process.stdin.is_closing():
            raise Unavailable("the server ended")
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self) -> None:
        why = "the server ended"
        try:
            while True:
                await self._take(await self._message())
        except (OSError, EOFError, ValueError) as error:
            # The end of its output, or nothing that can be understood: no answer can follow.
            why = f"the server ended: {type(error).__name__}"
        finally:
            await end(self._process)
            self.ended.set()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Unavailable(why))

    async def _message(self) -> Any:
        assert self._process.stdout is not None  # noqa: S101  it was asked for as a pipe
        size = 0
        while line := (await self._process.stdout.readuntil(b"\n")).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        if not 0 < size <= LARGEST_MESSAGE:
            raise ValueError(size)
        return json.loads(await self._process.stdout.readexactly(size))

    async def _take(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        match message:
            case {"method": "workspace/configuration", "params": {"items": items}}:
                await self._send({"id": number, "result": [self._settings for _ in items]})
            case {"method": _, "id": _}:
                await self._send({"id": number, "result": None})
            case {"method": _}:
                pass  # It tells what it would show in an editor.
            case {"error": error}:
                self._settle(number, Unavailable(str(error.get("message", "refused"))[:200]))
            case _:
                self._settle(number, message.get("result"))

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
    try:
        process = await spawn(
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=directory,
            env=environment(),
            # Of the daemon's terminal it must not hear an interrupt.
            start_new_session=True,
        )
    except OSError as error:
        raise Unavailable(f"{arguments[0]} cannot be started: {error.strerror}") from error
    return LanguageServer(process, settings)
