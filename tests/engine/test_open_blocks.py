"""What is being written, as an engine keeps it for whoever joins late."""

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.views.open_blocks import MOST_CHARACTERS, MOST_OPEN, OpenBlock, heard
from hearth.core.vocabulary.ids import CellId, TurnId
from hearth.core.vocabulary.progress import (
    OutputChunk,
    Progress,
    TextDelta,
    ThinkingDelta,
    ToolCallForming,
)
from hearth.engine.open_blocks import JOINED_AT, OpenBlocks

T = TurnId("t1")


def pieces() -> st.SearchStrategy[Progress]:
    places, offsets = st.integers(0, 2), st.integers(0, 8)
    texts = st.text("ab", max_size=4)
    return st.one_of(
        st.builds(TextDelta, st.just(T), st.integers(0, 1), places, offsets, texts),
        st.builds(ThinkingDelta, st.just(T), st.integers(0, 1), places, offsets, texts),
        st.builds(ToolCallForming, st.just(T), st.integers(0, 1), places, st.just("look")),
    )


@given(st.lists(pieces(), max_size=30))
def test_it_keeps_what_a_client_that_heard_everything_has(said: list[Progress]) -> None:
    kept = OpenBlocks()
    expected: tuple[OpenBlock, ...] = ()
    for piece in said:
        kept.hear(piece)
        expected = heard(expected, piece)
    assert kept.blocks() == expected
    assert kept.blocks() == expected
    kept.clear()
    assert kept.blocks() == ()


def test_many_small_pieces_are_one_text() -> None:
    kept = OpenBlocks()
    for offset in range(10 * JOINED_AT + 3):
        kept.hear(TextDelta(T, 0, 0, offset, str(offset % 10)))
    (block,) = kept.blocks()
    assert block.text == "".join(str(n % 10) for n in range(10 * JOINED_AT + 3))
    kept.hear(TextDelta(T, 0, 0, block.end, "!"))
    assert kept.blocks()[0].text == f"{block.text}!"


def test_it_is_bounded_whatever_a_model_writes() -> None:
    kept = OpenBlocks()
    for place in range(MOST_OPEN + 3):
        kept.hear(ToolCallForming(T, 0, place, "look"))
    assert [one.place for one in kept.blocks()][:1] == [3]
    assert len(kept.blocks()) == MOST_OPEN
    kept.clear()
    for number in range(100):
        kept.hear(TextDelta(T, 0, 0, number * 8192, "x" * 8192))
    (block,) = kept.blocks()
    assert (len(block.text), block.end) == (MOST_CHARACTERS, 100 * 8192)


def test_what_is_no_part_of_an_answer_is_not_kept() -> None:
    kept = OpenBlocks()
    kept.hear(OutputChunk(CellId("c1"), "stdout", "hello"))
    assert kept.blocks() == ()
