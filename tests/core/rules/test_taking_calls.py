"""A model tries, keeps and takes back: each call has one result, when it has come to its end."""

from typing import Final

import pytest
from tests.contracts.given import READY, Script, given
from tests.contracts.talks import (
    AGENT,
    ASKING,
    HELLO,
    answered,
    call,
    code,
    names,
    prepared,
    sealed,
)

from hearth.core.rules.rendering import NOT_UNDOABLE, NOT_UNDONE
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.failures import CodeRaised, WorkerCrashed
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.undoing import UndoFor, VariantResult

C1 = CellId("c1")
TRY: Final = call("try_code", '{"variants":["x = 1","x = f()"],"time_limit":5}')
GOOD: Final = VariantResult(0.25, value="1", value_type="int", names=("x",))
BAD: Final = VariantResult(0.5, failure=CodeRaised("NameError", "f"))
TRIED: Final = r.VariantsTried(1, C1, (GOOD, BAD))


def results(script: Script) -> list[ToolResultBlock]:
    return [one for one in sealed(script.facts) if isinstance(one, ToolResultBlock)]


def ran(cell: CellId, *kept: CellId, generation: int = 1) -> r.CellEnded:
    return r.CellEnded(generation, cell, r.Succeeded(), 0.1, kept=Copies(kept, 100))


def test_variants_are_tried_and_told_side_by_side() -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, TRY))
    started = next(one for one in outcome.facts if isinstance(one.event, e.TrialStarted))
    assert started.event == e.TrialStarted(C1, ("x = 1", "x = f()"), 5.0)
    assert (started.cause, started.origin) == ("i3.k1", AGENT)
    assert outcome.effects == (fx.TryInWorker(1, C1, ("x = 1", "x = f()"), 5.0),)
    outcome = script.when(TRIED)
    text = str(results(script)[0].result)
    assert text.index("Variant 1 ran, in 0.25 s") < text.index("Variant 2 failed, in 0.5 s")
    assert "Out: 1" in text
    assert "It bound: x" in text
    assert "NameError: f" in text
    assert "keep_variant" in text
    assert not results(script)[0].is_error
    assert [type(one) for one in outcome.effects] == [m.AskModel]


def test_a_variant_is_kept_once_its_interpreter_is_the_sessions() -> None:
    script = given(*ASKING, answered(1, TRY), TRIED)
    outcome = script.when(answered(2, call("keep_variant", '{"variant":1}')))
    assert outcome.effects == (fx.AdoptVariant(2, C1, 1),)
    assert len(results(script)) == 1  # it is not there yet
    outcome = script.when(r.WorkerReady(2, 0.1))
    assert "is kept" in str(results(script)[1].result)
    assert [type(one) for one in outcome.effects] == [m.AskModel]
    assert script.state.generation == 2


def test_none_is_kept_and_the_copies_end() -> None:
    script = given(*ASKING, answered(1, TRY), TRIED)
    outcome = script.when(answered(2, call("keep_variant", '{"variant":0}')))
    assert outcome.effects[0] == fx.DropVariants(1, C1)
    assert "No variant is kept" in str(results(script)[1].result)
    assert isinstance(outcome.effects[-1], m.AskModel)


def test_a_lost_variant_is_told_as_such() -> None:
    script = given(*ASKING, answered(1, TRY), TRIED)
    script.happened(answered(2, call("keep_variant", '{"variant":1}')))
    script.happened(r.WorkerLost(2, r.Exit.VANISHED, "it is gone"))
    assert results(script)[1].is_error
    assert "it is gone" in str(results(script)[1].result)


def test_where_no_variant_lived_on_none_is_offered() -> None:
    script = given(*ASKING, answered(1, TRY))
    gone = VariantResult(failure=WorkerCrashed("it left"))
    script.happened(r.VariantsTried(1, C1, (gone, gone)))
    said = str(results(script)[0].result)
    assert "None of them can be kept" in said
    assert "keep_variant" not in said
    assert script.state.undo.trial is None


def test_what_could_not_be_tried_says_why() -> None:
    script = given(*ASKING, answered(1, TRY))
    script.happened(r.VariantsTried(1, C1, problem="a thread runs: 'poller'"))
    assert results(script)[0].is_error
    assert "a thread runs: 'poller'" in str(results(script)[0].result)
    assert script.state.undo.trial is None


def test_its_own_cells_are_taken_back() -> None:
    script = given(*ASKING, answered(1, code("x = 1")), ran(C1, C1))
    outcome = script.when(answered(2, call("undo_code")))
    (revert,) = outcome.effects
    assert isinstance(revert, fx.RevertWorker)
    assert (revert.question, revert.to) == ("i3.k2", "c1")
    outcome = script.when(r.WorkerReverted(1, revert.question, Copies(), can_return=True))
    assert str(results(script)[1].result).startswith("Taken back: c1.")
    assert [type(one) for one in outcome.effects] == [m.AskModel]


def test_a_person_takes_back_what_it_ran_while_the_model_thinks_and_it_goes_on() -> None:
    script = given(*ASKING, answered(1, code("x = 1")), ran(C1, C1))
    before = script.state.talk
    script.happened(c.UndoCells())
    doing = script.state.undo.doing
    assert doing is not None
    # What the model calls meanwhile waits for it, and is run once.
    outcome = script.when(answered(2, code("x = 2")))
    assert not [one for one in outcome.effects if isinstance(one, fx.ExecuteInWorker)]
    outcome = script.when(r.WorkerReverted(1, doing.cause, Copies(), can_return=True))
    assert [one.cell for one in outcome.effects if isinstance(one, fx.ExecuteInWorker)] == ["c2"]
    script.happened(ran(CellId("c2")))
    assert len(results(script)) == 2
    assert script.state.talk.line.segments == before.line.segments, "nothing was said otherwise"
    assert script.state.talk.prefix == before.prefix


