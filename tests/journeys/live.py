"""Real interpreters behind a real engine, as the journeys of live sessions use them."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import psutil
import pytest
from tests.contracts.scenes import ANN

from hearth.api import Following, Settled, Shown, each, settle
from hearth.app import running
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.content import Blob, Output, Outputs, StreamText, Text
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.progress import OutputChunk
from hearth.core.vocabulary.refusals import Refused
from hearth.engine.clock import Clock
from hearth.engine.engine import Engine
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime, runtime_folder
from hearth.performers.interpreter.worker_folder import WorkerFolder

S: Final = SessionId("session-a")
T: Final = SessionId("session-b")
PATIENCE: Final = 30.0
MARK: Final = "A_JOURNEY_OF_HEARTH"
"""In the environment of every process that a journey starts, with its home: so they are found."""
PLAIN: Final = Preferences(spares=0, orphan_after=60.0)

_T = TypeVar("_T")
_E = TypeVar("_E")


class Live:
    """A daemon with real interpreters, and everything that anyone who follows it was told."""

    def __init__(self, engine: Engine, home: Path) -> None:
        self.engine = engine
        self.home = home
        self.envelopes: list[Envelope] = []
        self.shown: list[Shown] = []
        self._news = asyncio.Event()
        self._following: Following = engine.follow(after=0)
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Follow no more."""
        self._following.close()
        await self._watching

    async def create(
        self, session: SessionId = S, config: c.SessionConfig | None = None
    ) -> e.Event:
        """Begin a session and wait until it is ready, or cannot be."""
        return await self.settle(c.CreateSession(config or c.SessionConfig()), session)

    async def settle(self, command: c.Command, session: SessionId = S) -> e.Event:
        """What a command came to."""
        async with asyncio.timeout(PATIENCE):
            settled = await settle(self.engine, session, command, ANN)
        assert isinstance(settled, Settled), settled
        await self.catch_up()
        return settled.outcome.event

    async def run(self, code: str, session: SessionId = S, **said: Any) -> e.Event:
        """What a cell came to."""
        return await self.settle(c.RunCell(code, **said), session)

    async def value(self, code: str, session: SessionId = S) -> str:
        """The value of a cell that must come to its end."""
        ended = await self.run(code, session)
        assert isinstance(ended, e.CellFinished), ended
        return await self.text(ended.value)

    async def begin(self, code: str, session: SessionId = S, **said: Any) -> CellId:
        """Give a cell to a session without waiting for its end; the cell's id."""
        accepted = await self.submit(c.RunCell(code, **said), session)
        begun = await self.until(
            lambda: [one.event for one in self.envelopes if one.seq == accepted]
        )
        assert isinstance(begun[0], e.CellStarted | e.CellQueued)
        return begun[0].cell

    async def submit(self, command: c.Command, session: SessionId = S) -> int:
        """Have a command accepted; where its consequences begin."""
        accepted = await self.engine.submit(session, command, ANN)
        assert not isinstance(accepted, Refused), accepted
        return accepted.seq

    async def pid(self, session: SessionId = S) -> int:
        """The process of a session's interpreter."""
        return int(await self.value("__import__('os').getpid()", session))

    async def catch_up(self) -> None:
        """Wait until everything that stands in the log by now was told."""
        head = await self.engine._around.log.head()
        await self.until(lambda: self.cursor >= head)

    async def until(self, reached: Callable[[], _T]) -> _T:
        """Wait until something holds of what was told so far, and answer it."""
        async with asyncio.timeout(PATIENCE):
            while not (found := reached()):
                await self.news()
        return found

    async def news(self) -> None:
        """Wait until anything more was told than when it was last waited."""
        await self._news.wait()
        self._news.clear()

    async def seen(
        self,
        kind: type[_E],
        session: SessionId = S,
        *,
        where: Callable[[_E], bool] = lambda _: True,
        after: int = 0,
        count: int = 1,
    ) -> _E:
        """Wait for an event of this kind, or for so many; the last of them."""

        def enough() -> list[_E]:
            found = [one for one in self.of(kind, session, after) if where(one)]
            return found if len(found) >= count else []

        return (await self.until(enough))[count - 1]

    async def saw_printed(self, text: str, session: SessionId = S) -> None:
        """Wait until this was shown live."""
        await self.until(lambda: text in self.printed_live(session))

    def printed_live(self, session: SessionId = S) -> str:
        """What was shown while it was printed."""
        return "".join(
            one.progress.text
            for one in self.shown
            if one.session == session and isinstance(one.progress, OutputChunk)
        )

    def of(self, kind: type[_E], session: SessionId = S, after: int = 0) -> list[_E]:
        """The events of this kind so far."""
        return [one for one in self.events(session, after) if isinstance(one, kind)]

    def events(self, session: SessionId = S, after: int = 0) -> list[e.Event]:
        """A session's events so far, after a cursor."""
        return [one.event for one in self.envelopes if one.session == session and one.seq > after]

    @property
    def cursor(self) -> int:
        """How far was followed."""
        return self.envelopes[-1].seq if self.envelopes else 0

    async def text(self, text: Text) -> str:
        """A text in full, wherever it is kept."""
        if isinstance(text, Blob):
            return (await self.engine._around.log.blobs.get(text.sha256)).decode()
        return text

    async def outputs(self, outputs: Outputs) -> Sequence[Output]:
        """Outputs in full, wherever they are kept."""
        if isinstance(outputs, Blob):
            content = await self.engine._around.log.blobs.get(outputs.sha256)
            return msgspec.json.decode(content, type=tuple[Output, ...])
        return outputs

    async def printed(self, outputs: Outputs, stream: str = "stdout") -> str:
        """What was printed, of one stream."""
        texts = [
            await self.text(one.text)
            for one in await self.outputs(outputs)
            if isinstance(one, StreamText) and one.stream == stream
        ]
        return "".join(texts)

    def folders(self) -> list[WorkerFolder]:
        """What is kept of each interpreter that lives."""
        return [*Runtime(runtime_folder(self.home)).workers()]

    async def _watch(self) -> None:
        async for item in each(self._following):
            if isinstance(item, Stored):
                self.envelopes.append(envelope(item))
            else:
                self.shown.append(item)
            self._news.set()


