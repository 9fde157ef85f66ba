"""How taking back, trying and forking change a session."""

from typing import assert_never

from msgspec.structs import replace

from hearth.core.rules.agreeing import IllegalEvent, agree, tag_of
from hearth.core.rules.open_cells import next_number, running
from hearth.core.rules.state import SessionState
from hearth.core.rules.undo_state import (
    Adopting,
    Forking,
    Ran,
    Returning,
    Trial,
    Undoing,
    Undone,
    UndoState,
    is_agents,
    with_copies,
)
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.origin import Actor
from hearth.core.vocabulary.phases import Evaluating, OpenCell, Ready, WarmingUp
from hearth.core.vocabulary.undoing import Returned, TrialStarted


def take_back(state: SessionState, fact: Fact, event: e.UndoEvent) -> SessionState:
    """The session after this event."""
    version, undo = state.version + 1, state.undo
    match event:
        case e.UndoChosen():
            return replace(state, version=version, undo=replace(undo, who=event.who))
        case e.CellNotKept():
            agree(event.cell == running(state).cell, fact, "another cell is running")
            return replace(state, version=version, undo=replace(undo, missed=event.obstacles))
        case e.CopiesDropped():
            left = replace(undo, ran=with_copies(undo.ran, event.kept), size=event.kept.size)
            return replace(state, version=version, undo=left)
        case e.UndoRequested():
            return _requested(state, fact, event)
        case e.CellsUndone() | e.CellsRedone() | e.UndoFailed():
            return replace(state, version=version, phase=Ready(), undo=_settled(undo, fact, event))
        case e.TrialStarted():
            return _trial_started(state, fact, event)
        case e.TrialEnded():
            return _trial_ended(state, fact, event)
        case e.VariantKept():
            return _variant_kept(state, fact, event)
        case e.VariantsDropped():
            return _variants_dropped(state, fact, event)
        case e.ForkRequested():
            forking = Forking(
                cause=fact.cause,
                origin=fact.origin,
                to=event.to,
                block=event.block,
                how=event.how,
                name=event.name,
                version=state.version,
            )
            now = replace(undo, forking=(*undo.forking, forking))
            return replace(state, version=version, undo=now)
        case e.SessionForked() | e.ForkFailed():
            rest = tuple(one for one in undo.forking if one.cause != fact.cause)
            agree(len(rest) < len(undo.forking), fact, "nobody asked for it")
            return replace(state, version=version, undo=replace(undo, forking=rest))
        case e.ReturnRequested():
            agree(undo.returning is None, fact, "the session is being taken back already")
            going = Returning(
                cause=fact.cause,
                origin=fact.origin,
                to=event.to,
                scope=event.scope,
                preview=event.preview,
                since=version,
                leaf=state.talk.line.leaf,
            )
            return replace(state, version=version, undo=replace(undo, returning=going))
        case e.ReturnPreviewed() | e.SessionReturned() | e.ReturnFailed():
            return replace(state, version=version, undo=_returned(undo, fact, event))
        case _:
            assert_never(event)


def ran(state: SessionState, event: e.CellFinished | e.CellFailed | e.CellCancelled) -> UndoState:
    """What can be taken back after a cell has ended."""
    cell = running(state)
    undo = _heard(state.undo, cell)
    is_undone = not isinstance(event, e.CellFinished) and event.undone
    if not undo.ran and not event.kept.cells and not undo.redo:
        return undo  # nothing can be, as in a session without copies
    mine = () if is_undone else (Ran(cell.cell, not is_agents(cell.origin)),)
    cells = with_copies((*undo.ran, *mine), event.kept)
    return replace(undo, ran=cells, size=event.kept.size)


def _heard(undo: UndoState, cell: OpenCell) -> UndoState:
    """Its result tells the agent what was in the way of a copy before it."""
    if cell.origin.actor is not Actor.AGENT or undo.told == undo.missed:
        return undo
    return replace(undo, told=undo.missed)


def begun(undo: UndoState) -> UndoState:
    """A cell begins: what was taken back before it cannot be brought back any more."""
    return replace(undo, redo=(), missed=()) if undo.redo or undo.missed else undo


def forgotten(undo: UndoState) -> UndoState:
    """The interpreter is another one now, or gone: nothing of it can be taken back."""
    return UndoState(
        who=undo.who, forking=undo.forking, returning=undo.returning, returned=undo.returned
    )


def _requested(state: SessionState, fact: Fact, event: e.UndoRequested) -> SessionState:
    agree(state.undo.doing is None, fact, "cells are being taken back already")
    doing = Undoing(
        cause=fact.cause,
        origin=fact.origin,
        cells=event.cells,
        redo=event.redo,
        keep_as=event.cells[0] if event.redo else f"before-{state.version + 1}",
    )
    phase = WarmingUp(since=fact.at, cause=fact.cause, origin=fact.origin)
    undo = replace(state.undo, doing=doing)
    return replace(state, version=state.version + 1, phase=phase, undo=undo)


