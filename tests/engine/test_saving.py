"""Facts are durable somewhere before anyone is answered, and end up in the log in order."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.contracts.facts import some
from tests.contracts.faulty_log import GONE, FaultyLog
from tests.contracts.manual_clock import ManualClock

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import StoreWarning
from hearth.engine.saving import WARN_EVERY, Saver
from hearth.log.event_log import Lease, LogError, StoreDown, VersionConflict
from hearth.log.memory import MemoryStore
from hearth.log.spool import Spool

S = SessionId("session-aaaaaa")
T = SessionId("session-bbbbbb")


class Heard:
    """Notes what the saver says."""

    def __init__(self) -> None:
        self.saved: list[Stored] = []
        self.lost: list[tuple[SessionId, LogError]] = []
        self.warnings: list[StoreWarning] = []
        self.is_back = asyncio.Event()

    def saved_at_last(self, session: SessionId, rows: Sequence[Stored]) -> None:
        assert {row.session for row in rows} == {session}
        self.saved += rows

    def cannot_be_saved(self, session: SessionId, error: LogError) -> None:
        self.lost.append((session, error))

    def lease_of(self, session: SessionId) -> Lease | None:
        assert session in {S, T}
        return None

    def warn(self, warning: StoreWarning) -> None:
        self.warnings.append(warning)
        if not warning.unsaved:
            self.is_back.set()


async def test_a_store_that_works_is_used_directly(tmp_path: Path) -> None:
    log, heard = FaultyLog(), Heard()
    await log.open()
    saver = Saver(log, Spool(tmp_path), ManualClock(), heard)
    rows = await saver.append(S, 0, some(2), None)
    assert [row.seq for row in rows] == [1, 2]
    assert (saver.unsaved, heard.warnings, heard.saved) == (0, [], [])


@pytest.mark.promise("SF-LOG-14", "SF-LOG-15")
async def test_what_could_not_be_saved_waits_on_disk_and_gets_its_place_in_order(
    tmp_path: Path,
) -> None:
    log, clock, heard = FaultyLog(), ManualClock(), Heard()
    await log.open()
    saver = Saver(log, Spool(tmp_path), clock, heard)
    drafts = [some(1) for _ in range(WARN_EVERY + 1)]
    log.down = True
    for version, batch in enumerate(drafts):
        (row,) = await saver.append((S, T)[version % 2], version // 2, batch, None)
        assert (row.seq, row.version) == (0, version // 2 + 1)
    assert saver.unsaved == len(drafts)
    assert [warning.unsaved for warning in heard.warnings] == [1, WARN_EVERY]
    assert all(GONE in warning.message for warning in heard.warnings)
    assert "live but unsaved" in heard.warnings[-1].message
    await clock.someone_waits()
    clock.pass_time(1)  # still down: tried in vain
    await clock.someone_waits()
    log.down = False
    clock.pass_time(60)
    await asyncio.wait_for(heard.is_back.wait(), 10)
    rows = await log.read()
    assert [row.data for row in rows] == [batch[0].data for batch in drafts]
    assert heard.saved == list(rows)
    assert saver.unsaved == 0
    (direct,) = await saver.append(S, len(drafts) // 2 + 1, some(1), None)
    assert direct.seq == len(drafts) + 1
    await saver.close()


async def test_an_append_whose_answer_was_lost_is_not_made_twice(tmp_path: Path) -> None:
    log, clock, heard = FaultyLog(), ManualClock(), Heard()
    await log.open()
    saver = Saver(log, Spool(tmp_path), clock, heard)
    log.lose_answer = True
    drafts = some(3)
    rows = await saver.append(S, 0, drafts, None)
    assert [row.seq for row in rows] == [0, 0, 0]
    await clock.someone_waits()
    clock.pass_time(60)
    await asyncio.wait_for(heard.is_back.wait(), 10)
    assert [row.data for row in await log.read()] == [draft.data for draft in drafts]
    await saver.close()


async def test_what_waited_is_appended_at_the_next_start(tmp_path: Path) -> None:
    store = MemoryStore()
    log = FaultyLog(store)
    await log.open()
    first = Saver(log, spool := Spool(tmp_path), ManualClock(), Heard())
    log.down = True
    drafts = some(2)
    await first.append(S, 0, drafts, None)
    await first.close()
    spool.close()
    log.down, heard = False, Heard()
    second = Saver(log, Spool(tmp_path), ManualClock(), heard)
    assert second.unsaved == 2
    await second.flush()
    assert [row.data for row in await log.read()] == [draft.data for draft in drafts]
    assert second.unsaved == 0


async def test_facts_that_no_longer_fit_stay_on_disk_and_the_others_go_on(tmp_path: Path) -> None:
    log, heard = FaultyLog(), Heard()
    await log.open()
    saver = Saver(log, Spool(tmp_path), ManualClock(), heard)
    log.down = True
    await saver.append(S, 0, some(1), None)
    await saver.append(T, 0, some(1), None)
    log.down = False
    await log.append(S, 0, some(1))  # someone else was there first
    await saver.flush()
    ((session, error),) = heard.lost
    assert session == S
    assert isinstance(error, VersionConflict)
    assert [row.session for row in await log.read()] == [S, T]
    assert saver.unsaved == 1
    await saver.close()


async def test_with_no_place_to_wait_the_caller_hears_it() -> None:
    log = FaultyLog()
    await log.open()
    saver = Saver(log, None, ManualClock(), Heard())
    log.down = True
    with pytest.raises(StoreDown, match=GONE):
        await saver.append(S, 0, some(1), None)
    log.down = False
    assert await saver.append(S, 0, some(1), None)


@pytest.mark.promise("SF-LOG-15")
async def test_each_hundred_is_told_once_however_many_wait_at_once(tmp_path: Path) -> None:
    log, clock, heard = FaultyLog(), ManualClock(), Heard()
    await log.open()
    saver = Saver(log, Spool(tmp_path), clock, heard)
    for outage in range(2):
        log.down = True
        for version in range(WARN_EVERY):
            at = version + outage * WARN_EVERY
            await asyncio.gather(*(saver.append(s, at, some(1), None) for s in (S, T)))
        first, hundred, two_hundred = heard.warnings
        assert first.unsaved < hundred.unsaved < two_hundred.unsaved == 2 * WARN_EVERY
        log.down = False
        await clock.someone_waits()
        clock.pass_time(60)
        await asyncio.wait_for(heard.is_back.wait(), 10)
        heard.warnings.clear()
        heard.is_back.clear()
    await saver.close()


class Counting(FaultyLog):
    """Knows how many appends were under way at once; goes away in the middle of the n-th."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.under_way = self.most = 0
        self.left = last

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        self.left -= not self.down
        try:
            if not self.left:
                raise StoreDown(GONE)
            return await super().append(session, expected_version, drafts, lease)
        finally:
            self.under_way -= 1


@pytest.mark.promise("SF-LOG-15")
async def test_what_waits_is_appended_together_and_in_order(tmp_path: Path) -> None:
    log, heard = Counting(last=100), Heard()
    await log.open()
    saver = Saver(log, Spool(tmp_path), ManualClock(), heard)
    log.down = True
    drafts = [some(1) for _ in range(300)]
    for version, batch in enumerate(drafts):
        await saver.append((S, T)[version % 2], version // 2, batch, None)
    log.down = False
    with pytest.raises(StoreDown):
        await saver.flush()
    assert 0 < saver.unsaved < 300
    await saver.flush()
    rows = await log.read()
    assert log.most > 10
    assert (saver.unsaved, heard.lost, len(rows)) == (0, [], 300)
    assert {row.data for row in rows} == {batch[0].data for batch in drafts}
    for session, mine in ((S, drafts[::2]), (T, drafts[1::2])):
        stream = await log.read_session(session)
        assert [row.data for row in stream] == [batch[0].data for batch in mine]
    assert sorted(row.seq for row in heard.saved) == [row.seq for row in rows]
    await saver.close()
