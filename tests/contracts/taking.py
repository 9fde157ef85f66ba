"""Sessions in which cells can be taken back, variants were tried, forks are made: for scripts."""

from typing import Final

from msgspec.structs import replace
from tests.contracts.given import CONFIG, READY, Spoken

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.failures import CodeRaised, WorkerCrashed
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.undoing import UndoFor, VariantResult

C1, C2, C3, C4 = (CellId(f"c{number}") for number in range(1, 5))
SIZE: Final = 4096
"""Bytes that each copy takes."""

FOR_ALL: Final = replace(CONFIG, undo=UndoFor.EVERYONE)
EVERYONE: Final = (c.CreateSession(FOR_ALL), r.WorkerReady(1, 0.2))
"""Ready, and everybody's cells can be taken back."""


def copies(*cells: CellId) -> Copies:
    """Copies before these cells."""
    return Copies(cells, SIZE * len(cells))


def ran(cell: CellId, *kept: CellId, generation: int = 1) -> r.CellEnded:
    """A cell has run to its end; copies are there before `kept`."""
    return r.CellEnded(generation, cell, r.Succeeded(), 0.1, kept=copies(*kept))


def reverted(asked: str, *kept: CellId, can_return: bool = True) -> r.WorkerReverted:
    """A copy has taken the interpreter's place."""
    return r.WorkerReverted(1, InputId(asked), copies(*kept), can_return)


ONE: Final[tuple[Spoken, ...]] = (*EVERYONE, c.RunCell("x = 1"), ran(C1, C1))
TWO: Final[tuple[Spoken, ...]] = (*ONE, c.RunCell("x = 2"), ran(C2, C1, C2))
"""Two cells have run, and each can be taken back. The next word is i7."""
UNDOING: Final[tuple[Spoken, ...]] = (*TWO, c.UndoCells())
"""c2 is being taken back, as i7 wants it."""
UNDONE: Final[tuple[Spoken, ...]] = (*UNDOING, reverted("i7", C1))
"""c2 was taken back. The next word is i9."""

VARIANTS: Final = ("x = 1", "x = f()", "exit()")
GOOD: Final = VariantResult(0.25, value="1", value_type="int", names=("x",))
BAD: Final = VariantResult(0.5, failure=CodeRaised("NameError", "f"))
DEAD: Final = VariantResult(0.75, failure=WorkerCrashed("it left"))
TRY: Final = c.TryVariants(VARIANTS, time_limit=5.0)
TRYING: Final[tuple[Spoken, ...]] = (*READY, TRY)
"""c1 is a trial of three variants, as i3 wants it."""
RESULTS: Final = (GOOD, BAD, DEAD)
TRIED: Final[tuple[Spoken, ...]] = (*TRYING, r.VariantsTried(1, C1, RESULTS))
"""Three variants have ended, the last without its interpreter. The next word is i5."""