def test_a_persons_cell_is_not_its_own_to_take_back() -> None:
    script = given(*READY, c.ChooseUndo(UndoFor.EVERYONE), c.RunCell("x = 1"), ran(C1, C1))
    script.happened(HELLO, prepared())
    outcome = script.when(answered(1, call("undo_code")))
    assert results(script)[0].is_error
    assert "a person has run" in str(results(script)[0].result)
    assert "UndoRequested" not in names(outcome.facts)


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("undo_code", "{}", "no copy of the interpreter is kept"),
        ("keep_variant", '{"variant":1}', "no variants are waiting"),
        ("undo_code", '{"count":0}', "not valid"),
        ("keep_variant", '{"variant":17}', "not valid"),
        ("try_code", '{"variants":[]}', "not valid"),
        ("try_code", '{"variants":["a"],"time_limit":0}', "not valid"),
    ],
)
def test_what_cannot_be_done_is_answered_and_changes_nothing(
    name: str, arguments: str, why: str
) -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, call(name, arguments)))
    assert results(script)[0].is_error
    assert why in str(results(script)[0].result)
    assert "ToolStarted" not in names(outcome.facts)
    assert [type(one) for one in outcome.effects] == [m.AskModel]


def test_a_trial_is_not_begun_while_a_cell_runs() -> None:
    script = given(*READY, c.RunCell("long()"), HELLO, prepared())
    script.happened(answered(1, TRY))
    assert results(script)[0].is_error
    assert "running a cell" in str(results(script)[0].result)


def test_one_call_of_a_step_waits_for_the_other() -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, TRY, call("keep_variant", '{"variant":1}')))
    assert [type(one) for one in outcome.effects if isinstance(one, fx.TryInWorker)]
    assert not any(isinstance(one, fx.AdoptVariant) for one in outcome.effects)
    outcome = script.when(TRIED)
    assert fx.AdoptVariant(2, C1, 1) in (*outcome.effects, *script.effects)


def test_a_cancelled_turn_stops_what_is_tried() -> None:
    script = given(*ASKING, answered(1, TRY))
    outcome = script.when(p.CancelTurn())
    assert fx.InterruptWorker(1, C1, 1) in outcome.effects
    script.happened(r.VariantsTried(1, C1, (VariantResult(stopped=True), BAD)))
    assert script.state.talk.open is None
    assert script.state.undo.trial is not None  # a person may still keep one


@pytest.mark.parametrize("ending", [r.Raised(CodeRaised("NameError", "f")), r.Stopped()])
def test_code_that_failed_and_could_not_be_taken_back_says_so(ending: r.Ending) -> None:
    for more, is_told in ((',"on_error":"undo"', True), ("", False)):
        arguments = f'{{"code":"f()"{more}}}'
        script = given(*ASKING, answered(1, call("run_code", arguments)))
        script.happened(r.CopyMissed(1, C1, ("a thread runs",)))
        script.happened(r.CellEnded(1, C1, ending, 0.1, names=("x",)))
        assert (NOT_UNDONE in str(results(script)[0].result)) is is_told


def test_the_agent_is_told_of_what_is_in_the_way_of_undo_once_and_when_it_is_another() -> None:
    ways: tuple[tuple[tuple[str, ...], bool], ...] = (
        (("a thread runs",), True),
        (("a thread runs",), False),
        (("a thread runs", "a socket is open"), True),
        ((), False),
        (("a thread runs",), True),
    )
    script = given(*ASKING)
    for number, (missed, is_told) in enumerate(ways, 1):
        cell = CellId(f"c{number}")
        script.happened(answered(number, code(f"f({number})")))
        if missed:
            script.happened(r.CopyMissed(1, cell, missed))
        script.happened(r.CellEnded(1, cell, r.Succeeded(), 0.1))
        said = str(results(script)[-1].result)
        assert (NOT_UNDOABLE.format("; ".join(missed)) in said) is is_told, number
        assert ("undo_code" in said) is is_told, number


def test_what_is_in_the_way_of_a_persons_cell_is_not_told_to_the_agent() -> None:
    script = given(*READY, c.ChooseUndo(UndoFor.EVERYONE), c.RunCell("x"))
    script.happened(r.CopyMissed(1, C1, ("a thread runs",)), r.CellEnded(1, C1, r.Succeeded(), 0.1))
    script.happened(HELLO, prepared(), answered(1, code("f()")))
    assert script.state.undo.told == ()
    script.happened(r.CellEnded(1, CellId("c2"), r.Succeeded(), 0.1))
    assert "undo_code" not in str(results(script)[-1].result)


def test_of_an_interpreter_that_is_gone_nothing_is_said_to_have_stayed() -> None:
    script = given(*ASKING, answered(1, call("run_code", '{"code":"f()","on_error":"undo"}')))
    script.happened(r.WorkerLost(1, r.Exit.CRASH, "it died"))
    assert NOT_UNDONE not in str(results(script)[0].result)


def test_code_that_failed_and_was_taken_back_says_so() -> None:
    script = given(*ASKING)
    arguments = '{"code":"x = 1; f()","on_error":"undo"}'
    outcome = script.when(answered(1, call("run_code", arguments)))
    assert outcome.effects == (fx.ExecuteInWorker(1, C1, "x = 1; f()", copy=True, on_error="undo"),)
    failed = r.Raised(CodeRaised("NameError", "f"))
    script.happened(r.CellEnded(1, C1, failed, 0.1, undone=True))
    assert "was taken back" in str(results(script)[0].result)
    assert script.state.undo.ran == ()
