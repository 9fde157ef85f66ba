"""How a tool looks to whoever reads about it: a signature and a text, made of its schema."""

import inspect
import keyword
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, Union

_TYPES: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": None,
}
_MOST_CHOICES: Final = 12
_OTHERS: Final = "others"


class _LeftOut:
    """Stands for the value of what need not be given and has no default that is known."""

    def __repr__(self) -> str:
        return "..."


LEFT_OUT: Final = _LeftOut()


def python_name(name: str) -> str:
    """A name that code can say, for one that a server chose."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not plain or not plain[0].isalpha():
        plain = f"n{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def signature_of(schema: Any) -> inspect.Signature:
    """The signature of a tool: everything is given by name, what is required stands first."""
    properties, required = _parts(schema)
    fit = {name: one for name, one in properties.items() if _can_be_said(name)}
    order = sorted(fit, key=lambda name: name not in required)
    kind = inspect.Parameter
    parameters = [
        kind(
            name,
            kind.KEYWORD_ONLY,
            annotation=annotation_of(fit[name]),
            default=kind.empty if name in required else _default(fit[name]),
        )
        for name in order
    ]
    if len(fit) < len(properties):
        # Names that code cannot say are given by `**{"issue-number": 1}`.
        parameters.append(kind(_OTHERS, kind.VAR_KEYWORD))
    return inspect.Signature(parameters)


def annotation_of(schema: Any) -> Any:
    """The type of a value, as nearly as Python can say it."""
    if not isinstance(schema, Mapping):
        return Any
    choices: Any = schema.get("enum")
    if _are_choices(choices):
        return Literal[tuple(choices)]
    said = schema.get("type")
    names = said if isinstance(said, list) else [said]
    kinds = [_of_type(one, schema) for one in names if isinstance(one, str) and one in _TYPES]
    if not kinds:
        return Any
    return Union[tuple(kinds)]  # noqa: UP007 - they are not known before


def text_of(description: str, schema: Any) -> str:
    """What is shown to whoever asks about a tool."""
    properties, required = _parts(schema)
    lines = [description.strip() or "A tool without a description."]
    if properties:
        lines += ["", "Given by name:"]
    for name, one in properties.items():
        about = one.get("description") if isinstance(one, Mapping) else None
        must = "" if name in required else " (may be left out)"
        lines.append(f"  {name}{must}: {about}" if about else f"  {name}{must}")
    return "\n".join(lines)


def _parts(schema: Any) -> tuple[dict[str, Any], set[str]]:
    given = schema if isinstance(schema, Mapping) else {}
    properties, required = given.get("properties"), given.get("required")
    named = (
        {str(name): one for name, one in properties.items()}
        if isinstance(properties, Mapping)
        else {}
    )
    return named, set(map(str, required)) if isinstance(required, list) else set()


def _can_be_said(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and name != _OTHERS


def _default(schema: Any) -> Any:
    given = schema.get("default", LEFT_OUT) if isinstance(schema, Mapping) else LEFT_OUT
    return given if isinstance(given, (str, int, float, bool, type(None), _LeftOut)) else LEFT_OUT


def _are_choices(choices: Any) -> bool:
    plain = isinstance(choices, list) and 0 < len(choices) <= _MOST_CHOICES
    return plain and all(isinstance(one, (str, int, bool, type(None))) for one in choices)


def _of_type(name: str, schema: Mapping[str, Any]) -> Any:
    items = schema.get("items")
    of = items.get("type") if isinstance(items, Mapping) else None
    if name == "array" and isinstance(of, str) and of in _TYPES:
        inner: Any = _TYPES[of]
        return list[inner]
    return _TYPES[name]
