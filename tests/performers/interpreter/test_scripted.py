"""The scripted interpreter is a real performer, and plays what is written."""

from pathlib import Path

import pytest
from tests.contracts import performer as contract
from tests.contracts.performer import C1, C2, Play, Recorded, S, T, Troupe, playing

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import ExploredKind, Inspection
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Completion, Diagnostic, Severity, StreamText
from hearth.core.vocabulary.failures import CodeRaised, WarmUpFailed
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.progress import OutputChunk
from hearth.performers.interpreter.scene import NOBODY_THERE, UNWRITTEN, Scene
from hearth.performers.interpreter.scripted import Backstage, ScriptedInterpreter

WRONG = Diagnostic("no `ys`", Severity.ERROR, 1, 0, 1, 2)
SCENES = {
    contract.VALUE: Scene(value="42", value_type="int"),
    contract.PRINTS: Scene(prints=("hello\n",)),
    contract.RAISES: Scene(raises=CodeRaised("ZeroDivisionError", "division by zero")),
    contract.FOREVER: Scene(prints=("on\n",), ends="when interrupted"),
    contract.DIES: Scene(ends="with the worker"),
    "ys": Scene(diagnostics=(WRONG,), completions=(Completion("ysabel"),)),
    "warn": Scene(prints=("a", "b"), errors=("careful",), names=("x",)),
    "ask": Scene(asks="name? ", uses=(("loom", "1"),)),
    "look": Scene(inspection=Inspection(found=True, name="look")),
    "exit()": Scene(prints=("bye",), ends="with the worker", exit=r.Exit.CLEAN),
}


class ScriptedTroupe:
    """Performers that share one backstage."""

    def __init__(self, folder: Path) -> None:
        self._backstage = Backstage()
        self._script = folder / "script.py"
        self._script.write_text(contract.SCRIPT)

    def performer(self) -> Performer:
        """Another performer."""
        scenes = {**SCENES, str(self._script): Scene(statements=2, prints=("1\n",))}
        return ScriptedInterpreter(scenes, backstage=self._backstage)

    def script(self) -> Path:
        """A file with two statements."""
        return self._script


@pytest.fixture
def troupe(tmp_path: Path) -> Troupe:
    return ScriptedTroupe(tmp_path)


class TestItIsAnInterpreter(contract.InterpreterContract):
    """It passes what every interpreter must."""


class TestItOutlivesItsDaemon(contract.OutlivingContract):
    """As long as the backstage is the same."""


