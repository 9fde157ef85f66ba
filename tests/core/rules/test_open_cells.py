"""A cell opens once, under a number of its own, for whoever asked for it."""

import pytest
from tests.contracts.given import BOT, READY, RUNNING, Script, Spoken, after, given, said

from hearth.core.rules.agreeing import IllegalEvent
from hearth.core.rules.evolving import evolve
from hearth.core.rules.open_cells import asking, running
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import phases as p
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CellId, EventId, InputId

C1, C2 = CellId("c1"), CellId("c2")
QUEUED = c.RunCell("2", if_busy="queue")


def fact(event: e.Event) -> Fact:
    return Fact(id=EventId("x.0"), at=after(100), origin=BOT, cause=InputId("x"), event=event)


def illegal(script: Script, event: e.Event, problem: str) -> None:
    before = script.state
    with pytest.raises(IllegalEvent, match=problem):
        evolve(before, fact(event))
    assert script.state is before


@pytest.mark.promise("SF-STATE-05")
@pytest.mark.parametrize("name", ["", "c", "cx", "1", "c1.5", "cell-1", "c-1", "c0", "c٣"])
@pytest.mark.parametrize("way", [READY, RUNNING])
def test_a_cell_has_a_number(name: str, way: tuple[Spoken, ...]) -> None:
    script = given(*way)
    opened = e.CellStarted if script.state.phase_name is p.PhaseName.READY else e.CellQueued
    illegal(script, opened(CellId(name), "1"), "is no cell's name")


@pytest.mark.promise("SF-STATE-05")
@pytest.mark.parametrize("cell", [C1, C2])
def test_a_cell_is_opened_once(cell: CellId) -> None:
    ended = given(*RUNNING, QUEUED, c.CancelCell(C2), e.CellFinished(C1, 0.1))
    illegal(ended, e.CellStarted(cell, "again"), "was there before")
    busy = given(*RUNNING, QUEUED)
    illegal(busy, e.CellQueued(cell, "again"), "was there before")


def test_a_cell_is_opened_for_whoever_asked() -> None:
    run = c.RunCell("1 / 0", background=True, time_limit=2.5)
    script = given(*READY, said(run, by=BOT, at=7))
    assert script.state.phase == p.Evaluating(
        p.OpenCell(
            cell=C1,
            code="1 / 0",
            cause=InputId("i3"),
            origin=BOT,
            started_at=after(7),
            background=True,
            time_limit=2.5,
            copy=True,
        )
    )


def test_asking_a_waiting_cell_to_stop_leaves_the_running_one_alone() -> None:
    script = given(*RUNNING, QUEUED)
    state = evolve(script.state, fact(e.CellCancelRequested(C2, 1)))
    assert state.phase == script.state.phase
    state = evolve(script.state, fact(e.CellCancelRequested(C1, 2)))
    assert isinstance(state.phase, p.Evaluating)
    assert state.phase.current.cancels == 2


def test_only_the_cell_that_runs_asks() -> None:
    state = given(*RUNNING).state
    question = p.InputQuestion("name? ")
    assert (
        asking(state, fact(e.InputRequested(C1, "name? ")), question).current.question == question
    )
    with pytest.raises(IllegalEvent, match="another cell is running"):
        asking(state, fact(e.InputRequested(C2, "name? ")), question)
    with pytest.raises(IllegalEvent, match="no cell is running"):
        running(given(*READY).state)
