"""The loop: in order, together, durable before answered, and never in the way of others."""

import asyncio
from pathlib import Path

import pytest
from tests.contracts.faulty_log import GONE, FaultyLog
from tests.contracts.hearth_api import S, T, accepted, begin, ran, status_of, until
from tests.contracts.manual_clock import ManualClock
from tests.contracts.scenes import ANN, SCENES

from hearth.api import Accepted, Following, Settled, Shown, each, settle
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.progress import EventUnsaved, StoreWarning
from hearth.core.vocabulary.refusals import DuplicateCommand, Quarantined, Refused, StoreUnavailable
from hearth.engine.engine import Engine
from hearth.engine.recent_ids import MOST_AT_REST
from hearth.engine.saving import BACK
from hearth.engine.session_loop import SNAPSHOT_EVERY
from hearth.log.memory import MemoryStore
from hearth.log.spool import Spool
from hearth.performers.interpreter.scripted import ScriptedInterpreter


async def engine_on(log: FaultyLog, clock: ManualClock, spool: Spool | None = None) -> Engine:
    await log.open()
    engine = Engine(log, [ScriptedInterpreter(SCENES)], clock=clock, spool=spool)
    await engine.open()
    return engine


async def everything_saved(following: Following) -> None:
    async with asyncio.timeout(10):
        async for item in each(following):
            if isinstance(item, Shown) and item.progress == StoreWarning(0, BACK):
                return


async def test_what_waits_together_is_appended_together() -> None:
    log = FaultyLog()
    engine = await engine_on(log, ManualClock())
    await begin(engine)
    appends = 0
    append = log.append

    async def counted(*args: object, **kwargs: object) -> object:
        nonlocal appends
        appends += 1
        return await append(*args, **kwargs)  # type: ignore[arg-type] # passes everything on

    log.append = counted  # type: ignore[method-assign, assignment] # counts the real calls
    answers = await asyncio.gather(
        *(engine.submit(S, c.RenameSession(f"n{i}"), ANN) for i in range(100))
    )
    assert appends <= 3
    seqs = [answer.seq for answer in answers if isinstance(answer, Accepted)]
    assert seqs == sorted(set(seqs))
    assert len(seqs) == 100
    assert (await status_of(engine)).name == "n99"
    await engine.close()


async def test_a_command_that_cannot_be_saved_is_refused_and_not_performed() -> None:
    log, clock = FaultyLog(), ManualClock()
    engine = await engine_on(log, clock)
    await begin(engine)
    log.down = True
    refusal = await engine.submit(S, c.RunCell("1+1"), ANN)
    assert isinstance(refusal, StoreUnavailable)
    assert GONE in refusal.why
    assert (await status_of(engine)).state is PhaseName.READY
    log.down = False
    assert isinstance((await ran(engine, c.RunCell("1+1"))).outcome.event, e.CellFinished)
    assert len(await log.read(types=["cell_started"])) == 1
    await engine.close()


@pytest.mark.promise("SF-LOG-14")
async def test_a_result_is_shown_although_neither_store_nor_disk_take_it() -> None:
    log, clock = FaultyLog(), ManualClock()
    engine = await engine_on(log, clock)
    await begin(engine)
    following = engine.follow(S)
    await accepted(engine, c.RunCell("hang"))
    await accepted(engine, c.CancelCell())
    log.down = True
    unsaved: list[str] = []
    async with asyncio.timeout(10):
        while not unsaved:
            shown = [item.progress for item in await following.batch() if isinstance(item, Shown)]
            unsaved += [each_.json for each_ in shown if isinstance(each_, EventUnsaved)]
    assert '"cell_cancelled"' in unsaved[0]
    await clock.someone_waits()
    log.down = False
    clock.pass_time(10)
    await until(following, e.CellCancelled)
    assert (await status_of(engine)).state is PhaseName.READY
    following.close()
    await engine.close()


