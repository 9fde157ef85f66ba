"""Group commit: what goes where, and what becomes of it when the connection does not hold."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Final

import pytest
from tests.contracts.event_log import PATIENCE, Heard, assert_sound, data_of, read_all
from tests.contracts.facts import new_session, of_size, some
from tests.log.postgres_server import PostgresMaker, Relay, making, new_schema

from hearth.core.vocabulary.codec import MAX_EVENT_BYTES
from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId
from hearth.log.event_log import LogError, StoreDown
from hearth.log.postgres import PostgresLog
from hearth.log.postgres_connection import Times

HASTY = Times(patience=0.3)


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


def has_reached(heard: Heard, seq: int) -> bool:
    """Whether a commit with this seq or a later one was heard of."""
    return any(row.seq >= seq for row in heard.rows)


async def blocked(maker: PostgresMaker, log: PostgresLog) -> list[int]:
    """The server's processes that wait for a lock, once there is one."""
    connection = await maker.connect(log._database.schema)
    async with asyncio.timeout(PATIENCE):
        while not (
            rows := await connection.fetch(
                "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            )
        ):
            pass
    await connection.close()
    return [row[0] for row in rows]


@pytest.mark.promise("SF-LOG-10")
async def test_a_connection_killed_in_mid_append_is_replaced(maker: PostgresMaker) -> None:
    log = await maker.make()
    session = new_session()
    await log.append(session, 0, some(1))
    holder = await maker.connect(log._database.schema)
    transaction = holder.transaction()
    await transaction.start()
    await holder.execute("SELECT last FROM counter FOR UPDATE")
    appending = asyncio.create_task(log.append(session, 1, some(2)))
    (victim,) = await blocked(maker, log)
    await holder.execute("SELECT pg_terminate_backend($1)", victim)
    await transaction.rollback()
    rows = await appending
    assert [row.version for row in rows] == [2, 3]
    assert len(await read_all(log)) == 3
    await holder.close()


KILL: Final = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE pid <> pg_backend_pid() AND application_name = 'hearth home'"
)


@pytest.mark.promise("SF-LOG-10", "SF-LOG-08")
async def test_connections_killed_under_load_lose_and_double_nothing(maker: PostgresMaker) -> None:
    log = await maker.make()
    acknowledged: list[Stored] = []

    async def write() -> None:
        session = new_session()
        for version in range(0, 40, 2):
            two = some(2)
            while True:
                try:
                    acknowledged.extend(await log.append(session, version, two))
                    break
                except StoreDown:
                    continue

    heard = Heard()
    log.listen(heard)
    writing = asyncio.gather(*(write() for _ in range(10)))
    killer = await maker.connect(log._database.schema)
    kills = 0
    for reached in range(20, 380, 40):
        await heard.until(partial(has_reached, heard, reached))
        # At this instant there may be none: the last ones were killed, the next not yet made.
        while not (killed := await killer.fetchval(KILL)):
            pass
        kills += killed
    await writing
    await killer.close()
    rows = await read_all(log)
    assert kills >= 9
    assert_sound(rows)
    assert [row.seq for row in rows] == list(range(1, 401)), "seq has a gap"
    assert sorted(acknowledged, key=lambda row: row.seq) == rows
    seqs = [row.seq for row in heard.rows]
    assert seqs == sorted(set(seqs)), "listeners heard out of order or twice"


@pytest.mark.promise("SF-LOG-10")
async def test_a_commit_without_an_answer_is_found_again(maker: PostgresMaker) -> None:
    async with Relay(maker.server) as relay:
        log = PostgresLog(relay.url, owner="home", schema=new_schema())
        await log.open()
        heard = Heard()
        log.listen(heard)
        session = new_session()
        before = await log.append(session, 0, some(1))
        relay.cut_after = b"COMMIT"
        rows = await log.append(session, 1, some(2))
        assert relay.cuts == 1
        assert [row.version for row in rows] == [2, 3]
        assert await read_all(log) == [*before, *rows]
        assert () in [tuple(call) for call in heard.calls], "followers were not told to look"
        assert len(await log.append(session, 3, some(1))) == 1
        await log.close()


@pytest.mark.promise("SF-LOG-10")
async def test_a_commit_without_an_answer_may_be_tried_again_later(maker: PostgresMaker) -> None:
    async with Relay(maker.server) as relay:
        log = PostgresLog(relay.url, owner="home", schema=new_schema())
        await log.open()
        session, events = new_session(), some(2)
        relay.cut_after, relay.is_closed = b"COMMIT", True
        with pytest.raises(StoreDown):
            await log.append(session, 0, events)
        with pytest.raises(StoreDown):
            await log.append(session, 0, events)
        relay.is_closed = False
        rows = await log.append(session, 0, events)
        assert data_of(rows) == data_of(events)
        assert await read_all(log) == list(rows)
        await log.close()


