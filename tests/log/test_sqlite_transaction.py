"""What the writer still knows is never trusted longer than nobody else wrote."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from tests.contracts.facts import new_session, some
from tests.log.local_stores import SqliteMaker

from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import DuplicateEvent, NotOwner, VersionConflict
from hearth.log.sqlite_transaction import MOST_KNOWN, Known, Standing, Transaction


def test_what_is_known_is_bounded_and_can_be_forgotten() -> None:
    known = Known()
    assert not known.anything
    for number in range(MOST_KNOWN + 1):
        known.learn(SessionId(f"s{number}"), Standing(number, "me", 1))
    assert known.standing(SessionId("s0")) is None
    assert known.standing(SessionId(f"s{MOST_KNOWN}")) == (MOST_KNOWN, "me", 1)
    known.forget()
    assert not known.anything
    assert known.standing(SessionId(f"s{MOST_KNOWN}")) is None


def test_a_seq_follows_the_one_that_is_known_or_the_file() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY)")
        connection.execute("CREATE TABLE meta (key TEXT, value INTEGER)")
        connection.execute("INSERT INTO meta VALUES ('floor', 3)")
        known = Known()
        assert [Transaction(connection, known).next_seq() for _ in range(2)] == [4, 5]
        known.forget()
        connection.execute("INSERT INTO events VALUES (9)")
        assert Transaction(connection, known).next_seq() == 10


async def test_a_busy_session_is_looked_up_once(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    asked: list[str] = []
    session = new_session()
    lease = await log.claim(session)
    await log.append(session, 0, some(1), lease)
    assert log._writer is not None
    assert log._writer._connection is not None
    log._writer._connection.set_trace_callback(asked.append)
    for version in range(1, 20):
        await log.append(session, version, some(1), lease)
    assert sum(text.startswith("INSERT INTO events") for text in asked) == 19
    assert not [text for text in asked if text.startswith("SELECT")]


async def test_another_process_makes_it_look_again(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    other = await sqlite_stores.second(log)
    session = new_session()
    await log.append(session, 0, some(1))
    await other.append(session, 1, some(1))
    with pytest.raises(VersionConflict) as conflict:
        await log.append(session, 1, some(1))
    assert conflict.value.actual == 2
    (row,) = await log.append(session, 2, some(1))
    assert (row.seq, row.version) == (3, 3)


async def test_a_lease_that_was_taken_over_is_noticed(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    session = new_session()
    lease = await log.claim(session)
    await log.append(session, 0, some(1), lease)
    await log.release(lease)
    with pytest.raises(NotOwner):
        await log.append(session, 1, some(1), lease)
    second = await sqlite_stores.second(log)
    theirs = await second.claim(session)
    await second.append(session, 1, some(1), theirs)
    with pytest.raises(NotOwner):
        await log.append(session, 2, some(1), lease)


async def test_an_id_that_stands_is_recognised_although_nobody_looked(
    sqlite_stores: SqliteMaker,
) -> None:
    log = await sqlite_stores.make()
    one, two = new_session(), new_session()
    drafts = some(3)
    rows = await log.append(one, 0, drafts)
    await log.append(two, 0, some(1))
    answers = await asyncio.gather(
        log.append(one, 3, drafts),
        log.append(two, 1, [*some(1), drafts[0]]),
        log.append(two, 1, some(1)),
        return_exceptions=True,
    )
    assert answers[0] == rows
    assert isinstance(answers[1], DuplicateEvent)
    assert not isinstance(answers[2], BaseException)
    assert [row.version for row in await log.read_session(two)] == [1, 2]
    assert await log.head() == 5
    assert list(await log.check()) == []
