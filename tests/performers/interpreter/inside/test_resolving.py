"""What expressions stand for, found without running them."""

import json
import os
import types
from typing import Any

import pytest
from tests.performers.interpreter.inside import trapped

from hearth.performers.interpreter.inside.resolving import resolve


class Dog:
    legs = 4

    def __init__(self) -> None:
        self.name = "Rex"

    @property
    def loud(self) -> int:
        raise SystemExit

    @classmethod
    def make(cls) -> "Dog":
        return cls()

    def friend(self) -> str:
        raise SystemExit


class Slotted:
    __slots__ = ("a",)

    def __init__(self) -> None:
        self.a = 7


REX = Dog()
SPACE: dict[str, Any] = {"rex": REX, "Dog": Dog, "d": {"k": [REX]}, "s": Slotted(), "js": json}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("rex", REX),
        ("rex.name", "Rex"),
        ("rex.legs", 4),
        ("Dog.legs", 4),
        ("d['k'][0].name", "Rex"),
        ("d['k'][-1]", REX),
        ("s.a", 7),
        ("js.decoder.JSONDecoder", json.JSONDecoder),
        ("len", len),
        ("os.path", os.path),
        ("'text'", "text"),
        (" rex ", REX),
    ],
)
def test_a_value_is_found(expression: str, value: Any) -> None:
    found = resolve(SPACE, expression)
    assert found is not None
    assert found.value == value
    assert not found.is_computed


def test_methods_are_bound() -> None:
    made, friend = resolve(SPACE, "Dog.make"), resolve(SPACE, "rex.friend")
    assert made is not None
    assert friend is not None
    assert made.value.__self__ is Dog
    assert friend.value.__self__ is REX


@pytest.mark.parametrize(
    ("expression", "kind"),
    [("Dog()", Dog), ("rex.friend()", str), ("[1]", list), ("{}", dict), ("f'{x}'", str)],
)
def test_of_what_would_have_to_run_only_the_type_is_told(expression: str, kind: type) -> None:
    found = resolve(SPACE, expression)
    assert found is not None
    assert found.instance_of is kind
    assert found.looked_at is kind


def test_a_property_is_found_and_not_asked() -> None:
    found = resolve(SPACE, "rex.loud")
    assert found is not None
    assert found.is_computed
    assert resolve(SPACE, "rex.loud.real") is None


@pytest.mark.parametrize(
    "expression",
    [
        "nope",
        "rex.nope",
        "d['x']",
        "d[0][1]",
        "rex[0]",
        "1 +",
        "",
        "a b",
        "rex.friend(",
        "s.b",
        "1+1",
    ],
)
def test_what_is_not_there_is_none(expression: str) -> None:
    assert resolve(SPACE, expression) is None


def test_nothing_of_the_users_is_run() -> None:
    value = trapped.trapped()
    space = {"t": value, "T": type(value)}
    for expression in (
        "t",
        "t.name",
        "t.loud",
        "t.bark",
        "t.nope",
        "T.legs",
        "T.nope",
        "t['a']",
        "t()",
    ):
        resolve(space, expression)
    found = resolve(space, "t.name")
    assert found is not None
    assert found.value == "Rex"
    assert trapped.touched == []


def test_a_modules_getattr_is_not_asked() -> None:
    module = types.ModuleType("lazy")

    def computed(name: str) -> None:
        raise AssertionError(name)

    module.__dict__["__getattr__"] = computed
    assert resolve({"lazy": module}, "lazy.thing") is None
