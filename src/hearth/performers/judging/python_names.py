"""Which names a piece of Python binds, where, and to what: read from its tree, nothing is run."""

import ast
from collections.abc import Iterator
from typing import Final

from hearth.performers.judging.python_scopes import ALWAYS, Binding, Block, How, Scope, Spot

_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS: Final = (ast.For, ast.AsyncFor)
_WITHS: Final = (ast.With, ast.AsyncWith)
_SCOPES: Final = (*_DEFINITIONS, *_COMPREHENSIONS, ast.ClassDef)
_SIGNS: Final = (ast.expr_context, ast.operator, ast.boolop, ast.cmpop, ast.unaryop)
_LEAVES: Final = (ast.Name, ast.Constant, ast.alias)
_BINDING: Final = (
    *(ast.Name, ast.alias, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global),
    *(ast.Nonlocal, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping),
)
_PLAIN: Final = (ast.Expr, ast.Call, ast.Attribute, ast.Assign, ast.BinOp, ast.Subscript)
"""Nodes that have neither names nor blocks of their own: most are such."""
_BLOCKS: Final = frozenset({"body", "orelse", "handlers", "finalbody", "cases"})


class Code:
    """A tree with the place of each of its nodes, and the bindings of each scope."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope()
        self.spots: list[Spot] = []
        self.at: dict[ast.AST, Spot] = {}
        self.loads: dict[str, list[Spot]] = {}
        """Where each name is used."""
        self.has_star = False
        """Whether names are bound that nobody sees: `from x import *`."""
        self._statement = 0
        self._later: list[tuple[Scope, str, Binding]] = []
        self._read(tree)
        self._settle()

    def _settle(self) -> None:
        """Bind what functions bind in a function around them, which may bind it further down."""
        waiting = [(*self._owner_of(scope, name), found) for scope, name, found in self._later]
        for owner, name, found in waiting:
            owner.bindings.setdefault(name, []).append(found)

    def _owner_of(self, scope: Scope, name: str) -> tuple[Scope, str]:
        owner = scope.parent
        while owner is not None and (owner.is_class or name not in owner.bindings):
            owner = owner.parent
        scope.elsewhere[name] = owner or self.module
        return scope.elsewhere[name], name

    def _read(self, tree: ast.Module) -> None:
        # A stack and no recursion: what is nested deeply must not end the process that judges it.
        stack = [Spot(tree, tree, "", self.module, Block(), 0)]
        while stack:
            spot = stack.pop()
            node = spot.node
            if isinstance(node, ast.stmt):
                self._statement += 1
                spot = Spot(*spot[:-1], self._statement)
            self.spots.append(spot)
            self.at[node] = spot
            if isinstance(node, _BINDING):
                self._bind(spot)
            if not isinstance(node, _LEAVES):
                below = _below(spot)
                below.reverse()
                stack += below

    def _bind(self, spot: Spot) -> None:  # noqa: C901 - one case per kind of node
        node, scope = spot.node, spot.scope
        match node:
            case ast.Global(names=names):
                scope.elsewhere.update(dict.fromkeys(names, self.module))
            case ast.Nonlocal(names=names):
                scope.outer.update(names)
            case ast.Name(id=name, ctx=ast.Load()):
                self.loads.setdefault(name, []).append(spot)
            case ast.Name(id=name, ctx=ast.Del()):
                self._add(spot, name, How.GONE)
            case ast.Name(id=name, ctx=ast.Store()):
                if not (isinstance(spot.parent, ast.AnnAssign) and spot.parent.value is None):
                    self._add(spot, name, *_source(spot, self.at))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._add(spot, name, How.UNKNOWN)
            case ast.ClassDef(name=name) | ast.MatchAs(name=str(name)):
                self._add(spot, name, How.UNKNOWN)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                self._add(spot, name, How.UNKNOWN)
            case ast.ExceptHandler(name=str(name)):
                self._add(spot, name, How.GONE)
            case ast.alias():
                self._import(spot, node)
            case _:
                pass

    def _import(self, spot: Spot, alias: ast.alias) -> None:
        match spot.parent:
            case ast.Import() if alias.asname is None:
                top = alias.name.partition(".")[0]
                self._add(spot, top, How.IMPORT, None, top)
            case ast.Import():
                self._add(spot, alias.asname or "", How.IMPORT, None, alias.name)
            case ast.ImportFrom(module=module, level=level) if alias.name != "*":
                origin = f"{'.' * level}{module or ''}.{alias.name}"
                self._add(spot, alias.asname or alias.name, How.IMPORT, None, origin)
            case _:
                self.has_star = self.has_star or alias.name == "*"

    def _add(
        self,
        spot: Spot,
        name: str,
        how: How,
        source: ast.expr | None = None,
        origin: str = "",
    ) -> None:
        scope, statement = spot.scope, spot.statement
        block: Block | None = spot.block
        while isinstance(spot.parent, ast.NamedExpr) and scope.is_comprehension and scope.parent:
            scope = scope.parent
        if name in scope.elsewhere:
            # What another scope binds is bound at any time, or never.
            scope, block = scope.elsewhere[name], Block()
        if isinstance(spot.parent, ast.NamedExpr):
            block = Block()  # `x and (y := 1)` may not come to it
        if scope.is_comprehension:
            statement, block = ALWAYS, None
        if name in scope.outer:
            found = Binding(how, source, origin, statement, Block(), spot.node)
            self._later.append((scope, name, found))
            return
        found = Binding(how, source, origin, statement, block, spot.node)
        scope.bindings.setdefault(name, []).append(found)


def _below(spot: Spot) -> list[Spot]:
    """What a node is made of, in order."""
    node, _, _, outer, above, statement = spot
    inner = _inner_scope(spot) if isinstance(node, _SCOPES) else outer
    is_comprehension = isinstance(node, _COMPREHENSIONS)
    if isinstance(node, _PLAIN):
        return [Spot(child, node, role, outer, above, statement) for role, child in _children(node)]
    blocks: dict[str, Block] = {}
    found: list[Spot] = []
    for role, child in _children(node):
        scope = inner if is_comprehension or role == "body" else outer
        if role == "iter" and _is_first(node, spot.parent):
            # Worked out before anything of the comprehension, and where that stands.
            scope = outer.parent or outer
        block = above
        if role in _BLOCKS and not isinstance(node, ast.Module):
            block = blocks.setdefault(role, Block(above))
        elif (role == "target" and isinstance(node, _LOOPS)) or isinstance(node, _WITHS):
            # What a loop or a `with` binds is bound for what is inside of it only: there may
            # have been nothing to go through, or a failure that was passed over.
            block = blocks.setdefault("body", Block(above))
        found.append(Spot(child, node, role, scope, block, statement))
    return found


def _is_first(node: ast.AST, parent: ast.AST) -> bool:
    """Whether it is what a comprehension goes through first."""
    return isinstance(parent, _COMPREHENSIONS) and parent.generators[0] is node


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for role in node._fields:
        value = getattr(node, role, None)
        if isinstance(value, list):
            for child in value:
                if isinstance(child, ast.AST) and not isinstance(child, _SIGNS):
                    yield role, child
        elif isinstance(value, ast.AST) and not isinstance(value, _SIGNS):
            yield role, value


def _inner_scope(spot: Spot) -> Scope:
    """The scope of what is inside of a node; most have none of their own."""
    node = spot.node
    if isinstance(node, _COMPREHENSIONS):
        return Scope(spot.scope, is_comprehension=True)
    if isinstance(node, ast.ClassDef):
        return Scope(spot.scope, is_class=True)
    if not isinstance(node, _DEFINITIONS):
        return spot.scope
    taken = node.args
    first = [*taken.posonlyargs, *taken.args][:1] if spot.scope.is_class else []
    scope = Scope(spot.scope, own=first[0].arg if first else "")
    named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
    scope.bindings.update({one.arg: [Binding(How.UNKNOWN)] for one in named if one is not None})
    return scope


def _source(  # noqa: PLR0911 - one return per kind of node
    spot: Spot, at: dict[ast.AST, Spot]
) -> tuple[How, ast.expr | None]:
    """What a name that is stored to is bound to."""
    match spot.parent:
        case ast.Assign(targets=[_, _, *_], value=ast.List() | ast.Dict() | ast.Set()):
            return How.UNKNOWN, None  # one list with several names: each can change it
        case ast.Assign(value=value) | ast.NamedExpr(value=value):
            return How.VALUE, value
        case ast.AnnAssign(value=ast.expr() as value):
            return How.VALUE, value
        case ast.For(iter=source) | ast.AsyncFor(iter=source) | ast.comprehension(iter=source):
            return How.ELEMENT, source
        case ast.withitem(context_expr=source):
            return How.VALUE, source
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            return _unpacked(spot, targets, at[spot.parent].parent)
        case _:
            return How.UNKNOWN, None


def _unpacked(spot: Spot, targets: list[ast.expr], above: ast.AST) -> tuple[How, ast.expr | None]:
    """One name of several that are bound at once."""
    if not isinstance(above, ast.Assign):
        return How.UNKNOWN, None
    value = above.value
    stars = any(isinstance(one, ast.Starred) for one in targets)
    if isinstance(value, (ast.Tuple, ast.List)) and not stars:
        if len(value.elts) == len(targets):
            return How.VALUE, value.elts[targets.index(spot.node)]  # type: ignore[arg-type] # it is one of them
        return How.UNKNOWN, None
    return How.ELEMENT, value
