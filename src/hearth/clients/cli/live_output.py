"""What tools write while they run, line by line under their calls."""

from __future__ import annotations

from hearth.clients.cli.markdown import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable
    from typing import Final

MOST_LINES: Final = 100
"""Of one call; the log has all of it."""
LONGEST: Final = 400
BESIDE: Final = "  │ "


class _Call:
    def __init__(self) -> None:
        self.lines = 0
        self.hidden = 0
        self.rest = ""
        """The line that is not complete yet."""


class LiveOutput:
    """The output of calls that run, some of them at the same time."""

    def __init__(self, tell: Callable[[str], None], most: int = MOST_LINES) -> None:
        """`tell` writes a line; of each call so many are written at `most`, or all if it is 0."""
        self._tell = tell
        self._most = most
        self._calls: dict[str, _Call] = {}
        self._last = ""
        """The call whose lines were written last."""

    def heard(self, call: str, head: str, text: str) -> None:
        """A call wrote this. `head` says which one it is, where that is not clear."""
        known = self._calls.setdefault(call, _Call())
        *lines, known.rest = (known.rest + text).split("\n")
        for line in lines:
            self._line(call, known, head, line)

    def ended(self, call: str, head: str) -> bool:
        """Nothing more comes of it; whether something of it was written, with its head above."""
        known = self._calls.pop(call, None)
        if known is None:
            return False
        if known.rest:
            self._line(call, known, head, known.rest)
        if known.hidden:
            self._head(call, head)
            self._tell(f"{BESIDE}… {known.hidden} more line{'' if known.hidden == 1 else 's'}")
        is_below = self._last == call
        self._last = "" if is_below else self._last
        return is_below

    def interrupted(self) -> None:
        """Something else was written: what comes next says again whose it is."""
        self._last = ""

    def _line(self, call: str, known: _Call, head: str, line: str) -> None:
        if self._most and known.lines >= self._most:
            known.hidden += 1
            return
        known.lines += 1
        self._head(call, head)
        shown = harmless(_overwritten(line))
        self._tell(BESIDE + (shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"))

    def _head(self, call: str, head: str) -> None:
        if self._last != call:
            self._tell(head)
            self._last = call


def _overwritten(line: str) -> str:
    """What carriage returns left of a line: the last that was written."""
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""
