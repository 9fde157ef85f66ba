"""Signatures as people write them."""

import enum
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.performers.interpreter.inside import trapped

from hearth.performers.interpreter.inside import signatures


class Colour(enum.Enum):
    """Its class can be called, its members cannot."""

    RED = 1


class Dog:
    def __init__(self, name: str) -> None: ...
    def bark(self, times: int = 2) -> "str":
        raise NotImplementedError

    def __call__(self, who: Any) -> None: ...
    @classmethod
    def make(cls, n: int) -> None: ...
    @staticmethod
    def tell(n: int) -> None: ...


def everything(
    a: Any, /, b: list[int], *c: int, d: "Dog | None" = None, **e: Any
) -> Callable[..., int]:
    raise NotImplementedError


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (lambda a, b=1: (a, b), "(a, b=1)"),
        (lambda a, /: a, "(a, /)"),
        (lambda *, a: a, "(*, a)"),
        (Dog, "(name: str)"),
        (Dog.bark, "(self, times: int = 2) -> str"),
        (Dog("x").bark, "(times: int = 2) -> str"),
        (Dog("x"), "(who: Any) -> None"),
        (Dog.make, "(n: int) -> None"),
        (vars(Dog)["tell"], "(n: int) -> None"),
        (len, "(obj, /)"),
        (1, ""),
        (json, ""),
    ],
)
def test_a_signature_is_written(value: Any, written: str) -> None:
    assert signatures.signature(value) == written


def test_every_kind_of_parameter_is_written_in_its_place() -> None:
    written = signatures.signature(everything)
    assert written.startswith("(a: Any, /, b: list[int], *c: int, d: Dog | None = None, **e: Any)")
    assert "-> collections.abc.Callable" in written or "-> Callable" in written


def test_the_type_comes_before_the_signature() -> None:
    def f(a: int, b: int = 1) -> int:
        return a + b

    assert signatures.type_and_signature(f) == "function (a: int, b: int = 1) -> int"
    assert signatures.type_and_signature(1) == "int"


def test_a_default_is_not_shown_by_a_repr_of_the_users() -> None:
    value = trapped.trapped()

    def f(a: Any = value) -> None: ...

    assert "Trapped>" in signatures.signature(f)
    assert signatures.signature(value) == ""
    assert signatures.signature(type(value)) == ""
    assert trapped.touched == []


def test_a_long_signature_is_cut() -> None:
    namespace: dict[str, Any] = {}
    exec("def f(" + ", ".join(f"argument_{n}" for n in range(200)) + "): ...", namespace)  # noqa: S102  two hundred by hand
    assert len(signatures.signature(namespace["f"])) == 300


def test_what_can_be_given_by_name_is_told() -> None:
    assert [one.name for one in signatures.parameters(everything)] == ["b", "d"]
    assert [one.name for one in signatures.parameters(Dog("x"))] == ["who"]
    assert signatures.parameters(Colour.RED) == []
