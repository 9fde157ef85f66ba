import ast
import os
from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import READ, WRITE
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_effects import Effect
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_method_calls import MethodCalls, may_write
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_needs import RUN_CODE, Needs
from hearth.performers.judging.python_values import ANYTHING, Known


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = os.path.realpath(tmp_path)
    return Place(root, root)


def needed(text: str, place: Place) -> tuple[list[str], list[str]]:
    """The permissions that a method takes, and the effects that it is said to have."""
    tree = ast.parse(text)
    end = tree.body[-1]
    assert isinstance(end, ast.Expr)
    assert isinstance(end.value, ast.Call)
    folding = Folding(Code(tree), place, {})
    needs = Needs(text, place)
    said: list[str] = []

    def judge(effect: Effect, name: str, _call: ast.Call) -> None:
        said.append(f"{name} {effect.kind.name}")

    assert isinstance(end.value.func, ast.Attribute)
    for callee in folding.values(end.value.func):
        MethodCalls(needs, folding, judge).look_at(callee, end.value.func.attr, end.value)
    return [need.permission for need in needs.all()], said


@pytest.mark.parametrize(
    ("text", "permissions"),
    [
        ("tree.write('x')", [WRITE]),
        ("tree.write(x)", [WRITE]),
        ("open('x').write('y')", []),
        ("import io\nio.StringIO().write('y')", []),
        ("import sys\nsys.stdout.write('y')", []),
        ("import gzip\ngzip.open('x', 'w').write(b'')", []),
        ("settings.read('x')", [READ]),
        ("settings.read(x)", [READ]),
        ("stream.read()", []),
        ("stream.read(10)", []),
        ("stream.read(None)", []),
        ("open('x').read(n)", []),
        ("db.execute('select 1')", []),
        ("db.execute('attach x')", [RUN_CODE]),
        ("db.executemany('insert into t values (?)', rows)", []),
        ("db.executescript(text)", [RUN_CODE]),
        ("p.write_text('x')", [WRITE]),
        ("p.read_bytes()", [READ]),
        ("df.a.str.extract('x')", []),
        ("archive.extractall()", [WRITE]),
    ],
)
def test_a_method_takes_what_its_name_and_its_arguments_say(
    text: str, permissions: list[str], place: Place
) -> None:
    assert needed(text, place) == (permissions, [])


def test_an_effect_that_is_known_by_the_name_is_judged_by_whoever_knows_effects(
    place: Place,
) -> None:
    assert needed("frames.read_csv('x')", place) == ([], ["read_csv READ_ANY"])
    assert needed("profile.dump_stats('x')", place) == ([], ["dump_stats WRITE"])
    assert needed("thing.shape()", place) == ([], [])


def test_a_mode_that_nobody_knows_may_be_one_to_write() -> None:
    assert may_write(ANYTHING)
    assert may_write((Known("r"), Known("a")))
    assert not may_write((Known("rb"),))
