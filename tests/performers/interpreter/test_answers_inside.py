"""What comes from inside is taken as far as it makes sense, whatever it is."""

import pytest

from hearth.core.vocabulary.answers import Inspection, NotReloaded, Reloaded, Variable
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.reports import SourcesTaken
from hearth.performers.interpreter.answers_inside import many, named_type, one, sources_taken


def test_an_answer_becomes_the_word_it_should_be_without_what_we_do_not_know() -> None:
    found = {"name": "xs", "type": "list", "length": 2, "colour": "red", "shape": None}
    assert one(named_type(found), Variable, Variable("?")) == Variable("xs", "list", length=2)


@pytest.mark.parametrize("nonsense", [None, 3, "x", [], {"name": []}, {"found": "maybe"}])
def test_nonsense_is_not_taken_for_an_answer(nonsense: object) -> None:
    otherwise = Inspection(name="as it was")
    assert one(nonsense, Inspection, otherwise) in {otherwise} or nonsense == {}


def test_of_a_list_what_makes_sense_is_kept() -> None:
    listed = [{"name": "a"}, {"size": 3}, 7, {"name": "b", "size": 4}]
    assert many(listed, Variable) == (Variable("a"), Variable("b", size=4))
    assert many(None, Variable) == ()


def test_what_came_of_a_reload_is_told_with_its_time() -> None:
    taken = sources_taken(
        InputId("i1"),
        {
            "reloaded": [{"module": "a", "file": "/a.py", "seconds": 0.25, "replaced": []}],
            "failed": [{"file": "/b.py", "name": "SyntaxError", "line": 3}],
            "unknown": ["/c.py"],
        },
    )
    assert taken == SourcesTaken(
        InputId("i1"),
        (Reloaded("a", "/a.py", 0.25),),
        (NotReloaded("/b.py", name="SyntaxError", line=3),),
        0.25,
    )
