"""What still refers to new objects whose place old ones took, and letting it refer to those."""

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CellType
from typing import Any, Final, TypeAlias

from .bare_objects import content_of, inner, set_bases
from .patching import Patch

_MANY: Final = 100_000
Standing: TypeAlias = Callable[[Any], Any]
"""Gives for an object the one that stands for it, mostly itself."""


@contextmanager
def many_young() -> Iterator[None]:
    """Meanwhile what is made stays young, so that it can be found without a long search."""
    thresholds = gc.get_threshold()
    if thresholds[0]:
        gc.set_threshold(_MANY, *thresholds[1:])
    try:
        yield
    finally:
        if thresholds[0]:
            gc.set_threshold(*thresholds)


def sweep(patch: Patch) -> None:
    """Let nothing hold the new objects whose place old ones took.

    What was made while the module ran is young and soon looked through. Usually nothing else holds
    them, and they go; where an older registry got one, the whole process is searched for it, which
    takes longer the larger that is.
    """
    if gc.get_count()[0] <= 2 * _MANY:
        correct(patch, gc.get_objects(generation=0))
    left = [weakref.ref(one) for one in patch.fresh]
    patch.fresh.clear()
    gc.collect(0)
    patch.fresh.extend(one for one in (ref() for ref in left) if one is not None)
    if patch.fresh:
        correct(patch, gc.get_referrers(*patch.fresh))
        patch.fresh.clear()
        gc.collect(0)


def correct(patch: Patch, holders: list[Any]) -> None:
    """Let these objects refer to what stays, where they refer to what should go."""
    fresh = {id(one) for one in patch.fresh}

    def standing(one: Any) -> Any:
        return patch.stands_for(one) if id(one) in fresh else one

    patch.adopt(holders)
    for holder in holders:
        # By the ids of their types alone: asking an object, or a class, could run its code.
        kind = id(type if issubclass(type(holder), type) else type(holder))
        if kind in _CORRECTIONS and holder is not patch.fresh and id(holder) not in fresh:
            _CORRECTIONS[kind](holder, standing)


def rebind(replaced: list[tuple[Any, Any]], namespaces: list[dict[str, Any]]) -> None:
    """Where namespaces hold something by name that was replaced, give them the new one."""
    new = {id(one): other for one, other in replaced}
    for namespace in namespaces if new else ():
        for name, value in list(namespace.items()):
            if id(value) in new:
                namespace[name] = new[id(value)]


def _map(holder: dict[Any, Any], standing: Standing) -> None:
    if "__module__" in holder:
        return  # the inside of a class, which must not be changed behind its back
    for key, value in list(holder.items()):
        stays = standing(value)
        if stays is not value:
            holder[key] = stays
        if standing(key) is not key:
            holder[standing(key)] = holder.pop(key)


def _list(holder: list[Any], standing: Standing) -> None:
    for index, value in enumerate(holder):
        stays = standing(value)
        if stays is not value:
            holder[index] = stays


def _set(holder: set[Any], standing: Standing) -> None:
    for value in list(holder):
        if standing(value) is not value:
            holder.discard(value)
            holder.add(standing(value))


def _cell(holder: CellType, standing: Standing) -> None:
    content = content_of(holder)
    if standing(content) is not content:
        holder.cell_contents = standing(content)


def _class(holder: type, standing: Standing) -> None:
    bases = tuple(map(standing, inner(holder, "__bases__")))
    if bases != inner(holder, "__bases__"):
        # If that is not possible, it goes on with the new base, which does the same.
        set_bases(holder, bases)


_CORRECTIONS: Final[dict[int, Callable[[Any, Standing], None]]] = {
    id(dict): _map,
    id(list): _list,
    id(set): _set,
    id(CellType): _cell,
    id(type): _class,
}


def namespaces(shell: Any, modules: list[str]) -> list[dict[str, Any]]:
    """Where people and modules hold things by name."""
    return [shell.user_ns, *(vars(sys.modules[one]) for one in modules if one in sys.modules)]
