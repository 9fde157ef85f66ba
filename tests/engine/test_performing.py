"""Effects find their performer; a performer's mistake becomes a report."""

import asyncio

import pytest

from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.effects import Effect, ExecuteInWorker, StartWorker, StopWorker
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import Progress, WarmUpStep
from hearth.core.vocabulary.reports import EffectFailed, Report
from hearth.engine.performing import Performing, SessionStage
from hearth.log.memory import MemoryLog

S = SessionId("session-aaaaaa")
START = StartWorker(1, SessionConfig())


class Clumsy:
    """Raises on start, waits for ever on stop, notes everything."""

    effects: frozenset[type[Effect]] = frozenset({StartWorker, StopWorker, ExecuteInWorker})

    def __init__(self) -> None:
        self.seen: list[Effect] = []
        self.saw_six = asyncio.Event()
        self.is_closed = False

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        assert session == S
        self.seen.append(effect)
        if len(self.seen) == 6:
            self.saw_six.set()
        stage.show(WarmUpStep("trying"))
        if effect == START:
            raise LookupError("no such thing")
        if isinstance(effect, StopWorker):
            await asyncio.Event().wait()

    async def close(self) -> None:
        self.is_closed = True


async def test_a_raising_performer_is_reported_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    heard, shown = asyncio.Queue[Report](), list[Progress]()
    stage = SessionStage(S, heard.put_nowait, lambda _, progress: shown.append(progress))
    performing = Performing([Clumsy()], MemoryLog().blobs)
    performing.begin(S, START, stage)
    assert await heard.get() == EffectFailed(START, "LookupError: no such thing")
    assert shown == [WarmUpStep("trying")]
    assert "Clumsy raised" in caplog.text
    await performing.close()


async def test_an_effect_that_nobody_performs_is_reported() -> None:
    heard = asyncio.Queue[Report]()
    stage = SessionStage(S, heard.put_nowait, lambda *_: None)
    performing = Performing([], MemoryLog().blobs)
    performing.begin(S, StopWorker(1), stage)
    report = await heard.get()
    assert isinstance(report, EffectFailed)
    assert report.effect == StopWorker(1)
    await performing.close()


async def test_code_kept_as_a_blob_is_fetched_and_effects_begin_in_order() -> None:
    log, clumsy = MemoryLog(), Clumsy()
    blob = await log.blobs.put(b"print(1)")
    stage = SessionStage(S, lambda _: None, lambda *_: None)
    performing = Performing([clumsy], log.blobs)
    performing.begin(S, ExecuteInWorker(1, CellId("c1"), blob), stage)
    for number in range(5):
        performing.begin(S, StopWorker(number), stage)
    await asyncio.wait_for(clumsy.saw_six.wait(), 10)
    assert clumsy.seen == [
        ExecuteInWorker(1, CellId("c1"), "print(1)"),
        *(StopWorker(number) for number in range(5)),
    ]
    await performing.close()
    assert clumsy.is_closed


async def test_a_blob_that_is_gone_is_reported_instead_of_run() -> None:
    heard = asyncio.Queue[Report]()
    clumsy = Clumsy()
    blob = await MemoryLog().blobs.put(b"elsewhere")
    performing = Performing([clumsy], MemoryLog().blobs)
    performing.begin(
        S,
        ExecuteInWorker(1, CellId("c1"), blob),
        SessionStage(S, heard.put_nowait, lambda *_: None),
    )
    assert isinstance(await heard.get(), EffectFailed)
    assert clumsy.seen == []
    await performing.close()
