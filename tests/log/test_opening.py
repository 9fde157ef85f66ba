"""Which store a URL names, and what is said about it."""

import asyncio
import logging
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.contracts.event_log import read_all
from tests.contracts.facts import new_session, some
from tests.log.postgres_server import PASSWORD, running_server

from hearth.log.event_log import StoreDown
from hearth.log.memory import MemoryLog
from hearth.log.opening import (
    UnknownStore,
    choose_log,
    open_log,
    owner_name,
    sqlite_path,
    startup_line,
)
from hearth.log.postgres import PostgresLog
from hearth.log.sqlite import SqliteLog

HOME = Path("/nowhere/home")


@pytest.mark.promise("SF-LOG-20")
async def test_without_a_url_a_file_in_home_is_made_and_kept(tmp_path: Path) -> None:
    home = tmp_path / "fresh" / "home"
    log = await open_log(None, home, "home")
    assert startup_line(log) == f"the log is SQLite at {home}/data/hearth.db"
    session = new_session()
    await log.append(session, 0, some(2))
    await log.close()
    log = await open_log(None, home, "home")
    assert [row.session for row in await read_all(log)] == [session, session]
    await log.close()


@pytest.mark.promise("SF-LOG-20")
async def test_an_explicit_url_is_used_instead(tmp_path: Path) -> None:
    place = tmp_path / "a b" / "log.db"
    log = await open_log(f"sqlite://{tmp_path}/a%20b/log.db", tmp_path / "home", "home")
    assert isinstance(log, SqliteLog)
    await log.close()
    assert await asyncio.to_thread(place.exists)
    assert not await asyncio.to_thread((tmp_path / "home").exists)
    memory = await open_log("memory:", tmp_path / "home", "home")
    assert isinstance(memory, MemoryLog)
    assert "memory" in startup_line(memory)
    await memory.close()
    assert not await asyncio.to_thread((tmp_path / "home").exists)


@pytest.mark.promise("SF-LOG-20", "SF-SEC-02")
async def test_postgresql_is_named_without_its_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = running_server()
    log = await open_log(server.url, tmp_path, "home")
    assert isinstance(log, PostgresLog)
    line = startup_line(log)
    assert line.startswith(f"the log is PostgreSQL at 127.0.0.1:{server.port}/postgres")
    assert PASSWORD not in line + repr(log) + caplog.text
    await log.close()


@pytest.mark.promise("SF-LOG-20", "SF-SEC-02")
async def test_a_store_that_cannot_be_reached_fails_at_once(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        url = f"postgresql://anna:{PASSWORD}@127.0.0.1:{port}/db"
        async with asyncio.timeout(10):
            with pytest.raises(StoreDown, match=f"127.0.0.1:{port}/db") as caught:
                await open_log(url, tmp_path / "home", "home")
    assert PASSWORD not in str(caught.value)
    # Nothing else was used in its place.
    assert not await asyncio.to_thread((tmp_path / "home").exists)
    blocked = tmp_path / "file"
    await asyncio.to_thread(blocked.write_text, "not a database")
    with pytest.raises(StoreDown, match="not a database"):
        await open_log(f"sqlite://{blocked}", tmp_path, "home")
    assert await asyncio.to_thread(blocked.read_text) == "not a database"


@pytest.mark.promise("SF-SEC-02")
@pytest.mark.parametrize(
    "url",
    [
        "",
        "hearth.db",
        "/absolute/hearth.db",
        "mysql://anna:sesame@host/db",
        "sqlite:",
        "sqlite://",
        "sqlite:///",
        "sqlite:relative.db",
        "sqlite://host/sesame.db",
        "sqlite:///a/b.db?mode=sesame",
        "sqlite://[sesame",
        "memory://sesame",
    ],
)
def test_a_url_that_names_no_store_is_explained(url: str) -> None:
    with pytest.raises(UnknownStore) as caught:
        choose_log(url, HOME, "home")
    assert "sqlite:///absolute/path" in str(caught.value)
    assert "sesame" not in str(caught.value)


def test_the_file_of_a_url() -> None:
    assert sqlite_path(None, HOME) == HOME / "data" / "hearth.db"
    assert sqlite_path("sqlite:///a/b/../c.db", HOME) == Path("/a/c.db")
    assert sqlite_path("SQLite:////a/c.db", HOME) == Path("/a/c.db")
    assert sqlite_path("memory:", HOME) is None
    assert sqlite_path("postgresql://host/db", HOME) is None


async def test_a_home_keeps_its_name_and_shares_it_with_no_copy(tmp_path: Path) -> None:
    first = await owner_name(tmp_path / "one")
    assert first == await owner_name(tmp_path / "one")
    assert first.startswith(socket.gethostname())
    assert first != await owner_name(tmp_path / "two")
    secret = await asyncio.to_thread((tmp_path / "one" / "owner").read_text)
    await asyncio.to_thread((tmp_path / "two" / "owner").write_text, secret)
    assert first != await owner_name(tmp_path / "two")
    assert secret not in first
    together = await asyncio.gather(*(owner_name(tmp_path / "many") for _ in range(8)))
    assert len(set(together)) == 1
    names = await asyncio.to_thread(lambda: [one.name for one in (tmp_path / "many").iterdir()])
    assert names == ["owner"]


def test_sqlite_needs_neither_the_driver_nor_its_modules() -> None:
    code = (
        "import sys; from pathlib import Path; from hearth.log.opening import choose_log;"
        "choose_log(None, Path('/nowhere'), 'me');"
        "print([m for m in sys.modules if 'asyncpg' in m or 'postgres' in m])"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter and words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
