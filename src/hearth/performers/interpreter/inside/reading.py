"""Modules that are not loaded: which there are, and what their source says. Nothing is imported."""

import ast
import contextlib
import itertools
import os
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.machinery import ModuleSpec, all_suffixes
from pathlib import Path
from typing import Any, NamedTuple

from .describing import cut, first_line

LARGEST_SOURCE = 2_000_000
MOST_ENTRIES = 20_000
DEEPEST = 3
"""How far `from .part import *` is followed."""

_listed: dict[str, tuple[int, frozenset[str]]] = {}


class Member(NamedTuple):
    """A name in a module or a class, as it is told."""

    name: str
    kind: str
    signature: str = ""
    doc: str = ""

    def told(self) -> dict[str, str]:
        """For an answer."""
        return self._asdict()


class Source(NamedTuple):
    """A module, read and not run."""

    doc: str
    file: str
    members: list[Member]


def read_module(name: str, depth: int = 0) -> Source | None:
    """What the source of a module says; None when there is no such module."""
    spec = spec_of(name)
    if spec is None:
        return None
    origin = spec.origin or ""
    inside = [Member(one, "module") for one in submodules(spec.submodule_search_locations or ())]
    if not spec.has_location or not origin.endswith((".py", ".pyi")):
        return Source("", origin if spec.has_location else "", inside)
    written = _written(origin)
    if written is None:
        return Source("", origin, inside)
    members = list(written.members)
    package = name if spec.submodule_search_locations is not None else name.rpartition(".")[0]
    for star in written.stars if depth < DEEPEST else ():
        source = read_module(star.within(package), depth + 1)
        members += [] if source is None else source.members
    found = {one.name: one for one in inside + members if one.name.isidentifier()}
    return Source(written.doc, origin, sorted(found.values(), key=lambda one: one.name))


class _Star(NamedTuple):
    """`from .part import *`: a module makes another's public names its own."""

    level: int
    module: str

    def within(self, package: str) -> str:
        above = package.split(".")
        return ".".join([*above[: len(above) - self.level + 1], self.module]).rstrip(".")


class _Written(NamedTuple):
    doc: str
    members: tuple[Member, ...]
    stars: tuple[_Star, ...]


def _written(file: str) -> _Written | None:
    try:
        return _parsed(file, Path(file).stat().st_mtime_ns)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None  # Gone, or not Python: there is a module, and nothing is known of it.


@lru_cache(maxsize=256)
def _parsed(file: str, changed: int) -> _Written:  # noqa: ARG001  a changed file is read again
    with Path(file).open("rb") as source:
        tree = ast.parse(source.read(LARGEST_SOURCE))
    stars = (
        _Star(node.level, node.module or "")
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.level and node.names[0].name == "*"
    )
    return _Written(_doc(tree), tuple(members_in(tree)), tuple(stars))


def members_in(tree: ast.Module) -> list[Member]:
    """The public names that a module's source defines: those of `__all__` if it says so."""
    found: dict[str, Member] = {}
    declared: list[str] | None = None
    for node in tree.body:
        for member in _defined(node):
            found[member.name] = member
        if isinstance(node, ast.Assign) and _targets(node) == ["__all__"]:
            with contextlib.suppress(ValueError):
                declared = [str(one) for one in ast.literal_eval(node.value)]
    if declared is not None:
        return [found.get(name, Member(name, "variable")) for name in declared]
    return [one for name, one in found.items() if not name.startswith("_")]


def spec_of(name: str) -> ModuleSpec | None:
    """Where a module would be loaded from. Unlike importlib's own, it imports no parent."""
    spec: ModuleSpec | None = None
    path: Any = None
    whole = ""
    for part in name.split("."):
        whole = f"{whole}.{part}" if whole else part
        spec = _found_by_any(whole, path)
        if spec is None:
            return None
        path = spec.submodule_search_locations
        if path is None and whole != name:
            return None
    return spec


def top_level() -> frozenset[str]:
    """Every module that `import` could begin with."""
    loaded = {name for name in tuple(sys.modules) if "." not in name}
    found = submodules(sys.path) | set(sys.builtin_module_names) | loaded
    return frozenset(name for name in found if name.isidentifier())


def submodules(folders: Iterable[str]) -> frozenset[str]:
    """The modules and packages in some folders."""
    found: set[str] = set()
    for folder in folders:
        found |= _modules_in(folder or ".")
    return frozenset(found)


def _modules_in(folder: str) -> frozenset[str]:
    """The modules in a folder, remembered as long as nothing is added to it or taken from it."""
    try:
        changed = Path(folder).stat().st_mtime_ns
        known = _listed.get(folder)
        if known is not None and known[0] == changed:
            return known[1]
        names = set()
        with os.scandir(folder) as entries:
            for entry in itertools.islice(entries, MOST_ENTRIES):
                name = _module_name(entry)
                if name.isidentifier() and name not in {"__init__", "__main__"}:
                    names.add(name)
    except OSError:
        return frozenset()  # Not a folder, or not ours to read.
    _listed[folder] = (changed, frozenset(names))
    return frozenset(names)


def _module_name(entry: "os.DirEntry[str]") -> str:
    for suffix in all_suffixes():
        if entry.name.endswith(suffix):
            return entry.name[: -len(suffix)].partition(".")[0]
    if "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
        return entry.name
    return ""


def _found_by_any(name: str, path: Any) -> ModuleSpec | None:
    for finder in tuple(sys.meta_path):
        try:
            spec = finder.find_spec(name, path)
        except Exception:  # noqa: BLE001, S112  a finder of somebody else's; the next may know
            continue
        if spec is not None:
            return spec
    return None


def _defined(node: ast.stmt) -> list[Member]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [Member(node.name, "function", _signature(node), first_line(_doc(node)))]
    if isinstance(node, ast.ClassDef):
        return [Member(node.name, "class", _constructor(node), first_line(_doc(node)))]
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return [Member(name, "variable") for name in _targets(node)]
    if isinstance(node, ast.ImportFrom) and node.level:
        # A package shows what its modules define.
        return [Member(alias.asname or alias.name, "variable") for alias in node.names]
    if isinstance(node, (ast.If, ast.Try)):
        return [member for one in node.body for member in _defined(one)]
    return []


def _targets(node: "ast.Assign | ast.AnnAssign") -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [one.id for one in targets if isinstance(one, ast.Name)]


def _signature(node: "ast.FunctionDef | ast.AsyncFunctionDef", skipped: int = 0) -> str:
    args = node.args
    if skipped and (args.posonlyargs or args.args):
        del (args.posonlyargs or args.args)[0]
    text = f"({ast.unparse(args)})"
    return cut(f"{text} -> {ast.unparse(node.returns)}" if node.returns else text)


def _constructor(node: ast.ClassDef) -> str:
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            return _signature(one, 1).partition(" -> ")[0]
    return ""


def _doc(node: "ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef") -> str:
    return cut(ast.get_docstring(node) or "", 4000)
