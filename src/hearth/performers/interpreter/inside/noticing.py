"""What a cell did to the names of its session, and what its value is."""

import ast
import inspect
from collections.abc import Iterator
from typing import Any, Final

_LONGEST: Final = 300
_MOST_KNOWN: Final = 2000
_HIDDEN: Final = frozenset({"In", "Out", "exit", "quit", "get_ipython", "open"})
_SHORT: Final = frozenset({"", "i", "ii", "iii", "ih", "oh", "dh"})

Snapshot = dict[str, int]


def is_users(name: str, hidden: Any) -> bool:
    """Whether a name is one that the user made, not IPython."""
    if name in _HIDDEN or name in hidden:
        return False
    # Dunders, and IPython's own: _, __, ___, _1, _i, _ii, _i1, _ih, _oh, _dh.
    bare = name.lstrip("_")
    if not name.startswith("_"):
        return True
    return not (name.startswith("__") or bare in _SHORT or bare.removeprefix("i").isdecimal())


def snapshot(namespace: dict[str, Any]) -> Snapshot:
    """Which name means which object, without keeping any object alive."""
    return {name: id(value) for name, value in namespace.copy().items()}


def changes(
    before: Snapshot, namespace: dict[str, Any], hidden: Any, bound: set[str]
) -> tuple[list[str], list[str]]:
    """The names that were bound or rebound, and those that are gone.

    `bound` are names that the code itself binds: an object that takes the place of another may
    have its identity too.
    """
    now = namespace.copy()
    made = sorted(
        name
        for name, value in now.items()
        if (name in bound or before.get(name) != id(value)) and is_users(name, hidden)
    )
    gone = sorted(name for name in before if name not in now and is_users(name, hidden))
    return made, gone


def known(namespace: dict[str, Any], hidden: Any) -> dict[str, str]:
    """Every name of the user's with the type of its value."""
    found: dict[str, str] = {}
    for name, value in namespace.copy().items():
        if is_users(name, hidden):
            found[name] = type_name(value)
            if len(found) == _MOST_KNOWN:
                break
    return found


def type_name(value: object) -> str:
    """`int`, `collections.OrderedDict`, `Dog` for a class of the session itself."""
    kind = type(value)
    try:
        module: object = kind.__module__
        name = kind.__qualname__
    except Exception:  # noqa: BLE001 - a metaclass may do anything
        return "object"
    if not isinstance(module, str) or module in {"builtins", "__main__"}:
        return str(name)
    return f"{module}.{name}"


def value_type(value: object) -> str:
    """The type of a cell's value; for what can be called, with its signature. Empty for none."""
    if value is None:
        return ""
    name = type_name(value)
    if not callable(value):
        return name
    try:
        text = str(inspect.signature(value))
    except Exception:  # noqa: BLE001 - many callables have none, and defaults have their own repr
        return name
    return f"{name} {text}"[:_LONGEST]


def bound_names(tree: ast.AST) -> set[str]:
    """The top-level names that the code binds when it runs, as far as it can be read."""
    return set(_bound(tree))


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
            # Inside, only what is declared global is a name of the session.
            yield from _declared_global(node)
            return
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            # Its own targets are its own; a walrus in it binds outside.
            yield from _walrus(node)
            return
        case _:
            yield from _binds(node)
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _binds(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.alias(name=name, asname=asname):
            yield asname or name.split(".", 1)[0]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case _:
            return


def _declared_global(node: ast.AST) -> Iterator[str]:
    if not isinstance(node, ast.Lambda):
        yield str(getattr(node, "name", ""))
    for child in ast.walk(node):
        if isinstance(child, ast.Global):
            yield from child.names


def _walrus(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.NamedExpr):
            yield child.target.id
