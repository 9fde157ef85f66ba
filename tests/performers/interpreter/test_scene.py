"""A scene says how a cell ends and what it leaves."""

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId
from hearth.performers.interpreter.scene import NOBODY_THERE, UNWRITTEN, Scene, ended, ending_of

RUN = fx.ExecuteInWorker(3, CellId("c1"), "x = 1")


def test_a_scene_ends_with_its_value_or_with_what_it_raises() -> None:
    assert ending_of(Scene(value="42", value_type="int")) == r.Succeeded("42", "int")
    broken = CodeRaised("ZeroDivisionError", "division by zero")
    assert ending_of(Scene(raises=broken)) == r.Raised(broken)


def test_one_that_asks_fails_where_nobody_can_answer() -> None:
    assert ending_of(Scene(asks="who? ")) == r.Raised(NOBODY_THERE)


def test_code_without_a_scene_says_so() -> None:
    ending = ending_of(UNWRITTEN)
    assert isinstance(ending, r.Raised)
    assert isinstance(ending.failure, CodeRaised)
    assert ending.failure.name == "NotInTheScript"


def test_what_a_scene_prints_binds_and_uses_is_in_its_report() -> None:
    scene = Scene(prints=("a", "b"), errors=("c",), names=("x",), statements=2, uses=(("m", "1"),))
    told = ended(RUN, scene, r.Succeeded(), 0.5)
    assert (told.generation, told.cell, told.duration) == (3, "c1", 0.5)
    assert told.outputs == (StreamText("stdout", "ab"), StreamText("stderr", "c"))
    assert (told.names, told.statements, told.uses) == (("x",), 2, {"m": "1"})
    assert ended(RUN, Scene(), r.Stopped(), 0.0).outputs == ()
