"""Signatures as text, without calling a `__repr__` of the user's for a default."""

import inspect
import types
from typing import Any

from .describing import FUNCTIONS, MISSING, cut, is_a, preview, special, type_name, type_text


def type_and_signature(value: Any) -> str:
    """The type, and for what can be called its signature: `function (a, b=1) -> int`."""
    return cut(f"{type_text(value)} {signature(value)}".strip())


def signature(value: Any, *, bound: bool = False) -> str:
    """`(a, b=1) -> int` of what can be called; empty when that cannot be known.

    `bound`: as it is called on an instance, without its first parameter.
    """
    found = _signature(value)
    if found is None:
        return ""
    return _written(_without_first(found) if bound else found)


def parameters(value: Any) -> list[inspect.Parameter]:
    """The parameters that a call of the value can name."""
    found = _signature(value)
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [] if found is None else [one for one in found.parameters.values() if one.kind in named]


def _signature(value: Any) -> inspect.Signature | None:
    try:
        if is_a(value, (classmethod, staticmethod)):
            value = value.__func__
        if is_a(value, type):
            # A metaclass with a __getattr__ would be asked for a __signature__.
            if special(value, "__getattr__") is not None:
                return None
            return inspect.signature(value).replace(return_annotation=MISSING)
        if is_a(value, FUNCTIONS):
            return inspect.signature(value)
        call = special(value, "__call__")
        if is_a(call, types.FunctionType):
            return _without_first(inspect.signature(call))
    except Exception:  # noqa: BLE001  many callables of C have none, each failing its own way
        return None
    return None


def parameter_text(parameter: inspect.Parameter) -> str:
    """`b: int = 1`."""
    text = parameter.name
    if parameter.annotation is not MISSING:
        text += f": {annotation(parameter.annotation)}"
    if parameter.default is not MISSING:
        equals = "=" if parameter.annotation is MISSING else " = "
        text += equals + preview(parameter.default, 60)
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return f"*{text}"
    return f"**{text}" if parameter.kind is inspect.Parameter.VAR_KEYWORD else text


def annotation(value: Any) -> str:
    """How an annotation was written, as nearly as it can be told."""
    if is_a(value, str):
        return cut(value, 100)
    if type_name(type(value)).startswith(("typing.", "types.", "collections.abc.")):
        return cut(repr(value).replace("typing.", "").replace("__main__.", ""), 100)
    if is_a(value, type):
        return type_name(value)
    return preview(value, 60)


def _without_first(found: inspect.Signature) -> inspect.Signature:
    return found.replace(parameters=list(found.parameters.values())[1:])


def _written(found: inspect.Signature) -> str:
    """A signature as text; unlike `str`, it calls no repr of the user's for the defaults."""
    parts: list[str] = []
    slash = star = False
    for one in found.parameters.values():
        if slash and one.kind is not one.POSITIONAL_ONLY:
            parts.append("/")
        if one.kind is one.KEYWORD_ONLY and not star:
            parts.append("*")
        slash = one.kind is one.POSITIONAL_ONLY
        star = star or one.kind in {one.VAR_POSITIONAL, one.KEYWORD_ONLY}
        parts.append(parameter_text(one))
    if slash:
        parts.append("/")
    text = f"({', '.join(parts)})"
    if found.return_annotation is not MISSING:
        text += f" -> {annotation(found.return_annotation)}"
    return cut(text)
