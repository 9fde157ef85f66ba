"""What code gets hold of without calling it: what it hands on, renames or puts in another's place.

What is called later under another name, in this code or in the next cell, is not seen then. So it
is asked about here, where it gets that name.
"""

import ast
from typing import Final

from hearth.performers.judging.python_effects import words
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_held import HELD
from hearth.performers.judging.python_known import (
    canonical,
    effects_of,
    has_effects,
    is_guarded_module,
    is_pythons_own,
    live_origin,
)
from hearth.performers.judging.python_methods import (
    INSPECTING,
    REACHING,
    WHERE_FROM,
    does_on_its_own,
)
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_scopes import Spot
from hearth.performers.judging.python_stdlib import is_partly_known
from hearth.performers.judging.python_values import CHOSEN, Known, Origin, PathAt, Values

_REPLACED_FREELY: Final = frozenset(
    {
        *("sys.stdout", "sys.stderr", "sys.stdin", "sys.ps1", "sys.argv"),
        "IPython.core.interactiveshell.InteractiveShell.ast_node_interactivity",
    }
)
_ALL_NAMES: Final = frozenset({"builtins.globals()", "builtins.locals()", "get_ipython()"})
_NAMESPACES: Final = (".__dict__", "globals()", "locals()", "vars()")
_IPYTHON: Final = "get_ipython()"
_BY_METHODS: Final = frozenset({"PIL.Image", "sympy"})
"""Modules whose functions are known by their names, as methods are."""
_ENVIRONMENT: Final = frozenset({"os.environ", "os.environb"})
_HARMLESS_VARIABLES: Final = words(
    "CUDA_VISIBLE_DEVICES TOKENIZERS_PARALLELISM OMP_NUM_THREADS MKL_NUM_THREADS "
    "TF_CPP_MIN_LOG_LEVEL PYTHONHASHSEED NO_COLOR COLUMNS TZ"
)
_RECKONING: Final = words("builtins.len builtins.float builtins.int builtins.bool")
_NOT_FOR_USE: Final = frozenset({"annotation", "returns"})


_LOOKED_AT: Final = (
    *(ast.Attribute, ast.Constant, ast.MatchClass, ast.Call, ast.Subscript, ast.Assign),
    *(ast.NamedExpr, ast.AnnAssign, ast.alias),
)


