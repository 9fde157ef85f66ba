"""What comes after a cell has ended, from something it left running, under that cell's name."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.reports import OutputCameLate
from hearth.performers.interpreter.collecting import Collected

PAUSE: Final = 0.25
"""Pieces that come within this time are told together."""
MOST_CELLS: Final = 50
"""So many cells are remembered with what they may still write."""


class _Room(NamedTuple):
    """What a cell may still write."""

    text: int
    displays: int
    was_told: bool = False
    """That it wrote more than it may. Once is enough: a thread may go on for ever."""


class LateOutput:
    """Gathers late output by cell and tells it in lumps; a cell's limit holds for all of it."""

    def __init__(self, tell: Callable[[OutputCameLate], None], text: int, displays: int) -> None:
        self._tell = tell
        self._whole = _Room(text, displays)
        self._rooms: dict[CellId, _Room] = {}
        self._waiting: dict[CellId, Collected] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def hear(self, generation: int, cell: CellId, kind: str, content: dict[str, Any]) -> None:
        """One published message of a cell that has ended."""
        if self._closed:
            return
        collected = self._waiting.get(cell)
        if collected is None:
            room = self._rooms.setdefault(cell, self._whole)
            collected = self._waiting[cell] = Collected(cell, room.text, room.displays)
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
            outputs, was_told = collected.outputs(), self._rooms[cell].was_told
            if outputs or (collected.dropped and not was_told):
                self._tell(OutputCameLate(generation, cell, outputs, collected.dropped))
            was_told = was_told or collected.dropped > 0
            self._rooms[cell] = _Room(collected.text_room, collected.display_room, was_told)
        while len(self._rooms) > MOST_CELLS:
            del self._rooms[next(iter(self._rooms))]

    def close(self) -> None:
        """Tell nothing more."""
        self._closed = True
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
