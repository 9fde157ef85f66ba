import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.facts import new_session, renamed, some, started
from tests.log.local_stores import SqliteMaker

from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import StoreDown
from hearth.log.sqlite_reading import THREADS, Readers, read
from hearth.log.sqlite_schema import prepare

ONE, TWO = SessionId("one"), SessionId("two")


@given(
    sessions=st.lists(st.sampled_from([ONE, TWO]), max_size=12),
    gaps=st.lists(st.integers(1, 4), min_size=12, max_size=12),
    after=st.integers(0, 40),
    limit=st.integers(0, 5),
)
def test_a_sessions_rows_are_found_from_any_seq(
    sessions: list[SessionId], gaps: list[int], after: int, limit: int
) -> None:
    """Removed sessions leave gaps in seq; each session's own versions have none."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, session, version, type, data)"
        )
        connection.execute("CREATE TABLE streams (session, version, seq)")
        expected, seq = [], 0
        for place, session in enumerate(sessions):
            seq += gaps[place]
            version = sessions[: place + 1].count(session)
            type_ = "odd" if seq % 2 else "even"
            connection.execute(
                "INSERT INTO events VALUES (?, ?, ?, ?, x'')", (seq, session, version, type_)
            )
            if session == ONE and seq > after:
                expected.append((seq, version))
        for session in {*sessions}:
            connection.execute(
                "INSERT INTO streams VALUES (?, ?, 0)", (session, sessions.count(session))
            )
        rows = read(connection, after, limit, ONE, [])
        odd = read(connection, after, limit, ONE, ["odd", "unheard"])
    assert [(row.seq, row.version) for row in rows] == expected[:limit]
    assert [row.seq for row in odd] == [seq for seq, _ in expected if seq % 2][:limit]


async def test_queries_of_types_use_the_index(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    await log.append(new_session(), 0, [*some(20), started("x"), *some(20), started("y")])
    with closing(sqlite3.connect(sqlite_stores.path_of(log))) as connection:
        told: list[str] = []
        connection.set_trace_callback(told.append)
        rows = read(connection, 0, 10, None, ["cell_started", "session_started"])
        connection.set_trace_callback(None)
        plan = connection.execute(f"EXPLAIN QUERY PLAN {told[0]}").fetchall()
    assert [row.version for row in rows] == [21, 42]
    steps = [step for *_, step in plan]
    assert any("events_by_type" in step for step in steps)
    assert not any(step.startswith("SCAN events") for step in steps)


async def test_a_query_that_fails_takes_its_connection_along(tmp_path: Path) -> None:
    prepare(tmp_path / "hearth.db")
    readers = Readers(tmp_path / "hearth.db")
    used: list[sqlite3.Connection] = []

    def fail(connection: sqlite3.Connection) -> None:
        used.append(connection)
        connection.execute("BEGIN")
        raise KeyError

    def look(connection: sqlite3.Connection) -> bool:
        used.append(connection)
        return connection.in_transaction

    with pytest.raises(KeyError):
        await readers.run(fail)
    assert await readers.run(look) is False
    assert await readers.run(look) is False
    assert used[0] is not used[1]
    assert used[1] is used[2]
    await readers.close()
    await readers.close()
    with pytest.raises(StoreDown, match="was closed"):
        await readers.run(look)
    with pytest.raises(sqlite3.ProgrammingError):
        used[1].execute("SELECT 1")


async def test_readers_do_not_wait_for_a_commit(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    rows = await log.append(new_session(), 0, [renamed()])
    with closing(sqlite3.connect(sqlite_stores.path_of(log), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM events")
        found = await asyncio.gather(*(log.read() for _ in range(2 * THREADS)))
        other.execute("ROLLBACK")
    assert [list(one) for one in found] == [list(rows)] * 2 * THREADS
