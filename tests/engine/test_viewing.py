"""Views answer for sessions that are open here, elsewhere, broken or gone."""

from tests.contracts.faulty_log import FaultyLog
from tests.contracts.hearth_api import S, T, begin, ran, status_of
from tests.engine.test_engine import opened

from hearth.api import Viewed
from hearth.core.views.sessions import Sessions
from hearth.core.views.transcript import Transcript
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.refusals import Quarantined, StoreUnavailable
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryStore


async def names(engine: Engine) -> list[str]:
    listed = await engine.view("sessions")
    assert isinstance(listed, Viewed)
    assert isinstance(listed.value, Sessions)
    return [row.name for row in listed.value.rows]


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


async def test_while_the_store_is_down_memory_still_answers() -> None:
    log = FaultyLog()
    engine = await opened(log)
    await begin(engine, S, "here")
    log.down = True
    assert (await status_of(engine)).name == "here"
    assert await names(engine) == ["here"]
    assert isinstance(await engine.view("transcript", S), StoreUnavailable)
    assert isinstance(await engine.view("status", T), StoreUnavailable)
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
