"""An interpreter whose every execution leaves a mark outside of hearth."""

import os
from collections.abc import Mapping
from pathlib import Path

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import Backstage, ScriptedInterpreter

MUTE = "mute"
"""Code about which a question is never answered."""


class Witness(ScriptedInterpreter):
    """Writes down each cell it runs, before it does, so that a second time would be seen."""

    def __init__(
        self, scenes: Mapping[str, Scene], marks: Path, backstage: Backstage | None = None
    ) -> None:
        super().__init__(scenes, backstage=backstage)
        self._marks = marks

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        if isinstance(effect, fx.ExecuteInWorker):
            mark(self._marks, f"{session} {effect.cell}")
        if isinstance(effect, fx.CheckInWorker) and effect.code == MUTE:
            return
        await super().perform(session, effect, stage)


def mark(path: Path, line: str) -> None:
    """Whole or not at all, even if the process is killed right now."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def marked(path: Path) -> list[tuple[SessionId, CellId]]:
    """Every execution that was witnessed, in order."""
    if not path.exists():
        return []
    pairs = [line.split() for line in path.read_text().splitlines()]
    return [(SessionId(session), CellId(cell)) for session, cell in pairs]