def _settled(
    undo: UndoState, fact: Fact, event: e.CellsUndone | e.CellsRedone | e.UndoFailed
) -> UndoState:
    doing = undo.doing
    if doing is None or doing.cause != fact.cause:
        raise IllegalEvent(f"{tag_of(fact)} does not fit: nobody asked for it")
    match event:
        case e.UndoFailed():
            # A copy that could not bring them back now never will: it lives only for that.
            return replace(undo, doing=None, redo=() if doing.redo else undo.redo)
        case e.CellsUndone():
            gone = frozenset(event.cells)
            taken = tuple(one for one in undo.ran if one.cell in gone)
            rest = tuple(one for one in undo.ran if one.cell not in gone)
            held = Undone(taken, doing.keep_as, is_agents(doing.origin))
            back = (held,) if event.can_redo and taken else ()
            redo = (*undo.redo, *back) if back else ()
            left = with_copies(rest, event.kept)
            return replace(undo, ran=left, size=event.kept.size, redo=redo, doing=None)
        case e.CellsRedone():
            agree(undo.redo, fact, "nothing was taken back")
            all_of = with_copies((*undo.ran, *undo.redo[-1].ran), event.kept)
            return replace(undo, ran=all_of, size=event.kept.size, redo=undo.redo[:-1], doing=None)


def _trial_started(state: SessionState, fact: Fact, event: TrialStarted) -> SessionState:
    agree(not state.queue, fact, "cells wait for their turn")
    cell = OpenCell(
        cell=event.cell,
        code="",
        cause=fact.cause,
        origin=fact.origin,
        started_at=fact.at,
        time_limit=event.time_limit,
        variants=event.variants,
    )
    number = next_number(state, fact, event.cell)
    return replace(
        state,
        version=state.version + 1,
        phase=Evaluating(cell),
        cells=number,
        is_shared=state.is_shared or fact.origin.actor is not Actor.PERSON,
        undo=begun(state.undo),
    )


def _trial_ended(state: SessionState, fact: Fact, event: e.TrialEnded) -> SessionState:
    cell = running(state)
    agree(event.cell == cell.cell and cell.variants, fact, "another cell is running")
    gone = tuple(place for place, one in enumerate(event.results, 1) if one.is_gone)
    trial = Trial(event.cell, len(event.results), gone)
    undo = replace(state.undo, trial=trial if len(gone) < len(event.results) else None)
    return replace(state, version=state.version + 1, phase=Ready(), undo=undo)


def _variant_kept(state: SessionState, fact: Fact, event: e.VariantKept) -> SessionState:
    trial = state.undo.trial
    if trial is None or trial.cell != event.cell or not 0 < event.variant <= trial.variants:
        raise IllegalEvent(f"{tag_of(fact)} does not fit: there is no such variant")
    agree(event.generation == state.generation + 1, fact, "a generation was skipped")
    adopting = Adopting(event.cell, event.variant, state.ready_since)
    return replace(
        state,
        version=state.version + 1,
        phase=WarmingUp(since=fact.at, cause=fact.cause, origin=fact.origin),
        generation=event.generation,
        ready_since=None,
        # What can be taken back stays known until it is there: it may have ended meanwhile.
        undo=replace(state.undo, trial=None, adopting=adopting),
    )


def adopted(state: SessionState) -> SessionState:
    """The variant that was kept is the interpreter: nothing of the one before can be taken back."""
    if state.undo.adopting is None:
        return state
    if state.fresh:
        # A new life begins with it: what an earlier one held is gone with its names.
        state = replace(state, fresh=False, held=(), stale=0)
    return replace(state, undo=forgotten(state.undo))


def _variants_dropped(state: SessionState, fact: Fact, event: e.VariantsDropped) -> SessionState:
    undo, version = state.undo, state.version + 1
    if undo.adopting is None:
        agree(undo.trial is not None and undo.trial.cell == event.cell, fact, "no such trial")
        return replace(state, version=version, undo=replace(undo, trial=None))
    agree(undo.adopting.cell == event.cell, fact, "another variant was to be kept")
    return replace(
        state,
        version=version,
        phase=Ready(),
        generation=state.generation - 1,
        ready_since=undo.adopting.ready_since,
        undo=replace(undo, adopting=None),
    )


def _returned(
    undo: UndoState, fact: Fact, event: e.ReturnPreviewed | e.SessionReturned | e.ReturnFailed
) -> UndoState:
    going = undo.returning
    agree(going is not None and going.cause == fact.cause, fact, "nobody asked for it")
    did: Returned | None = undo.returned
    if isinstance(event, e.SessionReturned):
        did = event.did if event.to else None
    return replace(undo, returning=None, returned=did)
