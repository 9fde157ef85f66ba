import ast

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_pure import only_computes


def computes(text: str) -> bool:
    code = Code(ast.parse(text))
    return only_computes(code, Folding(code, Place("/p", "/p"), {}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 + 1",
        "import math, json\nprint(json.dumps(math.pi))",
        "x = [len(a) for a in 'abc'.split()]\nx.append(1)",
        "def f(): return sum([1])\nf()",
        "df.head().describe()",
        "Path('a').read_text().strip()",
        "open('a').read()",
        "os.path.join('a', 'b')",
    ],
)
def test_what_is_known_to_compute_only_computes(text: str) -> None:
    assert computes(text)


@pytest.mark.parametrize(
    "text",
    [
        "f()",
        "import mymodule",
        "from . import x",
        "x.run()",
        "df.to_csv('a')",
        "Path('a').unlink()",
        "os.remove('a')",
        "exec('1')",
        "subprocess.run(['ls'])",
        "(lambda: f())()",
        "def g(): f()\ng()",
        "setattr(x, 'a', 1)",
    ],
)
def test_what_may_do_anything_does_not(text: str) -> None:
    assert not computes(text)
