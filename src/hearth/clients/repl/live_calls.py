"""What tools write while they run: lines below their calls, the newest above the prompt."""

from typing import Final

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Piece, Words
from hearth.clients.repl.sanitising import clean_line
from hearth.core.vocabulary.ids import CallId

MOST_LINES: Final = 40
"""Of one call; `.show` has the rest."""
LONGEST_LINE: Final = 300
LONGEST_LIVE: Final = 2_000


class _Call:
    def __init__(self) -> None:
        self.rest = ""
        self.lines = 0
        self.hidden = 0
        self.newest = ""


class LiveCalls:
    """The output of the calls of one turn."""

    def __init__(self, paint: Paint) -> None:
        self._paint = paint
        self._calls: dict[CallId, _Call] = {}
        self._last: CallId | None = None

    @property
    def live(self) -> str:
        """The line that is being written, or the newest of those that are not shown."""
        newest = next(reversed(self._calls.values()), None)
        if newest is None:
            return ""
        line = newest.rest or (newest.newest if newest.hidden else "")
        return clean_line(line[-LONGEST_LIVE:], colour=False)

    def heard(self, call: CallId, head: str, text: str) -> list[Piece]:
        """The lines that this ends, with the head of their call where others stand before them."""
        known = self._calls.pop(call, None) or _Call()
        self._calls[call] = known  # what was written last is the newest
        *lines, known.rest = (known.rest + text).split("\n")
        known.rest = known.rest[-LONGEST_LIVE:]
        return self._shown(call, known, head, lines)

    def returned(self, call: CallId, head: str) -> tuple[list[Piece], int]:
        """The rest of what it wrote; and how many of its lines were shown or counted."""
        known = self._calls.pop(call, None)
        if known is None:
            return [], 0
        pieces = self._shown(call, known, head, [known.rest] if known.rest else [])
        if known.hidden:
            said = f"  {self._bar} {self._paint.more} {known.hidden} more lines"
            pieces.append(Words(self._paint.dim(said), is_aside=True))
        self._last = None
        return pieces, known.lines + known.hidden

    def interrupted(self) -> None:
        """Something else was told: what comes next says again whose it is."""
        self._last = None

    @property
    def _bar(self) -> str:
        return "│" if self._paint.drawings else "|"

    def _shown(self, call: CallId, known: _Call, head: str, lines: list[str]) -> list[Piece]:
        shown = []
        for line in lines:
            if known.lines >= MOST_LINES:
                known.hidden += 1
                known.newest = line[-LONGEST_LIVE:]
                continue
            known.lines += 1
            text = clean_line(line, colour=False)[:LONGEST_LINE]
            shown.append(self._paint.dim(f"  {self._bar} {text}"))
        if not shown:
            return []
        above = [head] if self._last not in {None, call} and head else []
        self._last = call
        return [Words("\n".join([*above, *shown]), is_aside=True)]
