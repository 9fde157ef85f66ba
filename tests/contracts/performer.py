"""What every performer of interpreter effects must do: the scripted one, and any real one.

Subclass InterpreterContract and give it a fixture `troupe` whose performers run the code below,
and whose interpreters outlive the performer that started them.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Final, Protocol, TypeVar, get_args

import pytest

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import ExploredKind
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.failures import CodeRaised, TimedOut
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.modelling import AgentEffect
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.progress import OutputChunk, Progress

PATIENCE: Final = 30.0
S, T = SessionId("session-one"), SessionId("session-two")
C1, C2 = CellId("c1"), CellId("c2")
ASKED = InputId("i1")

VALUE: Final = "6 * 7"
"""Its value is 42."""
PRINTS: Final = "print('hello')"
RAISES: Final = "1 / 0"
FOREVER: Final = "print('on')\nwhile True: pass"
"""It says that it runs, so that a test can wait for it."""
DIES: Final = "import os; os._exit(3)"
SCRIPT: Final = "total = 1\nprint(total)\n"
"""A file of two statements."""

INTERPRETING: Final = frozenset(get_args(fx.Effect)) - {
    fx.WaitThenRestart,
    fx.ReplayHistory,
    fx.BranchSession,
    fx.ReturnSession,
    *get_args(AgentEffect),
}
_Report = TypeVar("_Report", bound=r.Report)


class Recorded:
    """A stage that keeps what is said on it, and lets tests wait for it."""

    def __init__(self) -> None:
        self.reports: list[r.Report] = []
        self.shown: list[Progress] = []
        self._news = asyncio.Event()

    def report(self, report: r.Report) -> None:
        self.reports.append(report)
        self._news.set()

    def show(self, progress: Progress) -> None:
        self.shown.append(progress)
        self._news.set()

    def kinds(self) -> list[type[r.Report]]:
        """What was reported, but for what an interpreter tells of its surroundings at any time."""
        return [type(one) for one in self.reports if not isinstance(one, r.EnvironmentSeen)]

    async def heard(self, kind: type[_Report], nth: int = 1) -> _Report:
        """The n-th report of this kind, once it is there."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    found = [one for one in self.reports if isinstance(one, kind)]
                    if len(found) >= nth:
                        return found[nth - 1]
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError as late:
            raise AssertionError(f"no {kind.__name__} but {self.reports}") from late

    async def seen(self) -> None:
        """Return when anything was shown."""
        async with asyncio.timeout(PATIENCE):
            while not self.shown:
                self._news.clear()
                await self._news.wait()


class Troupe(Protocol):
    """Makes performers that share one world, as daemons that follow each other do."""

    def performer(self) -> Performer:
        """Another performer."""

    def script(self) -> Path:
        """A file with SCRIPT in it."""


class Play:
    """One performer at work. Effects are begun without waiting for each other, as engines do."""

    def __init__(self, performer: Performer) -> None:
        self.performer = performer
        self.stage = Recorded()
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self, effect: fx.Effect, session: SessionId = S) -> None:
        """Have an effect carried out, and let it begin."""
        perform = self.performer.perform(session, effect, self.stage)
        self._tasks.append(asyncio.create_task(perform))
        await asyncio.sleep(0)

    async def ready(self, session: SessionId = S) -> None:
        """Start an interpreter and wait for it."""
        before = self.stage.kinds().count(r.WorkerReady)
        await self.begin(fx.StartWorker(1, SessionConfig()), session)
        assert (await self.stage.heard(r.WorkerReady, before + 1)).generation == 1

    async def run(self, code: str, limit: float | None = None) -> None:
        """Begin a cell."""
        await self.begin(fx.ExecuteInWorker(1, C1, code, limit))

    async def running(self) -> None:
        """Begin a cell that does not end by itself, and wait until it surely runs."""
        await self.run(FOREVER)
        await self.stage.seen()

    async def rest(self) -> None:
        """Every effect that was begun is over; none may have raised."""
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*self._tasks)

    async def leave(self) -> None:
        """The daemon ends: nothing more is waited for, and the performer lets go."""
        for task in self._tasks:
            task.cancel()
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.performer.close()
        for one in ended:
            assert one is None or isinstance(one, asyncio.CancelledError), one


