"""What was taken back is not run again, what was kept of a trial is, and a copy goes on."""

from msgspec.structs import replace
from tests.contracts.given import CONFIG, READY, SESSION, Script, given
from tests.core.rules.test_ran_since import ran, undone

from hearth.core.rules.replay import History, Step, plan
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.undoing import ForkHow, UndoFor, VariantResult

ALL = (*READY, c.ChooseUndo(UndoFor.EVERYONE))
C1 = CellId("c1")


def planned(script: Script) -> list[str]:
    return [step.cell for step in steps(script)]


def steps(script: Script) -> tuple[Step, ...]:
    return plan(script.envelopes(), script.state.environment, script.state.fingerprint)


def test_cells_that_were_taken_back_are_not_run_again() -> None:
    script = ran(ran(ran(given(*ALL), "c1"), "c1", "c2"), "c1", "c2", "c3")
    script.happened(c.UndoCells(2))
    undone(script, "c1")
    assert planned(script) == ["c1"]


def test_those_that_were_brought_back_are() -> None:
    script = ran(ran(given(*ALL), "c1"), "c1", "c2")
    script.happened(c.UndoCells())
    undone(script, "c1")
    script.happened(c.RedoCells())
    undone(script, "c1", "c2")
    assert planned(script) == ["c1", "c2"]


def test_an_undo_that_failed_took_nothing_back() -> None:
    script = ran(given(*ALL), "c1")
    script.happened(c.UndoCells())
    doing = script.state.undo.doing
    assert doing is not None
    script.happened(r.RevertFailed(1, doing.cause, "it is gone"))
    assert planned(script) == ["c1"]


def test_a_cell_that_was_taken_back_when_it_failed_is_not() -> None:
    script = ran(given(*ALL), "c1")
    script.happened(c.RunCell("y = 1; f()", on_error="undo"))
    raised = r.Raised(CodeRaised("NameError", "f"))
    script.happened(r.CellEnded(1, CellId("c2"), raised, 0.1, names=("y",), undone=True))
    assert planned(script) == ["c1"]


def test_of_a_trial_the_variant_that_was_kept() -> None:
    script = given(*ALL, c.TryVariants(("x = 1", "x = 2")))
    results = (VariantResult(names=("x",)), VariantResult(names=("x",)))
    script.happened(r.VariantsTried(1, CellId("c1"), results))
    assert planned(script) == []
    script.happened(c.KeepVariant(2), r.WorkerReady(2, 0.1))
    assert [(one.cell, one.code) for one in steps(script)] == [("c1", "x = 2")]


def test_of_a_variant_that_ended_before_it_was_there_nothing() -> None:
    script = given(*ALL, c.TryVariants(("x = 1", "x = 2")))
    results = (VariantResult(names=("x",)), VariantResult(names=("x",)))
    script.happened(r.VariantsTried(1, CellId("c1"), results), c.KeepVariant(2))
    script.happened(r.VariantGone(2, CellId("c1"), "it has ended"))
    assert steps(script) == ()


def test_a_copy_holds_what_the_other_one_held_when_it_was_copied() -> None:
    source = ran(ran(given(*ALL), "c1"), "c1", "c2")
    point = c.ForkPoint(SessionId("session-one"), how=ForkHow.COPY, version=source.state.version)
    copied = given(c.CreateSession(replace(CONFIG, forked_from=point)), r.WorkerReady(1, 0.1))
    ran(copied)
    history = History()
    for envelope in (*source.envelopes(), *copied.envelopes()):
        history.take(envelope)
    assert [one.cell for one in history.plan({}, "")] == ["c1", "c2", "c1"]


def test_a_copy_takes_its_own_cells_back_and_not_those_of_the_other_of_the_same_names() -> None:
    source = ran(ran(given(*ALL), "c1"), "c1", "c2")
    point = c.ForkPoint(SESSION, how=ForkHow.COPY, version=source.state.version)
    config = replace(CONFIG, forked_from=point, undo=UndoFor.EVERYONE)
    copied = given(c.CreateSession(config), r.WorkerReady(1, 0.1), session=SessionId("copy"))
    copied.happened(c.RunCell("y"), r.CellEnded(1, C1, r.Succeeded(), 0.1, kept=Copies((C1,))))
    assert codes(source, copied) == ["x", "x", "y"]
    undone(copied.happened(c.UndoCells()))
    assert codes(source, copied) == ["x", "x"]
    undone(copied.happened(c.RedoCells()), "c1")
    assert codes(source, copied) == ["x", "x", "y"]


def codes(*scripts: Script) -> list[Text]:
    """What would be run again of sessions each of which goes on from the one before."""
    history = History()
    for script in scripts:
        for envelope in script.envelopes():
            history.take(envelope)
    return [one.code for one in history.plan({}, "")]


def test_a_fork_without_a_copy_begins_with_nothing() -> None:
    point = c.ForkPoint(SessionId("session-one"))
    other = given(c.CreateSession(replace(CONFIG, forked_from=point)), r.WorkerReady(1, 0.1))
    history = History()
    for envelope in (*ran(given(*ALL), "c1").envelopes(), *ran(other).envelopes()):
        history.take(envelope)
    assert [one.cell for one in history.plan({}, "")] == ["c1"]


def test_what_was_rebuilt_in_part_is_what_there_is() -> None:
    script = ran(ran(given(*ALL), "c1"), "c1", "c2")
    script.happened(c.HardResetSession(), r.WorkerReady(2, 0.1))
    script.happened(c.ReplaySession(before=9))
    script.happened(c.RunCell("x", replays=CellId("c1")))
    script.happened(r.CellEnded(2, CellId("c3"), r.Succeeded(), 0.1))
    assert planned(script) == ["c3"]
