"""Payloads that go to blobs, in batches of several events."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.contracts.facts import ANNA

from hearth.api import Settled, settle
from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.codec import decode_fact
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.phases import Evaluating
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import ScriptedInterpreter

S = SessionId("session-aaaaaa")
LARGE = "x" * 70_000
SCENES = {
    "large.py": Scene(value=LARGE, statements=1),
    "1": Scene(value="1"),
    "wait": Scene(ends="when interrupted"),
    LARGE: Scene(ends="when interrupted"),
}


class Dying(ScriptedInterpreter):
    """Dies with a long traceback when it is interrupted."""

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        if isinstance(effect, fx.InterruptWorker):
            stage.report(r.WorkerLost(effect.generation, r.Exit.CLEAN, LARGE, LARGE))
            return
        await super().perform(session, effect, stage)


@pytest.fixture
async def log() -> MemoryLog:
    log = MemoryLog()
    await log.open()
    return log


@pytest.fixture
async def engine(log: MemoryLog) -> AsyncIterator[Engine]:
    engine = Engine(log, [Dying(SCENES)])
    await engine.open()
    await outcome(engine, c.CreateSession())
    yield engine
    await engine.close()


async def outcome(engine: Engine, command: c.Command) -> e.Event:
    async with asyncio.timeout(20):
        done = await settle(engine, S, command, ANNA)
    assert isinstance(done, Settled), done
    return done.outcome.event


async def replayed(log: MemoryLog) -> SessionState:
    view = SessionFold(SessionState(S))
    for row in await log.read_session(S, 0, 1000):
        view = fold(view, decode_fact(row.data))
    return view.state


async def test_a_script_with_a_large_value(engine: Engine) -> None:
    finished = await outcome(engine, c.LoadScript("large.py"))
    assert isinstance(finished, e.CellFinished)
    assert isinstance(finished.value, Blob)
    assert isinstance(await outcome(engine, c.RunCell("1")), e.CellFinished)


async def test_a_crash_with_a_large_traceback_while_cells_wait(engine: Engine) -> None:
    await engine.submit(S, c.RunCell("wait"), ANNA)
    waiting = asyncio.create_task(outcome(engine, c.RunCell("1", if_busy="queue")))
    await asyncio.sleep(0)
    await engine.submit(S, c.CancelCell(), ANNA)
    assert isinstance(await waiting, e.CellWithdrawn)
    assert isinstance(await outcome(engine, c.ResetSession()), e.SessionReady)


async def test_the_session_remembers_what_the_log_does(engine: Engine, log: MemoryLog) -> None:
    await engine.submit(S, c.RunCell(LARGE), ANNA)
    state = await replayed(log)
    assert isinstance(state.phase, Evaluating)
    assert isinstance(state.phase.current.code, Blob)
    viewed = await engine.view("status", S)
    assert getattr(getattr(viewed, "value", None), "current", None) == state.phase.current
