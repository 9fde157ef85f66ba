"""Taking back, trying, forking and returning in any order: the part of `any_order` about them.

Copies are named by what is left of them: `EVERY` stands for those that the session knows and the
one before the cell that runs, `NEWEST` for the last of them. `placed` fills them in.
"""

from itertools import cycle, islice
from typing import Final

from hypothesis import strategies as st
from msgspec.structs import replace
from tests.contracts import given

from hearth.core.rules.session import SessionState
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import NO_COPIES, Copies
from hearth.core.vocabulary.ids import BlockId, CellId, InputId, SessionId
from hearth.core.vocabulary.phases import Evaluating, Ready, WarmingUp
from hearth.core.vocabulary.undoing import (
    ForkHow,
    Returned,
    RewindScope,
    UndoFor,
    VariantResult,
)

EVERY: Final = CellId("every copy")
NEWEST_COPY: Final = CellId("the newest copy")
KEPT: Final = CellId("the oldest that can be taken back")
OPEN: Final = InputId("what is open")
NOBODYS: Final = InputId("what nobody wants")
_SIZE: Final = 4096

Taking = (
    r.CopyMissed
    | r.CopiesGone
    | r.WorkerReverted
    | r.RevertFailed
    | r.VariantsTried
    | r.VariantGone
    | r.ForkEnded
    | r.ReturnEnded
)
"""The reports about it."""
TakingEffect = (
    fx.RevertWorker
    | fx.TryInWorker
    | fx.AdoptVariant
    | fx.DropVariants
    | fx.BranchSession
    | fx.ReturnSession
)
_GOES_ON: Final = r.WorkerReverted(0, OPEN, Copies((EVERY,)), can_return=True)
_TWO: Final = (
    c.ChooseUndo(UndoFor.EVERYONE),
    c.RunCell("x = 1"),
    _GOES_ON,
    c.RunCell("x = 2"),
    _GOES_ON,
)
OPENINGS: Final[tuple[tuple[c.Command | r.Report, ...], ...]] = (
    _TWO,
    (*_TWO, c.UndoCells(), _GOES_ON),
    (*_TWO, c.TryVariants(("1", "x", "f()")), _GOES_ON),
)
"""Cells that can be taken back, one that was, and variants of one that can be kept."""
_RESULTS: Final = (
    VariantResult(0.1, value="1"),
    VariantResult(failure=f.CodeRaised("E", "m")),
    VariantResult(failure=f.WorkerCrashed("gone")),
    VariantResult(stopped=True),
)


def takes() -> st.SearchStrategy[c.Command]:
    """Commands to take back, try, fork and return."""
    undo = st.builds(
        c.UndoCells, count=st.sampled_from([1, 1, 2]), cell=st.sampled_from([None, None, KEPT])
    )
    tries = st.builds(c.TryVariants, variants=st.sampled_from([("1",), ("1", "x", "f()")]))
    keep = st.builds(c.KeepVariant, variant=st.sampled_from([0, 1, 1, 2, 3]))
    fork = st.builds(
        c.ForkSession,
        to=st.sampled_from([SessionId("fork-1"), SessionId("fork-2"), given.SESSION]),
        block=st.sampled_from([BlockId(""), BlockId("b1"), BlockId("b999")]),
        how=st.sampled_from([None, *ForkHow]),
    )
    back = st.builds(
        c.ReturnTo,
        to=st.sampled_from([BlockId("b1"), BlockId(""), BlockId("b999")]),
        scope=st.builds(RewindScope, st.booleans(), st.booleans()),
        preview=st.booleans(),
    )
    chosen = st.builds(c.ChooseUndo, who=st.sampled_from(UndoFor))
    redo = st.just(c.RedoCells())
    # Most of what is said is about what was run.
    often: list[st.SearchStrategy[c.Command]] = [undo, undo, undo, redo, redo, keep, keep]
    each: list[st.SearchStrategy[c.Command]] = [*often, tries, fork, back, chosen]
    return st.sampled_from(each).flatmap(_itself)


def _itself(strategy: st.SearchStrategy[c.Command]) -> st.SearchStrategy[c.Command]:
    return strategy


def goes_on() -> st.SearchStrategy[r.Report]:
    """What is open comes to its end, whatever it is; see `placed`."""
    mostly = st.sampled_from([True, True, True, False])
    return st.builds(r.WorkerReverted, st.just(0), st.just(OPEN), copies(), mostly)


def copies() -> st.SearchStrategy[Copies]:
    """What is left of copies after something; mostly all."""
    one = st.sampled_from([EVERY, EVERY, EVERY, EVERY, NEWEST_COPY, None])
    return one.map(lambda role: NO_COPIES if role is None else Copies((role,)))


def told() -> st.SearchStrategy[r.Report]:
    """What performers report of it, mostly of what is open now."""
    generations = st.sampled_from([0, 0, 0, 0, -1, 1])
    questions = st.sampled_from([OPEN, OPEN, OPEN, NOBODYS])
    running = st.sampled_from([KEPT, EVERY])  # EVERY: the cell that runs
    results = st.lists(st.sampled_from(_RESULTS), max_size=4).map(tuple)
    problems = st.sampled_from(["", "", "no memory"])
    did = st.builds(Returned, undone=st.booleans(), version=st.sampled_from([0, 3]))
    reverted = st.builds(r.WorkerReverted, generations, questions, copies(), st.booleans())
    tried = st.builds(r.VariantsTried, generations, running, results, problems)
    return st.one_of(
        reverted,
        reverted,
        tried,
        tried,
        st.builds(r.RevertFailed, generations, questions, st.just("it has ended")),
        st.builds(r.VariantGone, generations, st.just(EVERY), st.just("it has ended")),
        st.builds(r.CopyMissed, generations, running, st.just(("a thread",))),
        st.builds(r.CopiesGone, generations, copies()),
        st.builds(r.ForkEnded, questions, st.sampled_from(ForkHow), problem=problems),
        st.builds(r.ReturnEnded, questions, did=did, failed=problems),
    )


