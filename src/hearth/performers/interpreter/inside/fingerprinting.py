"""What the results of this process stand on: distributions and modules, each with a hash.

A distribution counts when something of it is loaded. Its hash is over the record of its files as it
is on disk now, so an upgrade under a live session shows; a module's is over its file as it was
loaded, so a save shows when it is reloaded.
"""

import ast
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

from .sources import SOURCES, asked, digest, file_of, site_of

MOST_USES: Final = 50
_AGAIN: Final = 1.0
"""Seconds for which the folders of distributions are believed."""
_RECORDS: Final = ("RECORD", "METADATA", "PKG-INFO")
_FIRST: Final = re.compile(rb'^"?([^/,."\n]+)', re.MULTILINE)
_TRIES: Final = 200


class _Site:
    """The distributions of one folder, read when they are asked for."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._changed = self._time()
        self._hashes: dict[str, str] = {}
        self._infos: dict[str, Path] = {}
        self._owners: dict[str, list[str]] = {}
        for info in sorted(self._folder.iterdir()):
            if info.suffix in {".dist-info", ".egg-info"}:
                name = re.sub(r"[-_.]+", "-", info.stem.partition("-")[0]).lower()
                self._infos[name] = info
                for top in _tops(info):
                    self._owners.setdefault(top, []).append(name)

    def is_current(self) -> bool:
        return self._time() == self._changed

    def owners(self, top: str) -> list[str]:
        """The distributions that a top-level module belongs to: several for a shared namespace."""
        return self._owners.get(top, [])

    def hash_of(self, name: str) -> str:
        if name not in self._hashes:
            info = self._infos[name]
            self._hashes[name] = digest(info.name.encode(), _record(info))
        return self._hashes[name]

    def _time(self) -> int:
        try:
            return self._folder.stat().st_mtime_ns
        except OSError:
            return 0  # gone: it has no distributions then


class Fingerprint:
    """The parts of the environment, kept until something changes."""

    def __init__(self) -> None:
        self._sites: dict[str, _Site | None] = {}
        self._owned: dict[str, dict[str, str]] = {}
        """For each top-level module that was looked up: its distributions and their hashes."""
        self._parts: dict[str, str] = {}
        self._whole = ""
        self._state: tuple[int, int, int] = (-1, -1, -1)
        self._looked = float("-inf")
        self._upgrades = 0
        self._reaches: dict[str, dict[str, str]] = {}

    def parts(self) -> dict[str, str]:
        """The hash of every part. Do not change it."""
        now = time.monotonic()
        if now - self._looked > _AGAIN:
            self._looked = now
            self._look_again()
        modules = SOURCES.loaded()
        state = (len(sys.modules), SOURCES.changes, self._upgrades)
        if state != self._state:
            parts = {"python": digest(sys.version.encode())}
            for top in {name.partition(".")[0] for name in list(sys.modules)}:
                parts.update(self.distributions(top))
            parts.update((name, one.digest) for name, one in modules.items())
            lines = [f"{name} {parts[name]}\n" for name in sorted(parts)]
            self._parts, self._whole = parts, digest("".join(lines).encode())
            self._state, self._reaches = state, {}
        return self._parts

    def whole(self) -> str:
        """One hash for all parts."""
        self.parts()
        return self._whole

    def distributions(self, top: str) -> dict[str, str]:
        """The distributions that a loaded top-level module is of, with their hashes."""
        if top not in self._owned:
            self._owned[top] = self._distributions(top)
        return self._owned[top]

    def under(self, name: str) -> dict[str, str]:
        """The parts that a module of the project is made of.

        Its own file, those of the project's modules that it uses in turn, and distributions.
        """
        if name not in self._reaches:
            known = SOURCES.loaded()
            reached, tops, waiting = {name}, set[str](), [name]
            while waiting and len(reached) < MOST_USES:
                values = list((asked(sys.modules.get(waiting.pop()), "__dict__") or {}).values())
                used = {_module_of(value) for value in values}
                new = used & known.keys() - reached
                reached |= new
                waiting.extend(sorted(new))
                tops |= {one.partition(".")[0] for one in used - known.keys()}
            parts = {one: known[one].digest for one in sorted(reached) if one in known}
            for top in sorted(tops):
                parts.update(self.distributions(top))
            self._reaches[name] = parts
        return self._reaches[name]

    def _distributions(self, top: str) -> dict[str, str]:
        module = sys.modules.get(top)
        site = site_of(file_of(module) or next(iter(_paths_of(module)), ""))
        if not site:
            return {}
        if site not in self._sites:
            self._sites[site] = _Site(site) if _is_searched(site) else None
        folder = self._sites[site]
        return {name: folder.hash_of(name) for name in folder.owners(top)} if folder else {}

    def _look_again(self) -> None:
        SOURCES.look_again()
        if not all(site.is_current() for site in self._sites.values() if site):
            self._sites, self._owned = {}, {}
            self._upgrades += 1


FINGERPRINT: Final = Fingerprint()


def environment(shell: object, args: dict[str, Any]) -> dict[str, Any]:
    """What results stand on now: `{"fingerprint": …, "parts": {name: hash}}`. Never raises."""
    del shell, args  # the parts are of the process; `root` was given when it was prepared
    try:
        return {"fingerprint": FINGERPRINT.whole(), "parts": dict(FINGERPRINT.parts())}
    except Exception:  # noqa: BLE001 - whatever a strange module does: "unknown" is an answer
        return {"fingerprint": "", "parts": {}}


def uses(shell: Any, code: str | ast.AST | list[str]) -> dict[str, str]:
    """The parts that the objects belong to which this code reads, with their hashes.

    `code` is source, its syntax tree, or a list of names. At most 50 parts. Never raises.
    """
    try:
        FINGERPRINT.parts()  # which notices what changed
        found: dict[str, str] = {}
        for module in _modules_read(shell.user_ns, code):
            top = module.partition(".")[0]
            if module in SOURCES.loaded():
                found.update(FINGERPRINT.under(module))
            elif top != "builtins":
                found.update(FINGERPRINT.distributions(top))
            if len(found) >= MOST_USES:
                break
        return dict(list(found.items())[:MOST_USES])
    except Exception:  # noqa: BLE001 - code that cannot be read uses nothing that we know of
        return {}


def _modules_read(namespace: dict[str, Any], code: str | ast.AST | list[str]) -> list[str]:
    """The names of the modules that code depends on, by the names it reads, each once."""
    found: dict[str, None] = {}
    visited: set[int] = set()
    waiting = [(namespace, names) for names in _names_read(code)]
    while waiting and len(visited) < _TRIES:
        where, (name, *attributes) = waiting.pop()
        if name not in where:
            # An import that has not run yet, or did so inside a function.
            if name in sys.modules:
                found[name] = None
            continue
        value = where[name]
        while issubclass(type(value), ModuleType):
            found[value.__name__] = None
            if not attributes or attributes[0] not in vars(value):
                break
            value = vars(value)[attributes.pop(0)]
        module = _module_of(value)
        if module != "__main__":
            found[module] = None
        elif id(value) not in visited:
            visited.add(id(value))
            waiting.extend(_written_here(value))
    return list(found)


def _written_here(value: Any) -> list[tuple[dict[str, Any], list[str]]]:
    """For something that was defined in a cell: what it reads in turn."""
    if not issubclass(type(value), (FunctionType, type)):
        value = type(value)
    parts = list(vars(value).values()) if isinstance(value, type) else [value]
    found = [
        (one.__globals__, [name])
        for one in parts
        if type(one) is FunctionType
        for name in one.__code__.co_names
    ]
    bases = value.__mro__[1:-1] if isinstance(value, type) else ()
    return found + [({"base": base}, ["base"]) for base in bases]


def _names_read(code: str | ast.AST | list[str]) -> Iterator[list[str]]:
    """Each name that is read, with the attributes that follow it."""
    if isinstance(code, list):
        yield from ([name] for name in code)
        return
    tree = ast.parse(code) if isinstance(code, str) else code
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            chain: list[str] = []
            inner: ast.expr = node
            while isinstance(inner, ast.Attribute):
                chain.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                yield [inner.id, *reversed(chain)]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield [node.id]
        elif isinstance(node, ast.Import):
            yield from ([one.name] for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield [node.module]


def _module_of(value: Any) -> str:
    """The name of the module that an object belongs to."""
    # By its type alone: asking an instance could run whatever code it has.
    if issubclass(type(value), ModuleType):
        return str(value.__name__)
    owner = value if issubclass(type(value), (type, FunctionType)) else type(value)
    module: Any = owner.__module__  # which may be anything: a class can say what it likes
    return module if isinstance(module, str) else "builtins"


def _is_searched(site: str) -> bool:
    """Whether a folder is in the search path. What hearth lends is not: it is no project's."""
    return os.path.realpath(site) in map(os.path.realpath, sys.path)


def _paths_of(module: object) -> list[str]:
    """Where a package without a file of its own (a namespace) lies."""
    try:
        return [str(one) + os.sep for one in asked(module, "__path__") or ()]
    except (TypeError, KeyError):
        return []  # a namespace whose parent went away, or something that only looks like one


def _tops(info: Path) -> set[str]:
    """The top-level modules of a distribution."""
    listed = _content(info / "top_level.txt") or _content(info / "RECORD")
    return {one.decode("utf-8", "replace") for one in set(_FIRST.findall(listed))}


def _record(info: Path) -> bytes:
    """What tells one installation of a distribution from another; an old egg-info is a file."""
    return next(filter(None, map(_content, (*(info / name for name in _RECORDS), info))), b"")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # not every distribution has every file


ASKS: Final = {"environment": environment}
