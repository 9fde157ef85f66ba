"""A process that opens one session and says what that took: milliseconds and bytes."""

import os
import sys
from pathlib import Path
from time import perf_counter

from bench.measuring import peak_bytes, resident_bytes

from hearth.app import run
from hearth.core.vocabulary.effects import AttachWorker, Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.refusals import Refused
from hearth.engine.engine import Engine
from hearth.log.sqlite import SqliteLog


class Silent:
    """Takes interpreters up and never says anything about them, so that nothing is appended."""

    effects: frozenset[type[Effect]] = frozenset({AttachWorker})

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Say nothing."""

    async def close(self) -> None:
        """Nothing is held."""


async def open_session(path: Path, session: SessionId) -> tuple[float, int]:
    """From nothing but the file to a session that shows its status and its newest cells."""
    before, start = resident_bytes(), perf_counter()
    log = SqliteLog(path)
    await log.open()
    engine = Engine(log, [Silent()])
    await engine.open()
    for view in ("status", "transcript"):
        viewed = await engine.view(view, session)
        if isinstance(viewed, Refused):
            raise TypeError(f"{session} cannot be viewed: {viewed.why}")
    return (perf_counter() - start) * 1000, peak_bytes() - before


if __name__ == "__main__":
    milliseconds, size = run(open_session(Path(sys.argv[1]), SessionId(sys.argv[2])))
    print(f"{milliseconds:.3f} {size}", flush=True)
    # Without closing, which would save a snapshot and so spare the next round its replay.
    os._exit(0)
