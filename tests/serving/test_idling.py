"""A daemon ends when nobody has been there for so long, and not before."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from tests.contracts.manual_clock import ManualClock
from tests.contracts.scenes import ANN, SCENES

from hearth.api import settle
from hearth.core.vocabulary.commands import CancelCell, CreateSession, RunCell, SessionConfig
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.serving.idling import Idling, remaining

S = SessionId("session-a")


@asynccontextmanager
async def engine() -> AsyncIterator[Engine]:
    log = MemoryLog()
    await log.open()
    one = Engine(log, [ScriptedInterpreter(SCENES)])
    await one.open()
    try:
        yield one
    finally:
        await one.close()
        await log.close()


class Watched:
    """An engine that is watched by a clock of ours."""

    def __init__(self, hearth: Engine) -> None:
        self.clock = ManualClock()
        self.connections = {"terminal": 0}
        self.ended = asyncio.Event()
        self.idling = Idling(hearth, lambda: self.connections, 100, self.clock)

    async def after(self, seconds: float) -> None:
        """Let time pass, and whoever waited for it go on until somebody waits again."""
        async with asyncio.timeout(20):
            await self.clock.someone_waits()
            self.clock.pass_time(seconds)
            waiting = asyncio.ensure_future(self.clock.someone_waits())
            ended = asyncio.ensure_future(self.ended.wait())
            await asyncio.wait({waiting, ended}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            ended.cancel()


@asynccontextmanager
async def watched(hearth: Engine) -> AsyncIterator[Watched]:
    one = Watched(hearth)
    one.idling.open(one.ended.set)
    try:
        yield one
    finally:
        await one.idling.close()


def test_what_remains_is_never_less_than_nothing() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    timeout = timedelta(seconds=100)
    assert remaining(noon, timeout, noon) == 100
    assert remaining(noon, timeout, noon + timedelta(seconds=40)) == 60
    assert remaining(noon, timeout, noon + timedelta(seconds=400)) == 0


async def test_a_daemon_that_nobody_uses_ends_after_the_time() -> None:
    async with engine() as hearth, watched(hearth) as daemon:
        await daemon.after(99)
        assert not daemon.ended.is_set()
        await daemon.after(1)
        assert daemon.ended.is_set()


async def test_a_connection_keeps_it_alive_and_its_end_begins_the_time_anew() -> None:
    async with engine() as hearth, watched(hearth) as daemon:
        daemon.connections["terminal"] = 1
        await daemon.after(100)
        await daemon.after(100)
        assert not daemon.ended.is_set()
        daemon.connections["terminal"] = 0
        await daemon.after(99)
        assert not daemon.ended.is_set()
        await daemon.after(1)
        assert daemon.ended.is_set()


async def test_a_running_cell_keeps_it_alive_however_long_it_takes() -> None:
    async with engine() as hearth:
        await settle(hearth, S, CreateSession(SessionConfig()), ANN)
        await hearth.submit(S, RunCell("hang"), ANN)
        async with watched(hearth) as daemon:
            await daemon.after(100)
            await daemon.after(100)
            assert not daemon.ended.is_set()
            await settle(hearth, S, CancelCell(), ANN)
            await daemon.after(100)
            await daemon.after(100)
            assert daemon.ended.is_set()


async def test_whatever_happens_begins_the_time_anew() -> None:
    async with engine() as hearth, watched(hearth) as daemon:
        await daemon.after(99)
        noticed = hearth.follow()
        await settle(hearth, S, CreateSession(SessionConfig()), ANN)
        await noticed.batch()
        noticed.close()
        for _ in range(10):
            await asyncio.sleep(0)
        await daemon.after(1)
        assert not daemon.ended.is_set()
        await daemon.after(99)
        assert daemon.ended.is_set()


async def test_nobody_is_called_once_it_is_closed() -> None:
    async with engine() as hearth:
        async with watched(hearth) as daemon:
            await daemon.clock.someone_waits()
        daemon.clock.pass_time(1000)
        await asyncio.sleep(0)
        assert not daemon.ended.is_set()