async def test_code_nobody_wrote_a_scene_for_says_so(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.run("what is this")
        ended = await play.stage.heard(r.CellEnded)
        assert UNWRITTEN.raises is not None
        assert ended.ending == r.Raised(UNWRITTEN.raises)


async def test_both_streams_are_kept_apart(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.run("warn")
        ended = await play.stage.heard(r.CellEnded)
        assert ended.outputs == (StreamText("stdout", "ab"), StreamText("stderr", "careful"))
        assert ended.names == ("x",)
        assert play.stage.shown == [
            OutputChunk(C1, "stdout", "a"),
            OutputChunk(C1, "stdout", "b"),
            OutputChunk(C1, "stderr", "careful"),
        ]


async def test_a_scene_says_how_the_worker_goes(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.run("exit()")
        assert (await play.stage.heard(r.WorkerLost)).exit is r.Exit.CLEAN


async def test_checks_and_completions_come_from_the_scene(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.begin(fx.CheckInWorker(1, InputId("q1"), "ys"))
        await play.begin(fx.CompleteInWorker(1, InputId("q2"), "ys", 2))
        assert await play.stage.heard(r.CodeChecked) == r.CodeChecked(InputId("q1"), (WRONG,))
        assert (await play.stage.heard(r.CodeCompleted)).items == (Completion("ysabel"),)


async def test_a_warm_up_fails_where_the_script_says_so() -> None:
    def second_fails(effect: fx.StartWorker | fx.ResetWorker) -> str:
        return "no memory" if effect.generation == 2 else ""

    play = Play(ScriptedInterpreter({}, warm_up=second_fails))
    await play.ready()
    await play.begin(fx.ResetWorker(2, SessionConfig()))
    failed = await play.stage.heard(r.WorkerFailed)
    assert failed == r.WorkerFailed(2, WarmUpFailed("no memory"))
    await play.leave()


async def test_a_worker_can_be_lost_in_the_middle_of_a_cell_and_nothing_waits_on() -> None:
    interpreter = ScriptedInterpreter(SCENES)
    play = Play(interpreter)
    await play.ready()
    await play.running()
    interpreter.lose(S, r.Exit.CRASH, "signal 11")
    await play.rest()
    assert play.stage.reports[1:] == [r.WorkerLost(1, r.Exit.CRASH, "signal 11")]


async def test_what_it_was_asked_is_on_record_in_order() -> None:
    interpreter = ScriptedInterpreter(SCENES)
    stage = Recorded()
    asked: list[fx.Effect] = [fx.StopWorker(1), fx.CheckInWorker(1, InputId("q"), "x")]
    for effect in asked:
        await interpreter.perform(T, effect, stage)
    assert interpreter.performed == asked


async def test_the_answer_to_what_a_scene_asks_is_its_value(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.begin(fx.ExecuteInWorker(1, C1, "ask", may_ask=True))
        assert await play.stage.heard(r.InputAsked) == r.InputAsked(1, C1, "name? ")
        await play.begin(fx.AnswerInWorker(1, C2, "not for this cell"))
        await play.begin(fx.AnswerInWorker(1, C1, "ada"))
        ended = await play.stage.heard(r.CellEnded)
        assert (ended.ending, ended.uses) == (r.Succeeded("ada", "str"), {"loom": "1"})
        await play.rest()
        assert [type(one) for one in play.stage.reports[1:]] == [r.InputAsked, r.CellEnded]


async def test_a_scene_that_asks_can_be_interrupted(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.begin(fx.ExecuteInWorker(1, C1, "ask", may_ask=True))
        await play.stage.heard(r.InputAsked)
        await play.begin(fx.InterruptWorker(1, C1, 1))
        assert (await play.stage.heard(r.CellEnded)).ending == r.Stopped()


async def test_a_scene_that_asks_where_nobody_is_fails_and_says_so(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.run("ask")
        assert (await play.stage.heard(r.CellEnded)).ending == r.Raised(NOBODY_THERE)
        assert not [one for one in play.stage.reports if isinstance(one, r.InputAsked)]


async def test_a_cell_that_does_not_ask_is_not_answered(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.running()
        await play.begin(fx.AnswerInWorker(1, C1, "42"))
        await play.begin(fx.InterruptWorker(1, C1, 1))
        assert (await play.stage.heard(r.CellEnded)).ending == r.Stopped()


async def test_every_question_is_answered_for_who_asked_it(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.begin(fx.InspectInWorker(1, InputId("q1"), "look", 1))
        await play.begin(fx.ListInWorker(1, InputId("q2")))
        await play.begin(fx.ExploreInWorker(1, InputId("q3"), ExploredKind.TYPE, "int"))
        await play.begin(fx.ReloadInWorker(1, InputId("q4"), ("/a.py",)))
        inspected = await play.stage.heard(r.CodeInspected)
        assert inspected == r.CodeInspected(InputId("q1"), Inspection(found=True, name="look"))
        assert (await play.stage.heard(r.VariablesFound)).question == "q2"
        assert (await play.stage.heard(r.MembersFound)).exploration.name == "int"
        assert (await play.stage.heard(r.SourcesTaken)).question == "q4"


async def test_what_it_has_loaded_is_what_it_is_told() -> None:
    interpreter = ScriptedInterpreter(SCENES)
    play = Play(interpreter)
    await play.ready()
    interpreter.see(S, "f1", {"loom": "1"})
    assert play.stage.reports[1:] == [r.EnvironmentSeen(1, "f1", {"loom": "1"})]
    await play.leave()
