"""The lists and mappings by which later cells and programs find what they run.

Whoever changes `os.environ` or `sys.path` changes what a command or an import means that is judged
later. So what can change them is asked about, also where they get another name.
"""

import ast
from typing import Final

from hearth.performers.judging.python_effects import words
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_methods import INSPECTING
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_scopes import Spot
from hearth.performers.judging.python_values import Bound, Known, Origin, Value

HELD: Final = words(
    "os.environ os.environb sys.path sys.meta_path sys.path_hooks sys.path_importer_cache"
)
_READING: Final = words(
    "get keys values items copy index count remove pop "
    "__contains__ __getitem__ __iter__ __len__ __str__ __repr__ __doc__"
)
_LESSENING: Final = words("remove pop")
"""To look for modules in fewer places harms nobody."""
_COPYING: Final = INSPECTING | words(
    "builtins.dict builtins.list builtins.tuple builtins.set builtins.frozenset builtins.sorted "
    "builtins.len builtins.enumerate builtins.zip builtins.sum json.dumps pprint.pprint"
)
_LOOKING: Final = (
    *(ast.Expr, ast.Compare, ast.FormattedValue, ast.Attribute, ast.Subscript, ast.Starred),
    *(ast.For, ast.AsyncFor, ast.comprehension, ast.If, ast.While, ast.Assert),
)


def held_method(name: str) -> str | None:
    """Which of them a method of this dotted name may change; None: none."""
    base, _, method = name.rpartition(".")
    if base not in HELD or (method in _READING and method not in _LESSENING):
        return None
    return None if base == "sys.path" and method in _LESSENING else base


def look_at_held(spot: Spot, folding: Folding, needs: Needs) -> None:
    """Ask, if one of them is given to somebody, or a name that later cells know it by."""
    values = folding.values(spot.node)
    held = [one.name for one in values if isinstance(one, Origin) and one.name in HELD]
    if held and not _is_looked_at(spot, folding):
        needs.doubt(spot.node, f"{held[0]} is handed on: nobody sees what is changed in it")


def _is_looked_at(spot: Spot, folding: Folding) -> bool:
    match spot.parent:
        case ast.Call(func=func) if spot.role == "args":
            return all(map(_copies, folding.values(func)))
        case ast.Dict(keys=keys, values=values):
            return keys[values.index(spot.node)] is None  # type: ignore[arg-type] # it is one of them
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.NamedExpr(target=ast.Name(id=name)):
            owner = spot.scope.elsewhere.get(name, spot.scope)
            return not owner.is_module and not owner.is_class
        case parent:
            is_stored = not isinstance(getattr(spot.node, "ctx", ast.Load()), ast.Load)
            return is_stored or isinstance(parent, _LOOKING) or spot.role in {"annotation", "func"}


def _copies(callee: Value) -> bool:
    match callee:
        case Origin(name=name):
            return name in _COPYING
        case Bound(base=Known(), name=name):
            return name in {"join", "format"}
        case _:
            return False
