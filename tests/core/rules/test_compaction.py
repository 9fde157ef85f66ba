"""When and where a long conversation is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.talks import CHOICE

from hearth.core.rules.compaction import (
    CHARS_OF_PICTURE,
    chars,
    chars_of,
    cut,
    is_due,
    request_text,
)
from hearth.core.vocabulary.blocks import (
    Block,
    ErrorBlock,
    NoticeBlock,
    NoticeKind,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import BlockId, CallId
from hearth.core.vocabulary.lines import TurnLimits
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Message,
    Picture,
    Returned,
    SaidText,
    Thought,
    ToolMessage,
    UserMessage,
)

B = BlockId("b1")
LIMITS = TurnLimits(reserve_tokens=10_000)


@pytest.mark.promise("DL-COMP-02")
@pytest.mark.parametrize(
    ("tokens", "fresh", "due"),
    [
        (0, 759_999, False),
        (0, 760_004, True),  # the provider counts nothing
        (189_999, 0, False),
        (190_001, 0, True),
        (150_000, 159_000, False),
        (150_000, 161_000, True),
    ],
)
def test_it_is_due_before_the_answer_has_too_little_room(
    tokens: int, fresh: int, *, due: bool
) -> None:
    assert is_due(tokens, fresh, CHOICE, LIMITS) is due


def test_a_small_window_is_never_reserved_away() -> None:
    small = CHOICE.__class__("p", "m", CHOICE.dialect, 8_000, 1_000)
    assert not is_due(3_000, 0, small, LIMITS)
    assert is_due(4_001, 0, small, LIMITS)


def test_what_nobody_wants_is_never_due() -> None:
    assert not is_due(10**9, 0, CHOICE, TurnLimits(compaction=False))


def step(size: int) -> list[Message]:
    called = AssistantMessage(B, (Called("w", "a", "x" * size),))
    return [called, ToolMessage(B, (Returned("w", "a", "y" * size),))]


messages = st.lists(
    st.one_of(
        st.integers(1, 400).map(lambda size: [UserMessage(B, "u" * size)]),
        st.integers(1, 400).map(lambda size: [AssistantMessage(B, (SaidText("t" * size),))]),
        st.integers(1, 400).map(step),
    ),
    min_size=1,
    max_size=12,
).map(lambda parts: [one for part in parts for one in part])


@given(talk=messages, keep=st.integers(1, 500))
def test_results_stay_with_their_calls_and_something_is_summed_up(
    talk: list[Message], keep: int
) -> None:
    place = cut(talk, keep)
    assert 0 < place <= len(talk)
    assert place == len(talk) or not isinstance(talk[place], ToolMessage)
    assert sum(map(chars, talk[place:])) <= keep * 4


def test_as_much_is_kept_as_fits() -> None:
    talk: list[Message] = [UserMessage(B, "a" * 400) for _ in range(10)]
    assert cut(talk, 300) == 7
    assert cut(talk, 99) == 10
    assert cut(talk, 999) == 1


def test_thinking_counts_as_it_is_sent() -> None:
    assert chars(AssistantMessage(B, (Thought("shown", "n" * 50, "m"), SaidText("t")))) == 51


def test_a_model_is_told_what_the_summary_is_for_and_what_to_dwell_on() -> None:
    plain = request_text("")
    assert "summary" in plain
    assert "Dwell" not in plain
    assert "Dwell on this: the wheels" in request_text("the wheels", ["a.py"])


def test_of_what_would_all_fit_only_the_last_exchange_stays() -> None:
    first, second = UserMessage(B, "one"), UserMessage(B, "two")
    answer = AssistantMessage(B, (SaidText("uno"),))
    assert cut([first, answer, second, answer], 20_000) == 2
    assert cut([first, second, answer], 20_000) == 3, "nearly nothing would be summed up"
    assert cut([first, answer], 20_000) == 2
    assert cut([first], 20_000) == 1
    assert cut([], 20_000) == 0


def test_a_picture_that_is_sent_takes_what_providers_count_for_one() -> None:
    sent, unsent = Picture("image/png", 1, 1, "data"), Picture("image/png", 1, 1, why="lost")
    result = Returned("w", "a", "four", pictures=(sent, sent, unsent))
    assert chars(ToolMessage(B, (result,))) == 4 + 2 * 1_600 * 4


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (TextBlock("abc"), 3),
        (TextBlock(Blob("0" * 64, 90_000)), 90_000),
        (ThinkingBlock("thought", "signed"), 6),
        (ToolCallBlock(CallId("k1"), "look", "{}"), 2),
        (ToolResultBlock(CallId("k1"), "look", "seen"), 4),
        (
            ToolResultBlock(CallId("k1"), "look", "", pictures=(Blob("0" * 64, 9),) * 2),
            2 * CHARS_OF_PICTURE,
        ),
        (NoticeBlock(NoticeKind.NOTICE, "for people"), 0),
        (ErrorBlock("for people"), 0),
    ],
)
def test_of_each_block_what_a_model_is_sent_counts(content: Block, size: int) -> None:
    assert chars_of(content) == size
