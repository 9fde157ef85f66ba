"""A segment of the spool: what is read is what was written, or it is said to be bad."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import CorruptRow, StoreDown
from hearth.log.spool_segment import (
    BadLine,
    SpooledBatch,
    batches_in,
    line_of,
    noted_in,
    spool_down,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
DRAFTS = st.lists(st.builds(Draft, TEXTS.map(EventId), TEXTS, st.binary(max_size=40)), max_size=4)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXTS.map(SessionId), st.integers(1, 9), DRAFTS), max_size=5))
def test_whatever_is_written_is_read(
    tmp_path: Path, written: list[tuple[SessionId, int, list[Draft]]]
) -> None:
    path = tmp_path / "1.spool"
    path.write_bytes(
        b"".join(line_of(session, first, tuple(drafts)) for session, first, drafts in written)
    )
    batches = list(batches_in(path))
    assert not any(isinstance(one, BadLine) for one in batches)
    assert [
        (one.session, one.first_version, list(one.drafts))
        for one in batches
        if isinstance(one, SpooledBatch)
    ] == written


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0), flip=st.integers(1, 255))
def test_a_changed_byte_is_always_noticed(tmp_path: Path, place: int, flip: int) -> None:
    drafts = (Draft(EventId("a.0"), "t", b"data"),)
    line = line_of(SessionId("s"), 1, drafts)
    raw = bytearray(line * 3)
    middle = len(line) + place % len(line)
    raw[middle] ^= flip
    path = tmp_path / "1.spool"
    path.write_bytes(raw)
    found = list(batches_in(path))
    whole = [one for one in found if isinstance(one, SpooledBatch)]
    assert any(isinstance(one, BadLine) for one in found)
    assert all(list(one.drafts) == list(drafts) for one in whole)
    # A line break that is gone takes the next line with it, and nothing else is lost.
    assert len(whole) == (1 if middle == 2 * len(line) - 1 else 2)


def test_a_torn_end_is_told_from_damage(tmp_path: Path) -> None:
    path = tmp_path / "1.spool"
    line = line_of(SessionId("s"), 1, ())
    path.write_bytes(line + b"x" + line[1:] + line[:-1])
    first, damaged, torn = batches_in(path)
    assert isinstance(first, SpooledBatch)
    assert isinstance(damaged, BadLine)
    assert isinstance(torn, BadLine)
    assert (damaged.is_torn, torn.is_torn) == (False, True)
    assert "line 2" in damaged.problem
    assert list(batches_in(_empty(tmp_path))) == []


def test_a_batch_whose_file_changed_is_never_given(tmp_path: Path) -> None:
    path = tmp_path / "1.spool"
    path.write_bytes(line_of(SessionId("s"), 1, ()))
    (batch,) = batches_in(path)
    assert isinstance(batch, SpooledBatch)
    path.write_bytes(b"x" * batch.length)
    with pytest.raises(CorruptRow):
        _ = batch.drafts
    path.unlink()
    with pytest.raises(StoreDown):
        _ = batch.drafts


@pytest.mark.parametrize(
    ("raw", "noted"), [(b"", set()), (b"1\n22\n", {1, 22}), (b"1\n22", {1}), (b"x\n3\n", {3})]
)
def test_notes_count_when_they_are_whole(tmp_path: Path, raw: bytes, noted: set[int]) -> None:
    path = tmp_path / "1.done"
    assert noted_in(path) == set()
    path.write_bytes(raw)
    assert noted_in(path) == noted


def test_a_failure_names_the_place_and_the_reason(tmp_path: Path) -> None:
    said = str(spool_down(tmp_path, "written", OSError(28, "No space left on device")))
    assert said == f"the spool at {tmp_path} cannot be written: No space left on device"


def _empty(directory: Path) -> Path:
    path = directory / "2.spool"
    path.write_bytes(b"")
    return path
