import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.contracts.facts import new_session, renamed, some
from tests.log.local_stores import SqliteMaker

from hearth.log import sqlite_search
from hearth.log.sqlite_search import CHUNK, IDLE_BACKLOG


def cursor(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("SELECT value FROM meta WHERE key = 'search_cursor'").fetchone()
    return int(row[0])


def indexed(path: Path, word: str) -> int:
    """How often the index itself knows a word, whatever rows there are."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT count(*) FROM search WHERE search MATCH ?", (word,))
        return int(found.fetchone()[0])


async def test_appends_do_not_touch_the_index(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    path = sqlite_stores.path_of(log)
    await log.append(new_session(), 0, some(IDLE_BACKLOG - 1))
    log = await sqlite_stores.reopen(log)
    assert cursor(path) == 0
    assert len(await log.search("name", limit=1000)) == IDLE_BACKLOG - 1
    assert cursor(path) == IDLE_BACKLOG - 1


async def test_a_long_backlog_is_caught_up_in_pieces(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    number = 2 * CHUNK + 1
    await log.append(new_session(), 0, [renamed(f"needle {place}") for place in range(number)])
    assert len(await log.search("needle", limit=10_000)) == number
    assert len(await log.search(f"needle {number - 1}")) == 1


async def test_an_idle_writer_catches_up_by_itself(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    path = sqlite_stores.path_of(log)
    await log.append(new_session(), 0, some(IDLE_BACKLOG + 50))
    async with asyncio.timeout(20):
        while cursor(path) < 100:
            await log.head()
    assert len(await log.search("name", limit=1000)) == IDLE_BACKLOG + 50


async def test_a_removed_session_leaves_no_word_behind(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    path = sqlite_stores.path_of(log)
    gone = new_session()
    await log.append(gone, 0, [renamed("secret one"), renamed("secret two")])
    await log.append(new_session(), 0, [renamed("open secret")])
    await log.search("secret")
    await log.append(gone, 2, [renamed("secret three")])
    assert indexed(path, "secret") == 3
    await log.remove(gone)
    assert indexed(path, "secret") == 1
    assert [hit.excerpt for hit in await log.search("secret")] == ["open secret"]


async def test_an_index_of_another_version_is_made_anew(
    sqlite_stores: SqliteMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = await sqlite_stores.make()
    path = sqlite_stores.path_of(log)
    await log.append(new_session(), 0, [renamed("needle")])
    assert len(await log.search("needle")) == 1
    monkeypatch.setattr(sqlite_search, "SEARCHABLE_VERSION", 99)
    monkeypatch.setattr(sqlite_search, "searchable_text", lambda _: "thread")
    assert len(await log.search("thread")) == 1
    assert await log.search("needle") == []
    assert indexed(path, "needle") == 0


async def test_check_makes_the_index_anew(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    path = sqlite_stores.path_of(log)
    await log.append(new_session(), 0, [renamed("needle")])
    await log.search("needle")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO search (search) VALUES ('delete-all')")
        connection.execute("INSERT INTO search (rowid, text) VALUES (77, 'phantom')")
    assert await log.search("needle") == []
    assert await log.search("phantom") == []
    assert list(await log.check()) == []
    assert len(await log.search("needle")) == 1
    assert indexed(path, "phantom") == 0


async def test_the_best_hit_comes_first(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    rows = await log.append(
        new_session(),
        0,
        [renamed("needle " + "hay " * 200), renamed("needle needle"), renamed("hay")],
    )
    hits = await log.search("needle")
    assert [hit.seq for hit in hits] == [rows[1].seq, rows[0].seq]
    assert await log.search("needle", limit=0) == []
