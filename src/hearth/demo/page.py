"""What the demo shows: remarks, what ann types, and what happens in the session, as it happens."""

import asyncio
from collections.abc import Callable
from typing import Final

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.tailing import tail

CLEAR: Final = "\r\x1b[K"
"""Takes away the line that is just coming to be."""


class Page:
    """Writes lines; with a `width`, also the one that is just coming to be, in a terminal."""

    def __init__(
        self, write: Callable[[str], object], paint: Paint, *, width: int | None = None
    ) -> None:
        self.paint = paint
        self._write = write
        self._width = width
        self._typed = ""
        """What ann types: until she is done, it stays below everything else."""
        self._live = ""
        self._drawn = ""

    def remark(self, *lines: str) -> None:
        """Say what comes next, as a comment would."""
        self.show("\n".join(["", *(self.paint.strong(f"# {line}") for line in lines)]))

    async def type(self, prompt: str, text: str, pause: float) -> None:
        """Ann types this, character by character, whatever happens meanwhile."""
        if self._width is not None and pause:
            for end in range(len(text) + 1):
                self._typed = f"{prompt}{text[:end]}"
                self._draw()
                await asyncio.sleep(pause)
        self._typed = ""
        self.show(f"{prompt}{text}")

    def show(self, text: str) -> None:
        """Whole lines."""
        self._write(f"{CLEAR if self._drawn else ''}{text}\n")
        self._drawn = ""
        self._draw()

    def live(self, line: str) -> None:
        """The line that is just being written; empty if none is."""
        self._live = line
        self._draw()

    def close(self) -> None:
        """Nothing is being written any more."""
        self._typed = self._live = ""
        self._draw()

    def _draw(self) -> None:
        if self._width is None:
            return
        line = self._typed or self._live
        line = tail(line, self._width - 1).rpartition("\n")[2]  # a second one could not be cleared
        if line != self._drawn:
            self._write(f"{CLEAR}{line}")
            self._drawn = line
