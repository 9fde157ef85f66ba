"""A whole log is copied, and brought back somewhere else."""

import asyncio
from pathlib import Path

import pytest
from tests.contracts.event_log import data_of, read_all
from tests.contracts.facts import NOON, new_session, some
from tests.log.databases import database
from tests.log.local_stores import SqliteMaker
from tests.log.postgres_server import running_server
from tests.log.sessions import Life

from hearth.log.backups import back_up, restore
from hearth.log.event_log import EventLog, LogError, StoreDown
from hearth.log.memory import MemoryLog
from hearth.log.opening import open_log


async def filled(log: EventLog) -> None:
    life = Life(new_session())
    life.run("1+1")
    await life.into(log)
    await log.blobs.put(b"a blob")


@pytest.mark.promise("SF-LOG-22")
async def test_an_sqlite_log_is_wiped_and_restored(tmp_path: Path) -> None:
    home = tmp_path / "home"
    log = await open_log(None, home, "home")
    await filled(log)
    before = await read_all(log)
    where = await back_up(log, tmp_path / "backups", NOON)
    assert where == tmp_path / "backups" / "hearth-20260301T120000000000Z"
    with pytest.raises(LogError, match="there already"):
        await back_up(log, tmp_path / "backups", NOON)
    await log.append(new_session("later"), 0, some(1))
    await log.close()
    with pytest.raises(LogError, match="there already"):
        await restore(where, None, home, "home")
    elsewhere = tmp_path / "elsewhere"
    await restore(where, None, elsewhere, "home")
    copy = await open_log(None, elsewhere, "home")
    assert await read_all(copy) == before
    assert not await copy.check()
    await copy.append(new_session(), 0, some(1))
    await copy.close()
    # The original was not touched.
    original = await open_log(None, home, "home")
    assert len(await read_all(original)) == len(before) + 1
    await original.close()


@pytest.mark.promise("SF-LOG-22")
async def test_a_memory_log_becomes_a_file(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.open()
    await filled(log)
    where = await back_up(log, tmp_path, NOON)
    await restore(where, f"sqlite://{tmp_path}/new/place.db", tmp_path, "home")
    copy = await open_log(f"sqlite://{tmp_path}/new/place.db", tmp_path, "home")
    assert data_of(await read_all(copy)) == data_of(await read_all(log))
    assert not await copy.check()
    await copy.close()


@pytest.mark.promise("SF-LOG-22")
async def test_a_postgresql_log_is_restored_into_an_empty_one(tmp_path: Path) -> None:
    async with database() as source, database() as target:
        log = await open_log(source, tmp_path, "home")
        await filled(log)
        before = await read_all(log)
        where = await back_up(log, tmp_path / "backups", NOON)
        await log.close()
        with pytest.raises(LogError, match="empty log only"):
            await restore(where, source, tmp_path, "home")
        await restore(where, target, tmp_path, "home")
        copy = await open_log(target, tmp_path, "home")
        assert await read_all(copy) == before
        assert not await copy.check()
        await copy.close()


async def test_a_backup_of_another_kind_is_refused(tmp_path: Path) -> None:
    maker = SqliteMaker(tmp_path)
    where = await back_up(await maker.make(), tmp_path / "backups", NOON)
    with pytest.raises(LogError, match="another kind"):
        await restore(where, "memory:", tmp_path, "home")
    with pytest.raises(LogError, match="another kind"):
        await restore(where, running_server().url, tmp_path, "home")
    with pytest.raises(LogError, match="no backup of an SQLite log"):
        await restore(tmp_path, None, tmp_path / "home", "home")
    assert not await asyncio.to_thread((tmp_path / "home").exists)
    await maker.close()


async def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    maker = SqliteMaker(tmp_path)
    log = await maker.make()
    blocked = tmp_path / "file"
    await asyncio.to_thread(blocked.write_text, "")
    with pytest.raises(StoreDown, match="file/in cannot be made"):
        await back_up(log, blocked / "in", NOON)
    where = await back_up(log, tmp_path / "backups", NOON)
    with pytest.raises(StoreDown, match="cannot be copied"):
        await restore(where, f"sqlite://{blocked}/in/hearth.db", tmp_path, "home")
    await maker.close()
