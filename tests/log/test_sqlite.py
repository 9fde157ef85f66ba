"""What is particular to the log in a file; the contract runs in test_event_log."""

import asyncio
import subprocess
from pathlib import Path
from time import perf_counter

import pytest
from tests.contracts.event_log import Heard, read_all
from tests.contracts.facts import new_session, of_size, renamed, some
from tests.log.local_stores import SqliteMaker
from tests.log.writing_child import command, environment

from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.log import sqlite
from hearth.log.event_log import Lease, NotOwner, StoreDown
from hearth.log.sqlite import SqliteLog, new_owner_name


@pytest.mark.promise("SF-LOG-20")
async def test_a_first_run_needs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "not" / "yet" / "there" / "hearth.db"
    log = SqliteLog(path)
    with pytest.raises(StoreDown, match="not open"):
        await log.append(new_session(), 0, some(1))
    with pytest.raises(StoreDown, match="not open"):
        await log.head()
    await log.open()
    rows = await log.append(new_session(), 0, some(2))
    assert log.name == f"SQLite at {path}"
    await log.close()
    again = SqliteLog(path)
    await again.open()
    assert await read_all(again) == list(rows)
    await again.close()


async def test_nobody_else_may_read_any_of_it(tmp_path: Path) -> None:
    path = tmp_path / "home" / "hearth.db"
    log = SqliteLog(path)
    await log.open()
    await log.append(new_session(), 0, some(2))
    await log.blobs.put(b"content")
    await log.backup(str(tmp_path / "copy"))
    assert open_to_others(tmp_path / "home") == []
    assert path.parent.stat().st_mode & 0o077 == 0
    assert (tmp_path / "copy").stat().st_mode & 0o077 == 0
    await log.close()


def open_to_others(directory: Path) -> list[str]:
    files = [path for path in directory.rglob("*") if path.is_file()]
    assert len(files) >= 5
    return [path.name for path in files if path.stat().st_mode & 0o077]


async def test_a_network_drive_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "network_warning", lambda path: f"{path} is far away")
    log = SqliteLog(tmp_path / "hearth.db")
    await log.open()
    assert list(log.warnings) == [f"{tmp_path}/hearth.db is far away"]
    await log.close()


async def test_a_place_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    log = SqliteLog(tmp_path / "file" / "hearth.db")
    with pytest.raises(StoreDown, match=r"hearth\.db"):
        await log.open()
    await log.close()


@pytest.mark.promise("SF-LOG-17")
async def test_a_year_of_events_is_read_quickly(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    sessions = [new_session() for _ in range(36)]
    for session in sessions:
        await log.append(session, 0, [of_size(1000) for _ in range(1000)])
    last = await log.append(sessions[0], 1000, some(500))
    cursor = last[-1].seq - 100

    async def quickest(session: SessionId | None, types: list[str]) -> float:
        taken = []
        for _ in range(5):
            begun = perf_counter()
            rows = await log.read(cursor, session=session, types=types)
            taken.append(perf_counter() - begun)
            assert len(rows) == 100
        return min(taken)

    assert await quickest(None, []) < 0.05
    assert await quickest(sessions[0], []) < 0.05
    assert await quickest(None, ["session_renamed", "session_started"]) < 0.05
    assert await quickest(sessions[0], ["session_renamed"]) < 0.05


@pytest.mark.promise("SF-LOG-19")
async def test_another_process_is_followed(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    heard = Heard()
    log.listen(heard)
    own = await log.append(new_session(), 0, some(1))
    seen: list[Stored] = [*own]
    child = await asyncio.create_subprocess_exec(
        *command(sqlite_stores.path_of(log), 0, 5),
        env=environment(),
        stdout=subprocess.PIPE,
    )
    said, _ = await child.communicate()
    acks = said.decode().count("ack ")
    await heard.until(lambda: [] in heard.calls)
    while rows := await log.read(seen[-1].seq):
        seen += rows
    assert acks == len(seen) - 1 == 27
    assert heard.rows == list(own)


async def test_a_killed_owner_is_replaced_at_once(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    session = SessionId("session-a")
    child = await asyncio.create_subprocess_exec(
        *command(sqlite_stores.path_of(log), 0, 10**6),
        env=environment(),
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    while not (await child.stdout.readline()).startswith(b"ack session-a"):
        pass
    with pytest.raises(NotOwner) as caught:
        await log.claim(session)
    assert f"-{child.pid}-" in caught.value.owner
    child.kill()
    await child.communicate()
    lease = await log.claim(session)
    assert lease.generation == 2
    old = Lease(session, caught.value.owner, 1)
    version = len(await log.read_session(session, limit=10**6))
    with pytest.raises(NotOwner):
        await log.append(session, version, some(1), old)
    await log.append(session, version, some(1), lease)


async def test_a_lease_is_good_for_its_own_session_only(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    one, two = new_session(), new_session()
    lease = await log.claim(one)
    await log.claim(two)
    with pytest.raises(NotOwner):
        await log.append(two, 0, some(1), lease)
    assert await log.head() == 0


async def test_a_listener_that_fails_harms_nobody(sqlite_stores: SqliteMaker) -> None:
    log = await sqlite_stores.make()
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: told.append(what["message"]))

    def fail(_: object) -> None:
        raise ValueError

    heard = Heard()
    log.listen(fail)
    log.listen(heard)
    rows = await log.append(new_session(), 0, [renamed()])
    assert heard.rows == list(rows)
    assert told == ["a commit listener failed"]


async def test_who_listens_before_it_is_open_hears_others(tmp_path: Path) -> None:
    log, other = SqliteLog(tmp_path / "hearth.db"), SqliteLog(tmp_path / "hearth.db")
    heard = Heard()
    stop = log.listen(heard)
    await log.open()
    await other.open()
    await other.append(new_session(), 0, some(1))
    await heard.until(lambda: [] in heard.calls)
    assert heard.rows == []
    stop()
    await other.close()
    await log.close()


async def test_the_loop_runs_on_while_the_log_works(sqlite_stores: SqliteMaker) -> None:
    """Each of these takes many turns of the loop, none of them the whole time."""
    log = await sqlite_stores.make()
    session = new_session()
    turns = 0
    working = True

    async def count() -> None:
        nonlocal turns
        while working:
            turns += 1
            await asyncio.get_running_loop().run_in_executor(None, int)

    counting = asyncio.create_task(count())
    for version in range(0, 2000, 500):
        await log.append(session, version, some(500))
    await log.read(limit=10_000)
    await log.search("name")
    await log.check()
    working = False
    await counting
    assert turns > 20


def test_owners_have_names_of_their_own() -> None:
    names = {new_owner_name() for _ in range(50)}
    assert len(names) == 50
    assert not any("/" in name for name in names)
