"""Some names say nothing; they are not used."""

import ast
from pathlib import Path
from typing import Final

from tests.repo.tree import BENCH, SRC, TESTS, parsed, python_files, report, shown, words_in

EMPTY: Final = frozenset(
    {"manager", "service", "handler", "helper", "helpers", "context", "util", "utils"}
)
INTERPRETER: Final = SRC / "performers" / "interpreter"


def test_no_module_or_class_has_an_empty_name() -> None:
    report(
        [
            f"{shown(path)}: {name}"
            for folder in (SRC, TESTS, BENCH)
            for path in python_files(folder)
            for name in _names(path)
            if words_in(name) & EMPTY
        ],
        f"say what it does; {', '.join(sorted(EMPTY))} could be anything",
    )


def test_a_kernel_is_known_to_the_interpreter_alone() -> None:
    report(
        [
            f"{shown(path)}: {name}"
            for path in python_files(SRC)
            if not path.is_relative_to(INTERPRETER)
            for name in _names(path)
            if "kernel" in words_in(name)
        ],
        "everywhere else it is a worker or an interpreter; a kernel is Jupyter's",
    )


def test_the_gate_takes_names_apart() -> None:
    assert words_in("HTTPHandler") == {"http", "handler"}
    assert words_in("mail_utils") == {"mail", "utils"}
    assert not words_in("ContextualHelp") & EMPTY
    names = _names(SRC / "core" / "vocabulary" / "origin.py")
    assert {"origin", "Actor", "Door", "Origin", "vocabulary"} <= names


def _names(path: Path) -> set[str]:
    classes = {node.name for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef)}
    return classes | {path.stem, path.parent.name}
