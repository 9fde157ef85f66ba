"""A session is brought back: what is run again, what is not, and what is said about it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import pytest
from tests.contracts.hearth_api import PATIENCE, S, T, accepted, begin, ran, until
from tests.contracts.performer import Recorded

from hearth.api import Hearth, Shown, Viewed
from hearth.core.views.transcript import Transcript
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Difference
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.progress import ReplayStep
from hearth.core.vocabulary.undoing import ForkHow
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog, MemoryStore
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import Backstage, ScriptedInterpreter
from hearth.performers.replaying import REPLAY, Replaying

LOOM: Final = (("loom", "1"),)
ABSENT: Final = CodeRaised("ModuleNotFoundError", "No module named 'yarn.spun'")
RAISES: Final = CodeRaised("ValueError", "no such wheel")
LONG: Final = "z = 1" + " " * 70_000

SCENES: Final[Mapping[str, Scene]] = {
    "x = 1": Scene(names=("x",)),
    "y = f()": Scene(prints=("spun\n",), names=("y",), uses=LOOM),
    "x": Scene(value="1"),
    "y.z": Scene(value="7", uses=LOOM),
    "half = 1; fail()": Scene(names=("half",), raises=RAISES),
    "fail()": Scene(raises=RAISES),
    "hang": Scene(prints=("on\n",), ends="when interrupted"),
    "die": Scene(ends="with the worker"),
    "setup.py": Scene(names=("s",), statements=3),
    LONG: Scene(names=("z",)),
}


class Stagecraft:
    """An engine with an interpreter that plays scenes, and someone who can replay."""

    def __init__(
        self,
        store: MemoryStore | None = None,
        backstage: Backstage | None = None,
        scenes: Mapping[str, Scene] = SCENES,
    ) -> None:
        self.store = store or MemoryStore()
        self.log = MemoryLog(self.store)
        self.backstage = backstage or Backstage()
        self.scenes = dict(scenes)
        self.interpreter = ScriptedInterpreter(self.scenes, backstage=self.backstage)
        self.replaying = Replaying(self.log.blobs.get)
        self.engine = Engine(self.log, [self.interpreter, self.replaying])
        self.replaying.bind(self.engine)

    def given(self, since: int = 0) -> list[str]:
        """What the interpreter was given to run."""
        return [
            str(one.code) if isinstance(one, fx.ExecuteInWorker) else one.path
            for one in self.interpreter.performed[since:]
            if isinstance(one, fx.ExecuteInWorker | fx.LoadInWorker)
        ]


@asynccontextmanager
async def playing(stage: Stagecraft) -> AsyncIterator[Stagecraft]:
    await stage.log.open()
    await stage.engine.open()
    try:
        yield stage
    finally:
        await stage.engine.close()


async def lived(stage: Stagecraft, *codes: str, session: SessionId = S) -> int:
    """Begin a session, run these cells and lose the interpreter; how much was performed by then."""
    await begin(stage.engine, session)
    await see(stage, "f1", session, loom="1")
    for code in codes:
        script = code.endswith(".py")
        await ran(stage.engine, c.LoadScript(code) if script else c.RunCell(code), session)
    await ran(stage.engine, c.HardResetSession(), session)
    return len(stage.interpreter.performed)


async def see(stage: Stagecraft, fingerprint: str, session: SessionId = S, /, **parts: str) -> None:
    following = stage.engine.follow(session)
    stage.interpreter.see(session, fingerprint, parts)
    await until(following, e.EnvironmentChanged)
    following.close()


async def replayed(
    hearth: Hearth, source: SessionId | None = None, session: SessionId = S
) -> e.SessionReplayed:
    done = await ran(hearth, c.ReplaySession(source), session)
    assert isinstance(done.outcome.event, e.SessionReplayed)
    return done.outcome.event


@pytest.mark.promise("SF-REPLAY-01", "SF-REPLAY-02")
class TestWhatIsRunAgain:
    async def test_cells_that_build_something_in_their_order_and_none_that_only_looked(
        self,
    ) -> None:
        async with playing(Stagecraft()) as stage:
            before = await lived(stage, "x = 1", "x", "y = f()", "y.z", "setup.py")
            assert await replayed(stage.engine) == e.SessionReplayed(
                ran=("c1", "c3", "c5"), skipped=("c2", "c4")
            )
            assert stage.given(before) == ["x = 1", "y = f()", "setup.py"]

    async def test_each_says_for_which_cell_it_stands_and_who_ran_it(self) -> None:
        async with playing(Stagecraft()) as stage:
            await lived(stage, "x = 1", "setup.py")
            await replayed(stage.engine)
            rows = await stage.log.read_session(S, 0, 1000)
            begun = [one for one in map(envelope, rows) if isinstance(one.event, e.CellStarted)]
            assert [
                (one.event.cell, one.event.replays, one.origin)
                for one in begun[2:]
                if isinstance(one.event, e.CellStarted)
            ] == [("c3", "c1", REPLAY), ("c4", "c2", REPLAY)]
            assert Origin(Actor.SYSTEM, "replay") == REPLAY

    async def test_one_that_failed_half_way_is_run_again_and_marked(self) -> None:
        async with playing(Stagecraft()) as stage:
            before = await lived(stage, "half = 1; fail()", "fail()", "x = 1")
            assert await replayed(stage.engine) == e.SessionReplayed(
                ran=("c1", "c3"), skipped=("c2",), partial=("c1",), failed=("c1",)
            )
            assert stage.given(before) == ["half = 1; fail()", "x = 1"]

    async def test_code_that_is_kept_elsewhere_is_fetched(self) -> None:
        async with playing(Stagecraft()) as stage:
            before = await lived(stage, LONG)
            assert (await replayed(stage.engine)).ran == ("c1",)
            assert stage.given(before) == [LONG]

    async def test_the_cells_of_another_session(self) -> None:
        async with playing(Stagecraft()) as stage:
            await lived(stage, "x = 1", "y = f()", "x", session=T)
            await begin(stage.engine)
            await see(stage, "f9", other="1")
            before = len(stage.interpreter.performed)
            # What this interpreter has not loaded is not missing for that.
            assert await replayed(stage.engine, T) == e.SessionReplayed(
                ran=("c1", "c2"), skipped=("c3",)
            )
            assert stage.given(before) == ["x = 1", "y = f()"]

    async def test_after_a_daemons_restart_all_that_was_there_is_brought_back(self) -> None:
        store = MemoryStore()
        async with playing(Stagecraft(store)) as stage:
            await lived(stage, "x = 1", "x")
        async with playing(Stagecraft(store)) as stage:
            await ran(stage.engine, c.HardResetSession())
            assert (await replayed(stage.engine)).ran == ("c1",)
            assert stage.given() == ["x = 1"]

    async def test_a_session_without_cells_has_nothing_to_run(self) -> None:
        async with playing(Stagecraft()) as stage:
            await begin(stage.engine)
            assert await replayed(stage.engine) == e.SessionReplayed()

    async def test_what_goes_on_is_shown(self) -> None:
        async with playing(Stagecraft()) as stage:
            await lived(stage, "x = 1", "x", "y = f()")
            following = stage.engine.follow(S)
            await replayed(stage.engine)
            items = await until(following, e.SessionReplayed)
            following.close()
            shown = [one.progress for one in items if isinstance(one, Shown)]
            steps = [one for one in shown if isinstance(one, ReplayStep)]
            assert steps == [ReplayStep(CellId("c1"), 1, 2), ReplayStep(CellId("c3"), 2, 2)]

    async def test_it_is_told_in_the_transcript(self) -> None:
        async with playing(Stagecraft()) as stage:
            await lived(stage, "x = 1", "x")
            await replayed(stage.engine)
            viewed = await stage.engine.view("transcript", S)
            assert isinstance(viewed, Viewed)
            assert isinstance(viewed.value, Transcript)
            assert viewed.value.entries[-1].notice == "replayed: 1 run again, 1 left out"


@pytest.mark.promise("SF-REPLAY-03")
class TestWhatIsSaid:
    async def test_what_came_out_otherwise_and_it_goes_on(self) -> None:
        async with playing(Stagecraft()) as stage:
            await lived(stage, "y = f()", "x = 1", "y.z")
            await see(stage, "f2", loom="2")
            stage.scenes["y = f()"] = Scene(prints=("woven\n",), names=("y",))
            stage.scenes["x = 1"] = Scene(raises=RAISES)
            assert await replayed(stage.engine) == e.SessionReplayed(
                ran=("c1", "c2", "c3"),
                failed=("c2",),
                differing=(
                    Difference("c1", "spun\n", "woven\n"),
                    Difference("c2", "", "ValueError: no such wheel"),
                ),
            )

    async def test_what_is_gone_is_named_and_what_needs_it_is_not_run(self) -> None:
        async with playing(Stagecraft()) as stage:
            await begin(stage.engine)
            await see(stage, "f1", loom="1")
            for code in ("y = f()", "x = 1", "y.z"):
                await ran(stage.engine, c.RunCell(code))
            await see(stage, "f2")
            await ran(stage.engine, c.HardResetSession())
            before = len(stage.interpreter.performed)
            assert await replayed(stage.engine) == e.SessionReplayed(
                ran=("c2",), missing=("loom (used by c1, c3)",)
            )
            assert stage.given(before) == ["x = 1"]

    async def test_a_module_that_cannot_be_imported_any_more_is_missing(self) -> None:
        async with playing(Stagecraft()) as stage:
            await lived(stage, "x = 1", "y = f()")
            stage.scenes["x = 1"] = Scene(raises=ABSENT)
            told = await replayed(stage.engine)
            assert told.missing == ("yarn.spun (used by c1)",)
            assert (told.ran, told.failed) == (("c1", "c2"), ("c1",))


class TestWhereItEndsEarly:
    async def test_at_a_cell_that_someone_cancels(self) -> None:
        async with playing(Stagecraft()) as stage:
            before = await lived(stage, "x = 1", "y = f()", "x = 1")
            stage.scenes["y = f()"] = SCENES["hang"]
            following = stage.engine.follow(S)
            await accepted(stage.engine, c.ReplaySession())
            await until(following, e.CellStarted, 2)
            await ran(stage.engine, c.CancelCell())
            items = await until(following, e.SessionReplayed)
            told = _last(items)
            assert told == e.SessionReplayed(ran=("c1",), problem="c2 was cancelled")
            assert stage.given(before) == ["x = 1", "y = f()"]
            following.close()

    @pytest.mark.parametrize("word", [c.HardResetSession(), c.StopSession()], ids=repr)
    async def test_with_its_interpreter_and_nothing_is_run_in_the_next(
        self, word: c.Command
    ) -> None:
        async with playing(Stagecraft()) as stage:
            before = await lived(stage, "y = f()", "x = 1")
            stage.scenes["y = f()"] = SCENES["hang"]
            following = stage.engine.follow(S)
            asked = await accepted(stage.engine, c.ReplaySession())
            await until(following, e.CellStarted)
            await ran(stage.engine, word)
            abandoned = [one for one in await _rows(stage) if one.cause == asked.id]
            assert isinstance(abandoned[-1].event, e.QuestionAbandoned)
            await ran(stage.engine, c.HardResetSession())
            await ran(stage.engine, c.RunCell("x"))
            assert stage.given(before) == ["y = f()", "x"]
            following.close()

    async def test_with_its_interpreter_that_dies(self) -> None:
        async with playing(Stagecraft()) as stage:
            await lived(stage, "y = f()", "x = 1")
            stage.scenes["y = f()"] = SCENES["die"]
            done = await ran(stage.engine, c.ReplaySession())
            assert done.outcome.event == e.QuestionAbandoned("the interpreter was lost")

    async def test_where_the_other_session_is_not_there(self) -> None:
        async with playing(Stagecraft()) as stage:
            await begin(stage.engine)
            told = await replayed(stage.engine, T)
            assert (told.ran, told.skipped) == ((), ())
            assert T in told.problem
            assert "no session" in told.problem

    @pytest.mark.parametrize("held", [False, True], ids=["gone", "another one"])
    async def test_where_what_its_interpreter_was_copied_from_is_not_here(
        self,
        held: bool,  # noqa: FBT001 - a case of the table
    ) -> None:
        async with playing(Stagecraft()) as stage:
            if held:
                await begin(stage.engine, T)
            point = c.ForkPoint(T, how=ForkHow.COPY, version=1000)
            await ran(stage.engine, c.CreateSession(c.SessionConfig(forked_from=point)))
            told = await replayed(stage.engine)
            assert (told.ran, told.skipped) == ((), ())
            assert f"copied from that of {T}" in told.problem

    async def test_where_the_other_log_has_not_come_as_far(self) -> None:
        async with playing(Stagecraft()) as stage:
            await lived(stage, "x = 1", session=T)
            await begin(stage.engine)
            done = await ran(stage.engine, c.ReplaySession(T, before=1000))
            assert isinstance(done.outcome.event, e.SessionReplayed)
            assert (done.outcome.event.ran, done.outcome.event.problem) == (("c1",), "")

    async def test_where_code_cannot_be_fetched(self) -> None:
        async def nowhere(_sha256: str) -> bytes:
            raise KeyError("gone")

        stage = Stagecraft()
        broken = Replaying(nowhere)
        stage.engine = Engine(stage.log, [stage.interpreter, broken])
        broken.bind(stage.engine)
        async with playing(stage):
            before = await lived(stage, "x = 1", LONG, "x = 1")
            told = await replayed(stage.engine)
            assert told.ran == ("c1",)
            assert told.problem.startswith("the code of c2 cannot be read")
            assert stage.given(before) == ["x = 1"]

    @pytest.mark.promise("SF-REPLAY-01")
    async def test_with_its_daemon_and_whoever_asked_is_told_by_the_next(self) -> None:
        first = Stagecraft()
        async with playing(first) as stage:
            await lived(stage, "x = 1", "y = f()", "x = 1")
            stage.scenes["y = f()"] = SCENES["hang"]
            following = stage.engine.follow(S)
            asked = await accepted(stage.engine, c.ReplaySession())
            await until(following, e.CellStarted, 2)
            following.close()
        second = Stagecraft(first.store, first.backstage, first.scenes)
        async with playing(second) as stage:
            following = stage.engine.follow(S, after=0)
            items = await until(following, e.QuestionAbandoned)
            told = envelope(_stored(items)[-1])
            assert told.event == e.QuestionAbandoned("the daemon was restarted")
            assert told.cause == asked.id
            # The cell goes on, and nothing is run after it.
            await ran(stage.engine, c.CancelCell())
            await ran(stage.engine, c.RunCell("x", if_busy="queue"))
            assert stage.given() == ["x"]
            following.close()


async def test_a_script_waits_until_someone_elses_cell_is_over() -> None:
    async with playing(Stagecraft()) as stage:
        await lived(stage, "setup.py", "x = 1")
        following = stage.engine.follow(S)
        # Both are in the mailbox before anything is performed.
        async with asyncio.timeout(PATIENCE):
            replay, _ = await asyncio.gather(
                accepted(stage.engine, c.ReplaySession()),
                accepted(stage.engine, c.RunCell("hang")),
            )
        await until(following, e.CellStarted)
        await ran(stage.engine, c.CancelCell())
        told = _last(await until(following, e.SessionReplayed))
        assert told == e.SessionReplayed(ran=("c1", "c2"))
        assert stage.given()[-3:] == ["hang", "setup.py", "x = 1"]
        assert [one.cause for one in await _rows(stage)][-1] == replay.id
        following.close()


async def test_it_does_not_fail_upon_an_effect_of_someone_else_or_before_it_is_bound() -> None:
    replaying, stage = Replaying(MemoryLog().blobs.get), Recorded()
    asked = fx.ReplayHistory(1, InputId("q"), S)
    await replaying.perform(S, asked, stage)
    await replaying.perform(S, fx.StopWorker(1), stage)
    assert [type(one) for one in stage.reports] == [r.EffectFailed, r.EffectFailed]
    await replaying.close()


async def test_a_log_that_cannot_be_read_ends_it_with_the_reason() -> None:
    async with playing(Stagecraft()) as stage:
        await lived(stage, "x = 1")
        stage.store.damage_row(8)
        recorded = Recorded()
        await stage.replaying.perform(S, fx.ReplayHistory(2, InputId("q"), S, 99), recorded)
        (told,) = recorded.reports
        assert isinstance(told, r.ReplayEnded)
        assert told.question == "q"
        assert told.problem
        assert told.ran == ()


async def _rows(stage: Stagecraft) -> list[Envelope]:
    return [envelope(row) for row in await stage.log.read_session(S, 0, 1000)]


def _stored(items: list[Stored | Shown]) -> list[Stored]:
    return [one for one in items if isinstance(one, Stored)]


def _last(items: list[Stored | Shown]) -> e.Event:
    return envelope(_stored(items)[-1]).event
