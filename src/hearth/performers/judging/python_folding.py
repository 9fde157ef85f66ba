"""Works out what expressions may give: follows names, imports, attributes and paths."""

import ast
import builtins
from collections.abc import Mapping
from typing import Final

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_attributes import (
    attribute,
    attribute_by,
    class_of,
    imported,
    is_named,
    looked_up,
)
from hearth.performers.judging.python_known import canonical, guessed, is_another, live_origin
from hearth.performers.judging.python_lists import (
    changed,
    combined,
    elements,
    formatted,
    holds_lists,
    leave_alone,
    listed,
    one_of,
    several,
)
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_paths import from_path, made
from hearth.performers.judging.python_scopes import Binding, Block, How, Scope, Spot, is_own
from hearth.performers.judging.python_values import (
    ANYTHING,
    CHOSEN,
    CLASS,
    UNKNOWN,
    Bound,
    Known,
    Origin,
    PathAt,
    Several,
    Value,
    Values,
    joined,
    texts,
)

_DEEPEST: Final = 60
_BUILTINS: Final = frozenset(dir(builtins))
_MAPPINGS: Final = frozenset({"builtins.globals()", "builtins.locals()", "builtins.vars()"})


class Folding:
    """Answers for one piece of code. Whatever is too deep to be followed is `too_deep`."""

    def __init__(self, code: Code, place: Place, known: Mapping[str, str]) -> None:
        self.too_deep = False
        self._code = code
        self._place = place
        self._known = known
        self._found: dict[ast.AST, Values] = {}
        self._bindings: dict[tuple[Scope, str], Values] = {}
        self._first: dict[tuple[Scope, str], dict[Block | None, int]] = {}
        self._busy: set[ast.AST] = set()

    def values(self, node: ast.AST) -> Values:
        """What an expression may give."""
        if (found := self._found.get(node)) is not None:
            return found
        if node in self._busy:
            return ANYTHING
        if len(self._busy) > _DEEPEST:
            self.too_deep = True
            return ANYTHING
        self._busy.add(node)
        try:
            found = self._work_out(node)
        finally:
            self._busy.discard(node)
        self._found[node] = found
        return found

    def _work_out(self, node: ast.AST) -> Values:  # noqa: C901, PLR0911, PLR0912 - one case per kind of node
        match node:
            case ast.Constant(value=value):
                return (Known(value),)
            case ast.Name(id=name):
                return self.named(name, self._code.at[node])
            case ast.Attribute(value=base, attr="__class__") if self.is_own(base):
                return ANYTHING
            case ast.Attribute(value=ast.Name(id=alias) as base, attr=name) if (
                is_another(alias, name) and self.spot(base).scope.owner(alias) is None
            ):
                return (Bound(UNKNOWN, name),)
            case ast.Attribute(value=base, attr=name):
                found = [attribute(one, name) for one in self.values(base)]
                if of_module := self._of_module(base, name):
                    found.append(of_module)
                return joined(*found)
            case ast.Call():
                return joined(*(self._called(one, node) for one in self.values(node.func)))
            case ast.BinOp(left=left, op=op, right=right):
                return combined(self.values(left), op, self.values(right))
            case ast.JoinedStr(values=parts):
                return formatted(parts, self.values)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return self._list(items)
            case ast.Dict(keys=keys, values=items):
                # Whoever goes through it gets the keys.
                of_keys = [self.values(key) if key else ANYTHING for key in keys]
                return (several([*of_keys, *map(self.values, items)], is_loose=True),)
            case ast.Subscript(value=base, slice=index):
                return self._item(self.values(base), self.values(index), node)
            case ast.IfExp(body=one, orelse=other):
                return joined(self.values(one), self.values(other))
            case ast.BoolOp(values=items):
                return joined(*(self.values(item) for item in items))
            case ast.NamedExpr(value=value):
                return tuple(map(changed, self.values(value)))  # it has two names from now on
            case ast.Await(value=value) | ast.Starred(value=value):
                return self.values(value)
            case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.GeneratorExp(elt=item):
                return (several([self.values(item)], is_loose=True),)
            case _:
                return ANYTHING

    def _list(self, items: list[ast.expr]) -> Values:
        found: list[Values] = []
        for item in items:
            values = self.values(item)
            found.append(elements(values) if isinstance(item, ast.Starred) else values)
        return (several(found, is_loose=any(isinstance(one, ast.Starred) for one in items)),)

    def spot(self, node: ast.AST) -> Spot:
        """Where a node stands."""
        return self._code.at[node]

    def is_own(self, node: ast.AST) -> bool:
        """Whether it is the object whose method this is, or a failure that was caught."""
        return isinstance(node, ast.Name) and is_own(node.id, self.spot(node).scope)

    def _of_module(self, base: ast.expr, name: str) -> Values:
        """What an attribute is if a cell before this one has imported a module of that name."""
        if not isinstance(base, ast.Name) or UNKNOWN not in self.values(base):
            return ()
        origin = guessed(base.id, name)
        return (Origin(canonical(origin)),) if origin is not None else ()

    def named(self, name: str, spot: Spot) -> Values:
        """What a name may stand for at a place."""
        owner = spot.scope.owner(name)
        if owner is None:
            return self._before(name)
        if not self._is_bound_before(owner, name, spot):
            return joined(self._anywhere(owner, name), self._before(name))
        return self._anywhere(owner, name)

    def _is_bound_before(self, owner: Scope, name: str, spot: Spot) -> bool:
        """Whether the name is surely bound when the place is reached."""
        key = (owner, name)
        if (first := self._first.get(key)) is None:
            first = self._first[key] = {}
            for binding in owner.bindings.get(name, []):
                known = first.get(binding.block, binding.statement)
                first[binding.block] = min(known, binding.statement)
        here: Block | None = spot.block
        while here is not None:
            if first.get(here, spot.statement) < spot.statement:
                return True
            here = here.parent
        return first.get(None, spot.statement) < spot.statement

    def _anywhere(self, owner: Scope, name: str) -> Values:
        """What a name is bound to in all places that bind it."""
        key = (owner, name)
        if (found := self._bindings.get(key)) is None:
            self._bindings[key] = ANYTHING  # for a name that is bound to something made of itself
            bound = dict.fromkeys(owner.bindings.get(name, []))
            found = joined(*map(self._bound, bound))
            lists = [one for one in found if isinstance(one, Several)]
            if lists and (self._is_touched(name) or any(map(holds_lists, lists))):
                found = tuple(changed(one) for one in found)
            if owner.is_module and self._code.has_star:
                found = joined(found, ANYTHING)
            if any(binding.how is How.GONE for binding in bound):
                found = joined(found, self._before(name))
            self._bindings[key] = found
        return found

    def _is_touched(self, name: str) -> bool:
        """Whether a list may be changed after it was made, by whoever gets hold of it."""
        for spot in self._code.loads.get(name, []):
            match spot.parent:
                case ast.For() | ast.AsyncFor() | ast.comprehension() | ast.Compare() | ast.Expr():
                    continue
                case ast.Subscript(ctx=ast.Load()) if spot.role == "value":
                    continue
                case ast.Call(func=func) if spot.role == "args" and leave_alone(self.values(func)):
                    continue
                case _:
                    return True
        return False

    def origins_at(self, node: ast.AST) -> dict[str, str]:
        """What the names stand for that can be seen from a place, as far as it is known."""
        spot = self._code.at[node]
        found: dict[str, str] = {}
        here: Scope | None = spot.scope
        while here is not None:
            for name in here.bindings:
                values = self.named(name, spot)
                origins = [one.name for one in values if isinstance(one, Origin)]
                if origins:
                    found.setdefault(name, origins[0] if len(values) == 1 else CHOSEN.name)
            here = here.parent
        return found

    def _before(self, name: str) -> Values:
        """What a name is that the code does not bind, or not yet."""
        if (origin := self._known.get(name) or live_origin(name)) is not None:
            return (Origin(canonical(origin)),)
        if name in _BUILTINS:
            return (Origin(f"builtins.{name}"),)
        if name == "__file__":
            return (Known(f"{self._place.here}/cell.py"),)
        return ANYTHING

    def _bound(self, binding: Binding) -> Values:
        match binding.how:
            case How.VALUE if binding.source is not None:
                return self.values(binding.source)
            case How.ELEMENT if binding.source is not None:
                return elements(self.values(binding.source))
            case How.IMPORT if not binding.origin.startswith("."):
                return (Origin(canonical(binding.origin)),)
            case _:
                return ANYTHING

    def _item(self, bases: Values, indexes: Values, node: ast.Subscript) -> Values:
        found: list[Values] = []
        for base in bases:
            match base:
                case Several():
                    found.append(one_of(base, indexes))
                case Origin(name=name) if name == "sys.modules" or name.endswith(".__dict__"):
                    found.append(looked_up(name.removesuffix(".__dict__"), indexes))
                case Origin(name=name) if name.startswith(CHOSEN.name):
                    found.append((CHOSEN,))
                case Origin(name=name) if name in _MAPPINGS:
                    keys = texts(indexes)
                    spot = self._code.at[node]
                    found += [self.named(key, spot) for key in keys] if keys else [(CHOSEN,)]
                case _:
                    found.append(ANYTHING)
        return joined(*found)

    def _called(self, callee: Value, call: ast.Call) -> Values:
        match callee:
            case Origin(name=name):
                return self._made(name, call)
            case Bound(base=PathAt() as base, name=name):
                given = [self.values(one) for one in call.args]
                if any(isinstance(one, ast.Starred) for one in call.args):
                    given.append(ANYTHING)
                return from_path(base, name, given, self._place.here)
            case Bound(base=Several() as base, name="pop" | "get" | "__getitem__"):
                return joined(*base.items, ANYTHING)
            case _:
                return ANYTHING

    def _made(self, name: str, call: ast.Call) -> Values:  # noqa: C901, PLR0911 - one case per function
        arguments = [self.values(one) for one in call.args]
        if any(isinstance(one, ast.Starred) for one in call.args) or call.keywords:
            arguments.append(ANYTHING)
        if (path := made(name, arguments, self._place.here)) is not None:
            return path
        match name:
            case "builtins.getattr" if len(arguments) >= 2:
                return joined(*(attribute_by(one, arguments[1]) for one in arguments[0]))
            case "builtins.__import__" | "importlib.import_module" | "importlib.__import__":
                return imported(name, arguments)
            case "builtins.list" | "builtins.tuple" | "builtins.sorted" | "builtins.set":
                is_sorted = name in {"builtins.sorted", "builtins.set"}
                return listed(arguments[0], is_loose=is_sorted) if arguments else (Several(()),)
            case "builtins.vars" if arguments and is_named(arguments[0]):
                return joined(*(attribute(one, "__dict__") for one in arguments[0]))
            case "builtins.type" if len(call.args) == 1:
                own = self.is_own(call.args[0])
                return ANYTHING if own else joined(*map(class_of, arguments[0]))
            case "builtins.map" if arguments and Origin("builtins.type") in arguments[0]:
                return (several([(CLASS,)], is_loose=True),)
            case "importlib.reload" if arguments:
                return arguments[0]
            case "operator.attrgetter()":
                return (CHOSEN,)
            case "builtins.enumerate" | "builtins.zip" | "builtins.reversed" | "builtins.iter":
                return (several([elements(one) for one in arguments], is_loose=True),)
            case _:
                return (Origin(f"{name}()"),)
