"""Where names live in a piece of Python, and what binds them there."""

import ast
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, NamedTuple

ALWAYS: Final = -1
"""The number of a statement that comes before all others of its scope."""


class How(Enum):
    """How a name is bound."""

    VALUE = auto()
    """To what an expression gives."""
    ELEMENT = auto()
    """To one after the other of what it gives."""
    IMPORT = auto()
    """To what is imported under a dotted name."""
    UNKNOWN = auto()
    GONE = auto()
    """To nothing any more: what it was before counts again."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that binds a name."""

    how: How
    source: ast.expr | None = None
    origin: str = ""
    statement: int = ALWAYS
    block: "Block | None" = None
    node: ast.AST | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Statements that are run together or not at all."""

    parent: "Block | None" = None

    def is_in(self, other: "Block | None") -> bool:
        """Whether whatever runs this has come through the other."""
        here: Block | None = self
        while here is not None:
            if here is other:
                return True
            here = here.parent
        return other is None


@dataclass(slots=True, eq=False)
class Scope:
    """Where names live."""

    parent: "Scope | None" = None
    is_class: bool = False
    is_comprehension: bool = False
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, "Scope"] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)
    """The names that are a function's around it: of which one is known once all is read."""
    own: str = ""
    """Of a method: what it calls the object whose method it is."""

    def owner(self, name: str) -> "Scope | None":
        """The scope whose name this is, seen from here; None: it is bound nowhere in the code."""
        if name in self.elsewhere:
            return self.elsewhere[name]
        if name in self.bindings:
            return self
        here = self.parent
        while here is not None:
            if name in here.bindings and not here.is_class:
                return here
            here = here.parent
        return None

    @property
    def is_module(self) -> bool:
        """Whether names that are bound here live on after the code."""
        return self.parent is None


class Spot(NamedTuple):
    """Where in the code something stands."""

    node: ast.AST
    parent: ast.AST
    role: str
    """The field of the parent that it is in."""
    scope: Scope
    block: Block
    statement: int


def is_own(name: str, scope: Scope) -> bool:
    """Whether a name is the object whose method this is, or a failure that was caught."""
    owner = scope.owner(name)
    if owner is None:
        return False
    bound = owner.bindings.get(name, [])
    if owner.own == name:
        return len(bound) == 1
    return bool(bound) and all(isinstance(one.node, ast.ExceptHandler) for one in bound)
