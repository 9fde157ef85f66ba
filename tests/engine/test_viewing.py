"""Views answer for sessions that are open here, elsewhere, broken or gone."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.contracts.facts import some
from tests.contracts.faulty_log import FaultyLog
from tests.contracts.hearth_api import S, T, begin, ran, status_of, until
from tests.contracts.manual_clock import ManualClock
from tests.contracts.scenes import ANN
from tests.engine.test_engine import opened

from hearth.api import Accepted, Viewed
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.views.transcript import Transcript
from hearth.core.views.validity import Environment, Validity
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.refusals import Quarantined, StoreUnavailable, UnknownSession
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryStore
from hearth.log.spool import Spool
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import ScriptedInterpreter


async def sessions_of(engine: Engine) -> Sequence[SessionRow]:
    listed = await engine.view("sessions")
    assert isinstance(listed, Viewed)
    assert isinstance(listed.value, Sessions)
    return listed.value.rows


async def names(engine: Engine) -> list[str]:
    return [row.name for row in await sessions_of(engine)]


async def test_sessions_of_another_daemon_are_listed_and_shown_as_they_move_on() -> None:
    store = MemoryStore()
    ours, theirs = await opened(FaultyLog(store)), await opened(FaultyLog(store))
    await begin(theirs, S, "theirs")
    assert await names(ours) == ["theirs"]
    await ran(theirs, c.RenameSession("renamed"))
    assert await names(ours) == ["renamed"]
    await ran(theirs, c.RunCell("1+1"))
    assert (await status_of(ours)).evals == 1
    await ours.close()
    await theirs.close()


async def test_a_long_session_that_is_not_open_here_is_replayed_once() -> None:
    store = MemoryStore()
    theirs = await opened(FaultyLog(store))
    await begin(theirs, S, "long")
    for _ in range(20):
        await ran(theirs, c.RunCell("1+1"))
    store.snapshots.clear()
    log = FaultyLog(store)
    ours = await opened(log)
    assert (await status_of(ours)).evals == 20
    log.rows_read = 0
    assert (await status_of(ours)).evals == 20
    assert log.rows_read <= 1, "only whether it is still the same"
    await ran(theirs, c.RunCell("1+1"))
    assert (await status_of(ours)).evals == 21
    await theirs.close()
    await log.remove(S)
    assert isinstance(await ours.view("status", S), UnknownSession), "nothing of it is left"
    await ours.close()


async def test_while_the_store_is_down_memory_still_answers() -> None:
    log = FaultyLog()
    engine = await opened(log)
    await begin(engine, S, "here")
    log.down = True
    assert (await status_of(engine)).name == "here"
    assert await names(engine) == ["here"]
    unseen = await engine.view("transcript", S)
    assert isinstance(unseen, StoreUnavailable)
    assert "read" in unseen.why
    assert isinstance(await engine.view("status", T), StoreUnavailable)
    log.down = False
    seen = await engine.view("transcript", S)
    log.down = True
    assert await engine.view("transcript", S) == seen
    log.down = False
    await engine.close()


async def test_a_broken_session_is_shown_as_broken() -> None:
    store = MemoryStore()
    first = await opened(FaultyLog(store))
    await begin(first)
    await first.close()
    store.snapshots.clear()
    store.damage_row(2)
    second = await opened(FaultyLog(store))
    assert isinstance(await second.view("status", S), Quarantined)
    assert await names(second) == [S]
    await second.close()


async def test_a_long_transcript_is_a_window_and_costs_two_pages_at_most() -> None:
    log = FaultyLog()
    engine = await opened(log)
    await begin(engine)
    for _ in range(300):
        await ran(engine, c.RunCell("1+1"))
    pages = log.pages_read
    viewed = await engine.view("transcript", S)
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Transcript)
    assert len(viewed.value.entries) == 200
    assert viewed.value.entries[-1].cell == "c300"
    assert log.pages_read - pages == 1
    await engine.close()


async def test_a_session_whose_facts_no_longer_fit_is_listed_once(tmp_path: Path) -> None:
    log, clock = FaultyLog(), ManualClock()
    await log.open()
    engine = Engine(log, spool=Spool(tmp_path), clock=clock)
    await engine.open()
    assert isinstance(await engine.submit(S, c.CreateSession(), ANN), Accepted)
    log.down = True
    assert isinstance(await engine.submit(S, c.RenameSession("waits"), ANN), Accepted)
    log.down = False
    following = engine.follow(S)
    await log.append(S, len(log.store.stored(S)), some(1))
    await clock.someone_waits()
    clock.pass_time(60)
    while not (await sessions_of(engine))[0].trouble:
        await following.batch()
    assert [row.session for row in await sessions_of(engine)] == [S]
    following.close()
    await engine.close()


@pytest.mark.promise("SF-EPI-03")
async def test_what_is_loaded_and_what_still_holds_can_be_seen() -> None:
    log, used = FaultyLog(), (("loom", "1"),)
    await log.open()
    interpreter = ScriptedInterpreter({"x = 1": Scene(uses=used), "y = 1": Scene()})
    engine = Engine(log, [interpreter])
    await engine.open()
    await begin(engine)
    following = engine.follow(S)
    interpreter.see(S, "f1", {"loom": "1"})
    await until(following, e.EnvironmentChanged)
    for code in ("x = 1", "y = 1", "x = 1"):
        await ran(engine, c.RunCell(code))
    interpreter.see(S, "f2", {"loom": "2"})
    await until(following, e.EnvironmentChanged)
    following.close()
    loaded = await engine.view("environment", S)
    assert isinstance(loaded, Viewed)
    assert loaded.value == Environment("f2", {"loom": "2"})
    viewed = await engine.view("validity", S)
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Validity)
    assert [str(cell.standing) for cell in viewed.value.cells] == ["stale", "valid", "stale"]
    assert viewed.value.stale == (await status_of(engine)).stale_events == 2
    assert viewed.seq == loaded.seq
    log.down = True
    assert isinstance(await engine.view("validity", S), StoreUnavailable)
    assert isinstance(await engine.view("environment", S), Viewed)
    log.down = False
    await engine.close()
