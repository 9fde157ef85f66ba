"""The session in the life that is written down of which cells are taken back, tried and forked."""

from typing import Final

from tests.samples.examples import CONFIG
from tests.samples.undo_examples import (
    ALL_OF_IT,
    DID,
    OBSTACLES,
    RESULTS,
    VARIANTS,
)

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import BlockId, CellId, InputId, SessionId
from hearth.core.vocabulary.undoing import ForkHow, UndoFor

UNDO: Final = SessionId("session-b2c3d4")
FORK: Final = SessionId("session-c3d4e5")
C1, C2, C3, C4 = (CellId(f"c{number}") for number in range(1, 5))
ONE, BOTH = Copies((C1,), 4096), Copies((C1, C2), 8192)
BACK: Final = PathChange("plots/wheels.svg", ChangeKind.DELETED)
RAISED: Final = r.Raised(CodeRaised("NameError", "name 'cogs' is not defined"))


def words(first: int) -> tuple[c.Command | r.Report, ...]:
    """What was asked and told; the first of it has the id `i<first>`."""

    def ended(cell: CellId, kept: Copies, generation: int = 1) -> r.CellEnded:
        return r.CellEnded(generation, cell, r.Succeeded(), 0.01, kept=kept)

    script: list[c.Command | r.Report] = [
        c.CreateSession(CONFIG),
        r.WorkerReady(1, 0.1),
        c.ChooseUndo(UndoFor.EVERYONE),
        c.RunCell("wheels = [1, 2]"),
        ended(C1, ONE),
        c.RunCell("wheels.clear()"),
        ended(C2, BOTH),
    ]

    def asks(command: c.Command) -> InputId:
        script.append(command)
        return InputId(f"i{first + len(script) - 1}")

    script.append(r.WorkerReverted(1, asks(c.UndoCells()), ONE, can_return=True))
    script.append(r.WorkerReverted(1, asks(c.RedoCells()), BOTH))
    script.append(r.RevertFailed(1, asks(c.UndoCells(cell=C1)), "the copy has ended"))
    script.append(r.CopiesGone(1, Copies((C2,), 4096), "memory is short"))
    script += [
        c.RunCell("cogs", on_error="undo"),
        r.CopyMissed(1, C3, OBSTACLES),
        r.CellEnded(1, C3, RAISED, 0.01, kept=Copies((C2,), 4096)),
        c.TryVariants(VARIANTS, time_limit=2.5),
        r.VariantsTried(1, C4, RESULTS),
        c.KeepVariant(0),
        c.TryVariants(VARIANTS),
        r.VariantsTried(1, CellId("c5"), RESULTS),
        c.KeepVariant(1),
        r.WorkerReady(2, 0.1),
    ]
    script.append(r.ForkEnded(asks(c.ForkSession(FORK)), ForkHow.COPY, "a file was closed"))
    again = asks(c.ForkSession(FORK, how=ForkHow.REPLAY))
    script.append(r.ForkEnded(again, problem="the session exists", obstacles=OBSTACLES))
    look = asks(c.ReturnTo(BlockId("b8"), ALL_OF_IT, preview=True))
    script.append(r.ReturnEnded(look, 1, (CellId("c5"),), ForkHow.REPLAY, (BACK,)))
    went = asks(c.ReturnTo(BlockId("b8"), ALL_OF_IT))
    script.append(r.ReturnEnded(went, 1, (CellId("c5"),), ForkHow.REPLAY, (BACK,), did=DID))
    script.append(r.ReturnEnded(asks(c.ReturnTo()), failed="the disk is full"))
    return tuple(script)
