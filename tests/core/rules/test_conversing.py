"""What a log may say of a conversation: what does not fit is corruption, and is named."""

import pytest
from tests.contracts.facts import NOON
from tests.contracts.given import Script, given
from tests.contracts.talks import (
    ASKING,
    CALLING,
    CHOICE,
    IDLE,
    PREPARING,
    WAITING,
    answered,
    call,
    returned,
    text,
)

from hearth.core.rules.agreeing import IllegalEvent
from hearth.core.rules.conversing import MOST_FILES, converse
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    NoticeBlock,
    NoticeKind,
    Role,
    StopReason,
    TextBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import (
    ApprovalId,
    BlockId,
    CallId,
    EventId,
    InputId,
    MessageId,
    RequestId,
    TurnId,
    block_id,
)
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.prompting import ApprovalAnswer, SendMessage

T1, T9 = TurnId("t1"), TurnId("t9")


def stored(script: Script, event: t.TurnEvent) -> None:
    version = script.state.version + 1
    fact = Fact(id=EventId("x.0"), at=NOON, origin=SYSTEM, cause=InputId("x"), event=event)
    converse(script.state.talk, fact, event, version)


@pytest.mark.parametrize(
    ("way", "event", "problem"),
    [
        (IDLE, t.TurnStarted(T9), "a turn was skipped"),
        (PREPARING, t.TurnFinished(T9, t.TurnEnd.DONE), "turn t1 runs"),
        (PREPARING, t.ModelAsked(RequestId("r9"), T1, 0), "a request was skipped"),
        (
            ASKING,
            t.StepFinished(T1, 0, RequestId("r9"), "m", StopReason.END),
            "another request was made",
        ),
        (PREPARING, t.PrefixStarted(9, "x", "m", "", ""), "an epoch was skipped"),
        (CALLING, t.ToolStarted(CallId("k9"), T1, 0, "look"), "nobody waits for k9"),
        (CALLING, t.MessageWithdrawn(MessageId("m9")), "m9 is not waiting"),
        (
            WAITING,
            t.ApprovalAnswered(ApprovalId("a9"), ApprovalAnswer.ONCE),
            "nobody asked for a9",
        ),
        (
            IDLE,
            t.BlockSealed(BlockId("b2"), T1, 0, Role.USER, TextBlock("x")),
            "it is at version",
        ),
    ],
)
def test_an_event_that_does_not_fit_is_illegal(
    way: tuple[object, ...], event: t.TurnEvent, problem: str
) -> None:
    with pytest.raises(IllegalEvent, match=problem):
        stored(given(*way), event)  # type: ignore[arg-type]  # ways into phases


def test_a_second_result_of_a_call_is_illegal() -> None:
    script = given(*ASKING, answered(1, call("look"), call("see")), returned(1))
    result = ToolResultBlock(CallId("k1"), "look", "again")
    block = t.BlockSealed(block_id(script.state.version + 1), T1, 0, Role.TOOL, result)
    with pytest.raises(IllegalEvent, match="nobody waits for k1"):
        stored(script, block)


def test_what_came_since_the_last_request_is_counted_until_the_next() -> None:
    script = given(*CALLING, returned(1, "x" * 500))
    assert script.state.talk.fresh_chars == 500
    talk = given(*IDLE, SendMessage("twelve chars")).state.talk
    assert talk.fresh_chars == 12
    assert talk.tokens == 100


def test_notices_cost_a_model_nothing() -> None:
    script = given(*IDLE)
    notice = NoticeBlock(NoticeKind.NOTICE, "x" * 1000)
    block = t.BlockSealed(block_id(script.state.version + 1), TurnId(""), 0, Role.SYSTEM, notice)
    script.happened(block)
    assert script.state.talk.fresh_chars == 0


def test_only_so_many_files_are_remembered_the_latest_of_them() -> None:
    script = given(*CALLING)
    files = tuple(f"{n}.py" for n in range(MOST_FILES + 5))
    script.happened(m.ToolReturned(CallId("k1"), "ok", files=files))
    assert script.state.talk.files == files[5:]


def test_a_long_conversation_takes_no_more_memory_than_a_short_one() -> None:
    script = given(*ASKING)
    sizes = []
    for number in range(1, 60):
        script.happened(answered(number, call("look", f'{{"n":{number}}}')), returned(number))
        sizes.append(len(str(script.state.talk)))
    assert max(sizes[40:]) < max(sizes[:10]) * 1.1
    assert script.state.talk.choice == CHOICE
    script.happened(answered(60, text("done")))
    assert script.state.talk.open is None
