import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.contracts.event_log import read_all
from tests.contracts.facts import new_session, renamed, some
from tests.log.local_stores import SqliteMaker

from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import EventLog, Snapshot
from hearth.log.sqlite_check import problem_of_row


def spoil(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount == 1


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE events SET id = 'other.0' WHERE seq = 2", "filed as other.0"),
        ("UPDATE events SET type = 'cell_started' WHERE seq = 2", "filed as cell_started"),
        ("DELETE FROM events WHERE seq = 1", "version 2 stands where 1 belongs"),
        ("UPDATE streams SET version = 9", "the head is (9, 3), the last row (3, 3)"),
        ("DELETE FROM streams", "the head is None, the last row (3, 3)"),
        ("INSERT INTO streams VALUES ('session-ghost', 1, 1)", "the last row None"),
        ("UPDATE events SET data = x'ff' WHERE seq = 2", "cannot be read"),
    ],
)
async def test_each_kind_of_damage_is_named_once(
    sqlite_stores: SqliteMaker, statement: str, problem: str
) -> None:
    log = await sqlite_stores.make()
    await log.append(SessionId("session-x"), 0, some(3))
    assert list(await log.check()) == []
    spoil(sqlite_stores.path_of(log), statement)
    findings = await log.check()
    assert len(findings) == 1
    assert problem in findings[0].problem
    assert findings[0].session in {"session-x", "session-ghost"}


async def test_damage_of_the_structure_is_found(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    await log.append(new_session(), 0, some(3))
    path = sqlite_stores.path_of(log)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, '(type,', '(session,')"
            " WHERE name = 'events_by_type'"
        )
    log = await sqlite_stores.reopen(log)
    findings = await log.check()
    assert findings
    assert {finding.session for finding in findings} == {""}


async def test_a_snapshot_ahead_of_its_session_is_dropped(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    good, bad, never = new_session(), new_session(), new_session()
    for session in (good, bad):
        await log.append(session, 0, some(2))
    for session, version in ((good, 2), (bad, 3), (never, 1)):
        await log.save_snapshot(Snapshot(session, version, version, "fold", b""))
    assert list(await log.check()) == []
    assert await log.load_snapshot(good) is not None
    assert await log.load_snapshot(bad) is None
    assert await log.load_snapshot(never) is None


def test_a_row_by_itself() -> None:
    draft = renamed()
    assert problem_of_row(draft.data, draft.id, draft.type) is None
    assert "says it is" in (problem_of_row(draft.data, "x", draft.type) or "")
    assert "is none" in (problem_of_row(draft.data, draft.id, "cell_started") or "")
    assert "cannot be read" in (problem_of_row(b"", draft.id, draft.type) or "")


@pytest.mark.promise("SF-LOG-22")
async def test_a_backup_has_no_owners_and_leaves_nothing_beside_it(
    sqlite_stores: SqliteMaker, tmp_path: Path
) -> None:
    log = await sqlite_stores.make()
    session = new_session()
    lease = await log.claim(session)
    rows = await log.append(session, 0, some(2), lease)
    target = tmp_path / "backups" / "today"
    await log.backup(str(target))
    assert names_in(target.parent) == ["today"]
    copy: EventLog = await sqlite_stores.restore(target)
    assert await read_all(copy) == list(rows)
    other = await copy.claim(session)
    assert other.generation > lease.generation
    await log.append(session, 2, some(1), lease)


async def test_a_backup_is_durable_before_it_has_its_name(
    sqlite_stores: SqliteMaker, tmp_path: Path, synced: list[Path]
) -> None:
    log = await sqlite_stores.make()
    blob = await log.blobs.put(b"content")
    synced.clear()
    await log.backup(str(tmp_path / "copy"))
    *parts, last = synced
    assert last == tmp_path
    below = tmp_path / "copy.partial"
    first, rest = blob.sha256[:2], blob.sha256[2:]
    wanted = {below, below / "hearth.db", below / "blobs" / first / rest, below / "blobs" / first}
    assert wanted <= set(parts)


async def test_a_backup_that_was_cut_off_is_made_anew(
    sqlite_stores: SqliteMaker, tmp_path: Path
) -> None:
    log = await sqlite_stores.make()
    rows = await log.append(new_session(), 0, some(2))
    (tmp_path / "copy.partial" / "blobs").mkdir(parents=True)
    (tmp_path / "copy.partial" / "hearth.db").write_text("half")
    await log.backup(str(tmp_path / "copy"))
    assert await read_all(await sqlite_stores.restore(tmp_path / "copy")) == list(rows)
    assert "copy.partial" not in names_in(tmp_path)


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())
