"""What follows from the wish to take cells back, or to bring them back; and when it is refused."""

from typing import Final, assert_never

from hearth.core.rules.closing import abandon_questions, drop_trial
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.starting import is_foreign, start_next
from hearth.core.rules.state import SessionState
from hearth.core.rules.undo_state import Ran, is_agents
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId, InputId, cell_number
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.phases import Evaluating, WarmingUp
from hearth.core.vocabulary.undoing import UndoFor

REBUILD: Final = "fork_session with how=replay rebuilds it by running the cells before it again"
FOREIGN: Final = "only interpreters of Python can be copied, and this is none"
CHOOSE: Final = "choose_undo with who=everyone keeps a copy before people's cells, too"


def undo_cells(then: Consequences, command: c.UndoCells, cause: InputId, origin: Origin) -> None:
    """Have the latest cells taken back."""
    cells = tuple(one.cell for one in wanted(then.state, command))
    _leave(then, "cells are taken back")
    then.happen_for(e.UndoRequested(cells), cause, origin)
    revert(then)


def redo_cells(then: Consequences, cause: InputId, origin: Origin) -> None:
    """Have what was taken back last brought back."""
    cells = tuple(one.cell for one in then.state.undo.redo[-1].ran)
    _leave(then, "cells are brought back")
    then.happen_for(e.UndoRequested(cells, redo=True), cause, origin)
    revert(then)


def _leave(then: Consequences, why: str) -> None:
    """Another interpreter answers from now on; what was tried went on from the one that was."""
    drop_trial(then, why)
    abandon_questions(then, why)


def revert(then: Consequences) -> None:
    """Have done what is open; asked again after a restart, it is not done twice."""
    doing = then.state.undo.doing
    if doing is None:
        return
    to = then.state.undo.redo[-1].copy if doing.redo else doing.cells[0]
    then.do(fx.RevertWorker(then.state.generation, doing.cause, to, doing.keep_as))


def wanted(state: SessionState, command: c.UndoCells) -> tuple[Ran, ...]:
    """The cells that would be taken back; none if there are not so many."""
    ran = state.undo.ran
    if command.cell is not None:
        place = next((at for at, one in enumerate(ran) if one.cell == command.cell), len(ran))
        return ran[place:]
    return ran[-command.count :] if 0 < command.count <= len(ran) else ()


def why_not(state: SessionState, command: c.UndoCells | c.RedoCells) -> tuple[str, tuple[str, ...]]:
    """Why it cannot be done now, and what would help; empty if it can."""
    if isinstance(command, c.RedoCells):
        why = "nothing was taken back that could be brought back: a new cell ends that"
        return ("", ()) if state.undo.redo else (why, ("undo_code", "run it again"))
    cells = wanted(state, command)
    if cells and cells[0].kept:
        return "", ()
    kept = state.undo.kept.cells
    if (redo := _taken_back(state, command.cell)) != 0:
        return f"{command.cell} was taken back already", (_bring_back(redo),)
    if not kept and is_foreign(state):
        return FOREIGN, (REBUILD,)
    if not kept:
        remedies = (REBUILD,) if _who(state) is UndoFor.EVERYONE else (CHOOSE, REBUILD)
        return "no copy of the interpreter is kept before any of its cells", remedies
    what = cells[0].cell if cells else command.cell or f"the last {command.count} cells"
    nearest = _nearest(state, cells)
    missing = f"no copy is kept before {what}"
    if command.cell is not None and not 0 < cell_number(command.cell) <= state.cells:
        missing = f"there is no cell {command.cell}"
    why = f"{missing}; copies are kept before {', '.join(kept)}"
    return why, (f"undo_cells with cell={nearest} takes it back with all that came after", REBUILD)


def _taken_back(state: SessionState, cell: CellId | None) -> int:
    """How many times what was taken back must be brought back until this is; 0: it was not."""
    latest_first = enumerate(reversed(state.undo.redo), 1)
    return next((n for n, one in latest_first if any(ran.cell == cell for ran in one.ran)), 0)


def _bring_back(times: int) -> str:
    return "bring it back (redo)" if times == 1 else f"bring it back (redo, {times} times)"


def _nearest(state: SessionState, cells: tuple[Ran, ...]) -> CellId:
    """The newest copy that is old enough; the oldest, if none is."""
    kept = state.undo.kept.cells
    before = state.undo.ran[: len(state.undo.ran) - len(cells)] if cells else ()
    return next((one.cell for one in reversed(before) if one.kept), kept[0])


def _who(state: SessionState) -> UndoFor:
    config = state.config or c.SessionConfig()
    return state.undo.who or config.undo


def not_theirs(state: SessionState, command: c.Command, origin: Origin) -> str:
    """Why an agent may not have this done: a person ran it, or took it back. Empty if it may."""
    if not is_agents(origin):
        return ""
    match command:
        case c.UndoCells():
            cells = wanted(state, command)
        case c.RedoCells() if state.undo.redo and not state.undo.redo[-1].by_agent:
            back = ", ".join(one.cell for one in state.undo.redo[-1].ran)
            return f"{back} would be brought back, which a person has taken back"
        case _:
            return ""
    people = [one.cell for one in cells if one.by_person]
    if not people:
        return ""
    return f"{', '.join(people)} would be taken back with it, which a person has run"


def reverted(then: Consequences, report: r.WorkerReverted | r.RevertFailed) -> None:
    """It was done, or could not be."""
    doing, phase = then.state.undo.doing, then.state.phase
    current = report.generation == then.state.generation and isinstance(phase, WarmingUp)
    if doing is None or doing.cause != report.question or not current:
        return
    event: e.Event
    if isinstance(report, r.RevertFailed):
        event = e.UndoFailed(report.why)
    elif doing.redo:
        event = e.CellsRedone(doing.cells, report.kept)
    else:
        event = e.CellsUndone(doing.cells, report.kept, report.can_return)
    then.happen_for(event, doing.cause, doing.origin)
    start_next(then)


def copies_told(then: Consequences, report: r.CopyMissed | r.CopiesGone) -> None:
    """Something cannot be taken back: the cell that runs, or what came before."""
    phase = then.state.phase
    if report.generation != then.state.generation:
        return
    match report:
        case r.CopyMissed():
            if isinstance(phase, Evaluating) and phase.current.cell == report.cell:
                missed = e.CellNotKept(report.cell, report.obstacles)
                then.happen(missed, of=phase.current)
        case r.CopiesGone():
            gone = tuple(one for one in then.state.undo.kept.cells if one not in report.kept.cells)
            if gone:
                then.happen(e.CopiesDropped(gone, report.kept, report.why))
        case _:
            assert_never(report)
