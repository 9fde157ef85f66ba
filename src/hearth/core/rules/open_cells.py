"""The cells of a session that run or wait: how they open, ask and are asked to stop."""

from msgspec.structs import replace

from hearth.core.rules.agreeing import IllegalEvent, agree, tag_of
from hearth.core.rules.state import SessionState
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CellId, cell_number
from hearth.core.vocabulary.phases import Evaluating, InputQuestion, OpenCell, Phase


def running(state: SessionState) -> OpenCell:
    """The cell that runs; IllegalEvent if none does."""
    if not isinstance(state.phase, Evaluating):
        raise IllegalEvent("no cell is running")
    return state.phase.current


def opened(fact: Fact, event: e.CellStarted | e.CellQueued) -> OpenCell:
    """The cell that an event opens, for whoever asked for it."""
    return OpenCell(
        cell=event.cell,
        code=event.code,
        cause=fact.cause,
        origin=fact.origin,
        started_at=fact.at,
        background=event.background,
        script=event.script if isinstance(event, e.CellStarted) else "",
        time_limit=event.time_limit,
        may_ask=event.may_ask,
        reload=event.reload,
        replays=event.replays,
        copy=event.copy if isinstance(event, e.CellStarted) else False,
        on_error=event.on_error,
    )


def next_number(state: SessionState, fact: Fact, cell: CellId) -> int:
    """The number of a new cell; a session never uses one twice."""
    number = cell_number(cell)
    if number == 0:
        raise IllegalEvent(f"{tag_of(fact)} does not fit: {cell!r} is no cell's name")
    agree(number > state.cells, fact, "the cell was there before")
    return number


def asked_to_stop(state: SessionState, fact: Fact, event: e.CellCancelRequested) -> Phase:
    """The phase of a session one of whose cells was asked to stop."""
    phase = state.phase
    if isinstance(phase, Evaluating) and phase.current.cell == event.cell:
        # It is torn out of what it waits for, so nobody need answer any more.
        return Evaluating(replace(phase.current, cancels=event.attempt, question=None))
    waits = any(cell.cell == event.cell for cell in state.queue)
    agree(waits, fact, f"{event.cell} neither runs nor waits")
    return phase


def asking(state: SessionState, fact: Fact, question: InputQuestion | None) -> Evaluating:
    """The cell that runs, with what it asks; None: nothing any more."""
    current, event = running(state), fact.event
    if isinstance(event, e.InputRequested | e.InputAnswered):
        agree(current.cell == event.cell, fact, "another cell is running")
    return Evaluating(replace(current, question=question))
