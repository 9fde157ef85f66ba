"""Pauses end with the report that was promised."""

import asyncio

from tests.contracts.manual_clock import ManualClock

from hearth.core.vocabulary.effects import StopWorker, WaitThenRestart
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.reports import Report, RestartDue
from hearth.engine.performing import SessionStage
from hearth.engine.waiting import Waiting

S = SessionId("session-aaaaaa")


async def test_a_restart_is_due_when_its_time_has_come_and_not_before() -> None:
    clock, heard = ManualClock(), list[Report]()
    stage = SessionStage(S, heard.append, lambda *_: None)
    performer = Waiting(clock)
    task = asyncio.create_task(performer.perform(S, WaitThenRestart(3, 10.0), stage))
    await clock.someone_waits()
    clock.pass_time(9)
    await asyncio.sleep(0)
    assert heard == []
    clock.pass_time(1)
    await task
    assert heard == [RestartDue(3)]
    await performer.perform(S, StopWorker(1), stage)
    assert heard == [RestartDue(3)]
    await performer.close()
