"""Which cells an interpreter holds that it did not hold at an earlier moment: a fold of the log."""

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId


class RanSince:
    """Take the events behind the moment one by one; then `cells` are what came since."""

    def __init__(self) -> None:
        self._cells: list[CellId] = []
        self._missing: frozenset[CellId] = frozenset()
        """What it held then and holds no more."""
        self._lives = True

    @property
    def same(self) -> bool:
        """The interpreter is still the one of then, lives, and holds all that it held then."""
        return self._lives and not self._missing

    @property
    def cells(self) -> tuple[CellId, ...]:
        """Those that are not taken back, the oldest first."""
        return tuple(self._cells)

    def take(self, envelope: Envelope) -> None:
        """Go on with the next event of the session."""
        match envelope.event:
            case e.CellFinished(cell=cell):
                self._cells.append(cell)
            case e.CellFailed(cell=cell, undone=undone) | e.CellCancelled(cell=cell, undone=undone):
                if not undone:
                    self._cells.append(cell)
            case e.VariantKept(cell=cell):
                self._cells.append(cell)
            case e.VariantsDropped(cell=cell):
                # It may have been kept, and have ended before it was there.
                self._cells = [one for one in self._cells if one != cell]
            case e.CellsUndone(cells=cells):
                self._take_back(cells)
            case e.CellsRedone(cells=cells):
                # Also such as had been taken back before the moment: it did not hold them then.
                self._cells.extend(one for one in cells if one not in self._missing)
                self._missing -= frozenset(cells)
            case e.SessionWarmUpStarted() | e.SessionFaulted() | e.SessionStopped():
                self._cells, self._missing, self._lives = [], frozenset(), False
            case _:
                pass

    def _take_back(self, cells: tuple[CellId, ...]) -> None:
        self._missing |= frozenset(cells).difference(self._cells)
        self._cells = [one for one in self._cells if one not in cells]