def effects() -> st.SearchStrategy[fx.Effect]:
    """What performers could not carry out of it."""
    generations = st.sampled_from([0, 0, -1, 1])
    questions = st.sampled_from([OPEN, NOBODYS])
    cells = st.sampled_from([EVERY, KEPT])
    to, block = st.just(SessionId("fork-1")), st.just(BlockId("b1"))
    return st.one_of(
        st.builds(fx.RevertWorker, generations, questions, st.just("c1"), st.just("")),
        st.builds(fx.TryInWorker, generations, cells, st.just(("1",))),
        st.builds(fx.AdoptVariant, generations, cells, st.just(1)),
        st.builds(fx.DropVariants, generations, cells),
        st.builds(fx.BranchSession, generations, questions, to, st.just(given.CONFIG)),
        st.builds(
            fx.ReturnSession,
            generations,
            questions,
            block,
            st.just(RewindScope()),
            preview=st.booleans(),
            origin=st.just(given.ANNA),
        ),
    )


def placed_command(state: SessionState, word: c.UndoCells) -> c.UndoCells:
    """The command with the cell that it means."""
    kept = state.undo.kept.cells
    return replace(word, cell=kept[0] if kept else CellId("c999")) if word.cell == KEPT else word


def placed(state: SessionState, word: Taking) -> r.Report:
    """The report with what only the session knows."""
    match word:
        case r.WorkerReverted(generation=0, question=question) if question == OPEN:
            return _comes_about(state, word)
        case r.CopyMissed() | r.VariantsTried() | r.VariantGone():
            generation = state.generation + word.generation
            return replace(word, generation=generation, cell=_cell(state, word.cell))
        case r.CopiesGone():
            generation = state.generation + word.generation
            return replace(word, generation=generation, kept=left(state, word.kept))
        case r.WorkerReverted():
            return replace(
                word,
                generation=state.generation + word.generation,
                question=_open(state, word),
                kept=left(state, word.kept),
            )
        case r.RevertFailed():
            generation = state.generation + word.generation
            return replace(word, generation=generation, question=_open(state, word))
        case r.ForkEnded() | r.ReturnEnded():
            return replace(word, question=_open(state, word))


def _comes_about(state: SessionState, word: r.WorkerReverted) -> r.Report:
    """The end of what is open now, whatever that is: so that one thing leads to another."""
    now, kept = state.generation, left(state, word.kept)
    match state.phase:
        case Evaluating(current=cell) if cell.variants:
            results = tuple(islice(cycle(_RESULTS), len(cell.variants)))
            return r.VariantsTried(now, cell.cell, results)
        case Evaluating(current=cell):
            return r.CellEnded(now, cell.cell, r.Succeeded(), 0.1, kept=kept)
        case WarmingUp() if state.undo.doing is None:
            return r.WorkerReady(now, 0.1)
        case Ready() if state.undo.forking:
            return r.ForkEnded(state.undo.forking[0].cause)
        case Ready() if state.undo.returning is not None:
            did = Returned(undone=word.can_return)
            return r.ReturnEnded(state.undo.returning.cause, did=did)
        case _:
            return replace(word, generation=now, question=_open(state, word), kept=kept)


def placed_effect(state: SessionState, effect: TakingEffect) -> fx.Effect:
    """The effect, whose generation is placed already, with what only the session knows."""
    match effect:
        case fx.TryInWorker() | fx.AdoptVariant() | fx.DropVariants():
            return replace(effect, cell=_cell(state, effect.cell))
        case fx.RevertWorker() | fx.BranchSession() | fx.ReturnSession():
            return replace(effect, question=_open(state, effect))


def left(state: SessionState, copies: Copies) -> Copies:
    """The copies that are meant."""
    known = state.undo.kept.cells
    if isinstance(state.phase, Evaluating) and state.phase.current.copy:
        known = (*known, state.phase.current.cell)
    undone, doing = state.undo.redo, state.undo.doing
    if doing is not None and doing.redo and undone:
        known = (*known, *(one.cell for one in undone[-1].ran if one.kept))
    elif doing is not None:
        known = tuple(one for one in known if one not in doing.cells)
    if copies.cells == (NEWEST_COPY,):
        known = known[-1:]
    elif copies.cells != (EVERY,):
        return copies
    return Copies(known, _SIZE * len(known))


def _cell(state: SessionState, role: CellId) -> CellId:
    if role == EVERY and isinstance(state.phase, Evaluating):
        return state.phase.current.cell
    if role == EVERY and state.undo.adopting is not None:
        return state.undo.adopting.cell
    return CellId("c999") if role in {EVERY, KEPT} else role


def _open(state: SessionState, word: Taking | TakingEffect) -> InputId:
    undo = state.undo
    match word:
        case r.ForkEnded() | fx.BranchSession():
            waits = undo.forking[-1].cause if undo.forking else None
        case r.ReturnEnded() | fx.ReturnSession():
            waits = undo.returning.cause if undo.returning is not None else None
        case _:
            waits = undo.doing.cause if undo.doing is not None else None
    asked = getattr(word, "question", NOBODYS)
    return asked if asked != OPEN else waits or NOBODYS
