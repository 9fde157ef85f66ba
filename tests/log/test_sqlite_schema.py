import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Barrier, Thread

import pytest
from tests.contracts.event_log import read_all
from tests.contracts.facts import new_session, some

from hearth.log import sqlite_schema
from hearth.log.event_log import NewerSchema, StoreDown
from hearth.log.sqlite import SqliteLog
from hearth.log.sqlite_schema import MIGRATIONS, Migration, connect, prepare

NEXT = Migration(MIGRATIONS[-1].version + 1, ("CREATE TABLE novelty (word TEXT)",))


def ask(path: Path, question: str) -> Sequence[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(question).fetchall()


def tables(path: Path) -> set[object]:
    return {name for (name,) in ask(path, "SELECT name FROM sqlite_schema")}


def test_the_steps_are_counted_from_one() -> None:
    assert [step.version for step in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


@pytest.mark.promise("SF-LOG-13", "SF-LOG-20")
def test_a_new_file_has_all_tables(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "hearth.db"
    prepare(path)
    assert {"events", "streams", "snapshots", "leases", "meta", "search"} <= tables(path)
    assert ask(path, "PRAGMA journal_mode") == [("wal",)]
    before = path.read_bytes()
    prepare(path)
    assert path.read_bytes() == before
    assert list(path.parent.glob("*.backup")) == []


def test_a_new_file_has_its_name_for_good(tmp_path: Path, synced: list[Path]) -> None:
    prepare(tmp_path / "hearth.db")
    assert synced == [tmp_path]
    prepare(tmp_path / "hearth.db")
    assert synced == [tmp_path]
    prepare(tmp_path / "hearth.db", [*MIGRATIONS, NEXT])
    assert synced == [tmp_path, tmp_path]


def test_a_connection_is_durable_and_waits(tmp_path: Path) -> None:
    prepare(tmp_path / "hearth.db")
    with closing(connect(tmp_path / "hearth.db")) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (10_000,)
    with (
        closing(connect(tmp_path / "hearth.db", query_only=True)) as connection,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        connection.execute("DELETE FROM events")


@pytest.mark.promise("SF-LOG-13")
async def test_an_older_file_is_copied_and_migrated(tmp_path: Path) -> None:
    path = tmp_path / "hearth.db"
    log = SqliteLog(path)
    await log.open()
    rows = await log.append(new_session(), 0, some(3))
    await log.close()
    prepare(path, [*MIGRATIONS, NEXT])
    assert "novelty" in tables(path)
    assert ask(path, "SELECT value FROM meta WHERE key = 'schema_version'") == [(NEXT.version,)]
    assert ask(path, "SELECT count(*) FROM events") == [(3,)]
    copy = tmp_path / f"hearth.db.v{MIGRATIONS[-1].version}.backup"
    assert "novelty" not in tables(copy)
    kept = SqliteLog(copy)
    await kept.open()
    assert await read_all(kept) == list(rows)
    await kept.close()


@pytest.mark.promise("SF-LOG-13")
async def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "hearth.db"
    prepare(path, [*MIGRATIONS, NEXT])
    before = path.read_bytes()
    log = SqliteLog(path)
    with pytest.raises(NewerSchema, match="newer hearth") as caught:
        await log.open()
    await log.close()
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert names_in(tmp_path) == ["hearth.db"]


def test_a_step_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "hearth.db"
    prepare(path)
    broken = NEXT._replace(statements=(*NEXT.statements, "CREATE NONSENSE"))
    with pytest.raises(sqlite3.OperationalError):
        prepare(path, [*MIGRATIONS, broken])
    assert "novelty" not in tables(path)
    prepare(path)


async def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "hearth.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    before = path.read_bytes()
    log = SqliteLog(path)
    with pytest.raises(StoreDown, match="another program"):
        await log.open()
    await log.close()
    assert path.read_bytes() == before


def test_many_may_create_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "hearth.db"
    barrier = Barrier(4)
    failed: list[Exception] = []

    def create() -> None:
        barrier.wait()
        try:
            prepare(path)
        except Exception as error:  # noqa: BLE001 - reported by the assertion below
            failed.append(error)

    threads = [Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert ask(path, "SELECT count(*) FROM meta WHERE key = 'schema_version'") == [(1,)]


def test_who_comes_while_another_is_at_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hearth.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waited: list[None] = []

        def rest() -> None:
            waited.append(None)
            if len(waited) == 3:
                other.execute("COMMIT")

        monkeypatch.setattr(sqlite_schema, "_rest", rest)
        prepare(path)
    assert len(waited) == 3
    assert ask(path, "PRAGMA journal_mode") == [("wal",)]
    assert "events" in tables(path)


def test_who_waits_for_another_does_not_wait_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hearth.db"
    monkeypatch.setattr(sqlite_schema, "BUSY_SECONDS", 0.0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            prepare(path)


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())
