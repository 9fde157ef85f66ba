"""Making the functions and classes of a module into what its new source says they are.

The old objects stay and get new bodies, so whoever holds one goes on with the new version: names
imported elsewhere, instances, bound methods, callbacks. What cannot be changed in place (other
slots, an enum with other members, another closure) is replaced, and the old one stays as it was.
"""

import enum
import functools
import gc
import itertools
from contextlib import suppress
from types import (
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
)
from typing import Any, Final, TypeAlias

from .bare_objects import (
    CACHED,
    DEEPEST,
    class_cells,
    enclosed,
    fields,
    inner,
    is_a,
    set_bases,
)

Names: TypeAlias = "dict[str, set[str]]"
"""What source binds: at its top level (under "") and in each class body (under the class)."""

_UNTOUCHED: Final = frozenset({"__dict__", "__weakref__", "__slots__", "__module__", "_abc_impl"})
_LAYOUT: Final = ("__basicsize__", "__itemsize__", "__dictoffset__", "__weakrefoffset__")
_SLOTS: Final = (MemberDescriptorType, GetSetDescriptorType)
_BEHAVIOUR: Final = (FunctionType, property, staticmethod, classmethod, functools.cached_property)
_CLASS: Final[Any] = vars(object)["__class__"]


class Patch:
    """One module that was executed anew: `namespace` is its new one, `before` its old one."""

    def __init__(
        self, namespace: dict[str, Any], before: dict[str, Any], bound: Names, name: str
    ) -> None:
        self._namespace = namespace
        self._before = before
        self._bound = bound
        self._name = name
        self._kept: dict[int, Any] = {}
        """The old object that now stands for a new one, by the id of the new one."""
        self._functions: list[FunctionType] = []
        self.fresh: list[Any] = []
        """The new objects that old ones stand for. They should go: nothing may hold them."""
        self.replaced: list[tuple[Any, Any]] = []
        """Old and new of what could not be changed in place."""

    def apply(self) -> None:
        """Put the old objects, changed, where the new ones are."""
        pairs = [
            (_rank(new), name, self._before[name], new)
            for name, new in list(self._namespace.items())
            if name in self._before and self._before[name] is not new
        ]
        # Metaclasses before their classes, bases before what is derived from them, the rest last.
        pairs.sort(key=lambda pair: pair[0])
        for _, group in itertools.groupby(pairs, key=lambda pair: pair[0][:2]):
            for _, name, old, new in group:
                self._namespace[name] = self._joined(old, new)
            # At once: methods that changed do not work on instances of the new classes.
            self.adopt(gc.get_objects(generation=0))
        for function in self._functions:
            # Only now all that stays is known.
            function.__defaults__ = self._all(function.__defaults__)
            if function.__kwdefaults__:
                kept = {name: self.stands_for(one) for name, one in function.__kwdefaults__.items()}
                function.__kwdefaults__ = kept
        for name, value in list(self._namespace.items()):
            if type(value) is tuple or type(value) is frozenset:
                self._namespace[name] = self._all(value)

    def adopt(self, holders: list[Any]) -> None:
        """Make the instances of new classes among these into those of the old ones that stay."""
        classes = {id(one): self._kept[id(one)] for one in self.fresh if is_a(one, type)}
        for one in holders if classes else ():
            if id(type(one)) in classes:
                with suppress(TypeError):  # it keeps the new class, which does the same
                    _CLASS.__set__(one, classes[id(type(one))])

    def stands_for(self, new: Any) -> Any:
        """The object that stands for a new one: the old one, or the new one itself."""
        return self._kept.get(id(new), new)

    def _all(self, values: Any) -> Any:
        """The same values with what stands for them, if any of them should go."""
        if values and any(id(one) in self._kept for one in values):
            return type(values)(self.stands_for(one) for one in values)
        return values

    def _joined(self, old: Any, new: Any) -> Any:
        if id(new) in self._kept:
            # Two names for one thing now; whoever holds the other name's old one gets it too.
            if is_a(old, FunctionType) and self._is_here(old) and old is not new:
                self._become(old, new)
            return self._kept[id(new)]
        if not (self._is_here(old) and self._is_here(new)):
            return new  # a value, or something of another module: the new one counts
        if self._has_become(old, new):
            self._kept[id(new)] = old
            self.fresh.append(new)
            return old
        self.replaced.append((old, new))
        return new

    def _is_here(self, one: Any, depth: int = 0) -> bool:
        """Whether something was defined in this module, perhaps wrapped by a decorator."""
        if is_a(one, type):
            return bool(inner(one, "__module__") == self._name)
        if is_a(one, FunctionType):
            return one.__globals__ is self._namespace or (
                depth < DEEPEST and any(self._is_here(x, depth + 1) for x in enclosed(one))
            )
        return bool(is_a(one, CACHED)) and self._is_here(one.__wrapped__, depth + 1)

    def _has_become(self, old: Any, new: Any) -> bool:
        try:
            return self._become(old, new)
        except Exception:  # noqa: BLE001 - what a metaclass or descriptor does not allow: replaced
            self._kept.pop(id(new), None)
            return False

    def _become(self, old: Any, new: Any) -> bool:
        if is_a(old, FunctionType) and is_a(new, FunctionType):
            return self._function(old, new)
        if is_a(old, type) and is_a(new, type):
            return self._class(old, new)
        if is_a(old, CACHED) and is_a(new, CACHED):
            if old.cache_parameters() != new.cache_parameters():
                return False
            old.cache_clear()
            return self._become(old.__wrapped__, new.__wrapped__)
        return False

    def _function(self, old: FunctionType, new: FunctionType) -> bool:
        if old.__code__.co_freevars != new.__code__.co_freevars:
            return False
        if old.__globals__ is not new.__globals__:
            return False
        cells = zip(
            new.__code__.co_freevars, old.__closure__ or (), new.__closure__ or (), strict=True
        )
        for name, mine, other in cells:
            # The class that `super()` means is the old one: it stays.
            if name != "__class__" and mine is not other:
                self._cell(mine, other)
        self._functions.append(old)
        old.__code__ = new.__code__
        old.__defaults__ = new.__defaults__
        old.__kwdefaults__ = new.__kwdefaults__
        old.__doc__ = new.__doc__
        old.__name__, old.__qualname__ = new.__name__, new.__qualname__
        for name in ("__annotate__", "__annotations__", "__type_params__"):
            # Newer Pythons compute annotations when they are asked for, older ones do not.
            if hasattr(new, name):
                setattr(old, name, getattr(new, name))
                if name == "__annotate__" and getattr(new, name) is not None:
                    break
        wrapped = old.__dict__.get("__wrapped__"), new.__dict__.get("__wrapped__")
        old.__dict__.clear()
        old.__dict__.update(new.__dict__)
        if wrapped[1] is not None:
            old.__dict__["__wrapped__"] = self._joined(*wrapped)
        return True

    def _cell(self, mine: CellType, other: CellType) -> None:
        try:
            content = other.cell_contents
        except ValueError:
            return  # not filled yet: a function that is defined and never became complete
        old = None
        with suppress(ValueError):  # the same for the old one, which then has nothing to keep
            old = mine.cell_contents
        mine.cell_contents = self._joined(old, content)

    def _class(self, old: type, new: type) -> bool:
        if not self._is_alike(old, new):
            return False
        self._kept[id(new)] = old  # already now: its own methods and nested classes ask
        for name, value in list(inner(new, "__dict__").items()):
            if name in _UNTOUCHED or is_a(value, _SLOTS):
                continue
            mine = inner(old, "__dict__").get(name)
            if is_a(new, enum.EnumMeta) and not is_a(value, _BEHAVIOUR):
                continue  # the members are the same; the rest is how an enum is made
            joined = self._attribute(mine, value)
            if joined is not mine:
                type.__setattr__(old, name, joined)
        for name in self._gone(old, new):
            type.__delattr__(old, name)
        for cell in class_cells(new):
            cell.cell_contents = old
        return True

    def _is_alike(self, old: type, new: type) -> bool:
        """Whether instances of the old class can live on as instances of the new one."""
        if type(old) is not self.stands_for(type(new)):
            return False
        if any(
            inner(old, "__dict__").get(one) != inner(new, "__dict__").get(one)
            for one in ("__slots__", "_fields")
        ):
            return False
        if not self._is_plain(new) and fields(old) != fields(new):
            return False
        if any(inner(old, one) != inner(new, one) for one in _LAYOUT):
            return False
        bases = tuple(self.stands_for(one) for one in inner(new, "__bases__"))
        return bool(bases == inner(old, "__bases__")) or set_bases(old, bases)

    def _is_plain(self, new: type) -> bool:
        """Whether a class is no more than what is in it.

        Other metaclasses (enums, models, structs) keep what they made of the fields elsewhere.
        """
        kind = type(new)
        return inner(kind, "__module__") in {"builtins", "abc", "typing"} or self._is_here(kind)

    def _attribute(self, mine: Any, value: Any) -> Any:
        """What a class attribute becomes."""
        if is_a(mine, FunctionType) and is_a(value, FunctionType):
            return mine if mine is value or self._function(mine, value) else value
        if is_a(value, (staticmethod, classmethod)) and type(mine) is type(value):
            functions = mine.__func__, value.__func__
            return mine if self._attribute(*functions) is functions[0] else value
        if is_a(value, property) and type(mine) is type(value):
            parts = [(getattr(mine, one), getattr(value, one)) for one in ("fget", "fset", "fdel")]
            # All of them, for a subclass elsewhere may have built upon the old ones.
            kept = [self._attribute(*part) is part[0] for part in parts]
            return mine if all(kept) and mine.__doc__ == value.__doc__ else value
        if is_a(value, (type, CACHED)):
            return self._joined(mine, value)
        return value

    def _gone(self, old: type, new: type) -> list[str]:
        """The attributes that the old source gave a class and the new one does not.

        What somebody else put there stays.
        """
        bound = self._bound.get(inner(old, "__qualname__"), set())
        return [
            name
            for name, value in list(inner(old, "__dict__").items())
            if name not in inner(new, "__dict__")
            and name not in _UNTOUCHED
            and not is_a(value, _SLOTS)
            and (name in bound or (is_a(value, FunctionType) and self._is_made(value, old)))
        ]

    def _is_made(self, function: FunctionType, owner: type) -> bool:
        """Whether a method was made for its class, as `@dataclass` makes them."""
        return (
            function.__globals__ is self._namespace
            and function.__qualname__ == f"{inner(owner, '__qualname__')}.{function.__name__}"
        )


def _rank(one: Any) -> tuple[bool, bool, int]:
    if not is_a(one, type):
        return True, True, 0
    return False, not issubclass(one, type), len(inner(one, "__mro__"))