@asynccontextmanager
async def living(
    home: Path, preferences: Preferences = PLAIN, clock: Clock | None = None
) -> AsyncIterator[Live]:
    """A daemon with real interpreters, of which nothing at all is left in the end."""
    with marked(home):
        try:
            async with daemon(home, preferences, clock) as live:
                yield live
        finally:
            await end_all(home)
        assert_nothing_left(home)


@asynccontextmanager
async def daemon(
    home: Path, preferences: Preferences = PLAIN, clock: Clock | None = None
) -> AsyncIterator[Live]:
    """A daemon that leaves its interpreters to the next one."""
    async with running(home, None, [LiveInterpreter(home, preferences)], clock) as engine:
        live = Live(engine, home)
        try:
            yield live
        finally:
            await live.close()


async def end_all(home: Path) -> None:
    """End what lives in this home, as `hearth stop` does."""
    last = LiveInterpreter(home)
    try:
        await last.end_all()
    finally:
        await last.close()


@contextmanager
def marked(home: Path) -> Iterator[None]:
    """Every process that is started meanwhile carries this home's name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, str(home))
        # Where it is set, ipykernel leaves alone what children write to the descriptors.
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        yield


def processes(home: Path) -> list[psutil.Process]:
    """Everything that was started by a journey in this home and still runs."""
    return [one for one in psutil.process_iter() if _mark_of(one) == str(home)]


async def comes_true(condition: Callable[[], bool]) -> None:
    """Wait until something holds that nobody tells of: of files, of descriptors."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            # Out of this thread and back: the loop goes on, and so do all other processes.
            await asyncio.to_thread(os.sched_yield)


async def gone(process: psutil.Process) -> None:
    """Wait until a process is no more."""
    await asyncio.to_thread(psutil.wait_procs, [process], timeout=PATIENCE)
    assert not process.is_running()


def assert_nothing_left(home: Path) -> None:
    """No process, no folder and no socket is left."""
    psutil.wait_procs(processes(home), timeout=PATIENCE)
    assert processes(home) == []
    assert not runtime_folder(home).exists()
    unix = Path("/proc/net/unix").read_text()
    assert str(runtime_folder(home)) not in unix


def _mark_of(process: psutil.Process) -> str:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return ""
        return process.environ().get(MARK, "")
    except psutil.Error:  # gone meanwhile, or somebody else's
        return ""


def raised(event: e.Event) -> CodeRaised:
    """The exception with which a cell ended."""
    assert isinstance(event, e.CellFailed), event
    assert isinstance(event.failure, CodeRaised), event.failure
    return event.failure
