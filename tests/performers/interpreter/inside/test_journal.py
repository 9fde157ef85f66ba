"""The journal: numbers without gaps, segments that come and go, a tail that may be torn."""

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.interpreter.inside.journal import (
    IOPUB,
    REPLY,
    Writer,
    read_after,
    segments,
)


def test_what_was_put_is_read_in_order_with_its_numbers(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    assert writer.number == 0
    assert writer.put(IOPUB, [b"topic", b"", b"\x00\xff"]) == 1
    assert writer.put(REPLY, [memoryview(b"reply")]) == 2
    assert list(read_after(tmp_path, 0)) == [
        (1, IOPUB, [b"topic", b"", b"\x00\xff"]),
        (2, REPLY, [b"reply"]),
    ]
    assert [number for number, _, _ in read_after(tmp_path, 1)] == [2]
    assert list(read_after(tmp_path, 2)) == []


def test_what_is_no_segment_is_passed_over(tmp_path: Path) -> None:
    Writer(tmp_path).put(IOPUB, [b"one"])
    (tmp_path / "nonsense.journal").write_bytes(b"x")
    os.mkfifo(tmp_path / "0000000000000007.journal")
    (tmp_path / "0000000000000008.journal").symlink_to("/etc/passwd")
    assert [first for first, _ in segments(tmp_path)] == [1, 7, 8]
    assert [number for number, _, _ in read_after(tmp_path, 0)] == [1]


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert list(read_after(tmp_path / "nowhere", 0)) == []


@given(sizes=st.lists(st.integers(0, 300), max_size=40), after=st.integers(0, 40))
def test_reading_after_any_number_finds_exactly_what_follows(
    sizes: list[int], after: int, tmp_path_factory: object
) -> None:
    folder = Path(os.fspath(tmp_path_factory.mktemp("journal")))  # type: ignore[attr-defined]  # pytest's factory has no public type here
    writer = Writer(folder, segment_bytes=400)
    for size in sizes:
        writer.put(IOPUB, [b"x" * size])
    found = list(read_after(folder, after))
    assert [number for number, _, _ in found] == list(range(after + 1, len(sizes) + 1))
    assert [len(frames[0]) for _, _, frames in found] == sizes[after:]


def test_a_torn_record_and_what_follows_it_are_not_read(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.put(IOPUB, [b"whole"])
    writer.put(IOPUB, [b"torn" * 100])
    ((_, path),) = segments(tmp_path)
    whole = path.read_bytes()
    for cut in range(len(whole) - 1, len(whole) - 400, -7):
        path.write_bytes(whole[:cut])
        assert [number for number, _, _ in read_after(tmp_path, 0)] == [1]


def test_the_oldest_segments_are_dropped_and_the_gap_tells(tmp_path: Path) -> None:
    writer = Writer(tmp_path, segment_bytes=100, kept=3)
    for _ in range(10):
        writer.put(IOPUB, [b"x" * 70])
    assert [first for first, _ in segments(tmp_path)] == [8, 9, 10]
    assert [number for number, _, _ in read_after(tmp_path, 2)] == [8, 9, 10]


def test_records_larger_than_a_segment_do_not_pile_up(tmp_path: Path) -> None:
    writer = Writer(tmp_path, segment_bytes=100, kept=4)
    for _ in range(6):
        writer.put(IOPUB, [b"x" * 390])
    assert [number for number, _, _ in read_after(tmp_path, 0)] == [6]


def test_segments_that_somebody_else_deleted_are_no_trouble(tmp_path: Path) -> None:
    writer = Writer(tmp_path, segment_bytes=100, kept=3)
    for number in range(1, 8):
        assert writer.put(IOPUB, [b"x" * 70]) == number
        for _, path in segments(tmp_path)[:-1]:
            path.unlink()
    assert [number for number, _, _ in read_after(tmp_path, 0)] == [7]


def test_a_closed_descriptor_costs_nothing_and_no_other_file_is_written(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "journal")
    writer.put(IOPUB, [b"before"])
    os.close(writer._fd)
    other = os.open(tmp_path / "theirs", os.O_RDWR | os.O_CREAT)
    assert other == writer._fd, "the number of the descriptor was taken over"
    writer.put(IOPUB, [b"after"])
    os.close(other)
    assert (tmp_path / "theirs").read_bytes() == b""
    assert [frames for _, _, frames in read_after(tmp_path / "journal", 0)] == [
        [b"before"],
        [b"after"],
    ]


def test_what_could_not_be_written_leaves_a_gap_and_raises_nothing(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "journal", segment_bytes=100)
    writer.put(IOPUB, [b"x" * 70])
    (tmp_path / "journal").rename(tmp_path / "away")
    assert writer.put(IOPUB, [b"x" * 70]) == 2
    (tmp_path / "away").rename(tmp_path / "journal")
    assert writer.put(IOPUB, [b"x" * 70]) == 3
    assert [number for number, _, _ in read_after(tmp_path / "journal", 0)] == [1, 3]
