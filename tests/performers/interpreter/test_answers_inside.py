"""What comes from inside becomes words of ours, or nothing: it is never taken on trust."""

from typing import Any

import pytest

from hearth.core.vocabulary.answers import Inspection, NotReloaded, Reloaded, Variable
from hearth.core.vocabulary.ids import InputId
from hearth.performers.interpreter.answers_inside import many, named_type, one, sources_taken


def test_what_fits_is_taken_and_what_only_the_inside_knows_is_left_out() -> None:
    rows = [{"name": "a", "value_type": "int", "size": 28, "colour": "red", "length": None}]
    assert many(rows, Variable) == (Variable("a", "int", 28),)


@pytest.mark.parametrize("found", [None, "abc", 3, {"name": "a"}, [], [None, 3, {}, {"name": []}]])
def test_what_is_no_list_of_answers_is_none(found: Any) -> None:
    assert many(found, Variable) == ()


def test_one_that_makes_no_sense_does_not_hide_the_others() -> None:
    rows = [{"name": "a"}, {"name": {"not": "a name"}}, {"name": "b"}]
    assert [row.name for row in many(rows, Variable)] == ["a", "b"]


@pytest.mark.parametrize("found", [None, [], "x", {"line": "many"}])
def test_an_answer_that_makes_no_sense_is_what_is_said_otherwise(found: Any) -> None:
    assert one(found, Inspection, Inspection(name="x")) == Inspection(name="x")


def test_a_type_has_another_name_on_the_wire() -> None:
    assert named_type({"name": "a", "type": "int"}) == {"name": "a", "value_type": "int"}
    assert named_type({"name": "a"}) == {"name": "a"}
    assert named_type(None) is None


def test_what_came_of_a_reload_is_told_with_its_time() -> None:
    taken = {
        "reloaded": [
            {"module": "a", "file": "/a.py", "seconds": 0.5},
            {"module": "b", "file": "/b.py", "seconds": 0.25},
        ],
        "failed": [{"file": "/c.py", "module": "c", "name": "SyntaxError", "line": 3}],
    }
    found = sources_taken(InputId("i1"), taken)
    assert found.question == "i1"
    assert found.reloaded == (Reloaded("a", "/a.py", 0.5), Reloaded("b", "/b.py", 0.25))
    assert found.failed == (NotReloaded("/c.py", "c", "SyntaxError", line=3),)
    assert found.duration == 0.75


@pytest.mark.parametrize("taken", [{}, {"reloaded": None, "failed": 3}])
def test_a_reload_that_took_nothing_is_told_as_that(taken: dict[str, Any]) -> None:
    found = sources_taken(InputId("i1"), taken)
    assert (found.reloaded, found.failed, found.duration) == ((), (), 0.0)
