"""Branches of sessions' interpreters that wait for the sessions they were made for."""

import asyncio
import time
from typing import Final, NamedTuple

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.performers.interpreter.branching import CannotBranch, branch, waiting_record
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.worker import Worker

NONE: Final = "the session has no live interpreter"


class Branched(NamedTuple):
    """What came of a branch; without obstacles it waits for its session."""

    obstacles: tuple[str, ...] = ()


class WaitingBranches:
    """Made, and not yet anybody's. They end with the daemon."""

    def __init__(self, launching: Launching) -> None:
        self._launching = launching
        self._waiting: dict[SessionId, tuple[Worker, float]] = {}

    async def make(self, source: Worker | None, to: SessionId) -> Branched:
        """Copy an interpreter for a session that is about to begin."""
        if source is None:
            return Branched((NONE,))
        began = time.monotonic()
        try:
            made = await branch(self._launching, source, waiting_record(source))
        except CannotBranch as cannot:
            return Branched(cannot.obstacles)
        except (CannotStart, OSError) as trouble:
            return Branched((f"it could not be copied: {trouble}",))
        await self.drop(to)
        self._waiting[to] = (made, began)
        return Branched()

    def take(
        self, session: SessionId, effect: fx.StartWorker | fx.ResetWorker, stage: Stage
    ) -> tuple[Worker, r.WorkerReady] | None:
        """The branch that waits for this session, which then is its interpreter."""
        worker, began = self._waiting.pop(session, (None, 0.0))
        if worker is None or worker.process.is_over:
            return None
        worker.claim(session, effect.generation, stage)
        record = worker.record
        found = record.surroundings or Surroundings(
            root=record.root,
            python=record.python,
            language=worker.language,
            version=worker.language_version,
        )
        took = time.monotonic() - began
        return worker, r.WorkerReady(effect.generation, took, (), found)

    async def drop(self, to: SessionId) -> None:
        """End one that nobody came for."""
        worker, _ = self._waiting.pop(to, (None, 0.0))
        if worker is not None:
            await worker.end(politely=False)

    async def close(self) -> None:
        """End all of them."""
        await asyncio.gather(*(self.drop(one) for one in tuple(self._waiting)))