@pytest.mark.promise("SF-LOG-10")
async def test_a_line_on_which_nothing_moves_is_given_up(maker: PostgresMaker) -> None:
    async with Relay(maker.server) as relay:
        log = PostgresLog(relay.url, owner="home", schema=new_schema(), times=HASTY)
        await log.open()
        session, events = new_session(), some(2)
        relay.flowing.clear()
        async with asyncio.timeout(10):
            with pytest.raises(StoreDown, match="in time"):
                await log.append(session, 0, events)
            with pytest.raises(StoreDown, match="in time"):
                await log.read()
        relay.flowing.set()
        rows = await log.append(session, 0, events)
        assert await read_all(log) == list(rows)
        await log.close()


@pytest.mark.promise("SF-LOG-10")
async def test_what_the_server_cannot_store_fails_alone(maker: PostgresMaker) -> None:
    log = await maker.make()
    bad = [Draft(EventId("nul\0.0"), "session_ready", b"{}")]
    lone = [Draft(EventId("lone\ud800.0"), "session_ready", b"{}")]
    sessions = [new_session() for _ in range(4)]
    results = await asyncio.gather(
        log.append(sessions[0], 0, some(2)),
        log.append(sessions[1], 0, bad),
        log.append(sessions[2], 0, lone),
        log.append(sessions[3], 0, some(2)),
        return_exceptions=True,
    )
    assert [isinstance(one, LogError) for one in results] == [False, True, True, False]
    rows = await read_all(log)
    assert_sound(rows)
    assert {row.session for row in rows} == {sessions[0], sessions[3]}


async def test_a_full_disk_is_said_and_survived(maker: PostgresMaker) -> None:
    log = await maker.make()
    session, events = new_session(), some(2)
    kept = await log.append(new_session(), 0, some(1))
    await maker.execute(
        log,
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;"
        " CREATE TRIGGER full_disk BEFORE INSERT ON events EXECUTE FUNCTION full_disk()",
    )
    results = await asyncio.gather(
        *(log.append(new_session(), 0, some(1)) for _ in range(3)),
        log.append(session, 0, events),
        return_exceptions=True,
    )
    assert [type(one) for one in results] == [StoreDown] * 4
    assert "disk is full" in str(results[0])
    assert await read_all(log) == list(kept)
    await maker.execute(log, "DROP TRIGGER full_disk ON events")
    rows = await log.append(session, 0, events)
    assert [row.seq for row in rows] == [2, 3]


async def test_a_lock_held_by_another_is_not_waited_for_for_ever(maker: PostgresMaker) -> None:
    schema = new_schema()
    log = await maker.on(schema, times=HASTY)
    session, events = new_session(), some(1)
    holder = await maker.connect(schema)
    async with holder.transaction():
        await holder.execute("SELECT last FROM counter FOR UPDATE")
        with pytest.raises(StoreDown, match="too long"):
            await log.append(session, 0, events)
    assert len(await log.append(session, 0, events)) == 1
    await holder.close()


async def test_a_stopped_process_does_not_stop_the_others(maker: PostgresMaker) -> None:
    schema = new_schema()
    log = await maker.on(schema, times=HASTY)
    other = await maker.on(schema, owner="other")
    assert log._appender is not None
    # As if the whole process were stopped there: it holds the lock, and says nothing more.
    stopped = await log._appender._connected()
    await stopped.execute("BEGIN; SELECT last FROM counter FOR UPDATE")
    async with asyncio.timeout(PATIENCE):
        assert len(await other.append(new_session(), 0, some(1))) == 1
    assert len(await log.append(new_session(), 0, some(1))) == 1


async def test_a_failing_listener_costs_no_commit(maker: PostgresMaker) -> None:
    log = await maker.make()
    told: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, what: told.append(what))
    heard = Heard()

    def fail(_: Sequence[Stored]) -> None:
        raise RuntimeError("not mine")

    log.listen(fail)
    log.listen(heard)
    rows = await log.append(new_session(), 0, some(1))
    assert heard.rows == list(rows)
    assert [str(what["exception"]) for what in told] == ["not mine"]


async def test_more_than_one_transaction_can_hold_is_taken_in_turns(maker: PostgresMaker) -> None:
    log = await maker.make()
    heard = Heard()
    log.listen(heard)
    appends: list[Callable[[], list[Draft]]] = [
        *([lambda: [of_size(MAX_EVENT_BYTES) for _ in range(8)]] * 6),
        *([lambda: some(500)] * 8),
    ]
    await asyncio.gather(*(log.append(new_session(), 0, make()) for make in appends))
    rows = await read_all(log)
    assert_sound(rows)
    assert heard.rows == rows
    assert len(rows) == 48 + 4000
    assert all(sum(len(row.data) for row in call) <= 8 * 1024 * 1024 for call in heard.calls)
    assert 3 <= len(heard.calls) <= 8


async def test_many_sessions_share_a_commit(maker: PostgresMaker) -> None:
    log = await maker.make()
    heard = Heard()
    log.listen(heard)
    await asyncio.gather(*(log.append(new_session(), 0, some(1)) for _ in range(200)))
    assert len(heard.rows) == 200
    assert len(heard.calls) <= 5
