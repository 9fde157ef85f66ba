import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.contracts.event_log import Heard, assert_sound, read_all
from tests.contracts.facts import new_session, some
from tests.log.local_stores import SqliteMaker

from hearth.core.vocabulary.ids import SessionId
from hearth.log import sqlite_schema, sqlite_writer
from hearth.log.event_log import LogError, StoreDown
from hearth.log.sqlite import SqliteLog
from hearth.log.sqlite_transaction import Transaction
from hearth.log.sqlite_writer import Writer


def writer_of(log: SqliteLog) -> Writer:
    assert log._writer is not None
    return log._writer


async def statements_during(log: SqliteLog, sessions: int) -> list[str]:
    """What SQLite was told while so many sessions appended at once."""
    said: list[str] = []

    def begin(transaction: Transaction) -> None:
        transaction.connection.set_trace_callback(said.append)

    await writer_of(log).submit(begin)
    await asyncio.gather(*(log.append(new_session(), 0, some(2)) for _ in range(sessions)))
    return said


@pytest.mark.promise("SF-LOG-10")
async def test_appends_of_all_sessions_share_commits(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    said = await statements_during(log, 50)
    assert said.count("COMMIT") <= 4
    assert sum(one.startswith("INSERT INTO events") for one in said) == 100
    assert_sound(await read_all(log))


@pytest.mark.promise("SF-LOG-19")
async def test_what_is_there_is_known_before_anybody_can_listen(
    sqlite_stores: SqliteMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    real = sqlite_schema.connect

    def connect(path: Path) -> sqlite3.Connection:
        order.append("connected")
        return real(path)

    monkeypatch.setattr(sqlite_writer, "connect", connect)
    await sqlite_stores.make()
    order.append("open")
    assert order == ["connected", "open"]


async def test_one_commit_has_a_bound(
    sqlite_stores: SqliteMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_writer, "MAX_JOBS_PER_COMMIT", 10)
    log = await sqlite_stores.make()
    said = await statements_during(log, 50)
    assert 5 <= said.count("COMMIT") <= 9
    assert len(await read_all(log)) == 100


@pytest.mark.promise("SF-LOG-10")
async def test_what_breaks_a_commit_fails_alone(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    heard = Heard()
    log.listen(heard)
    sessions = [new_session() for _ in range(6)]
    unspeakable = SessionId("session-\ud800")
    half_done = some(3)
    half_done[2] = half_done[2]._replace(type="\ud800")
    results = await asyncio.gather(
        *(log.append(session, 0, some(2)) for session in sessions),
        log.append(unspeakable, 0, some(1)),
        log.append(new_session(), 0, half_done),
        *(log.append(session, 2, some(1)) for session in sessions),
        return_exceptions=True,
    )
    failed = [one for one in results if isinstance(one, BaseException)]
    assert len(failed) == 2
    assert all(isinstance(one, LogError) for one in failed)
    rows = await read_all(log)
    assert_sound(rows)
    assert len(rows) == 18
    assert heard.rows == rows
    assert list(await log.check()) == []


async def test_a_locked_file_is_told_and_outlived(
    sqlite_stores: SqliteMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_schema, "BUSY_SECONDS", 0.05)
    log = await sqlite_stores.make()
    heard = Heard()
    log.listen(heard)
    session, drafts = new_session(), some(2)
    with closing(sqlite3.connect(sqlite_stores.path_of(log), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreDown, match=r"hearth\.db is locked by another program"):
            await log.append(session, 0, drafts)
        assert await log.head() == 0
        other.execute("ROLLBACK")
    rows = await log.append(session, 0, drafts)
    assert heard.rows == list(rows) == await read_all(log)
    assert [] in heard.calls, "what a failed append left behind would stay unseen"


async def test_an_idle_writer_does_nothing_unless_somebody_listens(
    sqlite_stores: SqliteMaker,
) -> None:
    log = await sqlite_stores.make()
    await log.append(new_session(), 0, some(1))
    writer = writer_of(log)
    async with asyncio.timeout(10):
        while writer._patience() is not None:
            await log.head()
    stop = log.listen(lambda _: None)
    also = log.listen(lambda _: None)
    stop()
    assert writer._patience() == sqlite_writer.POLL_SECONDS
    also()
    assert writer._patience() is None


async def test_a_store_in_which_nothing_happens_is_looked_at_less_often(
    sqlite_stores: SqliteMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_writer, "POLL_SECONDS", 0.001)
    log = await sqlite_stores.make()
    await log.append(new_session(), 0, some(1))
    writer = writer_of(log)
    stop = log.listen(lambda _: None)
    async with asyncio.timeout(20):
        while writer._patience() != sqlite_writer.QUIET_SECONDS:
            await asyncio.to_thread(os.sched_yield)
    await log.append(new_session(), 0, some(1))
    assert writer._looks < sqlite_writer.QUIET_AFTER
    stop()


async def test_a_seq_is_given_once_even_if_its_row_is_gone(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    gone = new_session()
    rows = await log.append(gone, 0, some(5))
    await log.remove(gone)
    assert await log.head() == 0
    log = await sqlite_stores.reopen(log)
    more = await log.append(new_session(), 0, some(1))
    assert more[0].seq == rows[-1].seq + 1


async def test_what_comes_after_closing_is_refused(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    writer = writer_of(log)
    await asyncio.gather(writer.close(), writer.close())
    with pytest.raises(StoreDown, match="was closed"):
        await writer.submit(lambda _: None)
    assert not writer._thread.is_alive()
