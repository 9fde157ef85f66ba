"""Functions and classes as Python itself keeps them, whatever they say when they are asked.

A stand-in may call itself something else, and a metaclass may answer as it likes: neither is asked.
"""

import enum
import functools
from collections.abc import Iterator
from types import CellType, FunctionType
from typing import Any, Final

CACHED: Final = type(functools.lru_cache(lambda: None))
DEEPEST: Final = 5
"""So deep functions within functions are looked for."""


def is_a(one: Any, kinds: Any) -> Any:
    """Like isinstance, without asking the object: it may be a stand-in that says it is another."""
    return issubclass(type(one), kinds)


def inner(one: type, name: str) -> Any:
    """What Python itself keeps of a class, whatever its metaclass says or does when asked."""
    kept: Any = vars(type)[name]
    return kept.__get__(one)


def set_bases(one: type, bases: tuple[type, ...]) -> bool:
    """Give a class other bases; False if its instances are built in another way then."""
    kept: Any = vars(type)["__bases__"]
    try:
        kept.__set__(one, bases)
    except TypeError:
        return False
    return True


def content_of(cell: CellType) -> Any:
    """What a closure's cell holds; None if nothing does yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None  # an empty cell holds nothing


def enclosed(function: FunctionType) -> Iterator[Any]:
    """The functions that a function closes over, or says it wraps."""
    for cell in function.__closure__ or ():
        content = content_of(cell)
        if is_a(content, (FunctionType, CACHED)):
            yield content


def fields(one: Any) -> tuple[str, str]:
    """What a metaclass makes something of, in a form that can be compared."""
    members: Any = one.__members__.items() if is_a(one, enum.EnumMeta) else ()
    return (
        repr([(name, member.value) for name, member in members]),
        repr(inner(one, "__dict__").get("__annotations__")),
    )


def functions(value: Any, depth: int = 0) -> Iterator[FunctionType]:
    """The functions a class attribute is made of."""
    parts: tuple[Any, ...] = ()
    if is_a(value, FunctionType):
        yield value
        parts = tuple(enclosed(value))
    elif is_a(value, property):
        parts = (value.fget, value.fset, value.fdel)
    elif is_a(value, (staticmethod, classmethod)):
        parts = (value.__func__,)
    elif is_a(value, functools.cached_property):
        parts = (value.func,)
    elif is_a(value, CACHED):
        parts = (value.__wrapped__,)
    if depth < DEEPEST:
        for one in parts:
            yield from functions(one, depth + 1)


def class_cells(new: type) -> Iterator[CellType]:
    """The cells by which methods know their class, for `super()` and `__class__`."""
    for value in list(inner(new, "__dict__").values()):
        for function in functions(value):
            for name, cell in zip(
                function.__code__.co_freevars, function.__closure__ or (), strict=True
            ):
                if name == "__class__" and content_of(cell) is new:
                    yield cell
