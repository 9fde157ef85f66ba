"""How a turn goes from step to step."""

import pytest
from tests.contracts.given import CONFIG, READY, SYSTEM, given, in_place
from tests.contracts.talks import (
    ASKING,
    CALLING,
    CHOICE,
    IDLE,
    WAITING,
    answered,
    call,
    due,
    returned,
)

from hearth.core.rules.turning import asking, opened, preparing
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role
from hearth.core.vocabulary.ids import ApprovalId, RequestId, TurnId
from hearth.core.vocabulary.prompting import SendMessage


def test_what_a_turn_needs_follows_from_its_state_alone() -> None:
    script = given(*ASKING)
    assert asking(script.state.talk, script.state.version) == script.effects[-1]
    begun = given(*READY, SendMessage("hi", model="m"))
    assert preparing(begun.state.talk, CONFIG) == begun.effects[-1]


def test_without_a_turn_there_is_nothing_to_ask() -> None:
    script = given(*IDLE)
    with pytest.raises(AssertionError, match="nothing is asked"):
        asking(script.state.talk, 1)


@pytest.mark.promise("DP-LOG-04", "DP-LOG-11")
def test_a_persons_block_and_a_notice_belong_to_no_step() -> None:
    script = given(*CALLING, SendMessage("hurry"), returned(1), answered(2, call("see")))
    blocks = [one.event for one in in_place(script.facts) if isinstance(one.event, t.BlockSealed)]
    assert [(one.role, one.step) for one in blocks] == [
        (Role.USER, 0),
        (Role.ASSISTANT, 0),
        (Role.TOOL, 0),
        (Role.USER, 0),
        (Role.ASSISTANT, 1),
    ]
    for one in script.envelopes():
        if isinstance(one.event, t.BlockSealed):
            assert one.event.block == f"b{one.version}"


def test_every_request_has_a_name_of_its_own() -> None:
    script = given(*CALLING, returned(1))
    asked = [one for one in script.effects if isinstance(one, m.AskModel)]
    assert [one.request for one in asked] == [RequestId("r1"), RequestId("r2")]
    assert [one.through for one in asked] == sorted(one.through for one in asked)
    assert {one.choice for one in asked} == {CHOICE}


def test_what_is_told_to_people_is_told_by_hearth() -> None:
    script = given(*ASKING, m.ModelFailed(RequestId("r1"), m.Trouble.REJECTED, "no"))
    told = [one.origin for one in script.facts if _is_system(one.event)]
    assert told == [SYSTEM]


def _is_system(event: object) -> bool:
    return isinstance(event, t.BlockSealed) and event.role is Role.SYSTEM


def test_the_turn_that_runs_is_the_one_that_was_begun() -> None:
    class Then:
        state = given(*ASKING).state

    assert opened(Then()).turn == TurnId("t1")  # type: ignore[arg-type]  # it looks at the state alone


def test_what_stands_before_the_next_step_is_prepared_once() -> None:
    other = p.SetModel("openai:gpt-test")
    refused = p.AnswerApproval(ApprovalId("a1"), p.ApprovalAnswer.REJECT)
    prepares = [m.PreparePrefix(TurnId("t1"), CONFIG, "openai:gpt-test")]
    unfit = given(*ASKING, other).when(answered(1, call("run_code", "{")))
    assert list(unfit.effects) == prepares
    assert list(given(*WAITING, other).when(refused).effects) == prepares


def test_what_else_happens_while_it_is_prepared_has_it_prepared_no_second_time() -> None:
    script = given(*CALLING, p.SetModel("openai:gpt-test"), returned(1))
    for word in (c.RunCell("1"), SendMessage("hurry"), returned(1)):
        outcome = script.when(word)
        assert not any(isinstance(one, m.PreparePrefix) for one in outcome.effects)
    # Only when the daemon was restarted nobody prepares it any more.
    assert [type(one) for one in script.when(due(1)).effects] == [m.PreparePrefix]
