"""How what is open is closed."""

from collections.abc import Callable

import pytest
from tests.contracts.given import ANNA, BOT, NOON, READY, RUNNING, Script, given, said

from hearth.core.rules.closing import abandon_questions, close_everything
from hearth.core.rules.consequences import Consequences
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.phases import OpenCell

C1, C2, C3 = CellId("c1"), CellId("c2"), CellId("c3")
QUEUED = c.RunCell("2", background=True, time_limit=3.0, if_busy="queue")
GONE = f.WorkerCrashed("gone")


def after(script: Script) -> Consequences:
    return Consequences(script.state, Asked(InputId("end"), NOON, BOT, c.StopSession()))


def events(then: Consequences) -> list[e.Event]:
    return [fact.event for fact in then.decision().facts]


def cancelled(cell: OpenCell) -> e.Event:
    return e.CellCancelled(cell.cell)


def failed(cell: OpenCell) -> e.Event:
    return e.CellFailed(cell.cell, GONE)


def test_first_what_runs_then_what_waits_then_what_was_asked() -> None:
    then = after(given(*RUNNING, c.CheckCode("x"), QUEUED, c.CompleteCode("x", 1), QUEUED))
    close_everything(then, "it is late", cancelled)
    assert events(then)[:-1] == [
        e.CellCancelled(C1),
        e.CellWithdrawn(C2, "it is late"),
        e.CellWithdrawn(C3, "it is late"),
        e.QuestionAbandoned("it is late"),
        e.QuestionAbandoned("it is late"),
    ]
    assert (then.state.queue, then.state.questions) == ((), ())


def test_each_is_closed_for_whoever_opened_it() -> None:
    opened = (said(c.CheckCode("x"), by=BOT, id_="check"), said(QUEUED, by=BOT, id_="run"))
    then = after(given(*RUNNING, *opened))
    close_everything(then, "it is late", cancelled)
    owed = [(fact.cause, fact.origin) for fact in then.decision().facts[:-1]]
    assert owed == [("i3", ANNA), ("run", BOT), ("check", BOT)]


@pytest.mark.promise("SF-LOG-04")
@pytest.mark.parametrize(
    ("close", "failure"), [(cancelled, f.Interrupted("it is late")), (failed, GONE)]
)
def test_a_script_that_is_cut_off_was_not_loaded(
    close: Callable[[OpenCell], e.Event], failure: f.Failure
) -> None:
    then = after(given(*READY, c.LoadScript("a.py")))
    close_everything(then, "it is late", close)
    found = events(then)
    assert found[0] == e.ScriptLoadFailed("a.py", failure)
    assert len(found) == 3


def test_where_nothing_is_open_nothing_is_closed() -> None:
    then = after(given(*READY))
    close_everything(then, "it is late", cancelled)
    abandon_questions(then, "it is late")
    assert events(then) == []


def test_questions_alone_can_be_closed() -> None:
    then = after(given(*RUNNING, c.CheckCode("x"), QUEUED))
    abandon_questions(then, "it is late")
    assert events(then) == [e.QuestionAbandoned("it is late")]
    assert len(then.state.queue) == 1
