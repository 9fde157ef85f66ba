"""Where code gets hold of the class of something: to call it opens or starts another of its kind.

`type(x)(...)` is judged where it is called. Here it is asked about where it gets another name, or
is given to somebody who may call it.
"""

import ast
from typing import Final

from hearth.performers.judging.python_effects import words
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_methods import INSPECTING
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_scopes import Spot
from hearth.performers.judging.python_values import CLASS, Bound, Origin, Values

_TYPE: Final = Origin("builtins.type")
_GATHERING: Final = words(
    "builtins.set builtins.frozenset builtins.list builtins.tuple builtins.sorted builtins.len "
    "builtins.map collections.Counter"
)
_GATHERING_METHODS: Final = words("apply map applymap agg transform groupby")
_COUNTING: Final = words("value_counts unique nunique count")
_LOOKING: Final = (ast.Expr, ast.FormattedValue, ast.Compare, ast.Attribute, ast.If, ast.While)
_PUTTING: Final = (
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred, ast.IfExp, ast.BoolOp, ast.Subscript),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_GOING_THROUGH: Final = (ast.For, ast.AsyncFor, ast.comprehension, ast.Assert)
_NOT_FOR_USE: Final = words("annotation returns slice")


def look_at_class(spot: Spot, folding: Folding, needs: Needs) -> None:
    """Ask, if a node is a class that nobody knows and gets out of sight."""
    values = folding.values(spot.node)
    is_type = _TYPE in values
    if not is_type and CLASS not in values:
        return
    if is_type and isinstance(spot.parent, ast.ClassDef):
        return  # a class of classes
    if not _stays_in_sight(spot, folding):
        needs.doubt(spot.node, "the class of something is handed on: nobody sees what it makes")


def _stays_in_sight(spot: Spot, folding: Folding) -> bool:
    """Whether it is looked at, counted or called right here."""
    is_itself = True
    while True:
        match spot.parent:
            case ast.Call() if spot.role == "func":
                return True
            case ast.Call(func=func) if not _all_in(folding.values(func), _GATHERING):
                return _all_in(folding.values(func), INSPECTING) or (
                    _is_method(folding.values(func)) and _is_counted(folding.spot(spot.parent))
                )
            case ast.Call():
                pass
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.NamedExpr(target=ast.Name(id=name)):
                owner = spot.scope.elsewhere.get(name, spot.scope)
                return is_itself and not owner.is_module and not owner.is_class
            case parent if isinstance(parent, (*_LOOKING, *_GOING_THROUGH)):
                return True
            case parent if spot.role in _NOT_FOR_USE or not isinstance(parent, _PUTTING):
                return spot.role in _NOT_FOR_USE
            case _:
                pass
        is_itself = False
        spot = folding.spot(spot.parent)


def _is_method(callees: Values) -> bool:
    return all(isinstance(one, Bound) and one.name in _GATHERING_METHODS for one in callees)


def _is_counted(spot: Spot) -> bool:
    """Whether a column of classes is only shown or counted."""
    match spot.parent:
        case ast.Expr():
            return True
        case ast.Attribute(attr=name):
            return name in _COUNTING
        case _:
            return False


def _all_in(callees: Values, names: frozenset[str]) -> bool:
    return all(isinstance(one, Origin) and one.name in names for one in callees)
