"""What stands before all messages, and when it starts anew."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import CONFIG, given
from tests.contracts.talks import (
    ASKING,
    CALLING,
    CHOICE,
    COMPACTING,
    HELLO,
    IDLE,
    PREFIX,
    PREPARING,
    answered,
    events,
    names,
    prepared,
    returned,
    sealed,
    text,
)

from hearth.core.rules.prefixing import CHANGED, NUDGE
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeBlock, NoticeKind, TextBlock
from hearth.core.vocabulary.ids import BlockId, RequestId, TurnId
from hearth.core.vocabulary.lines import Line, TurnLimits


def started(facts: object) -> list[t.PrefixStarted]:
    return [one for one in events(facts, t.PrefixStarted) if isinstance(one, t.PrefixStarted)]  # type: ignore[arg-type]  # facts


def test_the_first_request_starts_the_first_epoch_with_everything_it_begins_with() -> None:
    script = given(*PREPARING)
    outcome = script.when(prepared())
    assert names(outcome.facts) == ["PrefixStarted", "TurnPrepared", "ModelAsked"]
    (first,) = started(outcome.facts)
    assert (first.epoch, first.reason, first.system) == (1, "first request", "Be good.")
    asked = outcome.effects[0]
    place = script.state.version - 2
    assert asked == m.AskModel(
        request=RequestId("r1"),
        turn=TurnId("t1"),
        step=0,
        choice=CHOICE,
        prefix=place,
        line=script.state.talk.line,
        through=script.state.version,
    )


@pytest.mark.promise("DP-WIRE-02")
def test_as_long_as_nothing_changes_an_epoch_goes_on_through_steps_and_turns() -> None:
    script = given(*CALLING, returned(1), answered(2, text("done")), HELLO, prepared(2))
    assert len(started(script.facts)) == 1
    assert script.state.talk.epoch == 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (
            prepared(2, prefix=replace(PREFIX, digest="d2")),
            "instructions, tools or settings changed",
        ),
        (prepared(2, choice=replace(CHOICE, model="other")), "model changed"),
    ],
)
def test_a_change_starts_an_epoch_and_says_why(changed: m.PrefixPrepared, reason: str) -> None:
    script = given(*IDLE, HELLO)
    outcome = script.when(changed)
    assert [(one.epoch, one.reason) for one in started(outcome.facts)] == [(2, reason)]


def test_a_change_of_the_model_is_told_to_people_and_never_to_a_model() -> None:
    outcome = given(*IDLE, HELLO).when(prepared(2, choice=replace(CHOICE, model="other")))
    assert NoticeBlock(NoticeKind.MODEL_CHANGED, "the model is anthropic:other from here on") in (
        sealed(outcome.facts)
    )


def test_a_branch_starts_an_epoch() -> None:
    script = given(*IDLE, t.BranchSwitched(Line(), "branch"), HELLO)
    outcome = script.when(prepared(2))
    assert [one.reason for one in started(outcome.facts)] == ["branch"]


def test_behind_a_summary_the_live_names_are_part_of_it() -> None:
    script = given(*COMPACTING, m.SummaryMade(RequestId("r2"), "so far", BlockId("")), HELLO)
    assert script.effects[-1] == m.PreparePrefix(TurnId("t3"), CONFIG, with_names=True)
    outcome = script.when(prepared(3))
    assert [one.reason for one in started(outcome.facts)] == ["compaction"]


def test_the_live_names_stay_as_long_as_the_summary_does() -> None:
    script = given(*COMPACTING)
    before = script.state.talk.line
    script.happened(m.SummaryMade(RequestId("r2"), "so far", BlockId("")), HELLO)
    script.happened(prepared(3), answered(3, text("second")), p.RegenerateTurn())
    assert script.effects[-1] == m.PreparePrefix(TurnId("t4"), CONFIG, with_names=True)
    script.happened(prepared(4), answered(4, text("third")), t.BranchSwitched(before, "branch"))
    script.happened(HELLO)
    assert script.effects[-1] == m.PreparePrefix(TurnId("t5"), CONFIG)


@pytest.mark.promise("DP-RED-09")
def test_that_it_goes_by_other_instructions_or_settings_is_told_where_it_begins_to() -> None:
    script = given(*IDLE, HELLO)
    outcome = script.when(prepared(2, prefix=replace(PREFIX, digest="other")))
    assert [one.reason for one in started(outcome.facts)] == [CHANGED]
    told = [one for one in sealed(outcome.facts) if isinstance(one, NoticeBlock)]
    assert [one.kind for one in told] == [NoticeKind.CONFIG_RELOAD]


def test_what_should_be_known_about_it_is_told() -> None:
    outcome = given(*PREPARING).when(prepared(warnings=("AGENTS.md was cut",)))
    assert NoticeBlock(NoticeKind.NOTICE, "AGENTS.md was cut") in sealed(outcome.facts)


@pytest.mark.promise("DL-KNOW-01")
def test_now_and_then_an_agent_is_reminded_to_note_what_it_learned() -> None:
    script = given(*ASKING[:-1])
    every_second = TurnLimits(nudge_interval=2)
    script.happened(prepared(limits=every_second), answered(1, text("a")), HELLO)
    assert TextBlock(NUDGE) not in sealed(script.facts)
    script.happened(prepared(2, limits=every_second), answered(2, text("b")))
    assert sealed(script.facts).count(TextBlock(NUDGE)) == 1
