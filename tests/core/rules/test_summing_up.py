"""A summary in the place of what was said long ago."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import READY, given
from tests.contracts.talks import (
    CALLING,
    CHOICE,
    COMPACTING,
    HELLO,
    IDLE,
    PREPARING,
    answered,
    call,
    messages_on,
    names,
    prepared,
    returned,
    sealed,
    text,
)

from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import ErrorBlock, Usage
from hearth.core.vocabulary.ids import BlockId, CallId, RequestId
from hearth.core.vocabulary.lines import TurnLimits
from hearth.core.vocabulary.messages import UserMessage

R2 = RequestId("r2")


@pytest.mark.promise("DL-COMP-01", "DP-COMP-04")
def test_the_model_reads_the_summary_and_what_is_kept_and_the_log_has_it_all() -> None:
    script = given(*IDLE, HELLO, prepared(2), answered(2, text("second")))
    before = list(script.facts)
    prompt = script.state.talk.line.prompt
    script.happened(p.CompactConversation(), prepared(3))
    outcome = script.when(m.SummaryMade(RequestId("r3"), "they greeted", prompt, Usage(1, 2, 3, 4)))
    assert names(outcome.facts) == ["ConversationCompacted", "TurnFinished"]
    assert script.facts[: len(before)] == before
    sent = messages_on(script)
    assert isinstance(sent[0], UserMessage)
    assert "they greeted" in sent[0].text
    assert [type(one).__name__ for one in sent] == [
        "UserMessage",
        "UserMessage",
        "AssistantMessage",
    ]
    assert "hello to you" not in str(sent)
    assert "second" in str(sent)


def test_a_summary_can_stand_for_everything() -> None:
    script = given(*COMPACTING, m.SummaryMade(R2, "all of it", BlockId("")))
    assert len(messages_on(script)) == 1


@pytest.mark.promise("DL-COMP-02")
def test_what_the_provider_counted_and_what_came_since_decide_when_one_is_due() -> None:
    script = given(*PREPARING, prepared())
    near = Usage(CHOICE.window - 16_000 - 100)
    script.happened(answered(1, call("look"), usage=near))
    outcome = script.when(returned(1, "x" * 1000))
    assert names(outcome.facts) == ["BlockSealed", "CompactionStarted", "ModelAsked"]
    far = given(*PREPARING, prepared(), answered(1, call("look"), usage=Usage(1000)))
    assert "CompactionStarted" not in names(far.when(returned(1, "x" * 1000)).facts)


@pytest.mark.promise("DL-COMP-02")
def test_where_the_provider_counts_nothing_all_that_was_said_is_estimated() -> None:
    script = given(*PREPARING, prepared())
    script.happened(answered(1, call("look"), usage=Usage()), returned(1, "x" * 3 * CHOICE.window))
    script.happened(answered(2, call("look", "{}", "again"), usage=Usage()))
    outcome = script.when(returned(2, "x" * CHOICE.window))
    assert "CompactionStarted" in names(outcome.facts)
    # Of one who counts, only what came since is estimated.
    script = given(*PREPARING, prepared())
    script.happened(answered(1, call("look")), returned(1, "x" * 3 * CHOICE.window))
    script.happened(answered(2, call("look", "{}", "again")))
    assert "CompactionStarted" not in names(script.when(returned(2, "x" * CHOICE.window)).facts)


def test_in_a_small_window_a_summary_keeps_no_more_than_a_quarter_of_it() -> None:
    small = replace(CHOICE, window=8_000)
    asked = given(*IDLE, p.CompactConversation()).when(prepared(2, choice=small)).effects[0]
    assert isinstance(asked, m.AskModel)
    assert asked.keep_recent_tokens == 2_000


def test_what_is_said_first_is_asked_as_it_is_however_long() -> None:
    script = given(*READY, p.SendMessage("x" * 5 * CHOICE.window))
    outcome = script.when(prepared())
    assert "CompactionStarted" not in names(outcome.facts)
    assert isinstance(outcome.effects[0], m.AskModel)


def test_who_switched_it_off_gets_none() -> None:
    script = given(*PREPARING, prepared(limits=TurnLimits(compaction=False)))
    script.happened(answered(1, call("look"), usage=Usage(CHOICE.window)))
    assert "CompactionStarted" not in names(script.when(returned(1)).facts)


@pytest.mark.promise("DL-COMP-03")
def test_the_files_that_were_touched_are_carried_on_from_summary_to_summary() -> None:
    script = given(*CALLING, m.ToolReturned(CallId("k1"), "ok", files=("a.py",)))
    script.happened(answered(2, text("done")), p.CompactConversation(), prepared(2))
    script.happened(m.SummaryMade(RequestId("r3"), "one", BlockId("")))
    script.happened(HELLO, prepared(3), answered(4, call("look")))
    script.happened(m.ToolReturned(CallId("k2"), "ok", files=("b.py", "a.py")))
    script.happened(answered(5, text("done")), p.CompactConversation(), prepared(4))
    script.happened(m.SummaryMade(RequestId("r6"), "two", BlockId("")))
    last = [fact.event for fact in script.facts if isinstance(fact.event, t.ConversationCompacted)]
    assert [one.files for one in last] == [("a.py",), ("b.py", "a.py")]
    assert "b.py" in str(messages_on(script))


def test_no_summary_is_an_error_where_it_was_asked_for() -> None:
    for report in (
        m.SummaryMade(R2, "", BlockId("")),
        m.ModelFailed(R2, m.Trouble.REJECTED, "no", 400),
    ):
        outcome = given(*COMPACTING).when(report)
        assert names(outcome.facts) == ["CompactionFailed", "BlockSealed", "TurnFinished"]
        assert isinstance(sealed(outcome.facts)[0], ErrorBlock)


def test_a_turn_goes_on_without_one_if_it_can() -> None:
    script = given(*PREPARING, prepared(), answered(1, call("compact_conversation")))
    outcome = script.when(m.ModelFailed(R2, m.Trouble.REJECTED, "no", 400))
    assert names(outcome.facts) == ["CompactionFailed", "BlockSealed", "ModelAsked"]


def test_a_summary_that_failed_for_now_is_asked_for_again() -> None:
    outcome = given(*COMPACTING).when(m.ModelFailed(R2, m.Trouble.OVERLOADED, "busy", 529))
    assert names(outcome.facts) == ["RetryScheduled"]


def test_a_turn_that_was_stopped_takes_no_summary() -> None:
    script = given(*COMPACTING, p.CancelTurn())
    outcome = script.when(m.SummaryMade(R2, "late", BlockId("")))
    assert "ConversationCompacted" not in names(outcome.facts)
    assert script.state.talk.open is None


@pytest.mark.promise("DL-COMP-01")
def test_what_is_worth_remembering_is_noted_on_the_occasion() -> None:
    script = given(*COMPACTING)
    made = m.SummaryMade(R2, "so far", BlockId(""), notes=('{"text":"a"}', '{"text":"b"}'))
    outcome = script.when(made)
    noted = [one for one in outcome.effects if isinstance(one, m.RunTool)]
    assert [(one.name, one.arguments) for one in noted] == [
        ("add_knowledge", '{"text":"a"}'),
        ("add_knowledge", '{"text":"b"}'),
    ]
    assert len({one.call for one in noted}) == 2
    script.when(m.ToolReturned(noted[0].call, "noted")).ignored()