@asynccontextmanager
async def playing(troupe: Troupe) -> AsyncIterator[Play]:
    """A performer at work, which leaves in the end."""
    play = Play(troupe.performer())
    try:
        yield play
    finally:
        await play.leave()


def every_effect(generation: int, cell: CellId) -> list[fx.Effect]:
    """One of each kind that interpreters carry out."""
    config = SessionConfig()
    return [
        fx.StartWorker(generation, config),
        fx.AttachWorker(generation, config, cell),
        fx.StopWorker(generation),
        fx.ResetWorker(generation, config),
        fx.ExecuteInWorker(generation, cell, VALUE),
        fx.LoadInWorker(generation, cell, "/nowhere/at/all.py"),
        fx.InterruptWorker(generation, cell, 1),
        fx.CheckInWorker(generation, ASKED, VALUE),
        fx.CompleteInWorker(generation, ASKED, VALUE, 1),
        fx.InspectInWorker(generation, ASKED, VALUE, 1),
        fx.ListInWorker(generation, ASKED),
        fx.ExploreInWorker(generation, ASKED, ExploredKind.MODULE, "json"),
        fx.ExploreInWorker(generation, ASKED, ExploredKind.TYPE, "nothing.like.it"),
        fx.ReloadInWorker(generation, ASKED, ("/nowhere/at/all.py",)),
        fx.AnswerInWorker(generation, cell, "42"),
        fx.RevertWorker(generation, ASKED, cell, "before-1"),
        fx.TryInWorker(generation, cell, (VALUE, RAISES)),
        fx.DropVariants(generation, cell),
        fx.AdoptVariant(generation + 1, cell, 1),
    ]


ODD = [
    effect
    for generation, cell in product([0, 7], [C1, CellId("c999"), CellId("")])
    for effect in every_effect(generation, cell)
]


