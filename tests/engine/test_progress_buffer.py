"""Progress that waits is bounded, joined per block, and says when something is missing."""

import tracemalloc
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.content import RichData
from hearth.core.vocabulary.ids import CallId, CellId, SessionId, TurnId
from hearth.core.vocabulary.progress import (
    DisplayShown,
    OutputChunk,
    OutputCleared,
    Progress,
    ProgressDropped,
    TextDelta,
    ThinkingDelta,
    ToolCallForming,
    ToolOutput,
    WarmUpStep,
)
from hearth.engine.progress_buffer import MOST_BYTES, MOST_ITEMS, PIECE, ProgressBuffer

S = SessionId("session-aaaaaa")
C = CellId("c1")
T = TurnId("t1")


def test_chunks_of_one_block_are_joined_and_others_keep_their_place() -> None:
    buffer = ProgressBuffer()
    pieces: list[Progress] = [
        OutputChunk(C, "stdout", "a"),
        OutputChunk(C, "stderr", "!"),
        WarmUpStep("step"),
        OutputChunk(C, "stdout", "b"),
    ]
    for order, progress in enumerate(pieces):
        buffer.add(order, S, progress)
    assert [(order, shown.progress) for order, shown in buffer.take()] == [
        (0, OutputChunk(C, "stdout", "ab")),
        (1, OutputChunk(C, "stderr", "!")),
        (2, WarmUpStep("step")),
    ]
    assert (len(buffer), buffer.size, buffer.take()) == (0, 0, [])


def test_what_belongs_behind_a_place_waits_and_what_was_taken_is_not_joined_to() -> None:
    buffer = ProgressBuffer()
    buffer.add(1, S, OutputChunk(C, "stdout", "a"))
    buffer.add(3, S, OutputChunk(C, "stderr", "!"))
    assert buffer.take(before=1) == []
    assert [one.progress for _, one in buffer.take(before=2)] == [OutputChunk(C, "stdout", "a")]
    buffer.add(4, S, OutputChunk(C, "stdout", "b"))
    buffer.add(5, S, OutputChunk(C, "stderr", "?"))
    assert [(order, one.progress) for order, one in buffer.take()] == [
        (3, OutputChunk(C, "stderr", "!?")),
        (4, OutputChunk(C, "stdout", "b")),
    ]
    assert (len(buffer), buffer.size) == (0, 0)


def shown(*pieces: Progress) -> list[Progress]:
    buffer = ProgressBuffer()
    for order, progress in enumerate(pieces):
        buffer.add(order, S, progress)
    return [one.progress for _, one in buffer.take()]


def test_pieces_of_an_answer_are_joined_where_they_follow_each_other() -> None:
    assert shown(
        ThinkingDelta(T, 0, 0, 0, "h"),
        ThinkingDelta(T, 0, 0, 1, "m"),
        TextDelta(T, 0, 1, 0, "a"),
        ToolCallForming(T, 0, 2, "run_code"),
        TextDelta(T, 0, 1, 1, "bc"),
        TextDelta(T, 0, 1, 3, "d"),
        TextDelta(T, 1, 1, 4, "another step"),
    ) == [
        ThinkingDelta(T, 0, 0, 0, "hm"),
        TextDelta(T, 0, 1, 0, "abcd"),
        ToolCallForming(T, 0, 2, "run_code"),
        TextDelta(T, 1, 1, 4, "another step"),
    ]


def test_what_begins_anew_or_leaves_a_gap_is_not_joined() -> None:
    pieces = [
        TextDelta(T, 0, 0, 0, "first attempt"),
        TextDelta(T, 0, 0, 0, "second"),
        TextDelta(T, 0, 0, 20, "behind a gap"),
    ]
    assert shown(*pieces, TextDelta(T, 0, 0, 32, "!")) == [
        *pieces[:2],
        TextDelta(T, 0, 0, 20, "behind a gap!"),
    ]


def test_what_a_tool_writes_is_joined_by_its_call() -> None:
    one, two = CallId("k1"), CallId("k2")
    assert shown(ToolOutput(one, "a"), ToolOutput(two, "x"), ToolOutput(one, "b")) == [
        ToolOutput(one, "ab"),
        ToolOutput(two, "x"),
    ]


