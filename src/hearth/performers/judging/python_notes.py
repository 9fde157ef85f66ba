"""Annotations: texts in them are code that libraries run.

`functools.singledispatch` runs those of whatever is registered with it, at once.
"""

import ast
from typing import Final

from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_scopes import How, Spot
from hearth.performers.judging.python_values import UNKNOWN, Known

_ROLES: Final = frozenset({"annotation", "returns"})
_MADE: Final = (ast.JoinedStr, ast.Call, ast.Lambda, ast.Await, ast.NamedExpr)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


class Notes:
    """Gathers the texts of all annotations; asks about those that nobody can read."""

    def __init__(self, folding: Folding, needs: Needs) -> None:
        self.texts: set[str] = set()
        self._folding = folding
        self._needs = needs

    def look_at(self, spot: Spot) -> None:
        """An annotation, or a function that is registered by its annotations."""
        if spot.role in _ROLES:
            for node in ast.walk(spot.node):
                self._gather(node)
        elif isinstance(spot.node, ast.Call):
            self._called(spot.node)
        elif isinstance(spot.node, _FUNCTIONS) and any(map(_registers, spot.node.decorator_list)):
            self._registered(spot.node)

    def _gather(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Constant, ast.Name, ast.BinOp)):
            for value in self._folding.values(node):
                if isinstance(value, Known) and isinstance(value.value, str) and "(" in value.value:
                    self.texts.add(value.value)

    def _called(self, call: ast.Call) -> None:
        match call:
            case ast.Call(func=func, args=[ast.Name() as given], keywords=[]) if _registers(func):
                if self._may_be_text(given):
                    doubt = "what is registered may have annotations that are code"
                    self._needs.doubt(call, doubt)
            case _:
                pass

    def _registered(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        taken = function.args
        named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
        notes = [one.annotation for one in named if one is not None]
        for note in (*notes, function.returns):
            if note is not None and any(map(self._may_be_text, ast.walk(note))):
                doubt = "it is registered by an annotation that may be code"
                self._needs.doubt(note, doubt)

    def _may_be_text(self, node: ast.AST) -> bool:
        """Whether it is put together, or a name that may be any text."""
        if isinstance(node, _MADE) or (isinstance(node, ast.BinOp) and not _is_union(node)):
            return True
        if not isinstance(node, ast.Name) or UNKNOWN not in self._folding.values(node):
            return False
        owner = self._folding.spot(node).scope.owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        classes = [isinstance(one.node, ast.ClassDef) or one.how is How.IMPORT for one in bound]
        return not classes or not all(classes)


def _is_union(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.BitOr)


def _registers(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Attribute) and decorator.attr == "register"
