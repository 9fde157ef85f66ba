"""Why an agent is not asked something, and what would help."""

import pytest
from tests.contracts.given import READY, given
from tests.contracts.talks import (
    ASKING,
    CALLING,
    IDLE,
    WAITING,
    answered,
    call,
    prepared,
    returned,
    text,
)

from hearth.core.rules.refusing_prompts import ELSEWHERE, MOST_WAITING, prompt_of
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.codec import MAX_COMMAND_BYTES
from hearth.core.vocabulary.ids import ApprovalId, BlockId, MessageId, RequestId, TurnId
from hearth.core.vocabulary.refusals import Malformed, NotNow, TooLarge, UnknownSession


def test_what_is_asked_of_an_agent_is_told_from_the_rest() -> None:
    assert prompt_of(p.CancelTurn()) == p.CancelTurn()
    assert prompt_of(c.RunCell("1")) is None


def test_a_session_that_is_not_there_has_no_agent() -> None:
    given().when(p.SendMessage("hello")).refused(UnknownSession)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (p.WithdrawMessage(MessageId("m7")), "message m7 is not waiting"),
        (p.CancelTurn(TurnId("t9")), "turn t9 does not run"),
    ],
)
def test_what_is_not_there_cannot_be_taken_back_or_stopped(command: p.Prompt, why: str) -> None:
    given(*CALLING).when(command).refused(NotNow, why=why)


def test_an_answer_that_was_meant_for_another_question_is_not_taken() -> None:
    answer = p.AnswerApproval(ApprovalId("a7"), p.ApprovalAnswer.ONCE)
    refusal = given(*WAITING).when(answer).refused(NotNow)
    assert refusal.why == "a7 is not asked, or was answered already; a1 is asked"


def test_a_model_is_set_by_saying_one() -> None:
    given(*IDLE).when(p.SetModel()).refused(Malformed, path="$")


@pytest.mark.parametrize("block", ["", "17", "bx", "b", "b-1", "b1e9"])
def test_what_is_no_block_is_malformed(block: str) -> None:
    given(*IDLE).when(p.SwitchBranch(BlockId(block))).refused(Malformed, path="$.to")
    edit = p.EditMessage(BlockId(block), "x")
    given(*IDLE).when(edit).refused(Malformed, path="$.block")


def test_a_block_that_is_not_yet_written_cannot_be_gone_on_from() -> None:
    given(*IDLE).when(p.SwitchBranch(BlockId("b999"))).refused(NotNow)


def test_one_branch_is_looked_for_at_a_time() -> None:
    script = given(*IDLE, p.SwitchBranch(BlockId("b8")))
    for command in (p.SwitchBranch(BlockId("b8")), p.RegenerateTurn(), p.ContinueTurn()):
        script.when(command).refused(NotNow, why=ELSEWHERE)


def test_a_summary_needs_no_model_that_was_asked_before() -> None:
    script = given(*READY, p.SendMessage("hello"), p.CancelTurn())
    script.happened(p.CompactConversation())  # a fork has asked none either


def test_the_queue_has_an_end() -> None:
    script = given(*ASKING, *[p.SendMessage("more") for _ in range(MOST_WAITING)])
    script.when(p.SendMessage("one too many")).refused(NotNow)


def test_a_message_may_be_long_but_not_without_end() -> None:
    long = p.SendMessage("x" * 100_000)
    given(*READY).happened(long)
    endless = p.SendMessage("x" * (MAX_COMMAND_BYTES + 1))
    given(*READY).when(endless).refused(TooLarge)


def test_a_prompt_that_is_part_of_a_summary_is_not_answered_anew() -> None:
    script = given(*CALLING, returned(1), answered(2, call("compact_conversation")))
    script.happened(m.SummaryMade(RequestId("r3"), "so far", BlockId("")))
    script.happened(prepared(), answered(4, text("done")))
    why = "what was said last is part of a summary by now"
    script.when(p.RegenerateTurn()).refused(NotNow, why=why)
    script.happened(p.ContinueTurn())


def test_who_names_a_block_that_is_not_there_is_told_where_blocks_are_named() -> None:
    for command in (p.SwitchBranch(BlockId("b999")), p.RewindFiles("b999")):
        refusal = given(*READY).when(command).decision
        assert isinstance(refusal, NotNow)
        assert refusal.remedy == ("look at the conversation, which names its blocks",)
