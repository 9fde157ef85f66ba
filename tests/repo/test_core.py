"""core is pure: what it may import is listed here, and it neither waits nor looks around."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

import pytest
from tests.repo.tree import ROOT, SRC, imports_of, parsed, python_files, report, shown

CORE: Final = SRC / "core"
ALLOWED: Final = frozenset(
    {
        "ast",
        "bisect",
        "collections",
        "collections.abc",
        "dataclasses",
        "datetime",
        "enum",
        "functools",
        "hashlib",
        "itertools",
        "json",
        "math",
        "msgspec",
        "msgspec.structs",
        "operator",
        "re",
        "string",
        "textwrap",
        "types",
        "typing",
    }
)
"""Everything pure that core needs. A longer list is a decision: docs/decisions/."""

OUTSIDE: Final = frozenset(
    {
        "asyncio", "concurrent.futures", "http", "multiprocessing", "random", "secrets", "select",
        "selectors", "shutil", "socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading",
        "urllib.request", "uuid",
        "asyncpg", "httpx", "litestar", "mcp", "prompt_toolkit", "psycopg", "starlette", "textual",
        "uvicorn", "zmq",
    }
)  # fmt: skip
"""Ways to the outside: none may even be loaded when core is."""

LOOKS: Final = frozenset({"now", "utcnow", "today", "open", "print", "input", "getenv", "urandom"})
"""Calls by which a function would learn something that was not given to it, or tell it."""


@pytest.mark.promise("SF-ARCH-01")
def test_core_imports_only_what_is_allowed() -> None:
    report(
        [
            f"{shown(path)} imports {name}"
            for path in python_files(CORE)
            for name in imports_of(parsed(path))
            if name not in ALLOWED and not name.startswith("hearth.core.")
        ],
        "give it in as an argument, or do it in a performer; core is pure",
    )


@pytest.mark.promise("SF-ARCH-01")
def test_core_loads_nothing_that_leads_outside() -> None:
    modules = [
        ".".join(path.relative_to(SRC.parent).with_suffix("").parts)
        for path in python_files(CORE)
        if path.name != "__init__.py"
    ]
    before = _loaded(*sorted(ALLOWED))
    after = _loaded(*sorted(ALLOWED), *modules)
    assert set(modules) <= after
    report(
        sorted(name for name in after - before if not name.startswith("hearth")),
        "importing core loads these, although its allow-list does not need them",
    )
    ours = {name for name in after if name.startswith("hearth.")}
    report(
        sorted(name for name in ours if not f"{name}.".startswith("hearth.core.")),
        "importing core loads these parts of hearth, which are not below it",
    )
    report(sorted(after & OUTSIDE - before), "importing core opens these ways to the outside")


def test_hearth_itself_imports_nothing() -> None:
    # So that `hearth status` answers in a blink.
    assert list(imports_of(parsed(SRC / "__init__.py"))) == []
    report(
        sorted(_loaded("hearth") - _loaded() - {"hearth"}),
        "src/hearth/__init__.py must import nothing",
    )


def test_core_never_waits_and_asks_nobody() -> None:
    report(
        [
            f"{shown(path)}:{line}: {what}"
            for path in python_files(CORE)
            for line, what in _impurities(parsed(path))
        ],
        "time, ids and randomness come in as arguments; waiting is the engine's part",
    )


def test_the_gate_sees_impurity() -> None:
    tree = ast.parse(
        "import datetime\nasync def f():\n    await g()\nx = datetime.datetime.now()\nopen('x')\n"
    )
    assert {line for line, _ in _impurities(tree)} == {2, 3, 4, 5}
    contract = ast.parse("class P(Protocol):\n    async def f(self) -> None: ...\n")
    assert list(_impurities(contract)) == []


def _impurities(tree: ast.Module) -> Iterator[tuple[int, str]]:
    promised = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
        for part in node.body
    }
    for node in ast.walk(tree):
        match node:
            case ast.AsyncFunctionDef(lineno=line) if node not in promised:
                yield line, "async def"
            case ast.Await(lineno=line) | ast.AsyncFor(lineno=line) | ast.AsyncWith(lineno=line):
                yield line, "await"
            case (
                ast.Call(func=ast.Name(id=name), lineno=line)
                | ast.Call(func=ast.Attribute(attr=name), lineno=line)
            ) if name in LOOKS:
                yield line, f"{name}()"
            case _:
                pass


def _loaded(*modules: str) -> set[str]:
    """What a fresh interpreter has loaded after importing these."""
    code = "import importlib, sys, json\n"
    code += f"for name in {list(modules)!r}: importlib.import_module(name)\n"
    code += "json.dump(sorted(sys.modules), sys.stdout)"
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT, timeout=60
    )
    return set(json.loads(done.stdout))
