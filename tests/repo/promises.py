"""`make promises`: what hearth promises, and which tests hold it."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tests.repo.tree import DOCS, TESTS, parsed, python_files, shown

PAGES: Final = DOCS / "promises"
LINE: Final = re.compile(r"- \*\*(?P<id>[A-Z]{2}-[A-Z]+-\d{2})\*\* \((?P<state>\w+)\) (?P<text>.+)")


class Promise(NamedTuple):
    """One line of docs/promises."""

    id: str
    kept: bool
    text: str
    page: Path


class Held(NamedTuple):
    """A marker: what it says, and on which test it stands."""

    id: str
    test: str


def promises() -> tuple[list[Promise], list[str]]:
    """Every promise that is written down, and every line that should be one and is not."""
    found, odd = [], []
    for page in sorted(PAGES.glob("*.md")):
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            if not line.startswith("- "):
                continue
            match = LINE.fullmatch(line)
            if match is None or match["state"] not in {"kept", "planned"}:
                odd.append(f"{shown(page)}:{number}: {line}")
            else:
                found.append(Promise(match["id"], match["state"] == "kept", match["text"], page))
    return found, odd


@cache
def held() -> list[Held]:
    """Every promise marker in tests/, with the test, class or file it stands on."""
    return [
        Held(identifier, where)
        for path in python_files(TESTS)
        for where, identifier in markers_in(parsed(path), shown(path))
    ]


def markers_in(tree: ast.AST, where: str) -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(tree):
        inside = where
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inside = f"{where}::{node.name}"
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark"), attr="promise")):
                yield from ((where, ast.literal_eval(one)) for one in node.args)
            case _:
                pass
        yield from markers_in(node, inside)


def by_promise() -> dict[str, list[str]]:
    """The tests that hold each promise."""
    tests: dict[str, list[str]] = defaultdict(list)
    for marker in held():
        if marker.test not in tests[marker.id]:
            tests[marker.id].append(marker.test)
    return dict(tests)


def printed() -> Iterator[str]:
    """The promises for people to read: each with its tests, then the sum."""
    tests = by_promise()
    every, _ = promises()
    for promise in every:
        state = "kept   " if promise.kept else "planned"
        yield f"{promise.id:<12} {state}  {promise.text}"
        yield from (f"{'':14}{test}" for test in tests.get(promise.id, []))
    kept = sum(promise.kept for promise in every)
    begun = [one.id for one in every if not one.kept and one.id in tests]
    yield ""
    yield f"{kept} of {len(every)} promises are kept; {len(begun)} more have tests already:"
    yield f"  {', '.join(begun) or 'none'}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in printed())
