"""How one session stands, at a glance."""

import pytest
from hypothesis import given as whenever
from tests.contracts import taking
from tests.contracts.any_order import Line, lines, play
from tests.contracts.given import (
    CONFIG,
    CREATED,
    LOST,
    READY,
    RUNNING,
    STOPPED,
    WAYS,
    Script,
    Spoken,
    after,
    comes_back,
    given,
    said,
)

from hearth.core.rules.session import SessionState, allowed
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.views.status import Status, TrialWaiting, display_name, status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.cells import NO_COPIES
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.phases import Evaluating, InputQuestion, PhaseName
from hearth.core.vocabulary.undoing import UndoFor

C1, C2 = CellId("c1"), CellId("c2")


def folded(script: Script) -> SessionFold:
    view = SessionFold(SessionState(script.state.session))
    for fact in script.facts:
        view = fold(view, fact)
    return view


def standing(script: Script) -> Status:
    return status(folded(script))


def cell(number: int, ending: r.Ending) -> tuple[Spoken, ...]:
    """One cell from its beginning to its end."""
    return (
        c.RunCell(f"cell {number}"),
        r.CellEnded(1, CellId(f"c{number}"), ending, number / 10),
    )


def test_it_says_where_the_interpreter_is_and_what_it_found() -> None:
    found = Surroundings(
        root="/loom",
        source="git",
        python="/loom/.venv/bin/python",
        language="python",
        version="3.12.1",
        notices=("two projects",),
    )
    before = standing(given(*CREATED))
    assert (before.root, before.python, before.notices, before.fingerprint) == ("", "", (), "")
    seen = r.EnvironmentSeen(1, "f1", {"loom": "1"})
    view = standing(given(*CREATED, r.WorkerReady(1, 0.1, surroundings=found), seen))
    assert (view.root, view.source) == ("/loom", "git")
    assert (view.python, view.version) == ("/loom/.venv/bin/python", "3.12.1")
    assert (view.language, view.notices) == ("python", ("two projects",))
    assert view.fingerprint == "f1"


def test_a_cell_that_asks_says_so() -> None:
    view = standing(given(*RUNNING, r.InputAsked(1, CellId("c1"), "name? ")))
    assert view.current is not None
    assert view.current.question == InputQuestion("name? ")
    assert view.available[0] == "answer_input"


RAISED = r.Raised(f.CodeRaised("ZeroDivisionError", "division by zero"))


@pytest.mark.promise("SF-PROJ-01")
def test_finished_and_failed_cells_are_counted_apart_and_cancelled_ones_as_neither() -> None:
    endings: list[r.Ending] = [
        r.Succeeded(),
        RAISED,
        r.Succeeded(),
        r.Stopped(),
        RAISED,
        r.Succeeded(),
    ]
    script = given(*READY)
    seen = []
    for number, ending in enumerate(endings, start=1):
        script.happened(*cell(number, ending))
        now = standing(script)
        seen.append((now.evals, now.errors, now.cancelled))
    assert seen == [(1, 0, 0), (1, 1, 0), (2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 2, 1)]


@pytest.mark.promise("SF-PROJ-01")
def test_everything_about_a_session_that_ran_something() -> None:
    script = given(*READY, *cell(1, r.Succeeded("1")))
    assert standing(script) == Status(
        session=script.state.session,
        name="loom",
        directory="/home/anna/loom",
        state=PhaseName.READY,
        available=allowed(script.state),
        evals=1,
        errors=0,
        cancelled=0,
        last_code="cell 1",
        last_duration=0.1,
        started_at=after(1),
        last_activity=after(4),
        projects=("loom",),
        stale_events=0,
        generation=1,
        events=len(script.facts),
    )


@pytest.mark.promise("SF-PROJ-01", "SF-AFF-01")
@pytest.mark.parametrize("phase", PhaseName)
def test_what_is_offered_is_what_the_rules_allow(phase: PhaseName) -> None:
    script = given(*WAYS[phase])
    now = standing(script)
    assert now.state is phase
    assert now.available == allowed(script.state)


@pytest.mark.promise("SF-STATE-09")
@pytest.mark.parametrize("phase", PhaseName)
def test_a_cell_is_there_exactly_while_it_runs_and_a_failure_while_faulted(
    phase: PhaseName,
) -> None:
    now = standing(given(*WAYS[phase]))
    assert (now.current is not None) is (phase is PhaseName.EVALUATING)
    assert (now.failure is not None) is (phase is PhaseName.FAULTED)
    if now.current is not None:
        assert now.current.code == "x = 1"
        assert now.current.started_at == after(3)


def test_what_waits_is_counted() -> None:
    queued = c.RunCell("2", if_busy="queue")
    assert standing(given(*RUNNING, queued, queued)).waiting == 2
    assert standing(given(*RUNNING)).waiting == 0


def test_when_a_lost_interpreter_will_be_back() -> None:
    crash = said(r.WorkerLost(1, r.Exit.CRASH, "signal 11"), at=20)
    assert standing(given(*READY, crash)).restart_due == after(21)
    assert standing(given(*LOST)).restart_due is None
    assert standing(given(*READY, crash)).failure == f.WorkerCrashed("signal 11")


def test_whose_cells_can_be_taken_back_and_which_of_them() -> None:
    assert standing(given(*READY)).undo is UndoFor.AGENTS
    assert standing(given(*READY)).kept == NO_COPIES
    chosen = standing(given(*READY, c.ChooseUndo(UndoFor.NOBODY)))
    assert chosen.undo is UndoFor.NOBODY
    two = standing(given(*taking.TWO))
    assert (two.undo, two.kept, two.redo) == (UndoFor.EVERYONE, taking.copies(C1, C2), 0)
    undone = standing(given(*taking.UNDONE))
    assert (undone.kept, undone.redo) == (taking.copies(C1), 1)


def test_variants_that_wait_are_counted_and_those_that_cannot_be_kept_named() -> None:
    assert standing(given(*taking.TRYING)).trial is None
    assert standing(given(*taking.TRIED)).trial == TrialWaiting(C1, 3, (3,))
    assert standing(given(*taking.TRIED, c.KeepVariant(0))).trial is None


def test_a_stopped_session_says_so() -> None:
    assert standing(given(*STOPPED)).stopped
    assert not standing(given(*CREATED)).stopped


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (CONFIG, "loom"),
        (c.SessionConfig("/home/anna/loom/"), "loom"),
        (c.SessionConfig("/home/anna/loom", "the big one"), "the big one"),
        (c.SessionConfig("/"), ""),
        (c.SessionConfig(), ""),
    ],
)
def test_a_session_is_called_by_its_name_or_else_by_its_folder(
    config: c.SessionConfig, name: str
) -> None:
    assert standing(given(c.CreateSession(config))).name == name
    assert display_name(config.directory) == ("loom" if "loom" in config.directory else "")


def test_a_new_name_shows_at_once() -> None:
    assert standing(given(*READY, c.RenameSession("warp"))).name == "warp"


@whenever(lines())
def test_a_status_fits_any_session_and_travels(script: list[Line]) -> None:
    played = play(script)
    view = SessionFold(SessionState(played.state.session))
    for fact in played.facts:
        view = fold(view, fact)
    now = status(view)
    assert comes_back(now)
    assert now.state is played.state.phase_name
    assert (now.current is not None) is isinstance(played.state.phase, Evaluating)
    done = [x for x in played.facts if isinstance(x.event, e.CellFinished)]
    assert now.evals == len(done)
