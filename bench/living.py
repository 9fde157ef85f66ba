"""Real interpreters to measure: behind the engine, and one without any of hearth around it."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final, NamedTuple, Self

from bench.engines import engine_on
from bench.histories import ANNA
from bench.measuring import scratch
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.connect import write_connection_file

from hearth.api import Item, Settled, Shown, settle
from hearth.core.vocabulary.cells import CellFinished
from hearth.core.vocabulary.commands import (
    CancelCell,
    Command,
    CreateSession,
    RunCell,
    SessionConfig,
)
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import SessionReady
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import OutputChunk
from hearth.core.vocabulary.refusals import Refused
from hearth.engine.engine import Engine
from hearth.performers.forking import Forking
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.preferences import Preferences

PATIENCE: Final = 60.0
"""A bench that waits longer for anything has found a defect."""
LOOK_EVERY: Final = 0.001
LOOP: Final = "print('on', flush=True)\nwhile True: pass"
SLEEP: Final = "import time\nprint('on', flush=True)\ntime.sleep(60)"
AWAIT: Final = "import asyncio\nprint('on', flush=True)\nawait asyncio.Event().wait()"


class Living(NamedTuple):
    """An engine whose interpreters are real."""

    engine: Engine
    live: LiveInterpreter
    folder: Path

    async def done(self, session: SessionId, command: Command) -> Settled:
        """What a command led to; a refusal, or none in time, is a mistake of the bench."""
        async with asyncio.timeout(PATIENCE):
            outcome = await settle(self.engine, session, command, ANNA)
        if isinstance(outcome, Refused):
            raise TypeError(f"{session} refused {command}: {outcome.why}")
        return outcome

    async def ran(self, session: SessionId, code: str) -> CellFinished:
        """How a cell ended; one that failed is a mistake of the bench."""
        ended = (await self.done(session, RunCell(code))).outcome.event
        if not isinstance(ended, CellFinished):
            raise TypeError(f"{code!r} ended with {ended}")
        return ended

    async def session(self, name: str) -> SessionId:
        """A new session whose interpreter waits for code."""
        session = SessionId(name)
        config = SessionConfig(directory=str(self.folder))
        ended = (await self.done(session, CreateSession(config))).outcome.event
        if not isinstance(ended, SessionReady):
            raise TypeError(f"{name} is not ready: {ended}")
        return session

    async def spare(self) -> None:
        """Wait until the pool holds what it is to hold."""
        self.live.warm(sys.executable)
        async with asyncio.timeout(PATIENCE):
            await self.live.warmed(sys.executable)


@asynccontextmanager
async def living(preferences: Preferences | None = None) -> AsyncIterator[Living]:
    """An engine in a folder of its own; its interpreters end with it."""
    with scratch() as folder:
        project = folder / "project"
        # A root of its own: the bench may run in somebody's repository, with much to import.
        (project / ".git").mkdir(parents=True)
        (project / "pyproject.toml").write_text('[project]\nname = "measured"\n')
        live = LiveInterpreter(folder, preferences)
        await live.open()

        async def read(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
            return await engine.rows(session, after, limit)

        forking = Forking(live, read)
        async with engine_on(folder / "hearth.db", live, forking) as engine:
            forking.bind(engine)
            try:
                yield Living(engine, live, project)
            finally:
                # A closed performer leaves them to the next daemon.
                await live.end_all()


@asynccontextmanager
async def at_work(
    here: Living, session: SessionId, code: str
) -> AsyncIterator[asyncio.Task[Settled]]:
    """Run code that prints something once it is on its way, until the block is left."""
    following = here.engine.follow(session)
    running = asyncio.create_task(here.done(session, RunCell(code)))
    try:
        async with asyncio.timeout(PATIENCE):
            while not any(map(_is_output, await following.batch())):
                pass
        yield running
        if not running.done():
            await here.done(session, CancelCell())
            await running
    finally:
        running.cancel()
        following.close()


def _is_output(item: Item) -> bool:
    return isinstance(item, Shown) and isinstance(item.progress, OutputChunk)


class PlainKernel:
    """`ipykernel` as anyone starts it, and `jupyter_client` as it comes; over ipc, as ours."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._client: AsyncKernelClient
        self._process: asyncio.subprocess.Process

    async def start(self) -> Self:
        """Start it, and wait for its first answer."""
        file, found = write_connection_file(
            str(self._folder / "connection.json"),
            transport="ipc",
            ip=str(self._folder / "s"),
            key=token_hex(16).encode(),
        )
        last = f"{self._folder}/s-{found['hb_port']}"
        environment = {**os.environ, "IPYTHONDIR": str(self._folder / "ipython")}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "-f",
            file,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
        )
        async with asyncio.timeout(PATIENCE):
            # A socket that connects too early tries again only after a tenth of a second: that
            # is not to be counted against it.
            while not os.path.exists(last):  # noqa: ASYNC110, ASYNC240, PTH110 - another process makes it
                await asyncio.sleep(LOOK_EVERY)
            self._client = AsyncKernelClient(connection_file=file)
            self._client.load_connection_file()
            self._client.start_channels(hb=False)
            await self._answered(self._client.kernel_info())
        return self

    async def run(self, code: str) -> None:
        """Run a cell until its reply has come and all it published."""
        async with asyncio.timeout(PATIENCE):
            request = self._client.execute(code)
            await self._answered(request)
            while True:
                message = await self._client.get_iopub_msg()
                if (
                    message["parent_header"].get("msg_id") == request
                    and message["content"].get("execution_state") == "idle"
                ):
                    return

    async def end(self) -> None:
        """End it and let go of it."""
        with suppress(AttributeError):  # it never came to have one
            self._client.stop_channels()
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _answered(self, request: str) -> None:
        while True:
            message = await self._client.get_shell_msg()
            if message["parent_header"].get("msg_id") == request:
                return


@asynccontextmanager
async def plain_kernel() -> AsyncIterator[tuple[PlainKernel, float]]:
    """A plain kernel that answers, and the milliseconds until it did."""
    # Not in the folder of the bench: the path of a socket must be short.
    with TemporaryDirectory(prefix="hb-") as folder:
        kernel = PlainKernel(Path(folder))
        begun = perf_counter()
        try:
            await kernel.start()
            yield kernel, (perf_counter() - begun) * 1000
        finally:
            await kernel.end()
