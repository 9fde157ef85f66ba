"""What a return has done, or would do, until it is told."""

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.deeds import PathChange
from hearth.core.vocabulary.ids import BlockId, CellId
from hearth.core.vocabulary.undoing import ForkHow, Returned, SessionPart


class Account:
    """What was done, or would be."""

    def __init__(self, effect: fx.ReturnSession) -> None:
        self._effect = effect
        self.blocks = 0
        self.cells: tuple[CellId, ...] = ()
        self.how: ForkHow | None = None
        self.changes: tuple[PathChange, ...] = ()
        self.left_out = 0
        self.problems: list[str] = []
        self.failed = ""
        self.was = BlockId("")
        self.undone: tuple[CellId, ...] = ()
        self.is_rebuilt = False
        self.files = False

    def lacks(self, part: SessionPart, why: str) -> None:
        """Something did not go along."""
        self.problems.append(f"{part}: {why}")

    def report(self) -> r.ReturnEnded:
        """All of it."""
        since = self._effect.since
        return r.ReturnEnded(
            question=self._effect.question,
            blocks=self.blocks,
            cells=self.cells,
            how=self.how,
            changes=self.changes,
            left_out=self.left_out,
            problems=tuple(self.problems),
            did=Returned(
                was=self.was,
                undone=bool(self.undone),
                version=since if self.is_rebuilt else 0,
                files=self.files,
                cells=self.undone,
                since=since,
            ),
            failed=self.failed,
        )
