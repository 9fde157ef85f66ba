"""What is said about values, and that nothing of theirs is run for it."""

import collections
import datetime as dt
import decimal
import json
import math
import sys
import types
from pathlib import PurePosixPath
from typing import Any

import pytest
from tests.performers.interpreter.inside import trapped

from hearth.performers.interpreter.inside import describing


class Dog:
    """A dog.

    It barks.
    """

    def bark(self) -> None:
        """Bark."""


def test_types_are_named_as_people_say_them() -> None:
    assert describing.type_text(1) == "int"
    assert describing.type_text(None) == "NoneType"
    assert describing.type_text(collections.OrderedDict()) == "collections.OrderedDict"
    assert describing.type_text(json) == "module json"
    cell = type("Dog", (), {"__module__": "__main__"})
    assert describing.type_text(cell()) == "Dog"
    assert describing.type_text(cell) == "type"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (json, "module"),
        (Dog, "class"),
        (len, "function"),
        (json.dumps, "function"),
        (lambda: 1, "function"),
        (Dog().bark, "method"),
        ([].append, "method"),
        (str.upper, "method"),
        (property(lambda _: 1), "property"),
        (1, "variable"),
        (None, "variable"),
    ],
)
def test_kinds_are_those_of_completions(value: Any, kind: str) -> None:
    assert describing.kind(value) == kind


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1, "1"),
        (True, "True"),
        (None, "None"),
        (1.5, "1.5"),
        (math.inf, "inf"),
        ("a\nb", "'a\\nb'"),
        (b"ab", "b'ab'"),
        ([1, [2, [3, [4]]]], "[1, [2, […]]]"),
        ((), "()"),
        ((1,), "(1,)"),
        (set(), "set()"),
        ({1}, "{1}"),
        ({"a": {"b": 1}}, "{'a': {'b': 1}}"),
        (list(range(9)), "[0, 1, 2, 3, 4, …]"),
        (range(3), "range(0, 3)"),
        (10**400, "<int of 1329 bits>"),
        (dt.date(2026, 1, 2), "datetime.date(2026, 1, 2)"),
        (decimal.Decimal("1.5"), "Decimal('1.5')"),
        (PurePosixPath("/a"), "PurePosixPath('/a')"),
        (collections.deque([1, 2]), "<collections.deque of 2>"),
        (json, "<module json>"),
        (int, "<class int>"),
        (len, "<builtin_function_or_method len>"),
    ],
)
def test_a_preview_shows_what_is_harmless(value: Any, shown: str) -> None:
    assert describing.preview(value) == shown


def test_a_preview_is_one_short_line_whatever_the_value() -> None:
    nested: list[Any] = []
    nested.append(nested)
    for value in (
        "x" * 10**6,
        ["y" * 10**6] * 10**5,
        {"k" * 999: "v" * 999},
        nested,
        b"\0" * 10**6,
    ):
        shown = describing.preview(value)
        assert len(shown) <= 120
        assert "\n" not in shown


def test_nothing_of_the_users_is_run() -> None:
    value = trapped.trapped()
    assert describing.preview(value).endswith("Trapped>")
    assert describing.preview([value]).endswith("Trapped>]")
    assert describing.preview(type(value)).endswith("Trapped>")
    assert describing.type_text(value) == "Trapped"
    assert describing.kind(value) == "variable"
    assert describing.kind(type(value)) == "class"
    assert describing.length(value) is None
    assert describing.size(value) > 0
    assert describing.shape(value) == ""
    assert describing.documentation(value).startswith("Harmless")
    assert trapped.touched == []


def test_an_int_of_the_users_own_is_not_shown_by_its_own_repr() -> None:
    class Loud(int):
        __module__ = "__main__"
        __qualname__ = "Loud"

        def __repr__(self) -> str:
            raise AssertionError

    assert describing.preview(Loud(3)) == "<Loud>"


def test_lengths_and_sizes_are_told_where_c_tells_them() -> None:
    assert describing.length([1, 2]) == 2
    assert describing.length(collections.Counter("aab")) == 2
    assert describing.length(1) is None
    assert describing.length(list) is None
    assert describing.size([1] * 1000) == sys.getsizeof([1] * 1000)


@pytest.fixture
def array(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An object of a class that numpy would define, and one that only says so."""
    numpy = types.ModuleType("numpy")
    monkeypatch.setitem(sys.modules, "numpy", numpy)
    members = {"__module__": "numpy", "shape": (3, 2), "dtype": "float64", "nbytes": 48}
    kind = type("ndarray", (), {**members, "__len__": lambda _: 3})
    numpy.__dict__["ndarray"] = kind
    return kind()


def test_an_array_is_told_by_its_outline(array: Any) -> None:
    assert describing.preview(array) == "<numpy.ndarray (3, 2) float64>"
    assert describing.shape(array) == "(3, 2)"
    assert describing.size(array) == 48
    assert describing.length(array) == 3


def test_a_class_that_only_says_it_is_numpys_is_not_believed(array: Any) -> None:
    pretender = type("ndarray", (), {"__module__": "numpy", "shape": (9,)})()
    assert describing.shape(pretender) == ""
    assert describing.shape(array) != ""


def test_docstrings_are_found_and_bounded() -> None:
    assert describing.documentation(Dog) == "A dog.\n\nIt barks."
    assert describing.documentation(Dog()) == "A dog.\n\nIt barks."
    assert describing.documentation(Dog().bark) == "Bark."
    assert describing.documentation(json).startswith("JSON")
    assert describing.first_line("\n One.\n\n Two.") == "One."
    large = type("Large", (), {"__doc__": "x" * 10**6})
    assert len(describing.documentation(large)) == describing.LONGEST_DOC
    assert describing.documentation(type("Odd", (), {"__doc__": 3})) == ""