@pytest.mark.promise("SF-LOG-14", "SF-LOG-15")
async def test_with_a_spool_work_goes_on_while_the_store_is_down(tmp_path: Path) -> None:
    store, clock = MemoryStore(), ManualClock()
    log = FaultyLog(store)
    engine = await engine_on(log, clock, Spool(tmp_path))
    await begin(engine)
    log.down = True
    for _ in range(60):
        done = await ran(engine, c.RunCell("1+1"))
        assert isinstance(done.outcome.event, e.CellFinished)
        assert (done.accepted.seq, done.outcome.seq) == (0, 0)
    assert (await status_of(engine)).evals == 60
    following = engine.follow(S, after=0)
    await clock.someone_waits()
    log.down = False
    saving = engine.follow(S)
    clock.pass_time(60)
    await until(following, e.CellFinished, 60)
    await everything_saved(saving)
    versions = [row.version for row in store.stored(S)]
    assert versions == list(range(1, len(versions) + 1))
    assert len(await log.read(types=["cell_finished"])) == 60
    saved = await ran(engine, c.RunCell("1+1"))
    assert saved.accepted.seq > 0
    following.close()
    await engine.close()


async def test_an_append_that_was_made_although_it_failed_is_taken_up() -> None:
    log, clock = FaultyLog(), ManualClock()
    engine = await engine_on(log, clock)
    await begin(engine)
    log.lose_news = True
    refusal = await engine.submit(S, c.RunCell("1+1"), ANN)
    assert isinstance(refusal, StoreUnavailable)
    following = engine.follow(S, after=0)
    await engine.submit(S, c.RenameSession("on we go"), ANN)
    await until(following, e.SessionRenamed)
    status = await status_of(engine)
    while status.state is not PhaseName.READY:
        await until(following, e.CellFailed)
        status = await status_of(engine)
    assert (status.errors, status.evals) == (1, 0)
    assert len(await log.read(types=["cell_started"])) == 1
    assert isinstance((await ran(engine, c.RunCell("1+1"))).outcome.event, e.CellFinished)
    following.close()
    await engine.close()


async def test_an_append_that_followers_have_seen_is_accepted() -> None:
    log = FaultyLog()
    engine = await engine_on(log, ManualClock())
    await begin(engine)
    log.lose_answer = True
    done = await ran(engine, c.RunCell("1+1"))
    assert isinstance(done.outcome.event, e.CellFinished)
    assert done.accepted.seq == done.envelopes[0].seq > 0
    await engine.close()


async def test_a_defect_stops_its_session_loudly_and_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log = FaultyLog()
    engine = await engine_on(log, ManualClock())
    await begin(engine)
    await begin(engine, T)
    before = len(log.store.stored(S))
    with monkeypatch.context() as patched:
        patched.setattr("hearth.engine.mailbox.decide", _defective)
        refusal = await engine.submit(S, c.RunCell("1+1"), ANN)
    assert isinstance(refusal, Quarantined)
    assert "ZeroDivisionError" in refusal.why
    assert "set aside" in caplog.text
    assert isinstance(await engine.submit(S, c.RunCell("1+1"), ANN), Quarantined)
    assert len(log.store.stored(S)) == before
    assert isinstance((await ran(engine, c.RunCell("1+1"), T)).outcome.event, e.CellFinished)
    await engine.close()


def _defective(*_: object) -> None:
    raise ZeroDivisionError


async def test_an_idle_loop_has_no_task_and_snapshots_are_kept() -> None:
    log = FaultyLog()
    engine = await engine_on(log, ManualClock())
    await begin(engine)
    while (await status_of(engine)).evals * 4 < SNAPSHOT_EVERY:
        done = await settle(engine, S, c.RunCell("1+1"), ANN)
        assert not isinstance(done, Refused)
        assert isinstance(done, Settled)
    loop = engine._loops[S]
    await loop.drained()
    assert loop._task is None
    assert log.store.snapshots[S].version >= SNAPSHOT_EVERY - 10
    await engine.close()
    assert log.store.snapshots[S].version == loop.fold.state.version


