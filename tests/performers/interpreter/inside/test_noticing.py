"""What a cell did to the names of its session."""

import ast
import collections
from typing import Any

import pytest

from hearth.performers.interpreter.inside import noticing


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("x = y = 1", {"x", "y"}),
        ("a, (b, *c) = z", {"a", "b", "c"}),
        ("x += 1", {"x"}),
        ("x: int = 1", {"x"}),
        ("import os.path, json as j\nfrom m import f, g as h", {"os", "j", "f", "h"}),
        ("def f(a): b = 1", {"f"}),
        ("async def f(): global g; g = 1", {"f", "g"}),
        ("class C:\n    attribute = 1\n    def m(self): pass", {"C"}),
        ("for i in z: k = 1", {"i", "k"}),
        ("with o() as p: pass", {"p"}),
        ("[i for i in z]", set()),
        ("[last := i for i in z]", {"last"}),
        ("f = lambda q: (w := q)", {"f"}),
        ("(n := 10)", {"n"}),
        (
            "match z:\n    case [a, *b]: pass\n    case {'k': v, **rest}: pass",
            {"a", "b", "v", "rest"},
        ),
        ("print(x); x.y = 1; x[0] = 2", set()),
    ],
)
def test_the_names_that_code_binds_are_read_from_it(code: str, names: set[str]) -> None:
    assert noticing.bound_names(ast.parse(code)) == names


def _after(before: dict[str, Any], after: dict[str, Any], *bound: str) -> Any:
    return noticing.changes(noticing.snapshot(before), after, {"hidden"}, set(bound))


def test_new_changed_and_deleted_names_are_noticed() -> None:
    kept = object()
    old = {"kept": kept, "changed": object(), "gone": 1}
    new = {"kept": kept, "changed": object(), "new": 1}
    assert _after(old, new) == (["changed", "new"], ["gone"])


def test_a_name_that_was_bound_to_the_same_object_again_counts() -> None:
    assert _after({"x": 1}, {"x": 1}) == ([], [])
    assert _after({"x": 1}, {"x": 1}, "x", "never_bound") == (["x"], [])


def test_what_ipython_keeps_for_itself_is_not_the_users() -> None:
    own = ["In", "Out", "_", "__", "___", "_i", "_ii", "_iii", "_i12", "_12", "_ih", "_oh", "_dh"]
    theirs = ["x", "_private", "_i_mine", "i1", "_2d"]
    new = dict.fromkeys([*own, "__name__", "get_ipython", "hidden", *theirs])
    assert _after({}, new)[0] == sorted(theirs)
    assert sorted(noticing.known(new, {"hidden"})) == sorted(theirs)


class Dog:
    def __init__(self, name: str = "Rex") -> None:
        self.name = name

    def bark(self, times: int = 1) -> str:
        return "wau" * times


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, ""),
        (1, "int"),
        ("x", "str"),
        (collections.OrderedDict(), "collections.OrderedDict"),
        (Dog().bark, "method (times: int = 1) -> str"),
        (Dog, "type (name: str = 'Rex') -> None"),
        (lambda a, *b, c=1: (a, b, c), "function (a, *b, c=1)"),
        (len, "builtin_function_or_method (obj, /)"),
        (iter, "builtin_function_or_method"),
    ],
)
def test_a_value_is_told_by_its_type_and_what_is_callable_by_its_signature(
    value: object, said: str
) -> None:
    assert noticing.value_type(value) == said


def test_a_class_of_the_session_is_told_by_its_name_alone() -> None:
    assert noticing.value_type(type("Cat", (), {"__module__": "__main__"})()) == "Cat"


def test_a_type_that_lies_about_itself_does_no_harm() -> None:
    class Liar:
        __module__ = 5  # type: ignore[assignment]  # what somebody's code may do

        def __call__(self) -> None: ...

        @property
        def __signature__(self) -> object:
            raise RuntimeError("no")

    assert noticing.value_type(Liar()).endswith("Liar")
    long = type("L" * 1000, (), {"__call__": Dog.bark, "__module__": "m"})()
    assert len(noticing.value_type(long)) <= 1100
