"""A template interpreter: initialised once, and forked whenever another one is needed."""

import asyncio
import contextlib
import json
import socket
from typing import Any, Final, Protocol

from hearth.performers.interpreter import early
from hearth.performers.interpreter.launcher import LAUNCHER, launcher_environment
from hearth.performers.interpreter.spawning import spawn
from hearth.performers.interpreter.starting import CannotStart, cannot_run
from hearth.performers.interpreter.worker_folder import ProcessId, WorkerFolder

STARTING: Final = 30.0
FORKING: Final = 10.0


class Process(Protocol):
    """What is wanted of a program, however it was started."""

    @property
    def pid(self) -> int:
        """Its number."""

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it runs."""

    @property
    def stderr(self) -> asyncio.StreamReader | None:
        """What it complains about."""

    def kill(self) -> None:
        """End it at once. ProcessLookupError."""

    async def wait(self) -> int:
        """Wait for its end."""


class _Early:
    """A program that was begun before there was an event loop."""

    stderr: asyncio.StreamReader | None = None
    """What it complains about is not kept: if it fails, it is started again and heard."""

    def __init__(self, begun: early.Begun) -> None:
        self._process = begun.process

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.poll()

    def kill(self) -> None:
        self._process.kill()

    async def wait(self) -> int:
        return await asyncio.to_thread(self._process.wait)


class Template:
    """One template process. It ends with this daemon, or when it is closed."""

    def __init__(
        self,
        process: Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._lock = asyncio.Lock()
        self._draining: asyncio.Task[None] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it can still be forked."""
        return self._process.returncode is None and not self._writer.is_closing()

    async def fork(self, folder: WorkerFolder) -> ProcessId:
        """Start an interpreter for this folder; its guardian's process. CannotStart."""
        try:
            async with self._lock, asyncio.timeout(FORKING):
                self._writer.write(json.dumps({"folder": str(folder.path)}).encode() + b"\n")
                answer = await self._answer(str(folder.path))
        except TimeoutError:
            await self.close()
            raise CannotStart("the template interpreter does not answer") from None
        guardian = answer.get("guardian")
        if not isinstance(guardian, int):
            raise CannotStart(str(answer.get("error") or "the template interpreter has ended"))
        return ProcessId(guardian)

    async def ready(self) -> None:
        """Wait until it can be forked. CannotStart."""
        try:
            async with asyncio.timeout(STARTING):
                answer = await self._read()
        except TimeoutError:
            await self.close()
            raise CannotStart(f"it was not prepared within {STARTING:g} s") from None
        if answer is None or not answer.get("ready"):
            complaint = await self._complaint()
            await self.close()
            raise CannotStart(complaint or "it ended while it was prepared")
        self._draining = asyncio.get_running_loop().create_task(self._drain())

    async def close(self) -> None:
        """End it. What was forked from it lives on."""
        self._writer.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        if self._draining is not None:
            await self._draining

    async def _drain(self) -> None:
        """What it complains about later is of no use, and must not fill the pipe."""
        while self._process.stderr is not None and await self._process.stderr.read(1 << 16):
            pass

    async def _answer(self, path: str) -> dict[str, Any]:
        """What it says about this folder; nothing if it has ended.

        What it says about another one is for somebody who does not wait for it any more.
        """
        while (found := await self._read()) is not None:
            if "folder" in found and found["folder"] in {path, None}:
                return found
        return {}

    async def _read(self) -> dict[str, Any] | None:
        """The next line, nothing in it if it makes no sense; None if it has ended."""
        try:
            line = await self._reader.readline()
        except OSError:
            return None
        except ValueError:  # a line without an end
            return {}
        if not line:
            return None
        try:
            found = json.loads(line)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    async def _complaint(self) -> str:
        """The last line of what it wrote before it ended."""
        if self._process.stderr is None:
            return ""
        try:
            async with asyncio.timeout(1.0):
                said = await self._process.stderr.read()
        except TimeoutError:
            return ""
        lines = said.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


async def start_template(python: str) -> Template:
    """Start a template of this interpreter and wait until it can be forked. CannotStart.

    One that was begun early is taken, if it comes to anything.
    """
    begun = early.take(python)
    if begun is not None:
        with contextlib.suppress(CannotStart):
            streams = await asyncio.open_unix_connection(sock=begun.ours)
            return await _ready(_Early(begun), *streams)
    ours, theirs = socket.socketpair()
    try:
        # Ours first: from the instant that the program runs, nobody may be lost who can end it.
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        try:
            process = await _begun(python, theirs)
        except BaseException:
            writer.close()
            raise
    finally:
        theirs.close()
    return await _ready(process, reader, writer)


async def _ready(
    process: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Template:
    template = Template(process, reader, writer)
    try:
        await template.ready()
    except asyncio.CancelledError:
        await asyncio.shield(template.close())
        raise
    return template


async def _begun(python: str, theirs: socket.socket) -> asyncio.subprocess.Process:
    try:
        return await spawn(
            python,
            str(LAUNCHER),
            "template",
            stdin=theirs.fileno(),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=launcher_environment(python),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise CannotStart(cannot_run(python, error)) from error
