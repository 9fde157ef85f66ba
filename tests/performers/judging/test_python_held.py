import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_code import python_wants
from hearth.performers.judging.python_held import held_method


@pytest.mark.parametrize(
    "code",
    [
        "import os\nprint(os.environ)\nsorted(os.environ)\n'HOME' in os.environ",
        "import os\nenv = dict(os.environ)\nenv['A'] = 'b'",
        "import os\nenv = {**os.environ, 'A': 'b'}",
        "import os\nenv = os.environ.copy()\nenv.update(A='b')",
        "import os\nfor name, value in os.environ.items(): print(name)",
        "import os\nos.environ['TZ'] = 'UTC'",
        "from os import environ\nenviron.get('HOME')",
        "import sys\nfor p in sys.path: print(p)\nlen(sys.path), sys.path[0], list(sys.path)",
        "import sys\nprint('\\n'.join(sys.path))",
        "import sys\nsys.path.remove('src')",
        "def f():\n    e = os.environ\n    return e['HOME']",
    ],
)
def test_looking_at_the_environment_or_copying_it_is_free(code: str) -> None:
    assert python_wants(code, Place("/p", "/p")).needs == ()


@pytest.mark.parametrize(
    "code",
    [
        "import os\ne = os.environ",
        "import os\nfor e in [os.environ]: e['A'] = 'b'",
        "import os\nf(os.environ)",
        "import os\nclass A: env = os.environ",
        "def f():\n    e = os.environ\n    e['PATH'] = 'b'",
        "import os\nos.environ.__ior__({'A': 'b'})",
        "import os\nos.environ.pop('A')",
        "from os import environ as e",
        "environ['PATH'] = 'x'",
        "import operator\noperator.setitem(os.environ, 'A', 'b')",
        "import sys\nlist.insert(sys.path, 0, '/tmp')",
        "import sys\nsys.path.sort()",
        "import sys\nsys.meta_path[0:0] = [x]",
        "import sys\np = sys.path",
        "x = {'a': sys.path}",
    ],
)
def test_changing_what_later_commands_and_imports_mean_is_asked_about(code: str) -> None:
    assert python_wants(code, Place("/p", "/p")).needs != ()


def test_methods_that_change_them_are_told_from_those_that_read() -> None:
    assert held_method("os.environ.__ior__") == "os.environ"
    assert held_method("os.environ.get") is None
    assert held_method("sys.path.pop") is None
    assert held_method("os.environ.pop") == "os.environ"
    assert held_method("os.getcwd") is None
