"""Blocks become messages, and a request is always a prefix of the next."""

import itertools

import pytest
from tests.contracts.given import ANNA, given, said
from tests.contracts.talks import (
    ASKING,
    CALLING,
    HELLO,
    answered,
    assert_acceptable,
    call,
    code,
    composed,
    failed,
    messages_on,
    prepared,
    returned,
    text,
    thought,
)

from hearth.core.rules.conversation import (
    UNKNOWN_EFFECTS,
    Composer,
    whole,
    without_old_thinking,
)
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role, TextBlock, ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import BlockId, CallId, CellId, SessionId, TurnId
from hearth.core.vocabulary.lines import Line
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Returned,
    SaidText,
    Thought,
    ToolMessage,
    UserMessage,
)

T1, K1, K2 = TurnId("t1"), CallId("k1"), CallId("k2")
HERE = SessionId("")


def block(number: int, role: Role, content: object, step: int = 0) -> t.BlockSealed:
    return t.BlockSealed(BlockId(f"b{number}"), T1, step, role, content)  # type: ignore[arg-type]  # any block


@pytest.mark.promise("DP-WIRE-01")
def test_a_step_is_one_message_of_the_model_and_one_with_all_results_in_the_order_of_calls() -> (
    None
):
    looks = call("look"), call("look", '{"at":2}')
    script = given(*ASKING, answered(1, thought("hm", "{n}"), text("so"), *looks))
    script.happened(returned(2, "second"), returned(1, "first"))
    user, assistant, tools = messages_on(script)
    assert user == UserMessage(BlockId("b8"), "hello")
    assert isinstance(assistant, AssistantMessage)
    assert [type(part) for part in assistant.parts] == [Thought, SaidText, Called, Called]
    assert isinstance(tools, ToolMessage)
    assert [one.text for one in tools.results] == ["first", "second"]


@pytest.mark.promise("DP-WIRE-03")
def test_notices_and_errors_are_for_people() -> None:
    script = given(*ASKING, failed(1), p.CancelTurn(), HELLO, prepared(2))
    sent = messages_on(script)
    assert [type(one) for one in sent] == [UserMessage, UserMessage]
    assert "cancelled" not in str(sent)


@pytest.mark.promise("DP-WIRE-04")
def test_what_was_said_in_between_is_a_message_behind_the_results() -> None:
    script = given(*CALLING, said(p.SendMessage("hurry"), by=ANNA), returned(1))
    assert [type(one) for one in messages_on(script)] == [
        UserMessage,
        AssistantMessage,
        ToolMessage,
        UserMessage,
    ]


@pytest.mark.promise("DP-WIRE-12")
def test_a_call_that_a_line_leaves_open_has_a_result_and_always_the_same() -> None:
    composer = Composer()
    composer.take(block(1, Role.USER, TextBlock("hi")), HERE)
    composer.take(block(2, Role.ASSISTANT, ToolCallBlock(K1, "a", "{}", "w1")), HERE)
    assert composer.closed() == [UserMessage(BlockId("b1"), "hi")]
    lost = ToolMessage(BlockId("b2"), (Returned("w1", "a", UNKNOWN_EFFECTS, is_error=True),))
    open_now = composer.messages()
    assert open_now[1] == lost
    composer.take(block(5, Role.USER, TextBlock("and?")), HERE)
    assert composer.closed() == [*open_now, UserMessage(BlockId("b5"), "and?")]


def test_a_result_without_its_call_is_left_out_and_of_two_the_first_counts() -> None:
    composer = Composer()
    composer.take(block(1, Role.TOOL, ToolResultBlock(K2, "b", "orphan")), HERE)
    composer.take(block(2, Role.ASSISTANT, ToolCallBlock(K1, "a", "{}", "w1")), HERE)
    composer.take(block(3, Role.TOOL, ToolResultBlock(K1, "a", "first")), HERE)
    composer.take(block(4, Role.TOOL, ToolResultBlock(K1, "a", "second")), HERE)
    composer.take(block(5, Role.TOOL, ToolResultBlock(K2, "b", "orphan")), HERE)
    assert "first" in str(composer.messages())
    assert "second" not in str(composer.messages())
    assert "orphan" not in str(composer.messages())


@pytest.mark.promise("DP-WIRE-08", "DP-WIRE-09")
def test_thinking_without_its_signature_and_empty_text_are_not_sent() -> None:
    script = given(*ASKING, answered(1, thought("unsigned", ""), thought("", "{s}"), text("ok")))
    _, assistant = messages_on(script)
    assert isinstance(assistant, AssistantMessage)
    assert assistant.parts == (Thought("", "{s}", "anthropic:claude-test"), SaidText("ok"))


def test_thinking_alone_is_no_message() -> None:
    script = given(*ASKING, answered(1, thought("hm", "{s}")))
    assert len(messages_on(script)) == 1


def test_blocks_of_another_session_are_named_by_it() -> None:
    composer = Composer()
    composer.take(block(7, Role.USER, TextBlock("hi")), SessionId("session-x"))
    assert composer.closed() == [UserMessage(BlockId("b7@session-x"), "hi")]


def test_equal_steps_of_two_sessions_are_two_messages() -> None:
    composer = Composer()
    composer.take(block(2, Role.ASSISTANT, TextBlock("there")), SessionId("session-x"))
    composer.take(block(2, Role.ASSISTANT, TextBlock("here")), HERE)
    assert len([*composer.closed(), *composer.messages()]) == 2


def test_thinking_can_be_left_behind_with_the_prefix_it_was_thought_behind() -> None:
    said_so = AssistantMessage(BlockId("b9"), (Thought("hm", "{s}", "m"), SaidText("ok")))
    assert without_old_thinking(said_so, 8) == said_so
    assert without_old_thinking(said_so, 10) == AssistantMessage(BlockId("b9"), (SaidText("ok"),))
    theirs = AssistantMessage(BlockId("b99@session-x"), said_so.parts)
    assert without_old_thinking(theirs, 8) != theirs
    assert without_old_thinking(UserMessage(BlockId("b1"), "hi"), 8) == (
        UserMessage(BlockId("b1"), "hi")
    )


def test_of_a_text_that_was_not_fetched_its_head_is_known() -> None:
    assert whole(Blob("a" * 64, 70_000, head="the head")) == "the head"
    assert whole("all") == "all"


@pytest.mark.promise("DP-WIRE-02", "DP-WIRE-17")
def test_what_was_sent_once_comes_out_again_at_any_later_time() -> None:
    script = given(*ASKING)
    sent: list[tuple[Line, int]] = []

    def note() -> None:
        sent.append((script.state.talk.line, script.state.version))

    note()
    script.happened(answered(1, thought("a", "{1}"), text("b"), code("x"), call("look")))
    script.happened(p.SendMessage("hurry"))
    script.happened(r.CellEnded(1, CellId("c1"), r.Succeeded("1"), 0.1), returned(2))
    note()
    script.happened(failed(2), p.CancelTurn(), p.SendMessage("again"), prepared(2))
    note()
    script.happened(answered(3, call("look"), call("look")), p.CancelTurn())
    script.happened(p.SendMessage("still there?"), prepared(3))
    note()
    then = [composed(script.facts, line, version) for line, version in sent]
    for earlier, later in itertools.pairwise(then):
        assert later[: len(earlier)] == earlier
        assert len(later) > len(earlier)
    for messages in then:
        assert_acceptable(messages)
