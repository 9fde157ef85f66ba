"""Tests wait for what they wait for, never for time to pass."""

import ast
from collections.abc import Iterator

from tests.repo.tree import TESTS, parsed, python_files, report, shown

ADVICE = (
    "wait on a condition, an event or a future, or pass a clock in; "
    "only `await asyncio.sleep(0)` (let others run) is allowed"
)


def test_no_test_sleeps() -> None:
    report(
        [f"{shown(path)}:{line}" for path in python_files(TESTS) for line in _sleeps(parsed(path))],
        ADVICE,
    )


def test_the_gate_sees_every_way_to_sleep() -> None:
    for code in (
        "time.sleep(1)",
        "await asyncio.sleep(0.1)",
        "await asyncio.sleep(delay)",
        "await asyncio.sleep(*[0])",
        "await anyio.sleep_forever()",
        "from time import sleep",
        "from time import sleep as rest",
        "rest = asyncio.sleep",
        "getattr(asyncio, 'sleep')",
    ):
        assert list(_sleeps(ast.parse(code))), code
    for code in (
        "await asyncio.sleep(0)",
        "run('time.sleep(30)')",
        "asleep = 1",
        "sleeper.close()",
    ):
        assert not list(_sleeps(ast.parse(code))), code


def _sleeps(tree: ast.AST) -> Iterator[int]:
    """The lines on which time is waited for."""
    harmless = {
        node.func
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and [getattr(one, "value", None) for one in node.args] == [0]
        and not node.keywords
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, lineno=line) | ast.Attribute(attr=name, lineno=line):
                if _is_sleep(name) and node not in harmless:
                    yield line
            case ast.ImportFrom(names=names, lineno=line):
                if any(_is_sleep(alias.name) for alias in names):
                    yield line
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]):
                if isinstance(name, str) and _is_sleep(name):
                    yield node.lineno
            case _:
                pass


def _is_sleep(name: str) -> bool:
    return name == "sleep" or name.startswith("sleep_")
