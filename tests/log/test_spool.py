"""Events that wait on disk: in order, whole or not at all, whatever happens to the process."""

import asyncio
import errno
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contracts.facts import new_session, of_size, some

from hearth.core.vocabulary.codec import MAX_EVENT_BYTES
from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import CorruptRow, StoreDown
from hearth.log.spool import Spool

A, B = SessionId("session-a"), SessionId("session-b")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], Spool]]:
    """Makes spools on one directory; each closes the one before, as a restart does."""
    spools: list[Spool] = []

    def open_spool() -> Spool:
        for spool in spools:
            spool.close()
        spools.append(Spool(tmp_path / "spool", segment_bytes=1_500))
        return spools[-1]

    yield open_spool
    for spool in spools:
        spool.close()


async def shown(spool: Spool) -> list[tuple[SessionId, int, list[Draft]]]:
    return [(one.session, one.first_version, list(one.drafts)) for one in await spool.pending()]


@pytest.mark.promise("SF-LOG-15")
async def test_batches_come_back_in_order_over_all_sessions(
    opened: Callable[[], Spool],
) -> None:
    spool = opened()
    assert (spool.count, await shown(spool)) == (0, [])
    written = []
    for number in range(20):
        session = (A, B)[number % 2]
        drafts = some(number % 3 + 1)
        await spool.append(session, number, drafts)
        written.append((session, number, drafts))
    assert await shown(spool) == written
    assert spool.count == sum(len(drafts) for _, _, drafts in written)
    again = opened()
    assert await shown(again) == written
    assert again.count == spool.count
    assert list(again.damage) == []


async def test_any_bytes_come_back_as_they_were(opened: Callable[[], Spool]) -> None:
    spool = opened()
    odd = [Draft(EventId("a.0"), "t", bytes(range(256))), Draft(EventId("ü\n\0"), "t", b"")]
    await spool.append(A, 1, [*odd, of_size(MAX_EVENT_BYTES)])
    await spool.append(B, 1, [])
    drafts = [list(one.drafts) for one in await opened().pending()]
    assert drafts[0][:2] == odd
    assert len(drafts[0][2].data) == MAX_EVENT_BYTES
    assert drafts[1] == []


@pytest.mark.promise("SF-LOG-15")
async def test_what_was_dropped_is_gone_for_good(
    opened: Callable[[], Spool], tmp_path: Path
) -> None:
    spool = opened()
    batches = [await spool.append(A, number, some(2)) for number in range(12)]
    for batch in batches[::2]:
        await spool.drop(batch)
        await spool.drop(batch)
    assert spool.count == 12
    assert await spool.pending() == batches[1::2]
    again = opened()
    assert await again.pending() == batches[1::2]
    assert again.count == 12
    for batch in await again.pending():
        await again.drop(batch)
    assert (again.count, list(await again.pending())) == (0, [])
    assert [path.name for path in (tmp_path / "spool").iterdir()] == ["lock"]
    new = await again.append(B, 1, some(1))
    await again.drop(batches[0])
    assert await opened().pending() == [new]


async def test_only_places_are_held_in_memory(opened: Callable[[], Spool]) -> None:
    spool = opened()
    batch = await spool.append(A, 1, [of_size(200_000)])
    held = {**vars(spool), "batch": batch}
    assert "xxxxxxxx" not in repr(held)
    assert len(batch.drafts[0].data) == 200_000


@pytest.mark.promise("SF-LOG-15")
async def test_appends_at_once_are_all_kept(opened: Callable[[], Spool]) -> None:
    spool = opened()
    await asyncio.gather(*(spool.append(new_session(), 1, some(2)) for _ in range(50)))
    assert spool.count == 100
    assert opened().count == 100


