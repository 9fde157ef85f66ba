"""What a pretended interpreter keeps of itself: the names of copies, and nothing behind them."""

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.ids import CellId, cell_number
from hearth.core.vocabulary.undoing import VariantResult
from hearth.performers.interpreter.scene import Scene, ending_of, outputs_of


class ScriptedCopies:
    """The copies of one pretended interpreter, by name."""

    def __init__(self) -> None:
        self._cells: list[CellId] = []
        self._left: dict[str, tuple[CellId, ...]] = {}
        """What can be brought back, with the copies that were made after it."""

    @property
    def kept(self) -> Copies:
        """Those that can be gone back to."""
        return Copies(tuple(self._cells))

    def begin(self, cell: CellId, *, copy: bool) -> None:
        """A cell begins: what was taken back cannot be brought back any more."""
        self._left.clear()
        if copy:
            self._cells.append(cell)

    def revert(self, to: str, keep_as: str) -> bool:
        """Go to a copy, and keep what was left; False if there is none of this name."""
        if to in self._left:
            if keep_as:
                self._cells.append(CellId(keep_as))
            self._cells.extend(self._left.pop(to))
            return True
        if to not in self._cells:
            return False
        later = [one for one in self._cells if cell_number(one) > cell_number(to)]
        self._cells = [one for one in self._cells if one != to and one not in later]
        if keep_as:
            self._left[keep_as] = tuple(later)
        return True


def reverted(copies: ScriptedCopies, effect: fx.RevertWorker) -> r.WorkerReverted | r.RevertFailed:
    """The answer to a revert."""
    if not copies.revert(effect.to, effect.keep_as):
        return r.RevertFailed(effect.generation, effect.question, f"there is no copy {effect.to!r}")
    can_return = bool(effect.keep_as)
    return r.WorkerReverted(effect.generation, effect.question, copies.kept, can_return)


def result_of(scene: Scene, ending: r.Ending | None = None) -> VariantResult:
    """How a variant ended that played this scene."""
    ending = ending or ending_of(scene)
    return VariantResult(
        value=ending.value if isinstance(ending, r.Succeeded) else "",
        value_type=ending.value_type if isinstance(ending, r.Succeeded) else "",
        outputs=outputs_of(scene),
        names=scene.names,
        failure=ending.failure if isinstance(ending, r.Raised) else None,
        stopped=isinstance(ending, r.Stopped),
    )
