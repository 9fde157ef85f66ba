"""What an expression of names, attributes and constant indices stands for, without running it."""

import ast
import sys
import types
from collections.abc import Mapping
from typing import Any, NamedTuple

from .describing import BUILTINS, FUNCTIONS, MISSING, is_a, special, static

_LITERALS = {
    ast.List: list,
    ast.ListComp: list,
    ast.Dict: dict,
    ast.DictComp: dict,
    ast.Set: set,
    ast.SetComp: set,
    ast.Tuple: tuple,
    ast.JoinedStr: str,
}


class Resolved(NamedTuple):
    """What was found: a value; or only of which type it would be, or that it would be computed."""

    value: Any = MISSING
    instance_of: type | None = None
    """Set when the value itself is not known."""
    is_computed: bool = False
    """A property: `value` is the property, and what it gives is unknown."""

    @property
    def looked_at(self) -> Any:
        """Where its attributes are to be found."""
        return self.value if self.instance_of is None else self.instance_of


def resolve(namespace: Mapping[str, Any], expression: str) -> Resolved | None:
    """What the expression stands for at the top level; None when that cannot be told."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return _found(namespace, tree.body)
    except Exception:  # noqa: BLE001  half an expression, or an object that defeats looking at it
        return None


def attribute(  # noqa: PLR0911  one return per kind of owner
    owner: Resolved, name: str
) -> Resolved | None:
    """An attribute, read as it is stored: a method is bound, a property is not asked."""
    if owner.is_computed:
        return None
    if owner.instance_of is not None:
        stored = static(owner.instance_of, name, MISSING)
        return None if stored is MISSING else _bound(stored, None, owner.instance_of)
    value = owner.value
    if is_a(value, types.ModuleType):
        members = types.ModuleType.__getattribute__(value, "__dict__")
        if name in members:
            return Resolved(members[name])
        loaded = sys.modules.get(f"{members.get('__name__')}.{name}")
        return None if loaded is None else Resolved(loaded)
    stored = static(value, name, MISSING)
    if stored is MISSING:
        return None
    if is_a(value, type):
        return _bound(stored, None, value)
    return _bound(stored, value, type(value))


def _found(  # noqa: PLR0911  one return per kind of expression
    namespace: Mapping[str, Any], node: ast.expr
) -> Resolved | None:
    if isinstance(node, ast.Name):
        return _named(namespace, node.id)
    if isinstance(node, ast.Attribute):
        owner = _found(namespace, node.value)
        if owner is None:
            # `import a.b` in a cell that has not run yet: a module may be loaded all the same.
            loaded = sys.modules.get(ast.unparse(node))
            return None if loaded is None else Resolved(loaded)
        return attribute(owner, node.attr)
    if isinstance(node, ast.Subscript):
        return _element(_found(namespace, node.value), node.slice)
    if isinstance(node, ast.Call):
        return _called(_found(namespace, node.func))
    if isinstance(node, ast.Constant):
        return Resolved(node.value)
    literal = _LITERALS.get(type(node))
    return None if literal is None else Resolved(instance_of=literal)


def _named(namespace: Mapping[str, Any], name: str) -> Resolved | None:
    value = namespace.get(name, MISSING)
    if value is MISSING:
        value = BUILTINS.get(name, MISSING)
    if value is MISSING:
        value = sys.modules.get(name, MISSING)
    return None if value is MISSING else Resolved(value)


def _element(owner: Resolved | None, index: ast.expr) -> Resolved | None:
    """An element of a plain container by a constant; nothing of the user's can run for that."""
    if owner is None or owner.instance_of is not None or not _is_plain(owner.value):
        return None
    key = ast.literal_eval(index)
    return Resolved(owner.value[key]) if type(key) in {int, str} else None


def _called(function: Resolved | None) -> Resolved | None:
    """Of which type a call's value would be: a class's is its own, else what is declared."""
    if function is None or function.instance_of is not None:
        return None
    if is_a(function.value, type):
        return Resolved(instance_of=function.value)
    target = function.value
    if is_a(target, types.MethodType):
        target = target.__func__
    if is_a(target, types.FunctionType):
        declared = target.__annotations__.get("return")
        return Resolved(instance_of=declared) if is_a(declared, type) else None
    return None


def _bound(  # noqa: PLR0911  one return per kind of descriptor
    stored: Any, value: Any, owner: type
) -> Resolved | None:
    if is_a(stored, staticmethod):
        return Resolved(stored.__func__)
    if is_a(stored, classmethod):
        return Resolved(types.MethodType(stored.__func__, owner))
    if is_a(stored, (types.FunctionType, types.MethodDescriptorType)):
        return Resolved(stored if value is None else stored.__get__(value, owner))
    if is_a(stored, (types.MemberDescriptorType, types.GetSetDescriptorType)):
        # Written in C, of classes of the standard library or with __slots__.
        if value is None:
            return Resolved(stored, is_computed=True)
        return Resolved(stored.__get__(value, owner))
    if special(stored, "__get__") is not None:
        # Of other descriptors (a property, a cached one, a field of an ORM) the value is computed.
        return Resolved(stored, is_computed=not is_a(stored, FUNCTIONS))
    return Resolved(stored)


def _is_plain(value: Any) -> bool:
    return type(value) is dict or type(value) is list or type(value) is tuple
