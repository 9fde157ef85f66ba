"""A cell while it is told: whose it is, and what of it was shown so far."""

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import readable
from hearth.clients.repl.printed import Printed
from hearth.core.vocabulary.content import RichData
from hearth.core.vocabulary.ids import CellId


class ToldCell:
    """A cell that is being told."""

    def __init__(self, cell: CellId, printed: Printed, *, is_mine: bool, is_replay: bool) -> None:
        self.id = cell
        self.printed = printed
        self.is_mine = is_mine
        self.is_replay = is_replay
        self.displays: dict[str, RichData] = {}
        self.updated: set[str] = set()
        self.displayed = 0
        self.is_divided = is_mine
        """Whether its output was set apart from its code."""
        self.is_partly_heard = False

    def live(self, paint: Paint) -> str:
        """What it is just writing, or drawing anew in place."""
        if self.printed.live or not self.updated:
            return self.printed.live
        newest = self.displays[max(self.updated)]
        return readable(newest, colour=paint.colour).split("\n", 1)[0]
