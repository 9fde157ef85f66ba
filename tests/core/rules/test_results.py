"""Results of calls: one each, the same for those that share it, and not too long."""

import pytest
from tests.contracts.given import given
from tests.contracts.talks import ASKING, answered, call, code, prepared, returned, sealed

from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.ids import CallId, CellId, InputId
from hearth.core.vocabulary.judging import CallJudged
from hearth.core.vocabulary.lines import TurnLimits

K1, K2, K3, C1 = CallId("k1"), CallId("k2"), CallId("k3"), CellId("c1")


def results(facts: object) -> list[ToolResultBlock]:
    return [one for one in sealed(facts) if isinstance(one, ToolResultBlock)]  # type: ignore[arg-type]  # a tuple or list of facts


@pytest.mark.promise("DP-TOOL-05")
def test_equal_calls_of_a_reader_share_one_execution_and_have_a_result_each() -> None:
    same = call("look", '{"at":1}')
    script = given(*ASKING)
    outcome = script.when(answered(1, same, call("look", '{"at":2}'), same, same))
    assert [one.call for one in outcome.effects] == ["k1", "k2"]  # type: ignore[union-attr]  # both are RunTool
    outcome = script.when(returned(1, "seen"))
    assert [(one.call, one.result) for one in results(outcome.facts)] == [
        ("k1", "seen"),
        ("k3", "seen"),
        ("k4", "seen"),
    ]


@pytest.mark.promise("DP-TOOL-03", "DP-TOOL-06")
def test_a_long_result_is_shown_by_head_and_tail_and_kept_whole_in_a_file() -> None:
    limits = TurnLimits(result_chars=100, spill_folder="/spill")
    script = given(*ASKING[:-1], prepared(limits=limits), answered(1, code("x")))
    long = "a" * 150 + "z" * 150
    outcome = script.when(r.CellEnded(1, C1, r.Succeeded(), 0.1, (StreamText("stdout", long),)))
    found = results(outcome.facts)[0]
    path = "/spill/session-a1b2c3/k1.txt"
    assert found.spilled == path
    assert path in str(found.result)
    assert str(found.result).startswith("a" * 75)
    assert str(found.result).endswith("z" * 25)
    assert m.SpillResult(path, long) in outcome.effects


def test_without_a_folder_the_hint_names_the_cell() -> None:
    script = given(
        *ASKING[:-1], prepared(limits=TurnLimits(result_chars=50)), answered(1, code("x"))
    )
    outcome = script.when(r.CellEnded(1, C1, r.Succeeded("v" * 200), 0.1))
    assert "cell c1" in str(results(outcome.facts)[0].result)


def test_a_long_answer_to_a_question_is_said_to_be_in_the_log_and_in_no_cell() -> None:
    limits = TurnLimits(result_chars=50)
    script = given(*ASKING[:-1], prepared(limits=limits))
    script.happened(answered(1, call("inspect", '{"code":"len"}')))
    long = Inspection(found=True, name="len", doc="d" * 200)
    outcome = script.when(r.CodeInspected(InputId("i3.k1"), long))
    assert "the whole is in the log …" in str(results(outcome.facts)[0].result)


@pytest.mark.parametrize(("name", "wrong"), [("look", "[]"), ("inspect", "{"), ("check_code", "")])
def test_equal_calls_that_cannot_be_run_have_a_result_each(name: str, wrong: str) -> None:
    same = call(name, wrong)
    outcome = given(*ASKING).when(answered(1, same, same, same))
    assert [one.call for one in results(outcome.facts)] == ["k1", "k2", "k3"]
    assert all(one.is_error for one in results(outcome.facts))
    assert [type(one) for one in outcome.effects] == [m.AskModel], "the turn goes on"


def test_equal_questions_have_a_result_each_also_without_an_interpreter() -> None:
    same = call("inspect", '{"code":"x"}')
    lost = r.WorkerLost(1, r.Exit.CLEAN, "it left")
    outcome = given(*ASKING, lost).when(answered(1, same, same))
    assert [one.call for one in results(outcome.facts)] == ["k1", "k2"]


def test_those_that_share_a_result_share_a_no() -> None:
    same = call("look", '{"at":1}')
    script = given(*ASKING, answered(1, same, same), judging=False)
    outcome = script.when(CallJudged(K1, problem="there is no such tool"))
    assert [(one.call, one.result) for one in results(outcome.facts)] == [
        ("k1", "there is no such tool"),
        ("k2", "there is no such tool"),
    ]
    script = given(*ASKING, answered(1, same, same), judging=False)
    outcome = script.when(p.CancelTurn())
    assert [str(one.result)[:8] for one in results(outcome.facts)] == ["Not run:", "Not run:"]


def test_a_long_list_of_tasks_is_shown_by_head_and_tail_too() -> None:
    limits = TurnLimits(result_chars=100)
    adds = [call("tasks", f'{{"op":"add","title":"{"x" * 30} {n}"}}') for n in range(5)]
    script = given(*ASKING[:-1], prepared(limits=limits), answered(1, *adds))
    outcome = script.when(answered(2, call("tasks", '{"op":"list"}')))
    assert "the whole is in the log" in str(results(outcome.facts)[0].result)
