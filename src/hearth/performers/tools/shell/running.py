"""A command from its start to its end, with what it wrote: for a call that waits, and for jobs."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hearth.performers.tools.shell.kept_output import Excerpt, KeptOutput
from hearth.performers.tools.shell.program import PATIENCE, Ended, Launch, Program
from hearth.performers.tools.shell.showing import Showing

_GATHERING: Final = 0.1
"""What comes shortly after the first line is told with it."""
_said = logging.getLogger(__name__)


class Running:
    """A command that runs, or ran. It goes on whoever waits for it."""

    def __init__(
        self,
        command: str,
        output: KeptOutput,
        show: Callable[[str], None],
        afterwards: Callable[[], str] | None = None,
    ) -> None:
        """`afterwards` is called in a thread when it has ended; what it says is the afterword."""
        self.command = command
        self.output = output
        self.ended: Ended | None = None
        self.afterword = ""
        self.was_stopped = False
        self.timed_out_after: float | None = None
        self._afterwards = afterwards
        self._told = 0
        self._showing = Showing(show)
        self._news = asyncio.Event()
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def begin(self, launch: Launch, limit: float | None, patience: float = PATIENCE) -> None:
        """Start it; it is ended after `limit` seconds. CouldNotStart."""
        program = await Program.begin(launch, patience)
        self._task = asyncio.create_task(self._live(program, limit))

    async def over(self) -> None:
        """Wait until it has ended. Whoever is cancelled in this leaves it as it is."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def end(self) -> None:
        """Have it end, and wait until it did."""
        self.was_stopped = self.was_stopped or self.ended is None
        self._stop.set()
        await self.over()

    async def more(self, seconds: float) -> None:
        """Wait until there is something new to tell, or it has ended, or time is over."""
        try:
            async with asyncio.timeout(seconds):
                while self._told >= self.output.total and self.ended is None:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return
        if self.ended is None:
            await asyncio.wait({self._living}, timeout=_GATHERING)

    def new_output(self) -> Excerpt:
        """What it wrote since this was asked the last time."""
        excerpt, self._told = self.output.since(self._told, is_over=self.ended is not None)
        return excerpt

    @property
    def _living(self) -> "asyncio.Task[None]":
        if self._task is None:
            raise RuntimeError("it was never begun")
        return self._task

    async def _live(self, program: Program, limit: float | None) -> None:
        waiting = asyncio.create_task(program.wait(self._take))
        stopping = asyncio.create_task(self._stop.wait())
        try:
            both = {waiting, stopping}
            await asyncio.wait(both, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                if not self._stop.is_set():
                    self.timed_out_after = limit
                program.stop()
                await program.kill()
            ended = await waiting
        except Exception as defect:  # noqa: BLE001 - whoever waits must hear of an end
            ended = Ended(problem=f"{type(defect).__name__}: {defect}")
        finally:
            stopping.cancel()
        self._showing.close()
        await asyncio.to_thread(self._settle)
        self.ended = ended
        self._news.set()

    def _take(self, piece: bytes) -> "asyncio.Future[None] | None":
        self.output.take(piece)
        self._showing.take(piece)
        self._news.set()
        if not self.output.must_write:
            return None
        return asyncio.get_running_loop().run_in_executor(None, self.output.write)

    def _settle(self) -> None:
        self.output.write()
        self.output.close()
        if self._afterwards is not None:
            try:
                self.afterword = self._afterwards()
            except Exception as defect:  # noqa: BLE001 - whoever waits must hear of the end
                _said.exception("what %s left could not be looked at", self.command[:100])
                self.afterword = f"What it left could not be looked at: {defect}."
