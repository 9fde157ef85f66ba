"""Followers hear of every commit, or are told to look, whatever happens to the connection."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest
from tests.contracts.event_log import PATIENCE, Heard
from tests.contracts.facts import new_session, some
from tests.log.postgres_server import PostgresMaker, Relay, making, new_schema

from hearth.log.event_log import StoreDown
from hearth.log.postgres import PostgresLog
from hearth.log.postgres_connection import Times


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


def was_told_to_look(heard: Heard, since: int = 0) -> bool:
    return any(not call for call in heard.calls[since:])


@pytest.mark.promise("SF-LOG-19")
async def test_own_commits_come_as_rows_and_never_as_a_call_to_look(maker: PostgresMaker) -> None:
    log = await maker.make()
    other = await maker.second(log)
    heard, abroad = Heard(), Heard()
    log.listen(heard)
    other.listen(abroad)
    session = new_session()
    for version in range(5):
        await log.append(session, version, some(1))
    # What the other writes is notified after all of these, on the same connection.
    await abroad.until(lambda: len(abroad.calls) >= 5)
    await other.append(new_session(), 0, some(1))
    await heard.until(partial(was_told_to_look, heard))
    assert [len(call) for call in heard.calls] == [1, 1, 1, 1, 1, 0]
    assert [len(call) for call in abroad.calls] == [0, 0, 0, 0, 0, 1]


@pytest.mark.promise("SF-LOG-19")
@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_after_a_restart_of_the_server_followers_are_told_to_look(
    maker: PostgresMaker, mode: str
) -> None:
    log = await maker.make()
    other = await maker.second(log)
    heard = Heard()
    log.listen(heard)
    await asyncio.to_thread(maker.server.stop, mode)
    with pytest.raises(StoreDown):
        await log.append(new_session(), 0, some(1))
    heard.calls.clear()
    await asyncio.to_thread(maker.server.start)
    await heard.until(partial(was_told_to_look, heard))
    heard.calls.clear()
    await other.append(new_session(), 0, some(1))
    await heard.until(partial(was_told_to_look, heard))
    assert len(await log.read()) == 1


@pytest.mark.promise("SF-LOG-19")
async def test_what_was_written_while_nobody_listened_is_not_missed(maker: PostgresMaker) -> None:
    async with Relay(maker.server) as relay:
        schema = new_schema()
        log = PostgresLog(relay.url, owner="home", schema=schema, times=Times(renew_every=0.05))
        await log.open()
        other = await maker.on(schema, owner="other")
        heard = Heard()
        log.listen(heard)
        # The next renewal loses its connection, and nobody gets in until the other has written.
        relay.is_closed, relay.cut_after = True, b"home/"
        async with asyncio.timeout(PATIENCE):
            while not relay.cuts:
                await other.append(new_session(), 0, some(1))
        heard.calls.clear()
        rows = await other.append(new_session(), 0, some(1))
        relay.is_closed = False
        await heard.until(partial(was_told_to_look, heard))
        assert (await log.read(rows[0].seq - 1))[0] == rows[0]
        await log.close()


async def test_a_killed_listener_comes_back(maker: PostgresMaker) -> None:
    log = await maker.make()
    other = await maker.second(log)
    heard = Heard()
    log.listen(heard)
    for _ in range(3):
        heard.calls.clear()
        assert log._watch is not None
        assert log._watch._connection is not None
        victim = log._watch._connection.get_server_pid()
        await maker.execute(log, "SELECT pg_terminate_backend($1)", victim)
        await heard.until(partial(was_told_to_look, heard))
        assert log._watch._connection.get_server_pid() != victim
    heard.calls.clear()
    await other.append(new_session(), 0, some(1))
    await heard.until(partial(was_told_to_look, heard))
    assert heard.rows == []


async def test_a_closed_log_hears_nothing(maker: PostgresMaker) -> None:
    log = await maker.make()
    other = await maker.second(log)
    witness = await maker.second(log)
    heard, seen = Heard(), Heard()
    log.listen(heard)
    witness.listen(seen)
    await log.close()
    await other.append(new_session(), 0, some(1))
    await seen.until(partial(was_told_to_look, seen))
    assert heard.calls == []


async def test_closing_while_the_server_is_gone_does_not_hang(maker: PostgresMaker) -> None:
    log = await maker.make()
    await log.append(new_session(), 0, some(1))
    await asyncio.to_thread(maker.server.stop, "immediate")
    async with asyncio.timeout(10):
        await log.close()
    assert log._watch is None
