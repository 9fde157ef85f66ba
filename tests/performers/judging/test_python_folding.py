import ast
import time

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_values import (
    ANYTHING,
    CHOSEN,
    CLASS,
    UNKNOWN,
    Bound,
    Known,
    Origin,
    PathAt,
    Several,
    Values,
)


def last(text: str, known: dict[str, str] | None = None) -> Values:
    """What the last line of a text may give."""
    tree = ast.parse(text)
    end = tree.body[-1]
    assert isinstance(end, ast.Expr)
    return Folding(Code(tree), Place("/p", "/p"), known or {}).values(end.value)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1", (Known(1),)),
        ("'a' + 'b'", (Known("ab"),)),
        ("x = 'a'\nf'{x}/{1}.py'", (Known("a/1.py"),)),
        ("f'{x!r}'", ANYTHING),
        ("x = 1\ny = x\ny", (Known(1),)),
        ("x", ANYTHING),
        ("open", (Origin("builtins.open"),)),
        ("import os as o\no.path.join('a', 'b')", (Known("a/b"),)),
        ("from os import system as s\ns", (Origin("os.system"),)),
        ("np.load", (Origin("numpy.load"),)),
        ("getattr(os, 'sys' + 'tem')", (Origin("os.system"),)),
        ("getattr(os, name)", (CHOSEN,)),
        ("__import__('os.path')", (Origin("os"),)),
        ("sys.modules['os'].system", (Origin("os.system"),)),
        ("globals()['open']", (Origin("builtins.open"),)),
        ("globals()[x]", (CHOSEN,)),
        ("os.__dict__['system']", (Origin("os.system"),)),
        ("[1, 2][1]", (Known(2),)),
        ("1 if x else 2", (Known(1), Known(2))),
        ("x = 1\nif y: x = 2\nx", (Known(1), Known(2))),
        ("if y: x = 2\nx", (Known(2), UNKNOWN)),
        ("x = 1\ndel x\nx", (Known(1), UNKNOWN)),
        ("x = x\nx", (UNKNOWN,)),
        (
            "for x in (1, 2): x\n[x for x in (1, 2)]",
            (Several(((Known(1), Known(2)),), is_loose=True),),
        ),
        ("Path('a') / 'b' / 'c'", (PathAt("a/b/c"),)),
        ("Path('a', 'b').parent", (PathAt("a"),)),
        ("Path(x) / 'b'", (PathAt(None),)),
        ("Path.cwd() / 'a'", (PathAt("/p/a"),)),
        ("Path(__file__).parent", (PathAt("/p"),)),
        ("Path('a').write_text", (Bound(PathAt("a"), "write_text"),)),
        ("list(Path('a').iterdir())[0]", (PathAt("a", is_below=True), UNKNOWN)),
        ("requests.Session().get", (Origin("requests.Session().get"),)),
        ("thing.os.system", (Origin("os.system"),)),
        ("x = ['a']\nx.append('b')\nx", (Several(((Known("a"), UNKNOWN),), is_loose=True),)),
        ("sorted(['b', 'a'])[0]", (Known("b"), Known("a"), UNKNOWN)),
        ("{1: 'a', 0: 'b'}[1]", (Known(1), Known(0), Known("a"), Known("b"), UNKNOWN)),
        ("[*x, 'a', 'b'][1]", (UNKNOWN, Known("a"), Known("b"))),
        ("list('ab')", ANYTHING),
        ("type(x)", (CLASS,)),
        ("type('x')", ANYTHING),
        ("open('a').__class__", (CLASS,)),
        ("type(x).__name__", (Bound(UNKNOWN, "__name__"),)),
        ("Path('a').joinpath(*'bc')", (PathAt(None),)),
        ("lambda: 1", ANYTHING),
    ],
)
def test_expressions_give_what_they_may_give(text: str, values: Values) -> None:
    assert last(text) == values


def test_a_name_that_is_known_to_live_is_what_it_is() -> None:
    assert last("f", {"f": "os.system"}) == (Origin("os.system"),)


def test_what_is_too_deep_is_said_to_be() -> None:
    tree = ast.parse("x = " + "+".join(["'a'"] * 200))
    folding = Folding(Code(tree), Place("/p", "/p"), {})
    assert isinstance(tree.body[0], ast.Assign)

    folding.values(tree.body[0].value)
    assert folding.too_deep


def test_what_can_be_seen_from_a_place_is_told_to_code_in_code() -> None:
    tree = ast.parse("import os\ndef f(a):\n    q = os.system\n    exec('q()')\n")
    code = Code(tree)
    call = next(one.node for one in code.spots if isinstance(one.node, ast.Call))

    found = Folding(code, Place("/p", "/p"), {}).origins_at(call)
    assert found == {"q": "os.system", "os": "os"}


@pytest.mark.parametrize(
    "step", ["{0} + {0}", "({0}, {0})", "f'{{{0}}}{{{0}}}'", "Path({0}) / {0}"]
)
@pytest.mark.parametrize("start", ["'xxxxxxxxxx'", "['x']"])
def test_what_is_put_together_of_itself_takes_neither_time_nor_room(step: str, start: str) -> None:
    lines = [f"a0 = {start}", *(f"a{n + 1} = {step.format(f'a{n}')}" for n in range(40))]

    before = time.process_time()
    (found,) = last("\n".join([*lines, "a40"]))
    assert time.process_time() - before < 1
    assert len(repr(found)) < 1_000_000