def test_a_long_answer_is_bounded_too_and_the_newest_of_it_survives() -> None:
    buffer = ProgressBuffer()
    length = 0
    for order in range(3 * MOST_ITEMS):
        buffer.add(order, S, TextDelta(T, 0, 0, length, "x" * 4000))
        length += 4000
    assert buffer.size <= MOST_BYTES
    dropped, *kept = [one.progress for _, one in buffer.take()]
    assert isinstance(dropped, ProgressDropped)
    ends = [one.offset + len(one.text) for one in kept if isinstance(one, TextDelta)]
    starts = [one.offset for one in kept if isinstance(one, TextDelta)]
    assert (ends[-1], starts[1:]) == (length, ends[:-1])


def test_what_was_taken_is_not_joined_any_more() -> None:
    buffer = ProgressBuffer()
    buffer.add(1, S, OutputChunk(C, "stdout", "a"))
    buffer.take()
    buffer.add(2, S, OutputChunk(C, "stdout", "b"))
    assert [shown.progress for _, shown in buffer.take()] == [OutputChunk(C, "stdout", "b")]


def test_too_many_pieces_drop_the_oldest_and_say_so_once() -> None:
    buffer = ProgressBuffer()
    for order in range(MOST_ITEMS + 10):
        buffer.add(order, S, WarmUpStep(str(order)))
    assert len(buffer) == MOST_ITEMS
    taken = [shown.progress for _, shown in buffer.take()]
    assert taken[:2] == [ProgressDropped(10), WarmUpStep("10")]
    buffer.add(0, S, WarmUpStep("after"))
    assert [shown.progress for _, shown in buffer.take()] == [WarmUpStep("after")]


@given(st.lists(st.integers(1, 3 * PIECE), max_size=120), st.integers(1, 3))
def test_the_bytes_are_bounded_and_the_newest_text_survives(sizes: list[int], cells: int) -> None:
    buffer = ProgressBuffer()
    for order, size in enumerate(sizes):
        chunk = OutputChunk(CellId(f"c{order % cells}"), "stdout", chr(97 + order % 26) * size)
        buffer.add(order, S, chunk)
        assert buffer.size <= MOST_BYTES
    taken = [shown.progress for _, shown in buffer.take()]
    kept = [progress for progress in taken if isinstance(progress, OutputChunk)]
    for cell in range(cells):
        written = "".join(
            chr(97 + order % 26) * size for order, size in enumerate(sizes) if order % cells == cell
        )
        shown = "".join(chunk.text for chunk in kept if chunk.cell == f"c{cell}")
        assert written.endswith(shown)
        if not any(isinstance(progress, ProgressDropped) for progress in taken):
            assert written == shown


@pytest.mark.parametrize("text", ["{}.", "a line of output, number {}\n", "{} 🔥 and more\n"])
@pytest.mark.parametrize("cells", [1, 5000])
def test_what_waits_takes_no_more_memory_than_is_counted(text: str, cells: int) -> None:
    numbers = count(10_000)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    buffer = ProgressBuffer()
    for order in range(100_000):
        cell = CellId(f"c{order * cells // 100_000}")
        buffer.add(order, S, OutputChunk(cell, "stdout", text.format(next(numbers))))
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert 0.5 * buffer.size < held < 1.1 * buffer.size
    assert held < 3.5 * 1024 * 1024


def test_what_is_written_after_a_display_or_a_clear_stays_behind_it() -> None:
    buffer = ProgressBuffer()
    picture = DisplayShown(CellId("c1"), RichData({"image/png": "AAAA"}))
    said: list[Progress] = [
        OutputChunk(CellId("c1"), "stdout", "before\n"),
        picture,
        OutputChunk(CellId("c1"), "stdout", "after\n"),
        OutputCleared(CellId("c1")),
        OutputChunk(CellId("c1"), "stdout", "anew\n"),
    ]
    for place, progress in enumerate(said):
        buffer.add(place, S, progress)
    assert [shown.progress for _, shown in buffer.take()] == said


def test_a_picture_counts_with_all_its_bytes() -> None:
    buffer = ProgressBuffer()
    for place in range(20):
        data = RichData({"image/png": "A" * (MOST_BYTES // 8)})
        buffer.add(place, S, DisplayShown(CellId("c1"), data))
    assert buffer.size <= MOST_BYTES
    assert 0 < len(buffer) < 8
