import asyncio
import sqlite3
from contextlib import closing

import pytest
from tests.contracts.event_log import assert_sound, read_all
from tests.contracts.facts import new_session, some
from tests.log.local_stores import SqliteMaker

from hearth.log.event_log import DuplicateEvent, LogError, NotOwner, Snapshot, VersionConflict
from hearth.log.sqlite_appending import NOBODY


async def test_two_processes_on_one_file_share_one_order(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    other = await sqlite_stores.second(log)
    shared = new_session()

    async def push(through: object, number: int) -> None:
        assert isinstance(through, type(log))
        expected = 0
        while number:
            try:
                rows = await through.append(shared, expected, some(2))
            except VersionConflict as conflict:
                expected = conflict.actual
            else:
                expected, number = rows[-1].version, number - 1

    await asyncio.gather(*(push(one, 10) for one in (log, other, log, other)))
    rows = await read_all(log)
    assert_sound(rows)
    assert [row.version for row in rows] == list(range(1, 81))
    assert [row.seq for row in rows] == list(range(1, 81))
    assert list(await other.check()) == []


async def test_long_appends_are_looked_up_in_parts(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    session, drafts = new_session(), some(1200)
    rows = await log.append(session, 0, drafts)
    assert list(await log.append(session, 0, drafts)) == list(rows)
    with pytest.raises(DuplicateEvent, match=str(drafts[1100].id)):
        await log.append(session, 1200, [*some(1100), drafts[1100]])
    assert await log.head() == 1200


async def test_an_append_is_written_whole_or_not(sqlite_stores: SqliteMaker) -> None:
    """The last insert of an append fails inside SQLite, alone in its commit and not."""
    log = await sqlite_stores.make()
    with closing(sqlite3.connect(sqlite_stores.path_of(log))) as connection, connection:
        connection.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON events WHEN new.type = 'session_refused'"
            " BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END"
        )
    session = new_session()
    *fine, last = some(4)
    bad = [*fine, last._replace(type="session_refused")]
    with pytest.raises(LogError, match="refused by a trigger"):
        await log.append(session, 0, bad)
    results = await asyncio.gather(
        log.append(new_session(), 0, some(2)),
        log.append(session, 0, bad),
        log.append(new_session(), 0, some(2)),
        return_exceptions=True,
    )
    assert [isinstance(one, LogError) for one in results] == [False, True, False]
    assert await log.read_session(session) == []
    assert [row.seq for row in await read_all(log)] == [1, 2, 3, 4]
    await log.append(session, 0, fine)


async def test_a_released_session_belongs_to_nobody(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    session = new_session()
    lease = await log.claim(session)
    await log.release(lease)
    with pytest.raises(NotOwner) as caught:
        await log.append(session, 0, some(1), lease)
    assert caught.value.owner == NOBODY
    again = await log.claim(session)
    assert again.generation == lease.generation + 1
    await log.release(lease)
    assert await log.claim(session) == again


async def test_another_folds_snapshot_replaces_a_later_one(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    session = new_session()
    await log.append(session, 0, some(9))
    await log.save_snapshot(Snapshot(session, 9, 9, "old fold", b"old"))
    newer = Snapshot(session, 5, 5, "new fold", b"new")
    await log.save_snapshot(newer)
    assert await log.load_snapshot(session) == newer
