"""What lists, mappings and texts come to that code puts together, within bounds."""

import ast
from collections.abc import Callable, Sequence
from typing import Final

from hearth.performers.judging.python_effects import words
from hearth.performers.judging.python_methods import INSPECTING
from hearth.performers.judging.python_paths import path_of
from hearth.performers.judging.python_values import (
    ANYTHING,
    CHOSEN,
    UNKNOWN,
    Known,
    Origin,
    PathAt,
    Several,
    Value,
    Values,
    joined,
)

MOST_TEXT: Final = 10_000
"""A text that is put together and longer than that is no path and no name: it is anything."""
MOST_INSIDE: Final = 200
"""Lists in a list with more in them than that are anything."""

_LEAVING: Final = INSPECTING | words(
    "builtins.len builtins.list builtins.tuple builtins.set builtins.sorted builtins.enumerate "
    "builtins.zip builtins.reversed builtins.sum builtins.min builtins.max builtins.any "
    "builtins.all builtins.open json.dumps pprint.pprint shlex.join collections.Counter"
)
_LEAVING_MODULES: Final = ("subprocess.", "os.path.", "math.", "statistics.", "numpy.", "pandas.")
"""What is given a list and does not change it."""


def several(items: Sequence[Values], *, is_loose: bool = False) -> Several:
    """A list of these. What is in it stays small, however often it is put into itself."""
    held = sum(_weight(one) for item in items for one in item if isinstance(one, Several))
    if held > MOST_INSIDE:
        items = [tuple(map(_unless_list, item)) for item in items]
    return Several(tuple(items), is_loose)


def _weight(value: Several) -> int:
    return 1 + sum(
        _weight(one) if isinstance(one, Several) else 1 for item in value.items for one in item
    )


def _unless_list(value: Value) -> Value:
    return UNKNOWN if isinstance(value, Several) else value


def text(whole: str) -> Values:
    """A text that was put together."""
    return (Known(whole),) if len(whole) <= MOST_TEXT else ANYTHING


def formatted(parts: Sequence[ast.expr], values: Callable[[ast.AST], Values]) -> Values:
    """What an f-string gives, if all that is in it is known."""
    found: list[str] = []
    for part in parts:
        inner: ast.AST = part
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion not in {-1, ord("s")}:
                return ANYTHING
            inner = part.value
        match values(inner):
            case (Known(value=str() | int() as value),):
                found.append(str(value))
            case (PathAt(path=str(path), is_below=False),):
                found.append(path)
            case _:
                return ANYTHING
    return text("".join(found))


def changed(value: Value) -> Value:
    """A list in whose places anything may be by now."""
    if not isinstance(value, Several):
        return value
    anything = joined(*value.items, ANYTHING)
    return Several(tuple(anything for _ in value.items) or (anything,), is_loose=True)


def holds_lists(value: Several) -> bool:
    """Whether what is in it can be changed without touching it."""
    return any(isinstance(one, Several) for item in value.items for one in item)


def leave_alone(callees: Values) -> bool:
    """Whether functions surely do not change a list that they are given."""
    return all(
        isinstance(one, Origin)
        and (
            one.name in _LEAVING or (one.name.startswith(_LEAVING_MODULES) and "(" not in one.name)
        )
        for one in callees
    )


def listed(values: Values, *, is_loose: bool) -> Values:
    """What is left of something that is made a list; `is_loose`: in another order."""
    return joined(*(_listed(value, is_loose=is_loose) for value in values))


def _listed(value: Value, *, is_loose: bool) -> Values:
    match value:
        case Several(items=items, is_loose=was_loose):
            return (Several(items, is_loose or was_loose),)
        case Origin(name=name) if name.startswith(CHOSEN.name):
            return (value,)
        case _:
            return ANYTHING


def elements(values: Values) -> Values:
    """What one after the other of something may be."""
    found: list[Values] = []
    for value in values:
        found += value.items if isinstance(value, Several) else [ANYTHING]
    return joined(*found) if found else ANYTHING


def one_of(value: Several, indexes: Values) -> Values:
    """What is found in a list at a place."""
    items = value.items
    match indexes:
        case (Known(value=int(index)),) if -len(items) <= index < len(items) and not value.is_loose:
            return joined(items[index], *([] if len(items) > 1 else [ANYTHING]))
        case _:
            return joined(*items, ANYTHING)


def combined(left: Values, op: ast.operator, right: Values) -> Values:
    """What an operator makes of two things."""
    if len(left) != 1 or len(right) != 1:
        return (PathAt(None),) if isinstance(op, ast.Div) and _has_path(left) else ANYTHING
    match left[0], op, right[0]:
        case Known(value=str(one)), ast.Add(), Known(value=str(other)):
            return text(one + other)
        case PathAt(), ast.Div(), _:
            return path_of([left, right])
        case Known(value=str()), ast.Div(), PathAt():
            return path_of([left, right])
        case Several(items=one), ast.Add(), Several(items=other):
            both = (*one, *other)
            is_loose = left[0].is_loose or right[0].is_loose
            return (several(both, is_loose=is_loose),) if len(both) <= MOST_INSIDE else ANYTHING
        case _:
            return ANYTHING


def _has_path(values: Values) -> bool:
    return any(isinstance(value, PathAt) for value in values)
