"""A backup is whole, consistent and checked before it is restored."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contracts.event_log import assert_sound, data_of, read_all
from tests.contracts.facts import new_session, some
from tests.log.postgres_server import PostgresMaker, making

from hearth.log.event_log import CorruptRow, LogError, NewerSchema, Snapshot, StoreDown


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


def names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


@pytest.mark.promise("SF-LOG-22")
async def test_a_backup_taken_under_load_is_of_one_moment(
    maker: PostgresMaker, tmp_path: Path
) -> None:
    log = await maker.make()

    async def write() -> None:
        session = new_session()
        for version in range(0, 60, 2):
            await log.append(session, version, some(2))

    writing = asyncio.gather(*(write() for _ in range(5)))
    while await log.head() < 20:
        pass
    await log.backup(str(tmp_path / "copy"))
    await writing
    copy = await maker.restore(tmp_path / "copy")
    rows = await read_all(copy)
    assert_sound(rows)
    assert len(rows) >= 20
    assert rows == (await read_all(log))[: len(rows)]
    assert await copy.head() == len(rows)
    assert list(await copy.check()) == []
    again = await copy.append(new_session(), 0, some(1))
    assert again[0].seq == len(rows) + 1


@pytest.mark.promise("SF-LOG-22")
async def test_a_backup_describes_itself(maker: PostgresMaker, tmp_path: Path) -> None:
    log = await maker.make()
    session = new_session()
    rows = await log.append(session, 0, some(3))
    await log.save_snapshot(Snapshot(session, 3, rows[2].seq, "fold-1", b"\0state"))
    await log.claim(session)
    target = tmp_path / "deep" / "copy"
    await log.backup(str(target))
    manifest = json.loads((target / "backup.json").read_text())
    assert {one["name"]: one["rows"] for one in manifest["tables"]} == {
        "counter": 1,
        "events": 3,
        "streams": 1,
        "snapshots": 1,
        "blobs": 0,
    }
    assert (target / "events.csv").read_text().splitlines()[0] == (
        "seq,session,version,id,type,data"
    )
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["copy"]
    copy = await maker.restore(target)
    assert data_of(await copy.read()) == data_of(rows)
    assert await copy.load_snapshot(session) == await log.load_snapshot(session)
    assert (await copy.claim(session)).generation == 1


async def test_a_log_with_events_is_not_restored_over(maker: PostgresMaker, tmp_path: Path) -> None:
    log = await maker.make()
    rows = await log.append(new_session(), 0, some(1))
    await log.backup(str(tmp_path / "copy"))
    with pytest.raises(LogError, match="empty"):
        await log.restore(str(tmp_path / "copy"))
    assert await read_all(log) == list(rows)


async def test_a_damaged_backup_changes_nothing(maker: PostgresMaker, tmp_path: Path) -> None:
    log = await maker.make()
    await log.append(new_session(), 0, some(1))
    target = tmp_path / "copy"
    await log.backup(str(target))
    empty = await maker.make()
    manifest = (target / "backup.json").read_bytes()
    events = (target / "events.csv").read_bytes()
    (target / "events.csv").write_bytes(events[:-1])
    with pytest.raises(CorruptRow, match=r"events\.csv"):
        await empty.restore(str(target))
    (target / "events.csv").write_bytes(events)
    (target / "backup.json").write_bytes(manifest[:-9])
    with pytest.raises(CorruptRow, match=r"backup\.json"):
        await empty.restore(str(target))
    (target / "backup.json").write_bytes(manifest.replace(b"-1", b"-0"))
    with pytest.raises(LogError, match="no backup"):
        await empty.restore(str(target))
    (target / "backup.json").write_bytes(
        manifest.replace(b'"schema_version": 1', b'"schema_version": 99')
    )
    with pytest.raises(NewerSchema):
        await empty.restore(str(target))
    with pytest.raises(StoreDown, match="nothing-here"):
        await empty.restore(str(tmp_path / "nothing-here"))
    assert await empty.head() == 0
    (target / "backup.json").write_bytes(manifest)
    await empty.restore(str(target))
    assert await empty.head() == 1


async def test_a_place_that_cannot_be_written_is_named(
    maker: PostgresMaker, tmp_path: Path
) -> None:
    log = await maker.make()
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreDown, match="file/copy"):
        await log.backup(str(tmp_path / "file" / "copy"))
    (tmp_path / "taken").mkdir()
    with pytest.raises(LogError, match="never overwrites"):
        await log.backup(str(tmp_path / "taken"))
    assert names(tmp_path / "taken") == []


async def test_a_backup_that_fails_leaves_nothing(maker: PostgresMaker, tmp_path: Path) -> None:
    log = await maker.make()
    await maker.execute(log, "DROP TABLE blobs")
    with pytest.raises(StoreDown):
        await log.backup(str(tmp_path / "copy"))
    assert names(tmp_path) == []
