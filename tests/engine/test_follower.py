"""A follower: complete however slow, cheap however far behind."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.facts import some
from tests.contracts.faulty_log import FaultyLog
from tests.contracts.manual_clock import ManualClock

from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.progress import OutputChunk, WarmUpStep
from hearth.engine.follower import MOST_ROWS_AHEAD, PAGE, Follower

S = SessionId("session-aaaaaa")
T = SessionId("session-bbbbbb")


async def filled(number: int, sessions: tuple[SessionId, ...] = (S,)) -> FaultyLog:
    log = FaultyLog()
    await log.open()
    for session in sessions:
        await log.append(session, 0, some(number))
    return log


def follower_of(log: FaultyLog, cursor: int, session: SessionId | None = S) -> Follower:
    return Follower(log, ManualClock(), session, cursor, lambda _: None)


async def rows_of(follower: Follower, number: int) -> list[int]:
    seen: list[int] = []
    async with asyncio.timeout(10):
        while len(seen) < number:
            seen += [item.seq for item in await follower.batch() if isinstance(item, Stored)]
    return seen


async def test_the_past_is_read_page_by_page_and_then_live() -> None:
    log = await filled(2 * PAGE + 7)
    follower = follower_of(log, 0)
    follower.start_behind(2 * PAGE + 7)
    assert await rows_of(follower, 2 * PAGE + 7) == list(range(1, 2 * PAGE + 8))
    (row,) = await log.append(S, 2 * PAGE + 7, some(1))
    pages = log.pages_read
    follower.offer(row)
    assert await rows_of(follower, 1) == [row.seq]
    assert log.pages_read == pages


@pytest.mark.promise("DL-EVT-06")
async def test_one_that_never_reads_keeps_only_its_cursor_and_misses_nothing() -> None:
    log = await filled(0)
    follower = follower_of(log, 0)
    version = 0
    for _ in range(10):
        for row in await log.append(S, version, some(MOST_ROWS_AHEAD)):
            follower.offer(row)
        version += MOST_ROWS_AHEAD
        assert len(follower._rows) <= MOST_ROWS_AHEAD
    assert await rows_of(follower, version) == list(range(1, version + 1))


async def test_what_was_shown_before_a_row_is_given_before_it_also_to_one_that_is_behind() -> None:
    log = await filled(2)
    follower = follower_of(log, 0)
    follower.start_behind(2)
    shown = [WarmUpStep(f"{number}") for number in range(3)]
    for number in range(2):
        follower.show(S, shown[number])
        (row,) = await log.append(S, 2 + number, some(1))
        follower.offer(row)
    follower.show(S, shown[2])
    got = [
        item.seq if isinstance(item, Stored) else item.progress for item in await follower.batch()
    ]
    assert got == [1, 2, shown[0], 3, shown[1], 4, shown[2]]
    assert not follower._places


async def test_what_was_shown_behind_rows_of_a_later_page_waits_for_that_page() -> None:
    log = await filled(PAGE + 1)
    follower = follower_of(log, 0)
    follower.start_behind(PAGE + 1)
    before, after = WarmUpStep("before the last row"), WarmUpStep("after it")
    follower.show(S, before)
    (row,) = await log.append(S, PAGE + 1, some(1))
    follower.offer(row)
    follower.show(S, after)
    first = await follower.batch()
    assert [item.seq for item in first if isinstance(item, Stored)] == list(range(1, PAGE + 1))
    assert len(first) == PAGE, "nothing is known yet of what the progress is about"
    got = [
        item.seq if isinstance(item, Stored) else item.progress for item in await follower.batch()
    ]
    assert got == [PAGE + 1, before, PAGE + 2, after]


async def test_the_order_is_also_kept_when_rows_become_too_many() -> None:
    log = await filled(0)
    follower = follower_of(log, 0)
    rows = await log.append(S, 0, some(MOST_ROWS_AHEAD + 1))
    for row in rows[:10]:
        follower.offer(row)
    follower.show(S, WarmUpStep("ten"))
    for row in rows[10:]:
        follower.offer(row)
    got = list(await follower.batch())
    assert [place for place, item in enumerate(got) if not isinstance(item, Stored)] == [10]
    assert [item.seq for item in got if isinstance(item, Stored)] == [row.seq for row in rows]


async def test_a_row_is_not_given_twice_when_it_was_read_before_it_was_offered() -> None:
    log = await filled(3)
    follower = follower_of(log, 0)
    follower.start_behind(1)
    assert await rows_of(follower, 3) == [1, 2, 3]
    for row in await log.read():
        follower.offer(row)
    (new,) = await log.append(S, 3, some(1))
    follower.offer(new)
    assert await rows_of(follower, 1) == [4]


async def test_a_row_committed_while_a_page_is_read_is_not_lost() -> None:
    log = await filled(3)
    follower = follower_of(log, 0)
    follower.start_behind(3)
    reading = asyncio.ensure_future(follower.batch())
    (row,) = await log.append(S, 3, some(1))
    follower.offer(row)
    first = [item.seq for item in await reading if isinstance(item, Stored)]
    rest = await rows_of(follower, 4 - len(first))
    assert first + rest == [1, 2, 3, 4]


async def test_other_sessions_are_left_out() -> None:
    log = await filled(5, (S, T))
    follower = follower_of(log, 0, T)
    follower.start_behind(10)
    assert await rows_of(follower, 5) == [6, 7, 8, 9, 10]


async def test_rows_and_progress_come_in_the_order_in_which_they_happened() -> None:
    log = await filled(2)
    follower = follower_of(log, 0)
    first, second = await log.read()
    follower.show(S, OutputChunk(CellId("c1"), "stdout", "a"))
    follower.offer(first)
    follower.show(S, WarmUpStep("b"))
    follower.offer(second)
    kinds = [type(item).__name__ for item in await follower.batch()]
    assert kinds == ["Shown", "Stored", "Shown", "Stored"]


async def test_while_the_store_is_down_progress_goes_on_and_rows_come_later() -> None:
    log = await filled(1)
    clock = ManualClock()
    follower = Follower(log, clock, S, 0, lambda _: None)
    follower.start_behind(1)
    log.down = True
    follower.show(S, WarmUpStep("still here"))
    waiting = asyncio.ensure_future(follower.batch())
    await clock.someone_waits()
    clock.pass_time(1)
    (shown,) = await waiting
    assert not isinstance(shown, Stored)
    log.down = False
    assert await rows_of(follower, 1) == [1]


@given(
    st.lists(st.sampled_from(["write", "burst", "read", "show"]), max_size=40), st.integers(0, 5)
)
def test_whatever_the_order_every_row_comes_once(steps: list[str], cursor: int) -> None:
    asyncio.run(_any_order(steps, cursor))


async def _any_order(steps: list[str], cursor: int) -> None:
    log = await filled(5)
    follower = follower_of(log, cursor)
    follower.start_behind(5)
    version, seen = 5, list[int]()
    for step in [*steps, "read"]:
        if step == "show":
            follower.show(S, WarmUpStep("x"))
        elif step in {"write", "burst"}:
            number = 1 if step == "write" else MOST_ROWS_AHEAD + 1
            for row in await log.append(S, version, some(number)):
                follower.offer(row)
            version += number
        elif len(seen) < version - cursor:
            seen += [item.seq for item in await follower.batch() if isinstance(item, Stored)]
    seen += await rows_of(follower, version - cursor - len(seen))
    assert seen == list(range(cursor + 1, version + 1))
