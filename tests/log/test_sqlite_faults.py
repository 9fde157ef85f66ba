"""What the SQLite log survives: real processes, killed and starved at every point."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from tests.contracts.event_log import assert_sound, read_all
from tests.contracts.facts import new_session, some
from tests.log.writing_child import command, environment

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import CorruptRow, StoreDown
from hearth.log.sqlite import SqliteLog

KILLS = 100

Ack = tuple[str, int, str]


def acks_of(lines: Sequence[str]) -> list[Ack]:
    found = [line.split() for line in lines if line.startswith("ack ")]
    return [(session, int(version), id_) for _, session, version, id_ in found]


def failures_of(lines: Sequence[str]) -> list[str]:
    return [line.removeprefix("fail ") for line in lines if line.startswith("fail ")]


def under_strace(database: Path, limit: int, *options: str, calls: str = os.devnull) -> list[str]:
    """The lines the child said while strace did to it what the options say."""
    strace = shutil.which("strace")
    assert strace, "strace is missing: run `make` as root, or install the Debian package strace"
    ran = subprocess.run(  # noqa: S603 - our own program
        [strace, "-f", "-qqq", "-o", calls, *options, *command(database, 0, limit)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "strace:" not in ran.stderr, ran.stderr
    return ran.stdout.splitlines()


@asynccontextmanager
async def opened(database: Path) -> AsyncIterator[SqliteLog]:
    log = SqliteLog(database)
    await log.open()
    try:
        yield log
    finally:
        await log.close()


def assert_kept(rows: Sequence[Stored], acks: Sequence[Ack]) -> None:
    """Every acknowledged event is there, once, where it was said to be; the log is sound."""
    assert_sound(rows)
    ids = [codec.decode_fact(row.data).id for row in rows]
    assert len(set(ids)) == len(ids)
    places = {(row.session, row.version, id_) for row, id_ in zip(rows, ids, strict=True)}
    missing = [ack for ack in acks if ack not in places]
    assert missing == []


async def assert_sound_after(database: Path, acks: Sequence[Ack]) -> list[Stored]:
    """And it goes on: a session of the dead can be claimed and written at once."""
    async with opened(database) as log:
        rows = await read_all(log)
        assert_kept(rows, acks)
        assert list(await log.check()) == []
        session = SessionId("session-a")
        lease = await log.claim(session)
        version = len(await log.read_session(session, limit=10**6))
        await log.append(session, version, some(1), lease)
    return rows


@pytest.mark.slow
@pytest.mark.timeout(580)  # a hundred programs, one after the other, beside whatever else runs
@pytest.mark.promise("SF-LOG-08", "SF-LOG-10", "SF-LOG-21")
async def test_a_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    database = tmp_path / "hearth.db"
    random = Random(7)  # noqa: S311 - chooses when to kill
    acks: list[Ack] = []
    for turn in range(KILLS):
        wanted = random.choice([0, 1, 2, 3, 5, 8, 20, 60])
        with subprocess.Popen(  # noqa: ASYNC220, S603 - our own program; nothing else runs here
            command(database, turn, 10**6), env=environment(), stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            lines = [line for _, line in zip(range(wanted), child.stdout, strict=False)]
            child.kill()
            lines += child.stdout.readlines()
        acks += acks_of([line for line in lines if line.endswith("\n")])
        assert failures_of(lines) == []
    assert len(acks) > KILLS
    rows = await assert_sound_after(database, acks)
    written = {(row.session, row.version) for row in rows}
    assert len(written) >= len(acks)


@pytest.mark.slow
@pytest.mark.promise("SF-LOG-10")
async def test_a_kill_at_every_sync_loses_nothing(tmp_path: Path) -> None:
    acknowledged: list[int] = []
    lines: list[str] = []
    while "done" not in lines:
        number = len(acknowledged) + 1
        assert number < 100
        database = tmp_path / str(number) / "hearth.db"
        lines = under_strace(
            database,
            2,
            *("-e", "trace=fsync,fdatasync"),
            *("-e", f"inject=fsync,fdatasync:signal=KILL:when={number}"),
        )
        acks = acks_of(lines)
        await assert_sound_after(database, acks)
        acknowledged.append(len({id_.split(".")[0] for _, _, id_ in acks}))
    assert len(acknowledged) > 5
    # Nothing was acknowledged before the first syncs, and everything only after enough of them.
    assert acknowledged[:2] == [0, 0]
    assert acknowledged == sorted(acknowledged)
    assert acknowledged[-1] == 6


FAULTS = [
    ("pwrite64", "ENOSPC", "full"),
    ("pwrite64", "EIO", "reported an error"),
    ("pwrite64", "EROFS", "reported an error"),
    ("fdatasync", "EIO", "reported an error"),
]


@pytest.mark.promise("SF-LOG-10")
@pytest.mark.parametrize(("call", "error", "sentence"), FAULTS)
async def test_a_fault_of_the_disk_is_told_and_outlived(
    tmp_path: Path, call: str, error: str, sentence: str
) -> None:
    database = tmp_path / "hearth.db"
    async with opened(database) as log:
        before = await log.append(new_session(), 0, some(3))
    lines = under_strace(
        database,
        8,
        *("-P", f"{database}-wal", "-e", f"trace={call}"),
        *("-e", f"inject={call}:error={error}:when=5..7"),
    )
    failures = failures_of(lines)
    assert failures, "the fault was never met"
    for failure in failures:
        assert failure.startswith("StoreDown ")
        assert sentence in failure
        assert str(database) in failure
    assert lines[-1] == "done", "the writer did not recover"
    acks = acks_of(lines)
    assert len({id_.split(".")[0] for _, _, id_ in acks}) == 24, "an append was never acknowledged"
    rows = await assert_sound_after(database, acks)
    assert rows[: len(before)] == list(before)
    assert len(rows) == len(before) + len(acks)


async def test_after_a_failed_sync_nothing_is_acknowledged_before_all_is_safe(
    tmp_path: Path,
) -> None:
    database, calls = tmp_path / "hearth.db", tmp_path / "calls"
    async with opened(database) as log:
        await log.append(new_session(), 0, some(3))
    under_strace(
        database,
        4,
        *("-y", "-e", "trace=fdatasync,write", "-e", "inject=fdatasync:error=EIO:when=4"),
        calls=str(calls),
    )
    made = calls.read_text().splitlines()
    failed = next(place for place, call in enumerate(made) if '"fail ' in call)
    answered = next(place for place, call in enumerate(made) if '"ack ' in call and place > failed)
    # The system forgets a failed sync: only the main file, written and synced anew, is proof.
    assert any(f"<{database}>" in call for call in made[failed - 2 : answered])
    assert not any(f"<{database}>" in call for call in made[: failed - 2])


async def killed_while_writing(database: Path) -> list[Ack]:
    """A file as a killed process leaves it: with rows in the write-ahead log only."""
    with subprocess.Popen(  # noqa: ASYNC220, S603 - our own program; nothing else runs here
        command(database, 0, 10**6), env=environment(), stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        lines = [line for _, line in zip(range(30), child.stdout, strict=False)]
        child.kill()
        lines += child.stdout.readlines()
    return acks_of([line for line in lines if line.endswith("\n")])


async def test_garbage_behind_the_last_commit_is_ignored(tmp_path: Path) -> None:
    database = tmp_path / "hearth.db"
    acks = await killed_while_writing(database)
    wal = tmp_path / "hearth.db-wal"
    frames = wal.read_bytes()
    wal.write_bytes(frames + frames[32 : 32 + 24 + 1000] + Random(3).randbytes(5000))  # noqa: S311 - noise
    await assert_sound_after(database, acks)


async def test_a_torn_last_commit_takes_nothing_else_along(tmp_path: Path) -> None:
    database = tmp_path / "hearth.db"
    acks = await killed_while_writing(database)
    wal = tmp_path / "hearth.db-wal"
    whole = shutil.copytree(tmp_path, tmp_path / "whole") / database.name
    os.truncate(wal, wal.stat().st_size - 2000)
    everything = await assert_sound_after(whole, acks)
    rows = await assert_sound_after(database, [])
    assert rows == everything[: len(rows)]
    assert len(rows) >= len(everything) - 12, "more than one commit is gone"


@pytest.mark.promise("SF-LOG-10")
async def test_a_flipped_bit_concerns_one_session(tmp_path: Path) -> None:
    database = tmp_path / "hearth.db"
    bad, good = new_session(), new_session()
    async with opened(database) as log:
        rows = await log.append(bad, 0, some(3))
        fine = await log.append(good, 0, some(3))
        with sqlite3.connect(database) as connection:
            flipped = bytes([rows[1].data[0] ^ 1]) + rows[1].data[1:]
            connection.execute("UPDATE events SET data = ? WHERE seq = ?", (flipped, rows[1].seq))
        connection.close()
        (finding,) = await log.check()
        assert (finding.session, finding.seq) == (bad, rows[1].seq)
        assert list(await log.read_session(good)) == list(fine)
        await log.append(good, 3, some(1))
        await log.append(bad, 3, some(1))
        with pytest.raises(codec.Unreadable):
            codec.decode_fact((await log.read_session(bad))[1].data)


async def test_a_damaged_page_is_told_and_not_taken_for_rows(tmp_path: Path) -> None:
    database = tmp_path / "hearth.db"
    async with opened(database) as log:
        await log.append(new_session(), 0, some(400))
    content = bytearray(database.read_bytes())
    # A leaf of the table, somewhere in the middle: the header says how to read it.
    middle = next(
        place
        for place in range(len(content) // 2 // 4096 * 4096, len(content), 4096)
        if content[place] == 0x0D and b"session_renamed" in content[place : place + 4096]
    )
    content[middle : middle + 2000] = b"\xff" * 2000
    database.write_bytes(content)
    async with opened(database) as log:
        with pytest.raises(CorruptRow, match=r"hearth\.db"):
            await log.read()
        findings = await log.check()
        assert findings
        assert findings[0].session == ""
        assert len(await log.heads()) == 1


@pytest.mark.parametrize("content", [b"this is not a database " * 500, b"SQLite format 3\0" * 300])
async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    database = tmp_path / "hearth.db"
    database.write_bytes(content)
    log = SqliteLog(database)
    with pytest.raises(StoreDown, match=r"hearth\.db is not a database"):
        await log.open()
    await log.close()
    assert database.read_bytes() == content
    assert names_in(tmp_path) == ["hearth.db"]


@pytest.mark.parametrize("directory_mode", [0o777, 0o555])
async def test_a_read_only_file_is_told_when_it_is_opened(directory_mode: int) -> None:
    with TemporaryDirectory() as name:  # Not below tmp_path, where only its owner may go.
        database = Path(name) / "hearth.db"
        async with opened(database) as log:
            rows = await log.append(new_session(), 0, some(2))
        with read_only(database, directory_mode):
            log = SqliteLog(database)
            with pytest.raises(StoreDown, match=r"hearth\.db is read-only"):
                await log.open()
            await log.close()
            assert not [side for side in names_in(Path(name)) if side.endswith(("-wal", "-shm"))]
        async with opened(database) as log:
            assert await read_all(log) == list(rows)
            await log.append(rows[0].session, 2, some(1))


async def test_a_really_full_disk_is_told_and_outlived(tmp_path: Path) -> None:
    database = tmp_path / "place" / "hearth.db"
    with mounted(database.parent) as limited:
        filler = database.parent / "filler"
        async with opened(database) as log:
            session = new_session()
            rows = list(await log.append(session, 0, some(2)))
            if not limited:
                return  # Only root may mount; the same fault is injected above for everybody.
            fill_disk(filler)
            drafts = some(200)

            async def append_one_by_one() -> None:
                for place in range(200):
                    rows.extend(await log.append(session, len(rows), drafts[place : place + 1]))

            with pytest.raises(StoreDown, match="full"):
                await append_one_by_one()
            assert await read_all(log) == rows
            filler.unlink()
            place = len(rows) - 2
            rows += await log.append(session, len(rows), drafts[place:])
            assert await read_all(log) == rows
            assert list(await log.check()) == []
            assert len(rows) == 202


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def fill_disk(filler: Path) -> None:
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass


@contextmanager
def mounted(directory: Path) -> Iterator[bool]:
    """Where one may mount, a small file system of its own, else a directory; which is given."""
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(directory)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:  # noqa: S603 - ours
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)  # noqa: S603, S607 - ours


@contextmanager
def read_only(database: Path, directory_mode: int) -> Iterator[None]:
    """As somebody who may not write the file; modes do not bind root, so root becomes another."""
    database.chmod(0o444)
    database.parent.chmod(directory_mode)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)
        database.parent.chmod(0o700)
        database.chmod(0o600)
