"""One owner per session, by the server's clock, and late appends fail."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from tests.contracts.event_log import PATIENCE
from tests.contracts.facts import new_session, some
from tests.log.postgres_server import PostgresMaker, making, new_schema

from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import Lease, NotOwner, VersionConflict
from hearth.log.postgres import PostgresLog
from hearth.log.postgres_connection import Times

BRIEF = Times(ttl=1.0, renew_every=0.1)


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


async def claimed_in_the_end(log: PostgresLog, session: SessionId) -> tuple[Lease, int]:
    """Claim as soon as the owner's time has run out; how often it was refused."""
    refused = 0
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await log.claim(session), refused
            except NotOwner:
                refused += 1


async def pass_time(maker: PostgresMaker, seconds: float) -> None:
    """Ask the server for the time until it is so much later."""
    connection = await maker.connect("public")
    end = await connection.fetchval("SELECT clock_timestamp() + make_interval(secs => $1)", seconds)
    while await connection.fetchval("SELECT clock_timestamp() < $1", end):
        pass
    await connection.close()


@pytest.mark.promise("SF-LOG-19")
async def test_an_owner_that_died_is_replaced_when_its_time_is_over(maker: PostgresMaker) -> None:
    schema = new_schema()
    dead = await maker.on(schema, owner="dead", times=BRIEF)
    heir = await maker.on(schema, owner="heir", times=BRIEF)
    session = new_session()
    old = await dead.claim(session)
    await dead.append(session, 0, some(1), old)
    assert dead._watch is not None
    await dead._watch.close()
    new, refused = await claimed_in_the_end(heir, session)
    assert refused > 0, "it was taken while its owner still had time"
    assert new.generation > old.generation
    with pytest.raises(NotOwner) as caught:
        await dead.append(session, 1, some(1), old)
    assert caught.value.owner == "heir"
    assert len(await heir.append(session, 1, some(1), new)) == 1
    with pytest.raises(NotOwner):
        await dead.claim(session)


@pytest.mark.promise("SF-LOG-19")
async def test_an_owner_that_lives_keeps_its_sessions(maker: PostgresMaker) -> None:
    schema = new_schema()
    log = await maker.on(schema, owner="alive", times=BRIEF)
    other = await maker.on(schema, owner="greedy", times=BRIEF)
    session = new_session()
    lease = await log.claim(session)
    await pass_time(maker, 2 * BRIEF.ttl)
    with pytest.raises(NotOwner):
        await other.claim(session)
    assert await log.claim(session) == lease
    await log.append(session, 0, some(1), lease)


@pytest.mark.promise("SF-LOG-19")
async def test_the_same_home_started_anew_takes_its_sessions_at_once(maker: PostgresMaker) -> None:
    schema = new_schema()
    before = await maker.on(schema, owner="home")
    session = new_session()
    old = await before.claim(session)
    after = await maker.on(schema, owner="home")
    new = await after.claim(session)
    assert (new.owner, new.generation) == ("home", old.generation + 1)
    with pytest.raises(NotOwner):
        await before.append(session, 0, some(1), old)
    await after.append(session, 0, some(1), new)
    await before.release(old)
    await before.close()
    assert await after.claim(session) == new
    await after.append(session, 1, some(1), new)


@pytest.mark.promise("SF-LOG-19")
async def test_of_many_that_claim_at_once_one_wins(maker: PostgresMaker) -> None:
    schema = new_schema()
    logs = [await maker.on(schema, owner=f"owner-{number}") for number in range(6)]
    session = new_session()
    results = await asyncio.gather(
        *(log.claim(session) for log in logs for _ in range(3)), return_exceptions=True
    )
    leases = {one for one in results if isinstance(one, Lease)}
    assert len(leases) == 1
    refused = [one for one in results if isinstance(one, NotOwner)]
    assert len(refused) == 15
    assert {one.owner for one in refused} == {leases.pop().owner}


async def test_who_asks_in_vain_holds_nobody_up(maker: PostgresMaker) -> None:
    schema = new_schema()
    log = await maker.on(schema, owner="owner")
    other = await maker.on(schema, owner="other")
    session = new_session()
    lease = await log.claim(session)
    holder = await maker.connect(schema)
    async with holder.transaction(), asyncio.timeout(5):
        await holder.execute("SELECT last FROM counter FOR UPDATE")
        assert await log.claim(session) == lease
        with pytest.raises(NotOwner):
            await other.claim(session)
    await holder.close()


@pytest.mark.promise("SF-LOG-19")
async def test_no_append_slips_in_after_a_takeover(maker: PostgresMaker) -> None:
    schema = new_schema()
    session = new_session()
    winner: dict[int, int] = {}

    async def reign(log: PostgresLog) -> None:
        written = version = 0
        while written < 12:
            lease = await log.claim(session)
            with suppress(NotOwner):
                for _ in range(4):
                    try:
                        await log.append(session, version, some(1), lease)
                    except VersionConflict as conflict:
                        version = conflict.actual
                    else:
                        version += 1
                        written += 1
                        winner[version] = lease.generation

    # The same owner's name: each claim takes the session from the others at once.
    logs = [await maker.on(schema, owner="king") for _ in range(3)]
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(reign(log) for log in logs))
    generations = [winner[version] for version in sorted(winner)]
    assert sorted(winner) == list(range(1, len(winner) + 1))
    assert generations == sorted(generations), "an overtaken owner has appended"
    assert len(set(generations)) >= len(logs)


async def test_a_restart_of_the_server_robs_nobody(maker: PostgresMaker) -> None:
    schema = new_schema()
    times = Times(ttl=20.0, renew_every=60.0)
    log = await maker.on(schema, owner="alive", times=times)
    other = await maker.on(schema, owner="greedy", times=times)
    session = new_session()
    lease = await log.claim(session)
    await maker.execute(log, "UPDATE owners SET expires_at = now() - interval '1 minute'")
    maker.server.stop()
    maker.server.start()
    with pytest.raises(NotOwner):
        await other.claim(session)
    await log.append(session, 0, some(1), lease)


async def test_who_has_been_gone_for_long_is_forgotten(maker: PostgresMaker) -> None:
    schema = new_schema()
    log = await maker.on(schema, owner="alive")
    await maker.execute(log, "INSERT INTO owners VALUES ('x', 'ghost', now() - interval '2 days')")
    await maker.on(schema, owner="another")
    connection = await maker.connect(schema)
    owners = {row[0] for row in await connection.fetch("SELECT owner FROM owners")}
    await connection.close()
    assert owners == {"alive", "another"}


async def test_a_lease_outlives_the_removal_of_its_session(maker: PostgresMaker) -> None:
    log = await maker.make()
    session = new_session()
    old = await log.claim(session)
    await log.append(session, 0, some(1), old)
    await log.release(old)
    await log.remove(session)
    new = await log.claim(session)
    assert new.generation > old.generation
    with pytest.raises(NotOwner):
        await log.append(session, 0, some(1), old)
