"""What a model brings back, and what follows."""

import pytest
from tests.contracts.given import given
from tests.contracts.talks import (
    AGENT,
    ASKING,
    CALLING,
    COMPACTING,
    PREPARING,
    SPENT,
    answered,
    call,
    code,
    due,
    events,
    failed,
    messages_on,
    names,
    prepared,
    returned,
    sealed,
    text,
    thought,
)

from hearth.core.rules.modelled import RESTARTED
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    ErrorBlock,
    NoticeBlock,
    Role,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
    Usage,
)
from hearth.core.vocabulary.ids import BlockId, CallId, RequestId, TurnId
from hearth.core.vocabulary.lines import TurnLimits

T1 = TurnId("t1")


@pytest.mark.promise("DP-RED-08", "DP-LOG-01", "DP-LOG-11")
def test_every_piece_of_an_answer_is_a_block_of_its_own_in_the_order_it_was_written() -> None:
    pieces = (thought("a"), text("b"), thought("c"), code("d"), thought("e"), text("f"))
    script = given(*ASKING)
    outcome = script.when(answered(1, *pieces))
    found = [one for one in events(outcome.facts, t.BlockSealed) if isinstance(one, t.BlockSealed)]
    assert [type(one.content) for one in found] == [
        ThinkingBlock,
        TextBlock,
        ThinkingBlock,
        ToolCallBlock,
        ThinkingBlock,
        TextBlock,
    ]
    assert {(one.turn, one.step, one.role) for one in found} == {(T1, 0, Role.ASSISTANT)}
    assert [one.parent for one in found[1:]] == [one.block for one in found[:-1]]
    assert len({one.block for one in found}) == 6


@pytest.mark.promise("DP-WIRE-08", "DP-WIRE-09")
def test_what_is_empty_is_no_block_but_what_is_signed_is() -> None:
    outcome = given(*ASKING).when(answered(1, text(""), thought("", "{sig}"), thought("", "")))
    assert sealed(outcome.facts) == [ThinkingBlock("", "{sig}", "anthropic:claude-test")]


@pytest.mark.promise("DP-TURN-04")
def test_an_answer_without_calls_ends_the_turn_after_everything_of_it() -> None:
    outcome = given(*ASKING).when(answered(1, text("done")))
    assert names(outcome.facts) == ["BlockSealed", "StepFinished", "TurnFinished"]
    assert outcome.facts[-1].event == t.TurnFinished(T1, t.TurnEnd.DONE, 1, SPENT)
    assert outcome.facts[0].origin == AGENT
    assert {fact.cause for fact in outcome.facts} == {"i3"}


@pytest.mark.promise("DP-LOG-11")
def test_steps_are_counted_from_nought_and_usage_adds_up() -> None:
    script = given(*ASKING, answered(1, call("look")), returned(1))
    script.happened(answered(2, call("see")), returned(2), answered(3, text("done")))
    steps = [one.step for one in events(script.facts, t.StepFinished)]  # type: ignore[union-attr]  # steps alone
    assert steps == [0, 1, 2]
    finished = script.facts[-1].event
    assert isinstance(finished, t.TurnFinished)
    assert finished.usage == Usage(30, 60, 90, 120)
    assert finished.steps == 3


@pytest.mark.promise("DL-MGR-01")
def test_a_turn_is_stored_in_the_order_in_which_it_happened() -> None:
    script = given(*ASKING, answered(1, call("look"), call("see")))
    script.happened(returned(1), returned(2), answered(2, text("done")))
    stored = [fact.event for fact in script.facts if isinstance(fact.event, t.BlockSealed)]
    assert [(one.role, type(one.content)) for one in stored] == [
        (Role.USER, TextBlock),
        (Role.ASSISTANT, ToolCallBlock),
        (Role.ASSISTANT, ToolCallBlock),
        (Role.TOOL, ToolResultBlock),
        (Role.TOOL, ToolResultBlock),
        (Role.ASSISTANT, TextBlock),
    ]


@pytest.mark.parametrize(
    ("stop", "end"),
    [
        (StopReason.REFUSAL, t.TurnEnd.REFUSED),
        (StopReason.LENGTH, t.TurnEnd.CUT_OFF),
        (StopReason.OTHER, t.TurnEnd.DONE),
    ],
)
def test_why_a_model_stopped_is_how_the_turn_ends(stop: StopReason, end: t.TurnEnd) -> None:
    outcome = given(*ASKING).when(answered(1, text("so far"), stop=stop))
    finished = outcome.facts[-1].event
    assert isinstance(finished, t.TurnFinished)
    assert finished.end is end
    has_notice = any(isinstance(one, NoticeBlock) for one in sealed(outcome.facts))
    assert has_notice is (end is not t.TurnEnd.DONE)


def test_a_provider_that_pauses_is_asked_again_with_what_it_wrote() -> None:
    outcome = given(*ASKING).when(answered(1, text("so far"), stop=StopReason.PAUSE))
    assert [type(one) for one in outcome.effects] == [m.AskModel]


@pytest.mark.promise("DP-LOG-08", "DL-EVT-05")
def test_an_attempt_that_failed_leaves_no_block_and_is_made_again_after_a_pause() -> None:
    script = given(*ASKING)
    script.when(failed(1)).then(
        t.RetryScheduled(RequestId("r1"), T1, 0, 2, 1.0, "it failed", 529),
        effects=(m.WaitThenAsk(RequestId("r1"), 1.0),),
    )
    outcome = script.when(due(1))
    assert outcome.facts[0].event == t.ModelAsked(RequestId("r2"), T1, 0, 2)
    outcome = script.when(failed(2))
    retry = outcome.facts[0].event
    assert isinstance(retry, t.RetryScheduled)
    assert (retry.attempt, retry.delay) == (3, 2.0)


