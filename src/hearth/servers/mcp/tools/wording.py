"""Events of taking back, trying and forking, in a sentence: what an agent must know of them."""

from typing import Final, assert_never

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.undoing import ForkHow, RewindScope, UndoFor, VariantResult

MOST_CELLS: Final = 10
INTERPRETERS: Final = {
    ForkHow.COPY: "a live copy of this interpreter",
    ForkHow.REPLAY: "an interpreter that was rebuilt by running the cells again",
    ForkHow.NEW: "a new, empty interpreter",
}
_WHOSE: Final = {
    UndoFor.NOBODY: "nobody's cells can be taken back from now on",
    UndoFor.AGENTS: "the cells of agents can be taken back from now on",
    UndoFor.EVERYONE: "everybody's cells can be taken back from now on",
}


def in_words(event: e.UndoEvent) -> str:
    """What has happened, and what of it matters to whoever works in the session."""
    match event:
        case e.ForkRequested() | e.SessionForked() | e.ForkFailed():
            return _of_fork(event)
        case e.TrialStarted() | e.TrialEnded() | e.VariantKept() | e.VariantsDropped():
            return _of_trial(event)
        case e.ReturnRequested() | e.ReturnPreviewed() | e.SessionReturned() | e.ReturnFailed():
            return _of_return(event)
        case e.UndoChosen() | e.CellNotKept() | e.CopiesDropped():
            return _of_copies(event)
        case _:
            return _of_undo(event)


def _of_copies(event: e.UndoChosen | e.CellNotKept | e.CopiesDropped) -> str:
    match event:
        case e.UndoChosen():
            return _WHOSE[event.who]
        case e.CellNotKept():
            return f"{event.cell} cannot be taken back{_because(*event.obstacles)}"
        case e.CopiesDropped():
            return f"{_cells(event.cells)} can no longer be taken back{_because(event.why)}"
        case _:
            assert_never(event)


def _of_undo(event: e.UndoRequested | e.CellsUndone | e.CellsRedone | e.UndoFailed) -> str:
    match event:
        case e.UndoRequested():
            which = "brought back" if event.redo else "taken back"
            return f"{_cells(event.cells)}: being {which}"
        case e.CellsUndone():
            back = "; redo_code brings it back" if event.can_redo else ""
            return f"taken back: all names are what they were before {_cells(event.cells)}{back}"
        case e.CellsRedone():
            return f"brought back: all names are what they were after {_cells(event.cells)}"
        case e.UndoFailed():
            return f"nothing was taken back{_because(event.why)}"
        case _:
            assert_never(event)


def _of_trial(event: e.TrialStarted | e.TrialEnded | e.VariantKept | e.VariantsDropped) -> str:
    match event:
        case e.TrialStarted():
            count = len(event.variants)
            tried = (
                "1 variant is tried in a copy"
                if count == 1
                else f"{count} variants are tried in copies"
            )
            return f"{tried}; no name changes by that"
        case e.TrialEnded() if event.problem:
            return f"nothing was tried{_because(event.problem)}"
        case e.TrialEnded():
            ends = (f"{at} {_ended(one)}" for at, one in enumerate(event.results, 1))
            return f"variants: {', '.join(ends)}; none is kept yet, all names are as they were"
        case e.VariantKept():
            return f"variant {event.variant} of {event.cell} is the session: its names hold now"
        case e.VariantsDropped():
            return f"no variant of {event.cell} was kept{_because(event.reason)}"
        case _:
            assert_never(event)


def _of_fork(event: e.ForkRequested | e.SessionForked | e.ForkFailed) -> str:
    match event:
        case e.ForkRequested():
            return f"{event.to} is to go on from here, with {INTERPRETERS[event.how]}"
        case e.SessionForked():
            missing = f"; {event.notice}" if event.notice else ""
            return f"{event.to} goes on from here, with {INTERPRETERS[event.how]}{missing}"
        case e.ForkFailed():
            return f"there is no fork {event.to}{_because(event.why)}"
        case _:
            assert_never(event)


_Returning = e.ReturnRequested | e.ReturnPreviewed | e.SessionReturned | e.ReturnFailed


def _of_return(event: _Returning) -> str:
    match event:
        case e.ReturnRequested():
            to = f"to {event.to}" if event.to else "to what it was before it was taken back"
            asks = "it is asked what would change if the session went back" if event.preview else ""
            return f"{asks or 'the session goes back'} {to}"
        case e.ReturnPreviewed():
            left = "1 block" if event.blocks == 1 else f"{event.blocks} blocks"
            return f"going back would leave {left} of the conversation behind"
        case e.SessionReturned():
            to = f"as it was at {event.to}" if event.to else "again what it was before it went back"
            but = f"; but {'; '.join(event.problems)}" if event.problems else ""
            return f"the session is {to}: {_scope(event.scope)}{but}"
        case e.ReturnFailed():
            return f"the session did not go back{_because(event.why)}"
        case _:
            assert_never(event)


def _scope(scope: RewindScope) -> str:
    parts = ("its conversation", scope.interpreter and "its names", scope.files and "its files")
    return ", ".join(part for part in parts if part)


def _ended(one: VariantResult) -> str:
    return "ran to its end" if one.is_ok else "was stopped" if one.stopped else "failed"


def _cells(cells: tuple[CellId, ...]) -> str:
    more = f" and {len(cells) - MOST_CELLS} more" if len(cells) > MOST_CELLS else ""
    return ", ".join(cells[:MOST_CELLS]) + more


def _because(*why: str) -> str:
    said = "; ".join(one for one in why if one)
    return f": {said}" if said else ""
