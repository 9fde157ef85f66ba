import ast

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_reach import Reach


def doubts(text: str) -> list[str]:
    code = Code(ast.parse(text))
    place = Place("/p", "/p")
    needs = Needs(text, place)
    reach = Reach(needs, Folding(code, place, {}))
    for spot in code.spots:
        reach.look_at(spot)
    return [need.why for need in needs.all()]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("map(os.system, x)", "os.system is handed on"),
        ("f(os)", "os is handed on"),
        ("x = [open]", "open is handed on"),
        ("def f(x=exec): ...", "exec is handed on"),
        ("def f(): return eval", "eval is handed on"),
        ("class A(subprocess.Popen): ...", "subprocess.Popen is handed on"),
        ("@exec\ndef f(): ...", "exec is handed on"),
        ("f = open", "gets another name"),
        ("self.f = open", "gets another name"),
        ("class A:\n    f = open", "gets another name"),
        ("m = __import__('os')", "gets another name"),
        ("import os as o", "later cells can use os as o"),
        ("from subprocess import run", "later cells can use subprocess.run as run"),
        ("import turtle", "later cells can use turtle"),
        ("from os import *", "everything of os"),
        ("f.__globals__", "__globals__ reaches"),
        ("__builtins__", "__builtins__ reaches"),
        ("os.getcwd = f", "it changes os.getcwd"),
        ("sys.exit = f", "it changes sys.exit"),
        ("requests.get = f", "it changes requests.get"),
        ("os.environ['PATH'] = x", "the environment"),
        ("del os.environ[x]", "the environment"),
        ("sys.modules['a'] = x", "the place of a module"),
        ("globals()['a'] = x", "names that nobody sees"),
        ("sys.path[:0] = x", "names that nobody sees"),
        ("f(globals())", "all names are handed on"),
        ("x = locals()", "all names get another name"),
        ("f(get_ipython().user_ns)", "get_ipython().user_ns is handed on"),
        ("ip = get_ipython()", "get_ipython() gets another name"),
        ("n = get_ipython().user_ns", "gets another name"),
    ],
)
def test_what_code_gets_hold_of_is_asked_about(text: str, said: str) -> None:
    assert any(said in why for why in doubts(text)), doubts(text)


@pytest.mark.parametrize(
    "text",
    [
        "import os, sys, subprocess, requests, numpy as np, urllib.request",
        "import subprocess as sp",
        "from pathlib import Path",
        "from os import getcwd, path",
        "from math import *",
        "from .here import open",
        "help(open)",
        "isinstance(x, subprocess.Popen)",
        "def f(x: requests.Session) -> None: ...",
        "try: ...\nexcept subprocess.CalledProcessError: ...",
        "def f():\n    import os as o\n    p = o.path",
        "x is open",
        "sorted(x, key=os.path.getsize)",
        "sys.stdout = x",
        "pd.options.display.max_rows = 3",
        "os.environ['TZ'] = 'UTC'",
        "del sys.modules['mymodule']",
        "'{a}'.format(**locals())",
        "print(globals())",
        "x = os.environ.get('A')",
    ],
)
def test_what_is_used_as_it_is_meant_is_not(text: str) -> None:
    assert doubts(text) == []
