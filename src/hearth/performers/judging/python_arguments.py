"""What calls are given, whether by place or by name."""

import ast
from typing import Final

from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_values import ANYTHING, Values

_PATHS: Final = (
    *("path", "file", "filename", "fname", "fp", "filepath", "path_or_buf", "path_or_buffer"),
    *("filepath_or_buffer", "io", "source", "name", "uri", "url", "src", "pathname", "top", "f"),
    *("where", "buf", "excel_writer", "path_or_handle", "database"),
)
"""How a first argument that is a path is called, here or there."""


_MARKUP: Final = frozenset({"to_html", "to_markdown", "to_latex", "_repr_html_"})


def is_plainly_text(node: ast.expr) -> bool:
    """Whether something of which not all is known is surely neither a path nor an address."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in _MARKUP
    while isinstance(node, ast.BinOp):
        node = node.left
    if not isinstance(node, ast.JoinedStr) or not node.values:
        return False
    first = node.values[0]
    start = str(first.value) if isinstance(first, ast.Constant) else ""
    return start.lstrip()[:1] in {"<", "#"} or ("/" not in start and " " in start.strip(" "))


class Given:
    """The arguments of one call."""

    def __init__(self, call: ast.Call, folding: Folding) -> None:
        self._call = call
        self._folding = folding

    def argument(self, at: int, name: str) -> Values | None:
        """What is given as an argument; None: nothing."""
        call = self._call
        if any(isinstance(one, ast.Starred) for one in call.args[: at + 1]):
            return ANYTHING
        if at < len(call.args):
            return self._folding.values(call.args[at])
        given = {one.arg: one.value for one in call.keywords}
        if name in given:
            return self._folding.values(given[name])
        if None in given:
            return ANYTHING
        if at == 0 and (found := next((one for one in _PATHS if one in given), "")):
            return self._folding.values(given[found])
        return None

    def keyword(self, name: str) -> Values | None:
        """What is given by name only; None: nothing."""
        given = {one.arg: one.value for one in self._call.keywords}
        if name in given:
            return self._folding.values(given[name])
        return ANYTHING if None in given else None

    def all(self) -> list[Values]:
        """Everything that is given by place."""
        return [self._folding.values(one) for one in self._call.args]
