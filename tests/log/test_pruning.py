"""Old sessions go into files when someone asks, and only then out of the log."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.contracts.event_log import StoreMaker, data_of
from tests.contracts.facts import NOON, draft_of, new_session, some
from tests.log.sessions import Life

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.codec import decode_fact
from hearth.core.vocabulary.commands import ForkPoint, SessionConfig
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import SessionStarted, SessionSwitched
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.log.archive import export_session, import_session
from hearth.log.archive_format import Archive
from hearth.log.event_log import EventLog, LogError
from hearth.log.memory import MemoryLog
from hearth.log.pruning import Kept, prune

QUARTER = timedelta(days=90)
NOW = NOON + timedelta(days=400)


async def lived(log: EventLog, ended: datetime) -> SessionId:
    """A session whose last event is of this time."""
    life = Life(new_session(), NOON)
    life.run("1+1")
    life.at = ended
    life.run("2+2")
    return await life.into(log)


async def sessions_of(log: EventLog) -> set[SessionId]:
    return {head.session for head in await log.heads()}


def files_in(directory: Path) -> list[Path]:
    return sorted(directory.iterdir()) if directory.exists() else []


@pytest.mark.promise("SF-LOG-16", "SF-LOG-23")
async def test_old_sessions_are_archived_then_removed(open_log: StoreMaker, tmp_path: Path) -> None:
    log = await open_log.make()
    old = await lived(log, NOW - QUARTER - timedelta(seconds=1))
    older = await lived(log, NOON)
    recent = await lived(log, NOW - QUARTER)
    await log.append(DAEMON_STREAM, 0, [draft_of(SessionSwitched(old))])
    rows = {one: await log.read_session(one) for one in (old, older)}
    archives = tmp_path / "archive"
    pruned = await prune(log, QUARTER, archives, NOW)
    assert {one.session for one in pruned.archived} == {old, older}
    assert not pruned.kept
    assert await sessions_of(log) == {recent, DAEMON_STREAM}
    assert not await log.read_session(old)
    assert files_in(archives) == sorted(one.path for one in pruned.archived)
    for one in pruned.archived:
        assert one.events == len(rows[one.session])
        assert Archive(one.path).header().session == one.session
        # What was removed can be had back under its own name.
        assert await import_session(log, one.path, one.session) == one.events
        assert len(await log.read_session(one.session)) == one.events
    assert not await log.check()


@pytest.mark.promise("SF-LOG-16")
async def test_nothing_expires_by_itself(open_log: StoreMaker, tmp_path: Path) -> None:
    log = await open_log.make()
    ancient = await lived(log, NOON)
    log = await open_log.reopen(log)
    assert len(await log.read_session(ancient)) == len(Life(new_session()).drafts) + 8
    assert await prune(log, timedelta(days=4000), tmp_path / "archive", NOW) == ((), ())
    assert await sessions_of(log) == {ancient}
    assert not files_in(tmp_path / "archive")


@pytest.mark.promise("SF-LOG-16")
async def test_a_session_that_another_runs_is_left_alone(
    open_log: StoreMaker, tmp_path: Path
) -> None:
    log = await open_log.make()
    theirs, free = await lived(log, NOON), await lived(log, NOON)
    other = await open_log.second(log)
    lease = await other.claim(theirs)
    before = data_of(await log.read_session(theirs))
    pruned = await prune(log, QUARTER, tmp_path / "archive", NOW)
    assert [one.session for one in pruned.archived] == [free]
    assert pruned.kept == (Kept(theirs, f"{theirs} is run by {lease.owner}"),)
    assert data_of(await log.read_session(theirs)) == before
    version = len(before)
    await other.append(theirs, version, some(1), lease)
    assert len(await log.read_session(theirs)) == version + 1


async def test_a_damaged_session_is_left_alone(open_log: StoreMaker, tmp_path: Path) -> None:
    log = await open_log.make()
    inside, last = await lived(log, NOON), await lived(log, NOON)
    await open_log.damage_row(log, (await log.read_session(inside))[3].seq)
    await open_log.damage_row(log, (await log.read_session(last))[-1].seq)
    pruned = await prune(log, QUARTER, tmp_path / "archive", NOW)
    assert not pruned.archived
    assert {one.session for one in pruned.kept} == {inside, last}
    assert "cannot be archived whole" in next(k.why for k in pruned.kept if k.session == inside)
    assert await sessions_of(log) == {inside, last}
    assert not files_in(tmp_path / "archive")
    # Nobody was left as their owner.
    other = await open_log.second(log)
    assert await other.claim(inside)


class Lively(MemoryLog):
    """Gets one more event while a session is being archived."""

    async def read_session(
        self, session: SessionId, after_version: int = 0, limit: int = 1000
    ) -> Sequence[Stored]:
        rows = await super().read_session(session, after_version, limit)
        if limit > 1 and rows and not after_version:
            await self.append(session, rows[-1].version, some(1))
        return rows


async def test_a_session_that_moves_on_is_left_alone(tmp_path: Path) -> None:
    log = Lively()
    await log.open()
    session = await lived(log, NOON)
    pruned = await prune(log, QUARTER, tmp_path / "archive", NOW)
    assert pruned == ((), (Kept(session, f"{session} is in use"),))
    assert await sessions_of(log) == {session}
    assert not files_in(tmp_path / "archive")


async def test_an_archive_that_is_not_what_was_written_saves_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = MemoryLog()
    await log.open()
    session = await lived(log, NOON)
    other = await lived(log, NOW)

    async def forged(
        log: EventLog, one: SessionId, target: Path, at: datetime
    ) -> tuple[Path, int, str]:
        written = await export_session(log, one, target, at)
        await asyncio.to_thread(target.unlink)
        await export_session(log, other, target, at)
        return written

    monkeypatch.setattr("hearth.log.pruning.export_session", forged)
    pruned = await prune(log, QUARTER, tmp_path / "archive", NOW)
    assert not pruned.archived
    assert pruned.kept[0].session == session
    assert "not what was written" in pruned.kept[0].why
    assert await sessions_of(log) == {session, other}


async def test_an_odd_id_makes_no_odd_path(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.open()
    life = Life(SessionId("../../etc/x y"), NOON)
    await life.into(log)
    (archived,) = (await prune(log, QUARTER, tmp_path / "archive", NOW)).archived
    assert files_in(tmp_path / "archive") == [archived.path]
    assert "/" not in archived.path.name
    assert Archive(archived.path).header().session == "../../etc/x y"


async def test_an_archive_that_cannot_be_written_removes_nothing(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.open()
    session = await lived(log, NOON)
    target = tmp_path / "file"
    await asyncio.to_thread(target.write_text, "")
    with pytest.raises(LogError, match="cannot be written"):
        await prune(log, QUARTER, target, NOW)
    assert await sessions_of(log) == {session}


async def forked(log: EventLog, source: SessionId, ended: datetime) -> SessionId:
    """A session that goes on from another, whose last event is of this time."""
    session = new_session()
    config = SessionConfig(forked_from=ForkPoint(source))
    began = draft_of(SessionStarted(config))
    fact = decode_fact(began.data)
    await log.append(session, 0, [codec.draft(replace(fact, at=ended))])
    return session


async def test_what_another_session_goes_on_from_stays_as_long_as_that_does(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.open()
    source, alone = await lived(log, NOON), await lived(log, NOON)
    fork = await forked(log, source, NOON)
    later = await forked(log, fork, NOW)
    pruned = await prune(log, QUARTER, tmp_path, NOW)
    assert [one.session for one in pruned.archived] == [alone]
    assert set(pruned.kept) == {
        Kept(source, f"{fork} goes on from it"),
        Kept(fork, f"{later} goes on from it"),
    }
    assert await sessions_of(log) == {source, fork, later}


async def test_if_all_are_old_all_go(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.open()
    source = await lived(log, NOON)
    fork = await forked(log, source, NOON)
    later = await forked(log, fork, NOON)
    pruned = await prune(log, QUARTER, tmp_path, NOW)
    assert [one.session for one in pruned.archived] == [later, fork, source]
    assert pruned.kept == ()
