"""What ends by a decision is a result of it; what waited for that goes on, once."""

import pytest
from tests.contracts.given import given
from tests.contracts.talks import AGENT, ASKING, answered, call, code, names, returned, sealed

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.ids import ApprovalId, CallId, CellId, RequestId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall
from hearth.core.vocabulary.permitting import Kept

K1, K2, K3, C1 = CallId("k1"), CallId("k2"), CallId("k3"), CellId("c1")


def results(facts: object) -> list[ToolResultBlock]:
    return [one for one in sealed(facts) if isinstance(one, ToolResultBlock)]  # type: ignore[arg-type]  # a tuple or list of facts


@pytest.mark.promise("DP-TOOL-04")
def test_a_second_result_of_a_call_is_dropped() -> None:
    script = given(*ASKING, answered(1, call("look"), call("see")))
    script.happened(returned(1, "first"))
    script.when(returned(1, "second")).ignored()
    script.happened(returned(2))
    script.when(returned(2, "late")).ignored()
    assert [one.result for one in results(script.facts)] == ["first", "done"]


@pytest.mark.promise("DP-WIRE-12")
def test_a_lost_interpreter_ends_the_call_with_effects_unknown_and_the_turn_goes_on() -> None:
    script = given(*ASKING, answered(1, code("x")))
    outcome = script.when(r.WorkerLost(1, r.Exit.CRASH, "signal 11"))
    found = results(outcome.facts)[0]
    assert found.is_error
    assert str(found.result).startswith("Interrupted, effects unknown")
    assert any(isinstance(one, m.AskModel) for one in outcome.effects)


def test_a_hard_reset_ends_the_agents_cell_and_its_turn_goes_on() -> None:
    script = given(*ASKING, answered(1, code("loop")))
    outcome = script.when(c.HardResetSession(), by=AGENT)
    assert results(outcome.facts)[0].is_error
    assert any(isinstance(one, m.AskModel) for one in outcome.effects)


def test_a_persons_cells_and_questions_are_no_results_of_the_agents_calls() -> None:
    script = given(*ASKING, answered(1, call("look")), c.RunCell("1"))
    outcome = script.when(r.CellEnded(1, C1, r.Succeeded("1"), 0.1))
    assert results(outcome.facts) == []


def judged_calls(effects: object) -> list[tuple[str, bool]]:
    return [(one.call, one.keep) for one in effects if isinstance(one, JudgeCall)]  # type: ignore[attr-defined]  # a tuple of effects


def test_what_was_judged_before_its_turn_is_run_only_when_its_files_were_kept() -> None:
    script = given(*ASKING, answered(1, code("1"), code("2")), judging=False)
    assert judged_calls(script.effects) == [("k1", True), ("k2", False)]
    kept = Kept("/home/anna/loom", "tree1")
    freed = script.when(CallJudged(K1, kept=kept))
    assert judged_calls(freed.effects) == [("k2", True)]
    script.when(CallJudged(K2, keep=False)).ignored()
    outcome = script.when(CallJudged(K2, kept=kept))
    assert names(outcome.facts) == ["FilesKept", "ToolStarted", "CellQueued"]


def test_what_is_free_by_a_restart_is_judged_once() -> None:
    calls = (call("write", "{}"), call("write", '{"n":2}'))
    script = given(*ASKING, answered(1, *calls), CallJudged(K1), judging=False)
    outcome = script.when(m.AskDue(RequestId("r1")))
    assert judged_calls(outcome.effects) == [("k2", True)]


def test_what_is_free_once_a_person_lets_the_agent_go_on_is_judged_once() -> None:
    same = call("write", "{}")
    script = given(
        *ASKING, answered(1, call("tasks", '{"op":"list"}'), same, same, same), judging=False
    )
    outcome = script.when(p.AnswerApproval(ApprovalId("a1"), p.ApprovalAnswer.ONCE))
    assert judged_calls(outcome.effects) == [("k2", True), ("k3", False), ("k4", False)]
