"""What comes after a cell has ended, from something it left running, under that cell's name."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.reports import OutputCameLate
from hearth.performers.interpreter.collecting import Collected

PAUSE: Final = 0.25
"""Pieces that come within this time are told together."""
MOST_CELLS: Final = 50
"""So many cells are remembered with what they may still write."""


class LateOutput:
    """Gathers late output by cell and tells it in lumps; a cell's limit holds for all of it."""

    def __init__(self, tell: Callable[[OutputCameLate], None], text: int, displays: int) -> None:
        self._tell = tell
        self._limits = (text, displays)
        self._rooms: dict[CellId, int] = {}
        self._waiting: dict[CellId, Collected] = {}
        self._timer: asyncio.TimerHandle | None = None

    def hear(self, generation: int, cell: CellId, kind: str, content: dict[str, Any]) -> None:
        """One published message of a cell that has ended."""
        collected = self._waiting.get(cell)
        if collected is None:
            text, displays = self._limits
            room = self._rooms.setdefault(cell, text)
            collected = self._waiting[cell] = Collected(cell, room, displays)
        collected.hear(kind, content)
        if self._timer is None and collected:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(PAUSE, self.flush, generation)

    def flush(self, generation: int) -> None:
        """Tell what there is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, {}
        for cell, collected in waiting.items():
            outputs, room = collected.outputs(), collected.text_room
            if outputs or (collected.dropped and self._rooms[cell] > 0):
                self._tell(OutputCameLate(generation, cell, outputs, collected.dropped))
            self._rooms[cell] = room
        while len(self._rooms) > MOST_CELLS:
            del self._rooms[next(iter(self._rooms))]

    def close(self) -> None:
        """Tell nothing more."""
        if self._timer is not None:
            self._timer.cancel()