@pytest.mark.promise("SF-LOG-15")
@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(cut=st.integers(0, 2_000), more=st.booleans())
async def test_a_tail_torn_anywhere_costs_only_what_was_torn(
    tmp_path_factory: pytest.TempPathFactory,
    cut: int,
    more: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    directory = tmp_path_factory.mktemp("torn")
    spool = Spool(directory)
    batches = [await spool.append(A, number, some(1)) for number in range(8)]
    spool.close()
    segment = batches[0].segment
    whole = segment.read_bytes()
    cut = min(cut, len(whole))
    segment.write_bytes(whole[:cut])
    kept = [batch for batch in batches if batch.offset + batch.length <= cut]
    spool = Spool(directory)
    assert await spool.pending() == kept
    assert spool.count == len(kept)
    at_a_line = cut == sum(batch.length for batch in kept)
    assert len(spool.damage) == (0 if at_a_line else 1)
    if more:
        added = await spool.append(B, 1, some(1))
        spool.close()
        spool = Spool(directory)
        assert await spool.pending() == [*kept, added]
    spool.close()


async def test_a_line_that_changed_is_left_out_reported_and_kept(
    opened: Callable[[], Spool], tmp_path: Path
) -> None:
    spool = opened()
    batches = [await spool.append(A, number, some(1)) for number in range(3)]
    segment = batches[0].segment
    raw = bytearray(segment.read_bytes())
    raw[batches[1].offset + 30] ^= 1
    segment.write_bytes(raw)
    with pytest.raises(CorruptRow, match=segment.name):
        _ = batches[1].drafts
    again = opened()
    assert await again.pending() == [batches[0], batches[2]]
    assert [("line 2" in one, segment.name in one) for one in again.damage] == [(True, True)]
    for batch in await again.pending():
        await again.drop(batch)
    assert (tmp_path / "spool" / segment.name).with_suffix(".damaged").read_bytes() == raw
    assert list(opened().damage) == []


@pytest.mark.promise("SF-LOG-15")
async def test_a_killed_process_keeps_every_batch_it_was_told_of(tmp_path: Path) -> None:
    chance = random.Random(7)  # noqa: S311 - a test that can be run again
    expected: set[int] = set()
    dropped: set[int] = set()
    perhaps_dropped: set[int] = set()
    first = 1
    for _ in range(8):
        lines = await asyncio.to_thread(_run_and_kill, tmp_path, first, chance.randint(1, 60))
        numbers = [int(line) for line in lines]
        expected |= {number for number in numbers if number > 0}
        dropped |= {-number for number in numbers if number < 0}
        perhaps_dropped.add(numbers[-1])  # killed before it could say so
        first = max(expected) + 2
    spool = Spool(tmp_path)
    found = [batch.first_version for batch in await spool.pending()]
    assert found == sorted(set(found))
    assert expected - dropped - perhaps_dropped <= set(found)
    assert not dropped & set(found), "a note of what was dropped is lost"
    assert len(set(found) - expected) <= 8, "more is there than could have been in flight"
    assert all(len(one.drafts) == 3 for one in await spool.pending())
    assert spool.count == 3 * len(found)
    spool.close()


def _run_and_kill(directory: Path, first: int, after: int) -> list[str]:
    """What a writer said until it was killed, soon after it said so many lines."""
    command = [sys.executable, "-m", "tests.log.spool_writer", str(directory), str(first)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(after)]
        process.kill()
        lines += process.stdout.readlines()
    return [line for line in lines if line.endswith("\n")]


@pytest.mark.promise("SF-LOG-15")
async def test_a_full_disk_is_said_and_costs_nothing_that_was_kept(
    opened: Callable[[], Spool],
) -> None:
    spool = opened()
    kept = [await spool.append(A, number, some(1)) for number in range(2)]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (kept[-1].offset + kept[-1].length + 10, before[1]))
    try:
        with pytest.raises(StoreDown, match=r"spool at .* cannot be written: File too large"):
            await spool.append(B, 1, some(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert spool.count == 2
    after = await spool.append(B, 1, some(1))
    again = opened()
    assert await again.pending() == [*kept, after]
    assert list(again.damage) == [], "half a line was left behind"


@pytest.mark.promise("SF-LOG-15")
async def test_an_error_on_sync_is_no_promise(
    opened: Callable[[], Spool], monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = opened()
    kept = await spool.append(A, 1, some(1))

    def fail(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with pytest.raises(StoreDown, match="Input/output error"):
            await spool.append(A, 2, some(1))
    assert await spool.pending() == [kept]
    after = await spool.append(A, 2, some(1))
    assert after.segment != kept.segment, "it went on in a file of which nobody knows the state"
    assert await opened().pending() == [kept, after]


async def test_a_directory_that_vanished_is_said(opened: Callable[[], Spool]) -> None:
    spool = opened()
    batch = await spool.append(A, 1, some(1))
    batch.segment.unlink()
    with pytest.raises(StoreDown, match="cannot be read"):
        _ = batch.drafts


def test_a_directory_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(StoreDown, match="cannot be used"):
        Spool(tmp_path / "file" / "spool")


async def test_a_directory_belongs_to_one_process(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    with pytest.raises(StoreDown, match="another process uses it"):
        Spool(tmp_path)
    spool.close()
    spool.close()
    with pytest.raises(StoreDown, match="closed"):
        await spool.append(A, 1, some(1))
    Spool(tmp_path).close()


async def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.spool").write_text("a person's")
    spool = Spool(tmp_path)
    assert list(await spool.pending()) == []
    spool.close()
    assert (tmp_path / "notes.spool").read_text() == "a person's"
