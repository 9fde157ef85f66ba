"""One real interpreter performer at work, for tests of what it takes back, tries and branches."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from tests.contracts.performer import Recorded

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import CellId, InputId, SessionId, cell_id
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.preferences import Preferences

S, T = SessionId("session-s"), SessionId("session-t")
WANTED = Preferences(orphan_after=60.0, spares=0, answer=20.0)
"""Nobody gives up a question here because the machine is slow."""
_Report = TypeVar("_Report", bound=r.Report)


class LivePlay:
    """Has effects carried out one after the other, and counts the cells of its session."""

    def __init__(self, live: LiveInterpreter, session: SessionId = S, generation: int = 1) -> None:
        self.live = live
        self.session = session
        self.generation = generation
        self.cells = 0
        self.asked = 0
        self.stage = Recorded()
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, effect: fx.Effect) -> None:
        """Have it carried out."""
        task = asyncio.create_task(self.live.perform(self.session, effect, self.stage))
        self._tasks.add(task)

    async def do(self, effect: fx.Effect, kind: type[_Report]) -> _Report:
        """Have it carried out, and answer with what is reported of it."""
        self.stage.reports.clear()
        self.begin(effect)
        return await self.stage.heard(kind)

    async def start(self, config: SessionConfig | None = None) -> r.WorkerReady:
        """Start its interpreter."""
        effect = fx.StartWorker(self.generation, config or SessionConfig())
        return await self.do(effect, r.WorkerReady)

    def next_cell(self) -> CellId:
        """The id of the next cell."""
        self.cells += 1
        return cell_id(self.cells)

    async def run(self, code: str, *, copy: bool = True, undo: bool = False) -> r.CellEnded:
        """Run a cell to its end."""
        effect = fx.ExecuteInWorker(
            self.generation,
            self.next_cell(),
            code,
            copy=copy,
            on_error="undo" if undo else "keep",
        )
        return await self.do(effect, r.CellEnded)

    async def value(self, code: str) -> str:
        """What an expression comes to."""
        ended = await self.run(code, copy=False)
        assert isinstance(ended.ending, r.Succeeded), ended
        return str(ended.ending.value)

    def reverting(self, to: str, keep_as: str = "") -> fx.RevertWorker:
        """The effect that takes the interpreter back."""
        self.asked += 1
        return fx.RevertWorker(self.generation, InputId(f"q{self.asked}"), to, keep_as)

    async def revert(self, to: str, keep_as: str = "") -> r.WorkerReverted:
        """Take the interpreter back."""
        return await self.do(self.reverting(to, keep_as), r.WorkerReverted)

    async def rest(self) -> None:
        """Everything that was begun is over; none may have raised."""
        async with asyncio.timeout(30):
            await asyncio.gather(*self._tasks)


@asynccontextmanager
async def live_play(
    home: Path, wanted: Preferences = WANTED, *, start: bool = True
) -> AsyncIterator[LivePlay]:
    """A performer with a session's interpreter; nothing of it is left behind."""
    live = LiveInterpreter(home, wanted)
    play = LivePlay(live)
    try:
        if start:
            await play.start()
        yield play
    finally:
        for task in play._tasks:
            task.cancel()
        await asyncio.gather(*play._tasks, return_exceptions=True)
        await play.live.end_all()
        await play.live.close()
