"""What can be asked about a session while a cell runs: its names, its values, its types.

Every ask is a function of the shell and its arguments. It runs in another thread than the cells,
never raises, and never runs what the user wrote.
"""

import itertools
import re
import types
from collections.abc import Callable
from typing import Any

from . import completing, describing, exploring, signatures
from .naming import own_names, snapshot
from .resolving import Resolved, resolve
from .scanning import code_before, expression_before, place_at_end

Ask = Callable[[Any, dict[str, Any]], dict[str, Any]]

MOST_VARIABLES = 500
MOST_NAMES = 5000
_MENTIONED = re.compile(r"[^\W\d][\w.]*")


def inspect(shell: Any, args: dict[str, Any]) -> dict[str, Any]:
    """What stands at the cursor, or else what is called there: type, signature, doc, place."""
    code = str(args.get("code", ""))
    cursor = args.get("cursor")
    cursor = len(code) if type(cursor) is not int else max(0, min(cursor, len(code)))
    namespace = snapshot(shell)
    for expression in _mentioned(code, cursor):
        found = resolve(namespace, expression)
        if found is not None:
            return _described(shell, expression, found)
    return {"found": False, "name": next(iter(_mentioned(code, cursor)), "")}


def variables(shell: Any, args: dict[str, Any]) -> dict[str, Any]:
    """The user's names with type, size and a preview; modules only if asked for."""
    prefix = str(args.get("prefix") or "")
    limit = args.get("limit")
    limit = MOST_VARIABLES if type(limit) is not int else max(0, min(limit, MOST_VARIABLES))
    chosen = {
        name: value
        for name, value in own_names(shell).items()
        if name.startswith(prefix)
        and not name.startswith("_")
        and (args.get("modules") or not describing.is_a(value, types.ModuleType))
    }
    names = sorted(chosen, key=lambda name: (name.lower(), name))
    return {
        "variables": [_variable(name, chosen[name]) for name in names[:limit]],
        "total": len(chosen),
    }


def names(shell: Any, args: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001  every ask has both
    """Every name that code at the top level can use, with its type."""
    some = itertools.islice(own_names(shell).items(), MOST_NAMES)
    return {"names": {name: describing.type_text(value) for name, value in some}}


def _variable(name: str, value: Any) -> dict[str, Any]:
    return {
        "name": describing.cut(name),
        "type": describing.type_text(value),
        "size": describing.size(value),
        "length": describing.length(value),
        "shape": describing.shape(value),
        "preview": describing.preview(value),
    }


def _mentioned(code: str, cursor: int) -> list[str]:
    """What the cursor may mean, nearest first: the word it touches, then the calls around it."""
    found = []
    before = code_before(code, cursor)
    rest = re.match(r"\w*", code[cursor:])
    place = place_at_end(before)
    if place.string is None and not place.is_comment:
        word = expression_before(before + (rest[0] if rest else ""))
        if _MENTIONED.match(word.rstrip(".")):
            found.append(word.rstrip("."))
        elif word.endswith(")") and word.find("("):
            found.append(word)
    for bracket, at in reversed(place.brackets):
        if bracket == "(":
            called = expression_before(before[:at])
            if called:
                found.append(called)
    return found


def _described(shell: Any, name: str, found: Resolved) -> dict[str, Any]:
    value = found.looked_at
    file, line = exploring.place(shell, value)
    signature = "" if found.is_computed else signatures.signature(value)
    is_value = found.instance_of is None and not found.is_computed
    return {
        "found": True,
        "name": describing.cut(name),
        "kind": "property" if found.is_computed else describing.kind(value),
        "type": describing.type_text(value)
        if found.instance_of is None
        else describing.type_name(value),
        "signature": describing.cut(name.rpartition(".")[2] + signature) if signature else "",
        "doc": describing.documentation(value),
        "file": file,
        "line": line,
        "value": describing.preview(value, describing.LONGEST_LINE) if is_value else "",
    }


def _surely(ask: Ask, otherwise: dict[str, Any]) -> Ask:
    """The ask, with an empty answer in the place of a defect: a question never harms a session."""

    def surely(shell: Any, args: dict[str, Any]) -> dict[str, Any]:
        try:
            return ask(shell, args)
        except (Exception, SystemExit) as error:  # noqa: BLE001  told in the answer: no log in here
            return {**otherwise, "problem": f"{type(error).__name__} in {ask.__name__}"}

    return surely


ASKS: dict[str, Ask] = {
    "complete": _surely(completing.complete, {"items": [], "start": 0, "end": 0}),
    "inspect": _surely(inspect, {"found": False, "name": ""}),
    "variables": _surely(variables, {"variables": [], "total": 0}),
    "names": _surely(names, {"names": {}}),
    "explore_module": _surely(exploring.explore_module, {"found": False, "members": []}),
    "explore_type": _surely(exploring.explore_type, {"found": False, "members": []}),
}
