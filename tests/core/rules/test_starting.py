"""How a cell begins, at once or behind those before it."""

from tests.contracts.given import BOT, CREATED, LOST, NOON, READY, RUNNING, Script, given, said

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.starting import run_cell, start_next
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.effects import ExecuteInWorker
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.inputs import Asked

C1, C2, C3 = CellId("c1"), CellId("c2"), CellId("c3")
QUEUED = c.RunCell("2", background=True, time_limit=3.0, if_busy="queue")


def after(script: Script) -> Consequences:
    return Consequences(script.state, Asked(InputId("end"), NOON, BOT, c.StopSession()))


def test_a_cell_begins_at_once_where_the_interpreter_is_free_and_waits_where_it_is_not() -> None:
    free = after(given(*READY))
    run_cell(free, QUEUED, InputId("run"), BOT)
    assert free.facts[0].event == e.CellStarted(
        C1, "2", background=True, time_limit=3.0, read_only=True, copy=True
    )
    assert free.decision().effects == (ExecuteInWorker(1, C1, "2", 3.0, copy=True),)
    for way, cell in ((RUNNING, C2), (CREATED, C1)):
        busy = after(given(*way))
        run_cell(busy, QUEUED, InputId("run"), BOT)
        assert busy.facts[0].event == e.CellQueued(cell, "2", background=True, time_limit=3.0)
        assert busy.decision().effects == ()
        assert (busy.facts[0].cause, busy.facts[0].origin) == ("run", BOT)


def test_the_next_cell_begins_as_it_was_asked_for() -> None:
    script = given(*RUNNING, said(QUEUED, by=BOT), QUEUED, e.CellFinished(C1, 0.1))
    then = after(script)
    start_next(then)
    decision = then.decision()
    assert decision.facts[0].event == e.CellStarted(
        C2, "2", background=True, time_limit=3.0, read_only=True, copy=True
    )
    assert (decision.facts[0].cause, decision.facts[0].origin) == ("i4", BOT)
    assert decision.effects == (ExecuteInWorker(1, C2, "2", 3.0, copy=True),)
    assert [cell.cell for cell in decision.state.queue] == [C3]


def test_none_begins_where_one_runs_or_none_waits_or_nothing_can_run() -> None:
    for script in (given(*RUNNING, QUEUED), given(*READY), given(*LOST)):
        then = after(script)
        start_next(then)
        assert then.decision().facts == ()
        assert then.decision().effects == ()
