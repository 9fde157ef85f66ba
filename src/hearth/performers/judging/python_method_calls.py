"""What methods do of which nobody knows whose they are: judged by their names and arguments."""

import ast
from collections.abc import Callable
from typing import Final

from hearth.core.vocabulary.permitting import READ, WRITE
from hearth.performers.judging.python_arguments import Given
from hearth.performers.judging.python_effects import EFFECTS, Effect, Kind, words
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_known import is_pythons_own
from hearth.performers.judging.python_methods import REACHING, method_effect, writes_itself
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_sql import keeps_inside
from hearth.performers.judging.python_values import Bound, Known, Origin, Value, Values, texts

_STREAMS: Final = ("builtins.open()", "sys.std", "sys.__std", "io.")
_WRITING_MODES: Final = frozenset("wax+")


_STATEMENTS: Final = words("execute executemany executescript read_sql read_sql_query")


class MethodCalls:
    """Goes through calls of methods. `judge` says what an effect that is known comes down to."""

    def __init__(
        self, needs: Needs, folding: Folding, judge: Callable[[Effect, str, ast.Call], None]
    ) -> None:
        self._needs = needs
        self._folding = folding
        self._judge = judge

    def look_at(self, callee: Value, name: str, call: ast.Call) -> None:  # noqa: C901, PLR0912 - one case per method
        """A method of something of which nobody knows what it is."""
        why = f".{name} in Python code"
        if writes_itself(name):
            self._needs.doubt(call, f"{why}: which path cannot be seen from here", WRITE)
        elif name in {"read_text", "read_bytes", "iterdir", "glob", "rglob"}:
            self._needs.doubt(call, f"{why}: which path cannot be seen from here", READ)
        elif name in {"rename", "replace"}:
            values = (
                Given(call, self._folding).argument(0, "target") if len(call.args) == 1 else None
            )
            if values and not call.keywords and texts(values) is not None:
                self._needs.doubt(call, f"{why}: which path cannot be seen from here", WRITE)
        elif name == "__init__":
            is_parents = isinstance(callee, Origin) and callee.name.startswith("builtins.super()")
            if not is_parents and not (call.args and self._folding.is_own(call.args[0])):
                self._needs.doubt(call, "it makes something anew, and nobody sees what")
        elif name == "open":
            self._open_method(call, why)
        elif name in {"write", "read"}:
            self._stream(callee, name, call)
        elif name in _STATEMENTS:
            if not keeps_inside(call, self._folding, several=name == "executescript"):
                self._needs.doubt(call, f"{why}: what the statement does cannot be seen from here")
        elif name == "to_sql":
            con = Given(call, self._folding).argument(1, "con")
            if con is not None and texts(con) is not None:
                self._needs.doubt(call, f"{why}: it makes or changes a database", WRITE)
        elif name == "attrgetter":
            look_at_getter(call, self._needs, self._folding)
        elif name == "dump":
            values = Given(call, self._folding).argument(0, "file")
            if values and texts(values) is not None:
                self._needs.path(values, WRITE, call, why)
        elif name in {"extract", "extractall"}:
            if not (isinstance(callee, Bound) and _is_text_accessor(callee.base)):
                self._needs.path(
                    Given(call, self._folding).argument(1, "path") or (Known("."),),
                    WRITE,
                    call,
                    why,
                )
        elif name == "query" or (name == "eval" and call.args):
            self._expression(call)
        elif (effect := method_effect(name)) is not None:
            self._judge(effect, name, call)

    def _stream(self, callee: Value, name: str, call: ast.Call) -> None:
        """Something is written or read: by what is open already, or at a path."""
        base = callee.base if isinstance(callee, Bound) else callee
        if isinstance(base, Origin) and _is_open(base.name):
            return
        values = Given(call, self._folding).argument(0, "file")
        if values is None or all(isinstance(one, Known) and _is_size(one) for one in values):
            return
        why = f".{name} in Python code"
        if name == "write":
            self._needs.doubt(call, f"{why}: where it writes cannot be seen from here", WRITE)
        else:
            self._needs.path(values, READ, call, why)

    def _open_method(self, call: ast.Call, why: str) -> None:
        first = Given(call, self._folding).argument(0, "mode")
        known = texts(first) if first is not None else []
        if known is None or all(set(one) <= set("rwxabt+U") for one in known):
            writes = first is not None and may_write(first)
            permission = WRITE if writes else READ
            self._needs.doubt(call, f"{why}: which path cannot be seen from here", permission)
            return
        second = Given(call, self._folding).argument(1, "mode")
        permission = WRITE if second is not None and may_write(second) else READ
        self._needs.path(first or (), permission, call, why)

    def _expression(self, call: ast.Call) -> None:
        """An expression of pandas: it calls what an expression names with `@`."""
        node = call.args[0] if call.args else None
        known = texts(self._folding.values(node)) if node is not None else []
        if isinstance(node, ast.JoinedStr):
            known = [str(one.value) for one in node.values if isinstance(one, ast.Constant)]
        if known is None or any("@" in one and ("(" in one or "." in one) for one in known):
            self._needs.doubt(call, "such an expression can call functions")


def look_at_getter(call: ast.Call, needs: Needs, folding: Folding) -> None:
    """Something is made that takes attributes by their names."""
    for values in Given(call, folding).all():
        known = texts(values)
        if known is None or not REACHING.isdisjoint(".".join(known).split(".")):
            needs.doubt(call, "it takes something under a name that nobody knows")


def may_write(modes: Values) -> bool:
    """Whether something may be changed that is opened in one of these modes."""
    known = texts(modes)
    return known is None or any(not _WRITING_MODES.isdisjoint(mode) for mode in known)


def _is_open(name: str) -> bool:
    """Whether something of this name was judged when it was opened, or is a stream of its own."""
    if name.startswith(_STREAMS):
        return True
    made = name.rpartition("()")[0]
    kinds = {effect.kind for effect in EFFECTS.get(made, ())}
    return is_pythons_own(made) or Kind.OPEN in kinds


def _is_size(value: Known) -> bool:
    return value.value is None or isinstance(value.value, int)


def _is_text_accessor(base: Value) -> bool:
    return (isinstance(base, Bound) and base.name == "str") or (
        isinstance(base, Origin) and base.name.endswith(".str")
    )
