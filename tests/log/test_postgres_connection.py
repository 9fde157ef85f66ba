"""Connections, and what is said when there are none."""

import asyncio
import socket
import sys
import traceback
from collections.abc import AsyncIterator

import pytest
from tests.contracts.facts import new_session, some
from tests.log.postgres_server import PASSWORD, PostgresMaker, making, new_schema

from hearth.log.event_log import StoreDown
from hearth.log.postgres import PostgresLog
from hearth.log.postgres_connection import Database, Times

HASTY = Times(patience=0.3)


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


@pytest.mark.promise("SF-SEC-02")
@pytest.mark.parametrize(
    ("part", "instead", "words"),
    [
        (PASSWORD, "wr0ng-secret", "password is wrong"),
        ("{port}/postgres", "{port}/nowhere", "no such database"),
        ("postgres:", "nobody:", "password is wrong"),
        ("127.0.0.1", "no-such-host.invalid", "host is not known"),
        (":{port}/", ":1/", "refused"),
    ],
)
async def test_a_door_that_stays_shut_is_named_without_the_key(
    maker: PostgresMaker,
    caplog: pytest.LogCaptureFixture,
    part: str,
    instead: str,
    words: str,
) -> None:
    port = maker.server.port
    url = maker.server.url.replace(part.format(port=port), instead.format(port=port), 1)
    log = PostgresLog(url, owner="home", schema=new_schema(), times=Times(patience=5))
    with pytest.raises(StoreDown, match=words) as caught:
        await log.open()
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(log) + log.name
    assert str(log._database.address) in str(caught.value)
    assert str(log._database.address) in log.name
    for secret in (PASSWORD, "wr0ng-secret"):
        assert secret not in shown
        assert secret not in repr(log._database)
    with pytest.raises(StoreDown, match="closed"):
        await log.append(new_session(), 0, some(1))
    await log.close()


@pytest.mark.promise("SF-SEC-02")
async def test_an_option_that_makes_no_sense_is_not_repeated(maker: PostgresMaker) -> None:
    log = PostgresLog(f"{maker.server.url}?sslmode={PASSWORD}", owner="home")
    with pytest.raises(StoreDown) as caught:
        await log.open()
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


async def test_a_server_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        log = PostgresLog(f"postgresql://u:p@127.0.0.1:{port}/log", owner="home", times=HASTY)
        with pytest.raises(StoreDown, match="in time"):
            await log.open()


async def test_a_server_that_comes_later_is_found(maker: PostgresMaker) -> None:
    maker.server.stop()
    log = PostgresLog(maker.server.url, owner="home", schema=new_schema())
    with pytest.raises(StoreDown, match="refused"):
        await log.open()
    maker.server.start()
    await log.open()
    assert len(await log.append(new_session(), 0, some(1))) == 1
    await log.close()


@pytest.mark.promise("SF-LOG-14")
async def test_a_read_survives_the_loss_of_its_connection(maker: PostgresMaker) -> None:
    log = await maker.make()
    rows = await log.append(new_session(), 0, some(3))
    for mode in ("fast", "immediate"):
        assert list(await log.read()) == list(rows)
        maker.server.stop(mode)
        with pytest.raises(StoreDown, match=str(maker.server.port)):
            await log.read()
        maker.server.start()
        assert list(await log.read()) == list(rows)


async def test_readers_do_not_wait_for_a_lock(maker: PostgresMaker) -> None:
    log = await maker.make()
    rows = await log.append(new_session(), 0, some(1))
    other = await maker.connect(log._database.schema)
    async with other.transaction():
        await other.execute("SELECT last FROM counter FOR UPDATE")
        async with asyncio.timeout(5):
            assert list(await log.read()) == list(rows)
            assert await log.head() == 1
    await other.close()


def test_without_the_driver_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(StoreDown, match=r"hearth\[postgres\]"):
        PostgresLog("postgresql://u:p@h/d", owner="home")


@pytest.mark.parametrize("schema", ["", "Hearth", 'a"b', "a;b", "1a", "a" * 41])
def test_a_schema_has_a_plain_name(schema: str) -> None:
    with pytest.raises(ValueError, match="schema"):
        Database("postgresql://u:p@h/d", schema, "home", patience=1)
