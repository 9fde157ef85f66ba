import ast

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_lasting import look_at_lasting
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_needs import Needs


def doubts(text: str) -> list[str]:
    code = Code(ast.parse(text))
    place = Place("/p", "/p")
    needs = Needs(text, place)
    look_at_lasting(code, Folding(code, place, {}), needs)
    return [need.target for need in needs.all()]


@pytest.mark.parametrize(
    "text",
    [
        "Path = f",
        "str = lambda x: x",
        "def print(x): ...",
        "class os: ...",
        "for list in x: ...",
        "with f() as open: ...",
        "import posixpath as os",
        "from shlex import join as str",
        "match x:\n    case sorted: ...",
        "io += 1",
        "def f():\n    global sys\n    sys = x",
        "(type := f)",
    ],
)
def test_what_later_cells_would_take_for_something_else_is_asked_about(text: str) -> None:
    assert doubts(text)


@pytest.mark.parametrize(
    "text",
    [
        "from pathlib import Path, PurePath",
        "import os, sys, io, glob, builtins",
        "from rich import print",
        "from .mine import open",
        "dir = 'src'",
        "list = [1, 2]",
        "type = None",
        "dir = Path('src')",
        "importlib = __import__('importlib')",
        "def f():\n    open = 1",
        "def f(open): ...",
        "try: ...\nexcept E as open: ...",
        "del str",
        "id = x\nsum = f\nmax = g",
    ],
)
def test_what_cannot_be_taken_for_something_else_is_not(text: str) -> None:
    assert doubts(text) == []