async def test_a_caller_that_went_away_does_not_stop_the_work() -> None:
    log = FaultyLog()
    engine = await engine_on(log, ManualClock())
    await begin(engine)
    gone = asyncio.create_task(engine.submit(S, c.RenameSession("kept"), ANN))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    await engine._loops[S].drained()
    assert (await status_of(engine)).name == "kept"
    await engine.close()


async def rename_often(engine: Engine) -> None:
    """More commands with ids of their own than a loop remembers at rest, one after another."""
    for number in range(2 * MOST_AT_REST):
        command, known = c.RenameSession(f"n{number}"), InputId(f"in-{number}")
        answer = await engine.submit(S, command, ANN, input_id=known)
        assert isinstance(answer, Accepted)


async def again(engine: Engine, known: str) -> object:
    return await engine.submit(S, c.RenameSession("again"), ANN, input_id=InputId(known))


async def test_a_loop_at_rest_remembers_little_and_still_knows_what_is_repeated() -> None:
    log = FaultyLog()
    engine = await engine_on(log, ManualClock())
    await begin(engine)
    await rename_often(engine)
    await engine._loops[S].drained()
    assert 0 < len(engine._loops[S]._recent) <= MOST_AT_REST
    for known in ("in-0", f"in-{2 * MOST_AT_REST - 1}"):
        assert isinstance(await again(engine, known), DuplicateCommand)
    assert (await status_of(engine)).name == f"n{2 * MOST_AT_REST - 1}"
    await engine.close()


async def test_while_facts_wait_on_disk_no_id_is_forgotten(tmp_path: Path) -> None:
    log = FaultyLog()
    engine = await engine_on(log, ManualClock(), Spool(tmp_path))
    await begin(engine)
    log.down = True
    await rename_often(engine)
    await engine._loops[S].drained()
    assert isinstance(await again(engine, "in-0"), DuplicateCommand)
    assert (await status_of(engine)).name == f"n{2 * MOST_AT_REST - 1}"
    await engine.close()


async def test_a_log_that_cannot_be_read_again_keeps_nobody_waiting() -> None:
    log, clock = FaultyLog(), ManualClock()
    engine = await engine_on(log, clock)
    await begin(engine)
    log.lose_news = True
    assert isinstance(await engine.submit(S, c.RunCell("1+1"), ANN), StoreUnavailable)
    log.cannot_read = True
    answer = await asyncio.wait_for(engine.submit(S, c.RenameSession("x"), ANN), 10)
    assert isinstance(answer, StoreUnavailable)
    log.cannot_read = False
    assert isinstance(await engine.submit(S, c.RenameSession("on we go"), ANN), Accepted)
    await engine.close()


async def test_a_report_that_was_saved_although_it_failed_is_not_a_defect_beside_others() -> None:
    log, clock = FaultyLog(), ManualClock()
    engine = await engine_on(log, clock)
    await begin(engine)
    following = engine.follow(S)
    await accepted(engine, c.RunCell("hang"))
    await accepted(engine, c.CancelCell())
    log.lose_news = True  # of the report that the cell was cancelled
    await clock.someone_waits()
    renaming = asyncio.create_task(engine.submit(S, c.RenameSession("beside it"), ANN))
    await asyncio.sleep(0)
    clock.pass_time(10)
    assert isinstance(await asyncio.wait_for(renaming, 10), Accepted)
    await until(following, e.SessionRenamed)
    assert (await status_of(engine)).cancelled == 1
    assert len(await log.read(types=["cell_cancelled"])) == 1
    following.close()
    await engine.close()


async def test_closing_does_not_wait_for_a_store_that_stays_away() -> None:
    log, clock = FaultyLog(), ManualClock()
    engine = await engine_on(log, clock)
    await begin(engine)
    await accepted(engine, c.RunCell("hang"))
    await accepted(engine, c.CancelCell())
    log.down = True
    await clock.someone_waits()
    closing = asyncio.create_task(engine.close())
    await asyncio.sleep(0)
    clock.pass_time(10)
    await asyncio.wait_for(closing, 10)
    assert S in engine._loops
