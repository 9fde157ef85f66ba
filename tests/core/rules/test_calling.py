"""Tool calls: each is run at most once, and has exactly one result."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import CONFIG, LOST, RUNNING, STOPPED, given
from tests.contracts.talks import (
    AGENT,
    ASKING,
    HELLO,
    PREFIX,
    PREPARING,
    answered,
    call,
    code,
    events,
    names,
    prepared,
    returned,
    sealed,
)

from hearth.core.rules.calling import MOST_CALLS, wire_id
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.blocks import Role, StopReason, ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.content import Blob, StreamText
from hearth.core.vocabulary.ids import BlockId, CallId, CellId, InputId, RequestId, TurnId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall
from hearth.core.vocabulary.lines import TurnLimits

T1, K1, C1 = TurnId("t1"), CallId("k1"), CellId("c1")


def results(facts: object) -> list[ToolResultBlock]:
    return [one for one in sealed(facts) if isinstance(one, ToolResultBlock)]  # type: ignore[arg-type]  # a tuple or list of facts


@pytest.mark.promise("DP-WIRE-16")
def test_run_code_is_the_same_cell_as_a_persons_under_the_agents_name() -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, code("x = 1")))
    assert names(outcome.facts) == [
        "BlockSealed",
        "StepFinished",
        "ToolStarted",
        "CellStarted",
        "StateTransitioned",
    ]
    started = outcome.facts[3]
    assert started.event == e.CellStarted(C1, "x = 1", copy=True)
    assert (started.cause, started.origin) == ("i3.k1", AGENT)
    assert outcome.effects == (fx.ExecuteInWorker(1, C1, "x = 1", copy=True),)


def test_the_value_and_the_output_of_the_cell_are_the_result() -> None:
    script = given(*ASKING, answered(1, code("x")))
    shown = (StreamText("stdout", "seen\n"), StreamText("stderr", "careful\n"))
    outcome = script.when(r.CellEnded(1, C1, r.Succeeded("2", "int"), 0.1, shown))
    assert results(outcome.facts) == [
        ToolResultBlock(K1, "run_code", "seen\n[stderr]\ncareful\nOut: 2")
    ]
    assert [type(one) for one in outcome.effects] == [m.AskModel]


def test_a_cell_waits_for_those_before_it_also_for_a_persons() -> None:
    script = given(*RUNNING, HELLO, prepared())
    outcome = script.when(answered(1, code("a"), code("b")))
    assert names(outcome.facts).count("CellQueued") == 2
    assert outcome.effects == ()
    script.happened(r.CellEnded(1, C1, r.Succeeded(), 0.1))
    assert script.effects[-1] == fx.ExecuteInWorker(1, CellId("c2"), "a", copy=True)
    outcome = script.when(r.CellEnded(1, CellId("c2"), r.Succeeded(), 0.1))
    assert [one.call for one in results(outcome.facts)] == ["k1"]
    assert not any(isinstance(one, m.AskModel) for one in outcome.effects)


@pytest.mark.parametrize("way", [LOST, STOPPED], ids=("lost", "stopped"))
def test_without_an_interpreter_the_agent_is_told_so(way: tuple[c.Command, ...]) -> None:
    script = given(*way, HELLO, prepared())
    outcome = script.when(answered(1, code("x"), call("check_code", '{"code":"x"}')))
    assert [one.is_error for one in results(outcome.facts)] == [True, True]
    assert [type(one) for one in outcome.effects] == [m.AskModel]


def test_questions_about_code_are_asked_as_a_persons_and_answered_to_the_model() -> None:
    script = given(*ASKING)
    two = (call("check_code", '{"code":"a"}'), call("inspect", '{"code":"len"}'))
    outcome = script.when(answered(1, *two))
    assert [type(one) for one in outcome.effects] == [fx.CheckInWorker, fx.InspectInWorker]
    script.happened(r.CodeChecked(InputId("i3.k1")))
    outcome = script.when(
        r.CodeInspected(InputId("i3.k2"), Inspection(found=True, name="len", doc="Length."))
    )
    assert [str(one.result) for one in results(script.facts)] == [
        "No errors found.",
        "len\nLength.",
    ]
    assert [type(one) for one in outcome.effects] == [m.AskModel]


@pytest.mark.parametrize(
    "wrong", ["", "{", "[]", '{"code":1}', '{"cod":"x"}', '{"code":"x","time_limit":-1}']
)
def test_invalid_arguments_are_answered_and_never_run(wrong: str) -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, call("run_code", wrong)))
    found = results(outcome.facts)[0]
    assert found.is_error
    assert "Nothing was run" in str(found.result)
    assert "ToolStarted" not in names(outcome.facts)
    assert [type(one) for one in outcome.effects] == [m.AskModel]


@pytest.mark.parametrize("wrong", ["{", "[1]", "nothing"])
def test_arguments_that_are_no_object_never_reach_a_tool(wrong: str) -> None:
    outcome = given(*ASKING).when(answered(1, call("look", wrong)))
    assert results(outcome.facts)[0].is_error
    assert not any(isinstance(one, m.RunTool) for one in outcome.effects)


def test_a_tool_that_is_not_the_sessions_own_is_handed_out_once() -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, call("look", '{"at":1}')))
    handed = m.RunTool(K1, "look", '{"at":1}', CONFIG, 20_000, agent=AGENT.name)
    assert outcome.effects == (handed,)
    script.happened(returned(1, "seen"))
    assert [one.result for one in results(script.facts)] == ["seen"]


@pytest.mark.promise("DP-TOOL-05")
def test_equal_calls_of_a_tool_that_changes_something_are_all_run() -> None:
    same = call("write", '{"at":1}')
    script = given(*ASKING)
    assert len(script.when(answered(1, same, same)).effects) == 1
    assert [one.call for one in script.when(returned(1)).effects] == ["k2"]  # type: ignore[union-attr]  # a call


def test_three_equal_calls_of_one_step_ask_a_person_unless_they_only_read() -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, code("x"), call("look"), *[code("y")] * 3))
    asked = events(outcome.facts, t.ApprovalRequested)[0]
    assert isinstance(asked, t.ApprovalRequested)
    assert asked.why == "the agent has called run_code 3 times in a row with the same arguments"
    assert outcome.effects == ()
    yes = script.when(p.AnswerApproval(asked.approval, p.ApprovalAnswer.ONCE))
    assert names(yes.facts).count("ToolStarted") == 1
    reads = given(*ASKING).when(answered(1, *[call("look")] * 3))
    assert not events(reads.facts, t.ApprovalRequested)
    apart = given(*ASKING).when(answered(1, code("y"), code("y"), call("look"), code("y")))
    assert not events(apart.facts, t.ApprovalRequested)


def test_three_equal_steps_in_a_row_ask_a_person() -> None:
    same = call("look", '{"at":1}')
    script = given(*ASKING, answered(1, same), returned(1), answered(2, same), returned(2))
    outcome = script.when(answered(3, same))
    asked = events(outcome.facts, t.ApprovalRequested)[0]
    assert isinstance(asked, t.ApprovalRequested)
    assert asked.calls == ("k3",)
    assert "3 times in a row" in asked.why
    assert outcome.effects == ()


def test_another_call_between_them_is_no_circle() -> None:
    same, other = call("look", '{"at":1}'), call("look", '{"at":2}')
    script = given(*ASKING)
    for number, one in enumerate((same, same, other, same, same), 1):
        script.happened(answered(number, one), returned(number))
    assert not events(script.facts, t.ApprovalRequested)


@pytest.mark.promise("DL-MGR-02")
def test_a_turn_ends_with_a_notice_when_it_took_as_many_steps_as_it_may() -> None:
    script = given(*ASKING[:-1], prepared(limits=TurnLimits(max_steps=2)))
    script.happened(answered(1, call("look", '{"at":1}')), returned(1))
    script.happened(answered(2, call("look", '{"at":2}')))
    outcome = script.when(returned(2))
    finished = outcome.facts[-1].event
    assert isinstance(finished, t.TurnFinished)
    assert (finished.end, finished.steps) == (t.TurnEnd.LIMIT, 2)
    assert outcome.effects == ()


def test_an_agent_can_have_the_conversation_made_shorter_before_its_next_step() -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, call("compact_conversation")))
    assert "CompactionStarted" in names(outcome.facts)
    asked = outcome.effects[-1]
    assert isinstance(asked, m.AskModel)
    assert asked.purpose == "summary"


def test_more_calls_than_are_reasonable_are_answered_and_not_run() -> None:
    calls = [call("write", f'{{"n":{n}}}') for n in range(MOST_CALLS + 2)]
    outcome = given(*ASKING).when(answered(1, *calls))
    assert len(outcome.effects) == 1
    assert [one.call for one in results(outcome.facts)] == ["k201", "k202"]


@pytest.mark.promise("DP-WIRE-10")
@pytest.mark.parametrize(
    ("proposed", "named"),
    [
        ("toolu_0123456789", "toolu_0123456789_k7"),
        ("call_0", "call_0_k7"),
        ("", "session-a1b2c3_k7"),
        ("a b/c", "abc_k7"),
        ("x" * 65, "x" * 40 + "_k7"),
    ],
)
def test_a_call_is_named_as_its_provider_did_with_a_number_of_its_own(
    proposed: str, named: str
) -> None:
    assert wire_id(proposed, CallId("k7"), "session-a1b2c3") == named


@pytest.mark.promise("DP-WIRE-10")
def test_calls_that_a_provider_named_alike_are_told_apart() -> None:
    twin = code("x", "toolu_0123456789")
    script = given(*ASKING, answered(1, twin, twin))
    named = [one.wire_id for one in sealed(script.facts) if isinstance(one, ToolCallBlock)]
    assert len(set(named)) == 2


def test_what_an_agents_summary_should_dwell_on_is_told_to_whoever_writes_it() -> None:
    focus = "the loom " * 1000
    outcome = given(*ASKING).when(
        answered(1, call("compact_conversation", f'{{"focus":"{focus}"}}'), call("run_code", "{"))
    )
    asked = outcome.effects[-1]
    assert isinstance(asked, m.AskModel)
    assert asked.focus.startswith("the loom the loom")
    assert len(asked.focus) == 4000


def test_who_waits_when_a_turn_took_all_its_steps_is_answered_in_the_next_one() -> None:
    script = given(*ASKING[:-1], prepared(limits=TurnLimits(max_steps=1)))
    script.happened(answered(1, call("look")), p.SendMessage("and then?"))
    outcome = script.when(returned(1))
    assert names(outcome.facts) == [
        "BlockSealed",
        "BlockSealed",
        "TurnFinished",
        "TurnStarted",
        "BlockSealed",
        "MessageDelivered",
    ]
    assert outcome.effects == (m.PreparePrefix(TurnId("t2"), CONFIG),)


def test_code_that_the_log_has_as_a_blob_is_run_as_it_was_judged() -> None:
    script = given(*ASKING, judging=False)
    long = Blob("0" * 64, 100_000, "text/plain", "{")
    version = script.state.version
    stored = BlockId(f"b{version + 1}")
    called = t.BlockSealed(stored, T1, 0, Role.ASSISTANT, ToolCallBlock(K1, "run_code", long))
    finished = t.StepFinished(T1, 0, RequestId("r1"), "m", StopReason.TOOLS)
    script.happened(called, finished)
    outcome = script.when(m.AskDue(RequestId("r1")))
    assert [type(one) for one in outcome.effects] == [JudgeCall]
    outcome = script.when(CallJudged(K1, arguments='{"code":"6 * 7"}'))
    assert [one.code for one in outcome.effects if isinstance(one, fx.ExecuteInWorker)] == ["6 * 7"]


def test_code_that_did_not_come_back_with_its_judgement_is_not_run() -> None:
    script = given(*ASKING, judging=False)
    long = Blob("0" * 64, 100_000, "text/plain", "{")
    stored = BlockId(f"b{script.state.version + 1}")
    called = t.BlockSealed(stored, T1, 0, Role.ASSISTANT, ToolCallBlock(K1, "run_code", long))
    finished = t.StepFinished(T1, 0, RequestId("r1"), "m", StopReason.TOOLS)
    script.happened(called, finished)
    outcome = script.when(CallJudged(K1))
    assert results(outcome.facts)[0].result == "The code is not there. Nothing was run."


@pytest.mark.promise("DP-TOOL-09")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("tasks", '{"op":"add","title":"sneak in"}'),
        ("inspect", '{"code":"x"}'),
        ("check_code", '{"code":"x"}'),
        ("compact_conversation", "{}"),
        ("run_code", '{"code":"1"}'),
    ],
)
def test_a_tool_of_the_session_that_is_switched_off_is_not_run(name: str, arguments: str) -> None:
    off = replace(PREFIX, switched_off=(name,))
    script = given(*PREPARING, prepared(prefix=off))
    outcome = script.when(answered(1, call(name, arguments)))
    (result,) = (one for one in sealed(outcome.facts) if isinstance(one, ToolResultBlock))
    assert result.is_error
    assert result.result == f"There is no tool {name} here. Nothing was run."
    assert script.state.talk.tasks == ()
    assert [type(one) for one in outcome.effects] == [m.AskModel]
