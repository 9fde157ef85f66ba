"""The log as a whole on PostgreSQL: what the contract suite does not ask of every store."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import asyncpg
import pytest
from tests.contracts.event_log import assert_sound, data_of, read_all
from tests.contracts.facts import new_session, some
from tests.log.postgres_server import PASSWORD, PostgresMaker, making, new_schema

from hearth.core.vocabulary.envelope import Stored
from hearth.log.event_log import Snapshot, StoreDown
from hearth.log.postgres import PostgresLog


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


@pytest.mark.promise("SF-LOG-08", "SF-LOG-19")
async def test_commit_order_is_seq_order_for_every_reader(maker: PostgresMaker) -> None:
    log = await maker.make()
    logs = [log, *[await maker.second(log) for _ in range(3)]]

    async def write(through: PostgresLog) -> None:
        session = new_session()
        for version in range(0, 60, 3):
            await through.append(session, version, some(3))

    async def follow(connection: "asyncpg.Connection[asyncpg.Record]") -> list[int]:
        seen: list[int] = []
        while not writing.done() or len(seen) < 720:
            rows = await connection.fetch(
                "SELECT seq FROM events WHERE seq > $1 ORDER BY seq", seen[-1] if seen else 0
            )
            seen += [row[0] for row in rows]
        return seen

    readers = [await maker.connect(log._database.schema) for _ in range(2)]
    writing = asyncio.gather(*(write(through) for through in logs for _ in range(3)))
    async with asyncio.timeout(30):
        followed = await asyncio.gather(*(follow(reader) for reader in readers))
    for seen in followed:
        assert seen == list(range(1, 721)), "a reader was overtaken, or seq has a gap"
    for reader in readers:
        await reader.close()
    assert_sound(await read_all(log))


@pytest.mark.promise("SF-LOG-21", "SF-LOG-20")
@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_everything_is_there_after_the_server_went_down(
    maker: PostgresMaker, mode: str
) -> None:
    log = await maker.make()
    session = new_session()
    drafts = some(20)
    rows = await log.append(session, 0, drafts)
    blob = await log.blobs.put(b"content")
    maker.server.stop(mode)
    maker.server.start()
    assert await read_all(log) == list(rows)
    assert data_of(rows) == data_of(drafts)
    assert await log.blobs.get(blob.sha256) == b"content"
    more = await log.append(session, 20, some(1))
    assert (more[0].seq, more[0].version) == (21, 21)
    assert list(await log.check()) == []


@pytest.mark.promise("SF-SEC-02", "SF-LOG-20")
async def test_the_name_says_where_without_the_key(maker: PostgresMaker) -> None:
    log = await maker.make()
    assert log.name.startswith(f"PostgreSQL at 127.0.0.1:{maker.server.port}/postgres")
    for shown in (log.name, repr(log), repr(log.blobs), repr(log._database), str(vars(log))):
        assert PASSWORD not in shown


async def test_a_socket_is_as_good_as_a_port(maker: PostgresMaker) -> None:
    log = PostgresLog(maker.server.socket_url, owner="home", schema=new_schema())
    await log.open()
    await log.open()
    assert len(await log.append(new_session(), 0, some(1))) == 1
    assert str(maker.server.data) in log.name
    await log.close()


async def test_speed_is_never_preferred_to_durability(maker: PostgresMaker) -> None:
    server = await maker.connect("public")
    await server.execute("ALTER ROLE postgres SET synchronous_commit = off")
    try:
        log = await maker.make()
        assert log._appender is not None
        writer = await log._appender._connected()
        assert await writer.fetchval("SHOW synchronous_commit") == "on"
        assert (await log._fetch("SHOW synchronous_commit"))[0][0] == "on"
    finally:
        await server.execute("ALTER ROLE postgres RESET synchronous_commit")
        await server.close()


async def test_a_server_that_may_forget_is_warned_of(maker: PostgresMaker) -> None:
    maker.server.stop()
    maker.server.start("fsync=off", "full_page_writes=off")
    try:
        log = await maker.make()
        assert len(log.warnings) == 2
        assert any("fsync" in warning for warning in log.warnings)
        await log.close()
    finally:
        maker.server.stop()
        maker.server.start()
    assert list((await maker.make()).warnings) == []


async def test_a_log_can_be_opened_again(maker: PostgresMaker) -> None:
    log = await maker.make()
    rows = await log.append(new_session(), 0, some(1))
    await log.close()
    with pytest.raises(StoreDown):
        await log.claim(new_session())
    await log.open()
    assert await read_all(log) == list(rows)
    await log.close()


async def test_a_damaged_snapshot_is_not_given(maker: PostgresMaker) -> None:
    log = await maker.make()
    session = new_session()
    await log.save_snapshot(Snapshot(session, 3, 3, "fold-1", b"state"))
    await maker.execute(log, "UPDATE snapshots SET data = 'stale'")
    assert await log.load_snapshot(session) is None
    newer = Snapshot(session, 3, 3, "fold-1", b"state")
    await log.save_snapshot(newer)
    assert await log.load_snapshot(session) == newer


async def test_ids_of_any_letters_are_kept(maker: PostgresMaker) -> None:
    log = await maker.make()
    session = new_session("größe-🦀-' \\ \n")
    (row,) = await log.append(session, 0, some(1))
    assert list(await log.read_session(session)) == [row]
    assert isinstance(row, Stored)
    with pytest.raises(StoreDown):
        await log.append(new_session("nul\0"), 0, some(1))
    assert len(await log.read()) == 1


async def test_logs_in_two_schemas_do_not_meet(maker: PostgresMaker) -> None:
    one, two = await maker.make(), await maker.make()
    session = new_session()
    await one.append(session, 0, some(2))
    await one.claim(session)
    assert await two.head() == 0
    assert list(await two.search("name")) == []
    assert (await two.claim(session)).generation == 1
    assert (await two.append(session, 0, some(1)))[0].seq == 1


@pytest.mark.promise("SF-LOG-17")
async def test_a_years_events_are_read_quickly(maker: PostgresMaker) -> None:
    log = await maker.make()
    session = new_session()
    await log.append(session, 0, some(1))
    await maker.execute(
        log,
        "INSERT INTO events SELECT n, 'session-' || n % 50, n, n::text, 'cell_finished',"
        " decode(repeat('20', 1000), 'hex') FROM generate_series(2, 36500) AS n;"
        " UPDATE counter SET last = 36500; ANALYZE events",
    )
    await log.read(36_400)
    loop = asyncio.get_running_loop()
    questions: list[Callable[[], Awaitable[Sequence[Stored]]]] = [
        lambda: log.read(36_400),
        lambda: log.read(36_000, session=session),
        lambda: log.read(30_000, types=["session_ready"]),
        lambda: log.read_session(session, 1),
    ]
    for question in questions:
        times = []
        for _ in range(7):
            begun = loop.time()
            await question()
            times.append(loop.time() - begun)
        assert sorted(times)[3] < 0.05


@pytest.mark.promise("SF-LOG-20")
def test_the_compose_file_offers_the_server_this_log_is_for() -> None:
    text = (Path(__file__).parents[2] / "compose.yml").read_text()
    settings = [line.partition("#")[0].rstrip() for line in text.splitlines()]
    assert "    image: postgres:17" in settings
    assert "      - hearth-log:/var/lib/postgresql/data" in settings
    assert settings[-2:] == ["volumes:", "  hearth-log:"]
    assert any("127.0.0.1:" in line for line in settings), "it listens to the whole network"
    assert not any("POSTGRES_PASSWORD: h" in line for line in settings)