@pytest.mark.promise("DL-MGR-02", "DP-TURN-09")
def test_after_as_many_retries_as_may_be_the_turn_ends_with_an_error() -> None:
    script = given(*PREPARING, prepared(limits=TurnLimits(max_retries=1)))
    script.happened(failed(1), due(1))
    outcome = script.when(failed(2))
    assert sealed(outcome.facts) == [ErrorBlock("it failed", 529)]
    finished = outcome.facts[-1].event
    assert isinstance(finished, t.TurnFinished)
    assert (finished.end, finished.why) == (t.TurnEnd.FAILED, "it failed")
    script.happened(p.SendMessage("again"))
    assert script.state.talk.open is not None


@pytest.mark.parametrize("trouble", [m.Trouble.CREDENTIALS, m.Trouble.REJECTED])
def test_what_stays_as_it_is_is_not_tried_again(trouble: m.Trouble) -> None:
    outcome = given(*ASKING).when(failed(1, trouble))
    assert names(outcome.facts) == ["BlockSealed", "TurnFinished"]
    assert outcome.effects == ()


@pytest.mark.promise("DL-CTX-04")
def test_a_request_that_is_too_long_is_made_shorter_once_and_then_fails_clearly() -> None:
    script = given(*CALLING, returned(1))
    outcome = script.when(failed(2, m.Trouble.OVERFLOW))
    assert names(outcome.facts) == ["CompactionStarted", "ModelAsked"]
    script.happened(m.SummaryMade(RequestId("r3"), "so far", BlockId("")), prepared())
    asked = script.effects[-1]
    assert isinstance(asked, m.AskModel)
    assert (asked.step, asked.purpose) == (1, "answer")
    outcome = script.when(failed(4, m.Trouble.OVERFLOW))
    error = sealed(outcome.facts)[0]
    assert isinstance(error, ErrorBlock)
    assert "longer than the model can read" in str(error.message)


def test_without_compaction_an_overflow_is_an_error_at_once() -> None:
    script = given(*PREPARING, prepared(limits=TurnLimits(compaction=False)))
    outcome = script.when(failed(1, m.Trouble.OVERFLOW))
    assert names(outcome.facts) == ["BlockSealed", "TurnFinished"]


def test_a_prefix_that_cannot_be_prepared_ends_the_turn_and_says_why() -> None:
    outcome = given(*PREPARING).when(m.PrefixFailed(T1, "no provider is called nobody"))
    assert sealed(outcome.facts) == [ErrorBlock("no provider is called nobody")]


@pytest.mark.parametrize(
    "late", [answered(7, text("x")), failed(7), due(7), m.ModelStopped(RequestId("r7"))]
)
def test_what_was_not_asked_is_ignored(late: m.AgentReport) -> None:
    given(*ASKING).when(late).ignored()
    given(*PREPARING).when(prepared(9)).ignored()


def test_a_request_that_somebody_else_gave_up_is_made_again() -> None:
    outcome = given(*ASKING).when(m.ModelStopped(RequestId("r1"), (text("half"),)))
    assert names(outcome.facts) == ["RetryScheduled"]


class TestAfterARestart:
    def test_an_answer_that_was_awaited_is_asked_for_again_and_said_so(self) -> None:
        script = given(*ASKING)
        outcome = script.when(due(1))
        retry = outcome.facts[0].event
        assert isinstance(retry, t.RetryScheduled)
        assert (retry.attempt, retry.delay, retry.why) == (1, 0.0, RESTARTED)
        outcome = script.when(due(1))
        assert outcome.facts[0].event == t.ModelAsked(RequestId("r2"), T1, 0, 1)

    @pytest.mark.promise("DP-WIRE-12")
    def test_a_tool_that_ran_is_not_run_again(self) -> None:
        script = given(*CALLING)
        outcome = script.when(due(1))
        found = sealed(outcome.facts)[0]
        assert isinstance(found, ToolResultBlock)
        assert found.is_error
        assert "effects unknown" in str(found.result)
        assert [type(one) for one in outcome.effects] == [m.AskModel]
        script.when(m.ToolReturned(CallId("k1"), "late")).ignored()

    def test_a_cell_that_runs_is_waited_for(self) -> None:
        script = given(*ASKING, answered(1, code("x"), call("look")))
        outcome = script.when(due(1))
        assert sealed(outcome.facts) == []
        assert outcome.effects == ()

    def test_a_turn_that_was_being_stopped_is_over(self) -> None:
        script = given(*ASKING, p.CancelTurn())
        outcome = script.when(due(1))
        assert names(outcome.facts) == ["BlockSealed", "TurnFinished"]

    def test_a_summary_that_was_awaited_is_asked_for_again(self) -> None:
        script = given(*COMPACTING)
        outcome = script.when(due(2))
        assert names(outcome.facts) == ["RetryScheduled"]
        outcome = script.when(due(2))
        asked = outcome.effects[0]
        assert isinstance(asked, m.AskModel)
        assert asked.purpose == "summary"


@pytest.mark.promise("LK-CANC-01")
def test_half_a_summary_is_nothing_that_was_said() -> None:
    script = given(*ASKING, answered(1, call("compact_conversation")), p.CancelTurn())
    before = messages_on(script)
    outcome = script.when(m.ModelStopped(RequestId("r2"), (text("half"),)))
    assert "half" not in str(sealed(outcome.facts))
    assert messages_on(script) == before
    assert names(outcome.facts)[-1] == "TurnFinished"
