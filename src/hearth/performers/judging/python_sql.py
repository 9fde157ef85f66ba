"""What statements of SQL do outside of the database that they are given to."""

import ast
import re
from typing import Final

from hearth.performers.judging.python_effects import words
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_values import texts

_INSIDE: Final = words(
    "alter analyze begin commit create delete drop end explain insert reindex release replace "
    "rollback savepoint select truncate update values with"
)
"""What statements begin with that keep to their database: not ATTACH, COPY, LOAD or VACUUM INTO."""
_FIRST: Final = re.compile(r"\s*([A-Za-z]+)(\s|$)")


def keeps_inside(call: ast.Call, folding: Folding, *, several: bool) -> bool:
    """Whether what is executed surely stays in its database, as far as its text is known."""
    if not call.args:
        return False
    known = texts(folding.values(call.args[0]))
    if known is None:
        # The first word decides, where one call runs one statement.
        start = _start_of(call.args[0])
        return not several and _is_inside(f"{start}x")  # what follows may be a part of the word
    statements = [one for text in known for one in (text.split(";") if several else [text])]
    return all(_is_inside(one) for one in statements if one.strip())


def _start_of(node: ast.expr) -> str:
    """What a text begins with of which not all is known."""
    while isinstance(node, ast.BinOp):
        node = node.left
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_inside(statement: str) -> bool:
    found = _FIRST.match(statement)
    return found is not None and found[1].lower() in _INSIDE
