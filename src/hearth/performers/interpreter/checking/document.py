"""A session's cells as a document that tools can read without running anything.

The tools read notebooks: magics, top-level await and a trailing expression are theirs to know, and
each cell keeps its own line numbers. What is left to do here is to say which names there are.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

LARGEST_CELL: Final = 64 * 1024
LARGEST_HISTORY: Final = 256 * 1024
"""Characters of earlier cells that are looked at, newest first: an answer must stay quick."""

ALWAYS: Final = frozenset(
    {"display", "exit", "quit", "get_ipython", "In", "Out", "_", "__", "___", "_i", "_ii", "_iii"}
    | {"_ih", "_oh", "_dh", "_exit_code", "__session__"}
)
"""What IPython defines in every session."""

PRECISE: Final = frozenset(
    {"bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "set"}
    | {"str", "tuple"}
)
"""Live values of these types are declared as such; anything else is taken to allow everything."""

_WORD: Final = re.compile(r"[^\W\d]\w*")
_NUMBERED: Final = re.compile(r"_i?\d+")
_MODULE: Final = re.compile(r"module ([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_MAGIC: Final = re.compile(r"^\s*(?:[\w.,\s]+=\s*)?[%!]|^\s*\?|\?\s*$")


class Bindings(NamedTuple):
    """What a cell does to the names at the top level."""

    bound: frozenset[str]
    deleted: frozenset[str]


def words_of(*sources: str) -> frozenset[str]:
    """Every word in some code that could be a name."""
    return frozenset(word for source in sources for word in _WORD.findall(source))


def readable(cells: Iterable[str]) -> tuple[str, ...]:
    """The newest cells that can be parsed, oldest first.

    One that cannot be parsed never ran, and its open bracket would swallow what follows it.
    """
    kept: list[str] = []
    room = LARGEST_HISTORY
    for cell in reversed(tuple(cells)):
        room -= len(cell)
        if room < 0:
            break
        if bindings(cell) is not None:
            kept.append(cell)
    return tuple(reversed(kept))


def names_of(cells: Iterable[str]) -> frozenset[str]:
    """The names that stand after the cells ran in this order."""
    names: frozenset[str] = frozenset()
    for cell in cells:
        found = bindings(cell)
        if found is not None:
            names = (names - found.deleted) | found.bound
    return names


@lru_cache(maxsize=1024)
def bindings(cell: str) -> Bindings | None:
    """What a cell binds and deletes; None when it cannot be parsed or is too large to look at."""
    if len(cell) > LARGEST_CELL:
        return None
    try:
        tree = ast.parse(_without_magics(cell))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    bound: set[str] = set()
    deleted: set[str] = set()
    for name, is_bound in _changes(tree):
        (bound if is_bound else deleted).add(name)
        (deleted if is_bound else bound).discard(name)
    return Bindings(frozenset(bound), frozenset(deleted))


def surroundings(code: str, cells: tuple[str, ...], names: Mapping[str, str]) -> frozenset[str]:
    """The names that the code may use without defining them."""
    used = words_of(code)
    numbered = {word for word in used if _NUMBERED.fullmatch(word)}
    return (used & (frozenset(names) | names_of(cells) | ALWAYS)) | numbered


def preamble(code: str, cells: tuple[str, ...], names: Mapping[str, str]) -> str:
    """A cell to stand before all others: it binds the live names that are mentioned anywhere.

    Bound, not declared, so that a cell may bind them again to something else. An import that cannot
    be resolved gives a name of which nothing is known, in annotations and as a base class too.
    """
    mentioned = words_of(code, *cells)
    lines = ["import typing as __hearth_typing__"]
    unknown = []
    for name in sorted((frozenset(names) | ALWAYS) & mentioned):
        module = _MODULE.fullmatch(names.get(name, ""))
        if not name.isidentifier() or _is_keyword(name):
            continue
        if module is not None:
            lines.append(f"import {module[1]} as {name}")
        elif names.get(name) in PRECISE:
            lines.append(f"{name} = __hearth_typing__.cast({names[name]!r}, ...)")
        else:
            unknown.append(f"from __hearth_live__ import {name}")
    # Last: a live name may be called as a type is, and must not stand for it above.
    return "\n".join([*lines, *unknown, ""])


def as_notebook(code: str) -> dict[str, object]:
    """A notebook file of one cell."""
    cell = {"cell_type": "code", "id": "code", "metadata": {}, "source": code, "outputs": []}
    return {
        "cells": [{**cell, "execution_count": None}],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _is_keyword(name: str) -> bool:
    try:
        ast.parse(f"{name} = 1")
    except SyntaxError:
        return True
    return False


def _without_magics(cell: str) -> str:
    """The cell with a `pass` for each line that is IPython's, and none of what is another's."""
    first, newline, rest = cell.partition("\n")
    if first.startswith("%%"):
        # Only the magics that run Python are worth reading on.
        python = first.split()[0] in {"%%time", "%%timeit", "%%capture", "%%prun"}
        cell = f"pass{newline}{rest}" if python else "pass"
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "\n".join(map(_without_magic, cell.split("\n")))
    return cell


def _without_magic(line: str) -> str:
    if not _MAGIC.search(line):
        return line
    indent = line[: len(line) - len(line.lstrip())]
    target, equals, _ = line.partition("=")
    is_assignment = equals and re.fullmatch(r"[\w.,\s]+", target)
    return f"{target}= None" if is_assignment else f"{indent}pass"


_OWN_NAMES: Final = (ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda) | (
    ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
)
"""What is written inside of these binds no name outside."""


def _changes(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """Each name that the top level binds (true) or deletes (false), in order."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.AnnAssign) and node.value is None:
            continue  # declared only
        yield from ((name, True) for name in _bound_by(node))
        if not isinstance(node, _OWN_NAMES):
            yield from _changes(node)
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name, False
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            yield node.id, False


def _bound_by(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return (name,)
        case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
            return (name,)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return tuple(alias.asname or alias.name.split(".")[0] for alias in aliases)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
        case _:
            return ()
