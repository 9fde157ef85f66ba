"""Followers are shown what a model writes, in pieces that make up the whole."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.performers.language_model.held import T1, Audience

from hearth.core.vocabulary.progress import TextDelta, ThinkingDelta, ToolCallForming
from hearth.performers.language_model.codec import CallHeard, Heard, TextHeard, ThinkingHeard
from hearth.performers.language_model.telling import Telling


def test_what_comes_at_once_is_shown_as_one_piece_for_each_block() -> None:
    audience = Audience()
    telling = Telling(audience, T1, 3, lambda tell: tell())
    telling.hear(
        [ThinkingHeard(0, "h"), ThinkingHeard(0, "m"), TextHeard(1, "so"), TextHeard(1, "!")]
    )
    telling.hear([TextHeard(1, " On"), CallHeard(2, "run_code"), TextHeard(3, "x")])
    telling.hear([TextHeard(3, "")])
    assert audience.shown == [
        ThinkingDelta(T1, 3, 0, 0, "hm"),
        TextDelta(T1, 3, 1, 0, "so!"),
        TextDelta(T1, 3, 1, 3, " On"),
        ToolCallForming(T1, 3, 2, "run_code"),
        TextDelta(T1, 3, 3, 0, "x"),
    ]


def test_blocks_that_are_written_in_turn_keep_their_own_offsets() -> None:
    audience = Audience()
    Telling(audience, T1, 1, lambda tell: tell()).hear(
        [TextHeard(0, "ab"), TextHeard(1, "x"), TextHeard(0, "c")]
    )
    assert audience.shown == [
        TextDelta(T1, 1, 0, 0, "ab"),
        TextDelta(T1, 1, 1, 0, "x"),
        TextDelta(T1, 1, 0, 2, "c"),
    ]


def test_what_is_heard_before_there_is_time_to_tell_is_told_as_one_piece() -> None:
    audience, due = Audience(), list[Callable[[], None]]()
    telling = Telling(audience, T1, 1, due.append)
    for word in ("one ", "two ", "three"):
        telling.hear([TextHeard(0, word)])
    assert audience.shown == []
    assert len(due) == 1
    due.pop()()
    assert audience.shown == [TextDelta(T1, 1, 0, 0, "one two three")]
    telling.hear([TextHeard(0, "!")])
    telling.forget()
    due.pop()()
    assert len(audience.shown) == 1


HEARD = st.one_of(
    st.builds(TextHeard, st.integers(0, 2), st.text(max_size=3)),
    st.builds(ThinkingHeard, st.just(3), st.text(max_size=3)),
    st.builds(CallHeard, st.just(4), st.just("run_code")),
)


@given(st.lists(st.lists(HEARD, max_size=6), max_size=6))
@pytest.mark.promise("LK-EMIT-03")
def test_the_pieces_of_a_block_are_its_text_without_a_gap(reads: list[list[Heard]]) -> None:
    audience = Audience()
    telling = Telling(audience, T1, 1, lambda tell: tell())
    whole: dict[int, str] = {}
    for read in reads:
        telling.hear(read)
        for one in read:
            if not isinstance(one, CallHeard):
                whole[one.place] = whole.get(one.place, "") + one.text
    shown: dict[int, str] = {}
    for delta in audience.shown:
        if isinstance(delta, TextDelta | ThinkingDelta):
            assert delta.offset == len(shown.get(delta.place, ""))
            assert delta.text
            shown[delta.place] = shown.get(delta.place, "") + delta.text
    assert shown == {place: text for place, text in whole.items() if text}