class Reach:
    """Goes through everything that is not a call."""

    def __init__(self, needs: Needs, folding: Folding) -> None:
        self._needs = needs
        self._folding = folding

    def look_at(self, spot: Spot) -> None:  # noqa: C901, PLR0912 - one case per kind of node
        """Find out what is done with one node."""
        if isinstance(spot.node, ast.Name):
            if spot.node.id in WHERE_FROM and spot.scope.is_class:
                self._needs.doubt(spot.node, f"{spot.node.id} says which file is its source")
            if isinstance(spot.node.ctx, ast.Load):  # by far the most: they need not be matched
                self._used(spot)
            return
        if not isinstance(spot.node, _LOOKED_AT):
            return
        match spot.node:
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)) if name in REACHING:
                self._needs.doubt(spot.node, f"{name} reaches what the code was not given")
            case ast.MatchClass(kwd_attrs=names) if any(
                one in REACHING or one[:2] == "__" for one in names
            ):
                self._needs.doubt(spot.node, "a pattern reaches what the code was not given")
            case ast.Call():
                self._names_handed_on(spot)
                self._chosen(spot)
            case ast.Attribute(ctx=ast.Store(), attr=name) if name in WHERE_FROM:
                self._needs.doubt(spot.node, f"{name} says which file is read as its source")
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                self._replaced(spot.node)
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                self._stored(spot.node)
            case ast.Attribute(ctx=ast.Load()):
                self._used(spot)
            case ast.Assign() | ast.NamedExpr() | ast.AnnAssign():
                self._renamed(spot)
            case ast.alias():
                self._imported(spot)
            case _:
                pass

    def _used(self, spot: Spot) -> None:
        """A name stands somewhere: all is well where it is called or looked into."""
        node = spot.node
        if isinstance(node, ast.Name) and node.id in {"__builtins__", "__loader__", "__spec__"}:
            self._needs.doubt(node, f"{node.id} reaches what the code was not given")
            return
        if isinstance(node, ast.Attribute):
            self._method(node, spot)
        if not any(isinstance(one, Origin) for one in self._folding.values(node)):
            return
        self._chosen(spot)
        if self._is_as_meant(spot):
            return
        if (name := self._guarded(self._folding.values(node))) is not None:
            self._needs.doubt(node, f"{name} is handed on: nobody sees what it is called with")

    def _method(self, node: ast.Attribute, spot: Spot) -> None:
        """A method is named: all is well where it is called, looked at, or named again nearby."""
        match spot.parent:
            case ast.Call() if spot.role == "func" or self._only_looks(spot.parent):
                return
            case ast.Attribute() | ast.Expr() | ast.Compare() | ast.FormattedValue():
                return
            case ast.Assign(targets=[ast.Name(id=name)]):
                owner = spot.scope.elsewhere.get(name, spot.scope)
                if not owner.is_module and not owner.is_class:
                    return
            case _:
                pass
        bases = self._folding.values(node.value)
        is_path = any(isinstance(one, PathAt) for one in bases)
        is_known = all(isinstance(one, Known) for one in bases)
        if not is_known and does_on_its_own(node.attr, is_path=is_path):
            doubt = f".{node.attr} is handed on: nobody sees what it is called with"
            self._needs.doubt(node, doubt)

    def _is_as_meant(self, spot: Spot) -> bool:
        match spot.parent:
            case ast.Call() if spot.role == "func" or self._only_looks(spot.parent):
                return True
            case ast.Attribute() | ast.Expr() | ast.Assign() | ast.NamedExpr() | ast.Compare():
                return True
            case ast.AnnAssign() if spot.role == "value":
                return True
            case ast.Subscript() if spot.role == "value":
                return not self._is_ipythons(spot.node)
            case ast.ExceptHandler():
                return True
            case _:
                return spot.role in _NOT_FOR_USE

    def _is_ipythons(self, node: ast.AST) -> bool:
        values = self._folding.values(node)
        return any(isinstance(one, Origin) and _is_ipythons(one.name) for one in values)

    def _names_handed_on(self, spot: Spot) -> None:
        """All names at once, as a mapping, given to somebody."""
        values = self._folding.values(spot.node)
        if not any(isinstance(one, Origin) and one.name in _ALL_NAMES for one in values):
            return
        match spot.parent:
            case ast.Call() if spot.role == "args" and not self._only_looks(spot.parent):
                self._needs.doubt(spot.node, "all names are handed on")
            case ast.Assign() | ast.NamedExpr() | ast.List() | ast.Tuple() | ast.Dict():
                self._needs.doubt(spot.node, "all names get another name")
            case _:
                pass

    def _chosen(self, spot: Spot) -> None:
        """What was taken under a name that nobody knows: it may be looked at and reckoned with."""
        if CHOSEN not in self._folding.values(spot.node):
            return
        match spot.parent:
            case ast.Expr() | ast.FormattedValue() | ast.Compare() | ast.BinOp() | ast.UnaryOp():
                return
            case ast.Attribute() | ast.If() | ast.While():
                return
            case ast.Call() if spot.role == "func" or self._only_looks(spot.parent, _RECKONING):
                return
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.NamedExpr(target=ast.Name(id=name)):
                if not spot.scope.elsewhere.get(name, spot.scope).is_module:
                    return
            case _:
                pass
        self._needs.doubt(spot.node, "it takes something under a name that nobody knows")

    def _only_looks(self, call: ast.Call, others: frozenset[str] = frozenset()) -> bool:
        callees = self._folding.values(call.func)
        return all(
            isinstance(one, Origin) and (one.name in INSPECTING or one.name in others)
            for one in callees
        )

    def _guarded(self, values: Values) -> str | None:
        for value in values:
            if isinstance(value, Origin) and _is_ipythons(value.name):
                return value.name
            if isinstance(value, Origin) and "()" not in value.name:
                name = value.name
                if is_guarded_module(name) or (effects_of(name) and name[-5:] != "Error"):
                    return name.removeprefix("builtins.")
        return None

    def _renamed(self, spot: Spot) -> None:
        node = spot.node
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]  # type: ignore[attr-defined] # all others have one
        value: ast.expr | None = node.value  # type: ignore[attr-defined] # see the caller
        if value is None or (name := self._guarded(self._folding.values(value))) is None:
            return
        for target in targets:
            is_seen = isinstance(target, ast.Name) and not spot.scope.is_class
            if not is_seen or self._outlives(target, spot):
                self._needs.doubt(node, f"{name} gets another name, by which nobody knows it")

    def _outlives(self, target: ast.expr, spot: Spot) -> bool:
        """Whether a name is there for later cells, which would not be seen to use it."""
        if not isinstance(target, ast.Name):
            return True
        owner = spot.scope.elsewhere.get(target.id, spot.scope)
        if not owner.is_module:
            return False
        values = self._folding.values(getattr(spot.node, "value", target))
        return any(isinstance(one, Origin) and live_origin(target.id) != one.name for one in values)

    def _imported(self, spot: Spot) -> None:
        alias = spot.node
        assert isinstance(alias, ast.alias)  # noqa: S101 - the caller has seen it
        match spot.parent:
            case ast.Import():
                origin, name = alias.name, alias.asname or alias.name.partition(".")[0]
                is_known = is_partly_known(name) and not spot.scope.is_class
                if alias.asname is None and (is_known or not is_guarded_module(name)):
                    return  # it is known by its own name; `import urllib.request` binds `urllib`
            case ast.ImportFrom(module=module, level=0):
                origin = f"{module}.{alias.name}" if alias.name != "*" else f"{module}"
                name = alias.asname or alias.name
            case _:
                return
        if alias.name == "*" and has_effects(origin):
            self._needs.doubt(alias, f"everything of {origin} gets names that may be anything's")
            return
        guarded = self._guarded((Origin(canonical(origin)),))
        if canonical(origin) in HELD or (has_effects(origin) and origin not in _BY_METHODS):
            guarded = guarded or canonical(origin)
        owner = spot.scope.elsewhere.get(name, spot.scope)
        if guarded is None or not (owner.is_module or owner.is_class):
            return
        if owner.is_class or (
            live_origin(name) not in {origin, guarded, f"builtins.{name}"} and alias.name != "*"
        ):
            doubt = f"later cells can use {guarded} as {name}, which nobody would notice"
            self._needs.doubt(spot.parent, doubt)

    def _replaced(self, node: ast.Attribute) -> None:
        for base in self._folding.values(node.value):
            if not isinstance(base, Origin) or "()" in base.name:
                continue
            whole = f"{base.name}.{node.attr}"
            if whole in _REPLACED_FREELY:
                continue
            if is_guarded_module(base.name) or effects_of(whole) or is_pythons_own(base.name):
                self._needs.doubt(node, f"it changes {whole} for everything else")

    def _stored(self, node: ast.Subscript) -> None:
        for base in self._folding.values(node.value):
            name = base.name if isinstance(base, Origin) else ""
            keys = self._folding.values(node.slice)
            if name in _ENVIRONMENT and not _all_in(keys, _HARMLESS_VARIABLES):
                self._needs.doubt(node, "it changes the environment of whatever is started later")
            elif name == "sys.modules" and isinstance(node.ctx, ast.Store):
                self._needs.doubt(node, "it puts something else in the place of a module")
            elif name.endswith(_NAMESPACES) or name in HELD - _ENVIRONMENT:
                self._needs.doubt(node, "it binds names that nobody sees")


def _is_ipythons(name: str) -> bool:
    """Whether it is IPython itself or an attribute of it, not what a call of it gave."""
    return name.startswith(_IPYTHON) and name.count("()") == 1


def _all_in(keys: Values, names: frozenset[str]) -> bool:
    return all(isinstance(key, Known) and key.value in names for key in keys)
