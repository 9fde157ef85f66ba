"""Whether code is proven to only look, so that running it again would change nothing."""

import ast
from typing import Final

from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Text

LONGEST: Final = 2000
"""Longer code is not looked at: it hardly ever only looks."""

_LOOKING: Final = (
    ast.Expr,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.Attribute,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.Pass,
    ast.Module,
)

_COMMANDS: Final = frozenset(
    {
        "autocall", "autoreload", "automagic", "bookmark", "cd", "colors", "dhist", "doctest_mode",
        "exit", "gui", "killbgscripts", "logoff", "logon", "logstart", "logstop", "macro",
        "matplotlib", "pdb", "popd", "pushd", "pylab", "quit", "rehashx", "reset",
        "reset_selective", "store", "unalias", "xdel", "xmode",
    }
)  # fmt: skip
"""Alone on a line these are no names but commands to IPython, and change something."""


def read_only(config: SessionConfig | None, code: Text) -> bool:
    """Whether this code, in such a session, need not be run again when the session is rebuilt."""
    is_python = config is not None and config.interpreter == "python"
    return is_python and isinstance(code, str) and only_looks(code)


def only_looks(code: str) -> bool:
    """True if the code consists of names, literals and attribute reads alone.

    Whether a call, an operator or an index changes something cannot be seen in general, so code
    with any of them is not proven. What is not Python, is not proven either.
    """
    if len(code) > LONGEST:
        return False
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(_looks(node) for node in ast.walk(tree))


def _looks(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Name(id=name)):
            return name not in _COMMANDS
        case ast.Dict(keys=keys):
            return None not in keys  # `**x` asks x for its items
        case _:
            return isinstance(node, _LOOKING)
