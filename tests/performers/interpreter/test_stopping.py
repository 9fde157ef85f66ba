"""A cell is stopped by the gentlest means that works; each is reported before it is tried."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.performers.interpreter.pretended_kernel import Asked, Staged, ok, staged

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.failures import TimedOut
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.phases import Rung
from hearth.performers.interpreter import stopping
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.stopping import Step

C1 = CellId("c1")
CUT: dict[str, Any] = {"status": "error", "ename": "KeyboardInterrupt", "traceback": []}
LADDER = [Rung.INTERRUPT, Rung.CANCEL_AGAIN, Rung.DOUBLE_TAP, Rung.ABANDON, Rung.KILL]


class Signals:
    """What would have reached the process."""

    def __init__(self, one: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[str] = []
        self.news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        monkeypatch.setattr(one.worker.process, "interrupt", lambda: self._send("interrupt"))
        monkeypatch.setattr(one.worker.process, "interrupt_below", lambda: self._send("below"))
        monkeypatch.setattr(one.worker.process, "kill", lambda: self._send("kill"))

    def _send(self, what: str) -> None:
        self.sent.append(what)
        self._loop.call_soon_threadsafe(self.news.set)

    async def until(self, what: str) -> None:
        async with asyncio.timeout(20):
            while what not in self.sent:
                self.news.clear()
                await self.news.wait()


@pytest.fixture
async def ours() -> AsyncIterator[Staged]:
    async with staged(Preferences(kill_after=0.1)) as made:
        yield made


@pytest.fixture
async def signals(ours: Staged, monkeypatch: pytest.MonkeyPatch) -> Signals:
    return Signals(ours, monkeypatch)


async def begin(one: Staged, limit: float | None = None) -> Asked:
    assert one.worker.execute(fx.ExecuteInWorker(1, C1, "code", limit), "code") is not None
    return await one.kernel.heard("execute_request")


def tried(one: Staged) -> list[Rung]:
    return [report.rung for report in one.stage.reports if isinstance(report, r.StopTried)]


def hurried(monkeypatch: pytest.MonkeyPatch, patience: float) -> None:
    """A ladder of the same rungs, with another patience."""
    for name in ("OURS", "FOREIGN"):
        steps = tuple(Step(step.rung, patience) for step in getattr(stopping, name))
        monkeypatch.setattr(stopping, name, steps)


async def test_a_cell_that_heeds_an_interrupt_is_stopped_by_it_alone(
    ours: Staged, signals: Signals
) -> None:
    asked = await begin(ours)
    ours.worker.stop(C1)
    await signals.until("interrupt")
    await ours.kernel.run(asked, CUT)
    assert (await ours.stage.heard(r.CellEnded)).ending == r.Stopped()
    await asyncio.sleep(0)
    assert tried(ours) == [Rung.INTERRUPT]
    assert signals.sent == ["interrupt"]


async def test_a_cell_that_nothing_stops_is_killed_after_every_rung_in_order(
    ours: Staged, signals: Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried(monkeypatch, 0.02)
    await begin(ours)
    ours.worker.stop(C1)
    await signals.until("kill")
    assert tried(ours) == LADDER
    asked = [one for one in ours.kernel.asked if one.content.get("ask") == "stop_rung"]
    rungs = [one.content["args"]["rung"] for one in asked]
    assert rungs == ["interrupt", "cancel_again", "double_tap", "abandon"]
    assert {one.channel for one in asked} == {"control"}, "where no cell is in the way"
    assert {one.content["args"]["request"] for one in asked} == {f"cell:{C1}"}
    assert signals.sent == ["interrupt", "kill"]


async def test_who_asks_again_has_the_next_rung_tried_at_once(
    ours: Staged, signals: Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried(monkeypatch, 600.0)
    asked = await begin(ours)
    ours.worker.stop(C1)
    await signals.until("interrupt")
    for number, rung in enumerate(LADDER[:4], start=1):
        found = await ours.kernel.heard("stop_rung", number)
        assert found.content["args"]["rung"] == rung
        if rung != LADDER[3]:
            ours.worker.stop(C1)
    await ours.kernel.run(asked, CUT)
    assert (await ours.stage.heard(r.CellEnded)).ending == r.Stopped()
    assert tried(ours) == LADDER[:4], "and it was not killed"
    assert signals.sent == ["interrupt"]


async def test_a_rung_that_worked_is_the_last(
    ours: Staged, signals: Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "OURS", (Step(Rung.INTERRUPT, 0.01), Step(Rung.CANCEL_AGAIN, 60)))
    asked = await begin(ours)
    ours.kernel.answers["stop_rung"] = lambda _: ok({"done": True})
    ours.worker.stop(C1)
    assert (await ours.kernel.heard("stop_rung", 2)).content["args"]["rung"] == "cancel_again"
    await ours.kernel.run(asked, {**CUT, "ename": "CancelledError"})
    assert (await ours.stage.heard(r.CellEnded)).ending == r.Stopped()
    assert tried(ours) == LADDER[:2]
    assert signals.sent == ["interrupt"]


async def test_only_the_cell_that_runs_is_stopped(ours: Staged, signals: Signals) -> None:
    ours.worker.stop(C1)
    asked = await begin(ours)
    ours.worker.stop(CellId("c9"))
    await ours.kernel.run(asked, {"status": "ok"})
    assert (await ours.stage.heard(r.CellEnded)).ending == r.Succeeded()
    ours.worker.stop(C1)
    await asyncio.sleep(0)
    assert tried(ours) == []
    assert signals.sent == []


async def test_a_cell_over_its_time_is_stopped_and_told_as_that(
    ours: Staged, signals: Signals
) -> None:
    asked = await begin(ours, 0.01)
    await signals.until("interrupt")
    await ours.kernel.run(asked, CUT)
    ending = (await ours.stage.heard(r.CellEnded)).ending
    assert isinstance(ending, r.Raised)
    assert isinstance(ending.failure, TimedOut)
    assert tried(ours) == [Rung.INTERRUPT]


async def test_a_cell_that_ended_in_time_is_left_alone(ours: Staged, signals: Signals) -> None:
    asked = await begin(ours, 600.0)
    running = ours.worker.running
    assert running is not None
    await ours.kernel.run(asked, {"status": "ok"})
    await ours.stage.heard(r.CellEnded)
    assert running.timer is not None
    assert running.timer.cancelled()
    assert signals.sent == []


async def test_another_kernel_is_interrupted_and_then_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hurried(monkeypatch, 0.01)
    wanted = Preferences(kill_after=0.05)
    async with staged(wanted, kind="foreign", subshells=False) as foreign:
        signals = Signals(foreign, monkeypatch)
        await begin(foreign)
        foreign.worker.stop(C1)
        await signals.until("kill")
        assert signals.sent == ["interrupt", "below", "kill"]
        assert tried(foreign) == [Rung.INTERRUPT, Rung.CANCEL_AGAIN, Rung.KILL]
        kinds = [one.kind for one in foreign.kernel.asked]
        assert "hearth_request" not in kinds, "it would not understand"


async def test_a_kernel_that_wants_a_message_gets_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record: dict[str, Any] = {"kind": "foreign", "subshells": False, "interrupt_by_message": True}
    async with staged(**record) as foreign:
        signals = Signals(foreign, monkeypatch)
        asked = await begin(foreign)
        foreign.worker.stop(C1)
        message = await foreign.kernel.heard("interrupt_request")
        assert message.channel == "control"
        assert signals.sent == []
        await foreign.kernel.run(asked, CUT)
        assert (await foreign.stage.heard(r.CellEnded)).ending == r.Stopped()


async def test_letting_go_ends_the_climb(ours: Staged, signals: Signals) -> None:
    await begin(ours)
    ours.worker.stop(C1)
    await signals.until("interrupt")
    running = ours.worker.running
    assert running is not None
    assert running.climbing is not None
    ours.worker.close()
    await asyncio.gather(running.climbing, return_exceptions=True)
    assert signals.sent == ["interrupt"], "nobody is killed by a daemon that leaves"
