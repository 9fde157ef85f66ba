"""Commits reach every follower in order and without a gap, whoever made them."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.contracts.facts import some
from tests.contracts.faulty_log import FaultyLog
from tests.contracts.manual_clock import ManualClock

from hearth.api import Item, Shown
from hearth.core.vocabulary.codec import decode_envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import EventUnsaved, WarmUpStep
from hearth.engine.follower import Follower
from hearth.engine.subscribers import Subscribers
from hearth.log.event_log import StoreDown
from hearth.log.memory import MemoryLog, MemoryStore

S = SessionId("session-aaaaaa")
T = SessionId("session-bbbbbb")


async def seqs(follower: Follower, number: int) -> list[int]:
    seen: list[Item] = []
    async with asyncio.timeout(10):
        while sum(isinstance(item, Stored) for item in seen) < number:
            seen += await follower.batch()
    return [item.seq for item in seen if isinstance(item, Stored)]


async def test_views_are_told_before_any_follower() -> None:
    log, told = MemoryLog(), list[int]()
    await log.open()
    subscribers = Subscribers(log, ManualClock(), lambda row: told.append(row.seq))
    await subscribers.open()
    follower = subscribers.follow(S, None)
    await log.append(S, 0, some(2))
    assert told == [1, 2]
    assert await seqs(follower, 2) == [1, 2]
    await subscribers.close()


async def test_what_another_process_wrote_in_between_is_not_skipped() -> None:
    store = MemoryStore()
    ours, theirs = MemoryLog(store), MemoryLog(store)
    await ours.open()
    await theirs.open()
    subscribers = Subscribers(ours, ManualClock())
    await subscribers.open()
    everything, one = subscribers.follow(None, 0), subscribers.follow(S, 0)
    for version in range(20):
        await asyncio.gather(ours.append(S, version, some(1)), theirs.append(T, version, some(1)))
    assert await seqs(everything, 40) == list(range(1, 41))
    mine = await seqs(one, 20)
    assert mine == sorted(set(mine))
    await subscribers.close()


async def test_reading_what_others_wrote_is_tried_again_when_the_store_is_down() -> None:
    store, clock = MemoryStore(), ManualClock()
    ours, theirs = FaultyLog(store), MemoryLog(store)
    await ours.open()
    await theirs.open()
    subscribers = Subscribers(ours, clock)
    await subscribers.open()
    follower = subscribers.follow(None, None)
    ours.down = True
    await theirs.append(T, 0, some(1))
    await clock.someone_waits()
    ours.down = False
    clock.pass_time(10)
    assert await seqs(follower, 1) == [1]
    await subscribers.close()


async def test_progress_reaches_those_who_follow_the_session_or_all() -> None:
    log = MemoryLog()
    await log.open()
    subscribers = Subscribers(log, ManualClock())
    await subscribers.open()
    one, other, every = (
        subscribers.follow(S, None),
        subscribers.follow(T, None),
        subscribers.follow(None, None),
    )
    subscribers.show(S, WarmUpStep("x"))
    assert len(await one.batch()) == len(await every.batch()) == 1
    assert len(other._progress) == 0
    await subscribers.close()


async def test_a_closed_stream_leaves_nothing_behind() -> None:
    log = MemoryLog()
    await log.open()
    subscribers = Subscribers(log, ManualClock())
    await subscribers.open()
    streams = [subscribers.follow(session, None) for session in (S, T, None, S)]
    assert subscribers.count == 4
    for stream in streams:
        stream.close()
    assert (subscribers.count, subscribers._of_session) == (0, {})
    await subscribers.close()


@pytest.mark.promise("SF-LOG-14")
async def test_who_waits_for_our_rows_does_not_wait_for_the_store() -> None:
    store, clock = MemoryStore(), ManualClock()
    ours, theirs = Unreadable(store), MemoryLog(store)
    await ours.open()
    await theirs.open()
    subscribers = Subscribers(ours, clock)
    await subscribers.open()
    follower = subscribers.follow(S, None)
    await theirs.append(T, 0, some(1))
    drafts = some(3)
    # One before it is known that the log cannot be read, and some after.
    await ours.append(S, 0, drafts[:1])
    await clock.someone_waits()
    await ours.append(S, 1, drafts[1:])
    shown: list[Item] = []
    async with asyncio.timeout(10):
        while len(shown) < 3:
            shown += await follower.batch()
    early = [item.progress for item in shown if isinstance(item, Shown)]
    saved = [decode_envelope(one.json.encode()) for one in early if isinstance(one, EventUnsaved)]
    assert [(one.id, one.seq, one.version) for one in saved] == [
        (draft.id, 0, version) for version, draft in enumerate(drafts, start=1)
    ]
    ours.is_unreadable = False
    clock.pass_time(1)
    assert await seqs(follower, 3) == [2, 3, 4]
    # With nothing in the way, no row is shown before its turn.
    await theirs.append(T, 1, some(1))
    await ours.append(S, 3, some(1))
    items = await follower.batch()
    assert [item.seq for item in items if isinstance(item, Stored)] == [6]
    assert len(items) == 1
    await subscribers.close()


class Unreadable(MemoryLog):
    """Takes what it is given, and does not show it."""

    is_unreadable = True

    async def read(
        self,
        after: int = 0,
        *,
        limit: int = 1000,
        session: SessionId | None = None,
        types: Sequence[str] = (),
    ) -> Sequence[Stored]:
        if self.is_unreadable:
            raise StoreDown("it went away")
        return await super().read(after, limit=limit, session=session, types=types)
