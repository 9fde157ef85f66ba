"""A session comes back as it was: from its snapshot and the rest of its log, or from zero."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.facts import renamed
from tests.contracts.faulty_log import FaultyLog
from tests.contracts.hearth_api import S, begin, ran
from tests.engine.test_engine import opened

from hearth.core.rules.session import IllegalEvent, SessionState
from hearth.core.views.session_fold import SessionFold
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import EventId
from hearth.engine.restoring import fold_name, restore, snapshot_of
from hearth.log.event_log import CorruptRow, Snapshot
from hearth.log.memory import MemoryLog


async def lived(cells: int) -> FaultyLog:
    log = FaultyLog()
    engine = await opened(log)
    await begin(engine)
    for number in range(cells):
        await ran(engine, c.RunCell("1/0" if number % 3 else "1+1"))
    await ran(engine, c.CheckCode("undefined"))
    await engine.close()
    log.store.snapshots.clear()
    await log.open()
    return log


@pytest.mark.promise("SF-PROJ-04")
@given(st.integers(1, 30))
def test_snapshot_and_tail_equal_the_whole_log(version: int) -> None:
    async def check() -> None:
        log = await lived(5)
        whole = await restore(log, S, "fold")
        assert whole.fold.tally.evals == 2
        rows = await log.read_session(S, 0, version)
        part = FaultyLog()
        await part.open()
        await part.append(S, 0, [_draft(row.data, row.seq) for row in rows])
        early = await restore(part, S, "fold")
        await log.save_snapshot(snapshot_of(early.fold, early.seq, "fold"))
        pages = log.pages_read
        assert (await restore(log, S, "fold")).fold == whole.fold
        assert log.pages_read - pages <= 3

    asyncio.run(check())


def _draft(data: bytes, number: int) -> Draft:
    return Draft(EventId(f"copy.{number}"), "copy", data)


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda good: good._replace(fold="other rules"),
        lambda good: good._replace(data=b"{"),
        lambda good: good._replace(version=good.version + 5),
        lambda good: good._replace(seq=good.seq + 5),
    ],
    ids=["other rules", "not json", "ahead of the log", "of another log"],
)
async def test_a_snapshot_that_does_not_fit_is_ignored(
    spoiled: Callable[[Snapshot], Snapshot],
) -> None:
    log = await lived(2)
    whole = await restore(log, S, "fold")
    good = snapshot_of(SessionFold(SessionState(S)), whole.seq, "fold")
    await log.save_snapshot(spoiled(good._replace(version=whole.fold.state.version)))
    assert (await restore(log, S, "fold")).fold == whole.fold


async def test_an_impossible_event_is_not_replayed() -> None:
    log = MemoryLog()
    await log.open()
    await log.append(S, 0, [renamed("before it began")])
    with pytest.raises(IllegalEvent, match="not started"):
        await restore(log, S, "fold")


async def test_an_unreadable_row_names_its_place() -> None:
    log = await lived(1)
    log.store.damage_row(3)
    with pytest.raises(CorruptRow, match="version 3"):
        await restore(log, S, "fold")


def test_the_fold_is_named_after_its_source() -> None:
    assert fold_name() == fold_name()
    assert len(fold_name()) == 16
