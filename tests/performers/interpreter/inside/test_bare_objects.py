"""Objects are taken for what they are, whatever they say."""

import enum
import functools
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

from hearth.performers.interpreter.inside.bare_objects import (
    class_cells,
    content_of,
    enclosed,
    fields,
    functions,
    inner,
    is_a,
    set_bases,
)


class Liar:
    """Says it is a text."""

    def __getattribute__(self, name: str) -> Any:
        return str if name == "__class__" else object.__getattribute__(self, name)


class Secretive(type):
    """Tells nothing of its classes."""

    def __getattribute__(cls, name: str) -> Any:
        raise AttributeError(name)


class Hidden(metaclass=Secretive):
    """One of them."""

    kept = 7


def test_a_stand_in_is_what_it_is_and_not_what_it_says() -> None:
    assert isinstance(Liar(), str)
    assert not is_a(Liar(), str)
    assert is_a(Liar(), Liar)


def test_a_class_is_looked_into_without_its_metaclass() -> None:
    assert inner(Hidden, "__dict__")["kept"] == 7
    assert inner(Hidden, "__qualname__") == "Hidden"


def test_bases_are_changed_where_instances_are_built_alike() -> None:
    class Base:
        pass

    class Other:
        pass

    class Child(Base):
        pass

    child = Child()
    assert set_bases(Child, (Other,))
    assert isinstance(child, Other)
    assert not set_bases(Child, (int,))
    assert Child.__bases__ == (Other,), "what cannot be, changes nothing"


def test_an_empty_cell_holds_nothing() -> None:
    assert content_of(CellType(5)) == 5
    assert content_of(CellType()) is None


def test_the_functions_a_function_closes_over_are_found_and_nothing_else() -> None:
    def inside() -> None:
        pass

    number = 5

    def outside() -> int:
        inside()
        return number

    assert list(enclosed(outside)) == [inside]  # type: ignore[arg-type]  # it is a function


def test_the_functions_of_an_attribute_are_found_in_whatever_holds_them() -> None:
    def plain(self: object) -> None:
        del self

    def wrapped(function: Callable[..., None]) -> Callable[..., None]:
        def wrapper(self: object) -> None:
            function(self)

        return wrapper

    wrappings: list[Any] = [property, staticmethod, classmethod, functools.cached_property]
    for wrap in (*wrappings, functools.lru_cache, wrapped, lambda function: function):
        assert plain in list(functions(wrap(plain)))
    assert list(functions(5)) == []


def test_the_cells_by_which_methods_know_their_class_are_found() -> None:
    class Knows:
        def whose(self) -> str:
            return super().__repr__()

        def other(self) -> int:
            return 1

    (cell,) = class_cells(Knows)
    assert cell.cell_contents is Knows
    assert is_a(vars(Knows)["whose"], FunctionType)


def test_what_a_metaclass_made_something_of_can_be_compared() -> None:
    def colour(number: int) -> Any:
        return enum.EnumMeta.__call__(enum.Enum, "Colour", {"RED": number})

    assert fields(colour(1)) == fields(colour(1))
    assert fields(colour(1)) != fields(colour(2))