class InterpreterContract:
    """The suite. `troupe` comes from the subclass."""

    def test_it_carries_out_what_interpreters_do_and_does_not_wait(self, troupe: Troupe) -> None:
        assert troupe.performer().effects == INTERPRETING

    @pytest.mark.parametrize("started", [False, True], ids=("without one", "with one"))
    async def test_it_never_raises_whatever_it_is_asked(
        self, troupe: Troupe, *, started: bool
    ) -> None:
        async with playing(troupe) as play:
            if started:
                await play.ready()
            for effect in ODD:
                play.stage.reports.clear()
                await play.begin(effect)
                await play.begin(effect, T)
                await play.rest()
                # Those who wait for an answer get one: the rules ignore what is about the past.
                for answer in ANSWERS.get(type(effect), ()):
                    assert any(isinstance(one, answer) for one in play.stage.reports), effect
                assert all(isinstance(one, get_args(r.Report)) for one in play.stage.reports)

    async def test_it_does_not_fail_upon_an_effect_of_someone_else(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.begin(fx.WaitThenRestart(1, 0.0))
            await play.rest()
            assert [type(one) for one in play.stage.reports] == [r.EffectFailed]

    async def test_an_interpreter_is_started_for_its_generation(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.begin(fx.StartWorker(5, SessionConfig()))
            assert (await play.stage.heard(r.WorkerReady)).generation == 5
            assert not [one for one in play.stage.reports if isinstance(one, r.WorkerFailed)]

    async def test_a_cell_that_has_a_value(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.run(VALUE)
            ended = await play.stage.heard(r.CellEnded)
            assert (ended.generation, ended.cell) == (1, C1)
            assert isinstance(ended.ending, r.Succeeded)
            assert (ended.ending.value, ended.ending.value_type) == ("42", "int")
            assert ended.duration >= 0

    async def test_a_cell_that_prints_is_shown_live_and_in_full(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.run(PRINTS)
            ended = await play.stage.heard(r.CellEnded)
            assert ended.outputs == (StreamText("stdout", "hello\n"),)
            chunks = [one for one in play.stage.shown if isinstance(one, OutputChunk)]
            assert "".join(one.text for one in chunks) == "hello\n"
            assert {(one.cell, one.stream) for one in chunks} == {(C1, "stdout")}

    @pytest.mark.promise("SF-STATE-06")
    async def test_a_cell_that_raises_leaves_the_interpreter_usable(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.run(RAISES)
            ended = await play.stage.heard(r.CellEnded)
            assert isinstance(ended.ending, r.Raised)
            assert isinstance(ended.ending.failure, CodeRaised)
            assert ended.ending.failure.name == "ZeroDivisionError"
            await play.begin(fx.ExecuteInWorker(1, C2, VALUE))
            assert isinstance((await play.stage.heard(r.CellEnded, 2)).ending, r.Succeeded)
            assert not [one for one in play.stage.reports if isinstance(one, r.WorkerLost)]

    async def test_a_script_says_how_many_statements_ran(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.begin(fx.LoadInWorker(1, C1, str(troupe.script())))
            ended = await play.stage.heard(r.CellEnded)
            assert isinstance(ended.ending, r.Succeeded)
            assert ended.statements == 2

    async def test_a_cell_is_interrupted_and_the_next_one_runs(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.running()
            await play.begin(fx.InterruptWorker(1, C1, 1))
            ended = await play.stage.heard(r.CellEnded)
            assert ended.ending == r.Stopped()
            await play.begin(fx.ExecuteInWorker(1, C2, VALUE))
            assert isinstance((await play.stage.heard(r.CellEnded, 2)).ending, r.Succeeded)

    async def test_an_interrupt_meant_for_another_cell_stops_nothing(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.running()
            await play.begin(fx.InterruptWorker(1, C2, 1))
            await play.begin(fx.InterruptWorker(9, C1, 1))
            await play.begin(fx.CheckInWorker(1, ASKED, VALUE))
            await play.stage.heard(r.CodeChecked)
            assert not [one for one in play.stage.reports if isinstance(one, r.CellEnded)]

    async def test_a_cell_that_takes_longer_than_it_may(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.run(FOREVER, limit=0.05)
            ended = await play.stage.heard(r.CellEnded)
            assert isinstance(ended.ending, r.Raised)
            assert isinstance(ended.ending.failure, TimedOut)
            assert ended.ending.failure.limit == 0.05

    @pytest.mark.promise("SF-AFF-08")
    async def test_questions_are_answered_while_a_cell_runs(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.running()
            await play.begin(fx.CheckInWorker(1, ASKED, VALUE))
            await play.begin(fx.CompleteInWorker(1, InputId("i2"), "pri", 3))
            assert (await play.stage.heard(r.CodeChecked)).question == ASKED
            assert (await play.stage.heard(r.CodeCompleted)).question == "i2"
            assert not [one for one in play.stage.reports if isinstance(one, r.CellEnded)]

    async def test_an_interpreter_that_dies_is_reported_once(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.run(DIES)
            lost = await play.stage.heard(r.WorkerLost)
            assert (lost.generation, lost.exit) == (1, r.Exit.CRASH)
            await play.rest()
            assert not [one for one in play.stage.reports if isinstance(one, r.CellEnded)]
            assert len([one for one in play.stage.reports if isinstance(one, r.WorkerLost)]) == 1

    @pytest.mark.promise("SF-STATE-04")
    async def test_one_that_is_stopped_goes_quietly_with_all_it_was_at(
        self, troupe: Troupe
    ) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.running()
            await play.begin(fx.StopWorker(1))
            await play.rest()
            assert play.stage.kinds() == [r.WorkerReady]
            await play.begin(fx.AttachWorker(1, SessionConfig()))
            assert (await play.stage.heard(r.WorkerLost)).exit is r.Exit.VANISHED

    async def test_a_stop_meant_for_another_generation_stops_nothing(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.begin(fx.StopWorker(9))
            await play.run(VALUE)
            assert isinstance((await play.stage.heard(r.CellEnded)).ending, r.Succeeded)

    async def test_after_a_reset_it_has_the_new_generation_alone(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.begin(fx.ResetWorker(2, SessionConfig()))
            assert (await play.stage.heard(r.WorkerReady, 2)).generation == 2
            await play.begin(fx.ExecuteInWorker(2, C1, VALUE))
            assert (await play.stage.heard(r.CellEnded)).generation == 2
            await play.begin(fx.AttachWorker(1, SessionConfig()))
            assert (await play.stage.heard(r.WorkerLost)).generation == 1

    async def test_sessions_do_not_meet(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.ready()
            await play.ready(T)
            await play.running()
            await play.begin(fx.ExecuteInWorker(1, C2, VALUE), T)
            assert (await play.stage.heard(r.CellEnded)).cell == C2
            await play.begin(fx.StopWorker(1), T)
            await play.begin(fx.InterruptWorker(1, C1, 1))
            assert (await play.stage.heard(r.CellEnded, 2)).cell == C1


@pytest.mark.promise("SF-STATE-06")
class OutlivingContract:
    """For performers whose interpreters outlive the daemon."""

    async def test_an_idle_one_is_taken_up_again(self, troupe: Troupe) -> None:
        async with playing(troupe) as first:
            await first.ready()
        async with playing(troupe) as second:
            await second.begin(fx.AttachWorker(1, SessionConfig()))
            assert (await second.stage.heard(r.WorkerReady)).generation == 1
            await second.run(VALUE)
            assert isinstance((await second.stage.heard(r.CellEnded)).ending, r.Succeeded)
        assert first.stage.kinds() == [r.WorkerReady]

    async def test_a_running_cell_goes_on_and_its_end_is_heard(self, troupe: Troupe) -> None:
        async with playing(troupe) as first:
            await first.ready()
            await first.running()
        async with playing(troupe) as second:
            await second.begin(fx.AttachWorker(1, SessionConfig(), C1))
            await second.stage.heard(r.WorkerReady)
            assert second.stage.kinds() == [r.WorkerReady]
            await second.begin(fx.InterruptWorker(1, C1, 1))
            assert (await second.stage.heard(r.CellEnded)).ending == r.Stopped()
            await second.rest()
        assert first.stage.kinds() == [r.WorkerReady]

    async def test_a_cell_it_never_heard_of_is_ended_at_once_and_not_run(
        self, troupe: Troupe
    ) -> None:
        async with playing(troupe) as first:
            await first.ready()
        async with playing(troupe) as second:
            await second.begin(fx.AttachWorker(1, SessionConfig(), C2))
            await second.stage.heard(r.WorkerReady)
            ended = await second.stage.heard(r.CellEnded)
            assert (ended.cell, ended.outputs) == (C2, ())
            assert isinstance(ended.ending, r.Raised)

    async def test_one_that_is_gone_has_vanished(self, troupe: Troupe) -> None:
        async with playing(troupe) as play:
            await play.begin(fx.AttachWorker(4, SessionConfig(), C1))
            lost = await play.stage.heard(r.WorkerLost)
            assert (lost.generation, lost.exit) == (4, r.Exit.VANISHED)
            assert play.stage.kinds() == [r.WorkerLost]


ANSWERS: Final[dict[type[fx.Effect], tuple[tuple[type[r.Report], ...], ...]]] = {
    fx.StartWorker: ((r.WorkerReady, r.WorkerFailed),),
    fx.AttachWorker: ((r.WorkerReady, r.WorkerLost),),
    fx.ResetWorker: ((r.WorkerReady, r.WorkerFailed),),
    fx.ExecuteInWorker: ((r.CellEnded, r.WorkerLost),),
    fx.LoadInWorker: ((r.CellEnded, r.WorkerLost),),
    fx.CheckInWorker: ((r.CodeChecked, r.EffectFailed),),
    fx.CompleteInWorker: ((r.CodeCompleted, r.EffectFailed),),
    fx.InspectInWorker: ((r.CodeInspected, r.EffectFailed),),
    fx.ListInWorker: ((r.VariablesFound, r.EffectFailed),),
    fx.ExploreInWorker: ((r.MembersFound, r.EffectFailed),),
    fx.ReloadInWorker: ((r.SourcesTaken, r.EffectFailed),),
}
"""What must come back for an effect, each time one of these."""
