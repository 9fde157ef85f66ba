"""What is wrong with a log is found and named, each thing once."""

from collections.abc import AsyncIterator

import pytest
from tests.contracts.facts import new_session, renamed, some
from tests.log.postgres_server import PostgresMaker, making

from hearth.log import postgres_check
from hearth.log.event_log import Snapshot


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


async def test_a_row_that_vanished_leaves_a_gap(maker: PostgresMaker) -> None:
    log = await maker.make()
    session = new_session()
    rows = await log.append(session, 0, some(3))
    await log.append(new_session(), 0, some(3))
    await maker.execute(log, "DELETE FROM events WHERE seq = $1", rows[1].seq)
    findings = await log.check()
    assert [(one.session, one.seq) for one in findings] == [(session, rows[2].seq)]
    assert "version 3 where 2 belongs" in findings[0].problem


async def test_a_head_that_lies_is_named(maker: PostgresMaker) -> None:
    log = await maker.make()
    session = new_session()
    await log.append(session, 0, some(3))
    await maker.execute(log, "UPDATE streams SET version = 2")
    findings = await log.check()
    assert [(one.session, one.seq) for one in findings] == [(session, 3)]
    await maker.execute(log, "DELETE FROM streams")
    assert [(one.session, one.seq) for one in await log.check()] == [(session, 3)]
    await maker.execute(log, "INSERT INTO streams VALUES ('ghost', 7, 99)")
    assert [one.session for one in await log.check()] == [session, "ghost"]


async def test_a_counter_that_would_use_a_seq_twice_is_named(maker: PostgresMaker) -> None:
    log = await maker.make()
    await log.append(new_session(), 0, some(3))
    await maker.execute(log, "UPDATE counter SET last = 2")
    (finding,) = await log.check()
    assert (finding.session, finding.seq) == ("", 3)
    assert "counter" in finding.problem


async def test_a_row_with_anothers_content_is_named(maker: PostgresMaker) -> None:
    log = await maker.make()
    session = new_session()
    rows = await log.append(session, 0, some(2))
    stranger = renamed("stranger")
    await maker.execute(
        log, "UPDATE events SET data = $1 WHERE seq = $2", stranger.data, rows[0].seq
    )
    (finding,) = await log.check()
    assert (finding.session, finding.seq) == (session, rows[0].seq)
    assert stranger.id in finding.problem


async def test_snapshots_that_are_of_no_use_are_dropped(maker: PostgresMaker) -> None:
    log = await maker.make()
    good, bad, ahead = new_session(), new_session(), new_session()
    for session, version in ((good, 2), (bad, 2), (ahead, 3)):
        await log.append(session, 0, some(2))
        await log.save_snapshot(Snapshot(session, version, 1, "fold-1", b"state"))
    await maker.execute(log, "UPDATE snapshots SET data = 'stale' WHERE session = $1", bad)
    assert list(await log.check()) == []
    assert await log.load_snapshot(good) == Snapshot(good, 2, 1, "fold-1", b"state")
    assert await log.load_snapshot(bad) is None
    assert await log.load_snapshot(ahead) is None


async def test_every_row_of_a_long_log_is_looked_at(
    maker: PostgresMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_check, "_BATCH", 10)
    log = await maker.make()
    rows = await log.append(new_session(), 0, some(35))
    bad = [rows[place].seq for place in (0, 9, 10, 34)]
    for seq in bad:
        await maker.damage_row(log, seq)
    assert [one.seq for one in await log.check()] == bad
