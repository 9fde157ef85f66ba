"""What a server says of its tools, made fit for models: bounded, visible, and known again.

A server of others may say anything. What is told to a model has no characters that nobody sees, is
not longer than it must be, and is compared by a digest of the whole: whoever changes a word of it
is noticed.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

MOST_TOOLS: Final = 512
"""Of one server; what comes behind them is left out."""
LONGEST_DESCRIPTION: Final = 4_000
LARGEST_SCHEMA: Final = 32_000
"""Bytes; a larger one is replaced by one that takes anything, which the server checks itself."""
LONGEST_NAME: Final = 64
SEPARATOR: Final = "__"
_UNFIT: Final = re.compile(r"[^a-zA-Z0-9_-]")
_DEEPEST: Final = 40
_KEPT: Final = frozenset("\n\t")


class ToolDefinition(msgspec.Struct, frozen=True):
    """A tool of a server, as models are told of it."""

    name: str
    """As the server calls it."""
    full_name: str
    """As models call it: `server__tool`."""
    description: str
    input_schema: dict[str, Any]
    digest: str
    """Of all that the server says about it."""
    read_only: bool = False
    """The server says that it changes nothing, which is only a hint."""


class Listed(msgspec.Struct, frozen=True):
    """A tool as the server lists it."""

    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}
    annotations: dict[str, Any] = {}


def defined(server: str, listed: Iterable[Listed]) -> tuple[ToolDefinition, ...]:
    """The definitions of a server's tools, sorted by name; of two with one name the first."""
    found: dict[str, ToolDefinition] = {}
    for tool in listed:
        if len(found) == MOST_TOOLS:
            break
        name = full_name(server, tool.name)
        if name not in found:
            found[name] = ToolDefinition(
                name=tool.name,
                full_name=name,
                description=_shortened(seen(tool.description), LONGEST_DESCRIPTION),
                input_schema=_schema(tool.input_schema),
                digest=digest_of(tool),
                read_only=tool.annotations.get("readOnlyHint") is True,
            )
    return tuple(sorted(found.values(), key=lambda one: one.full_name))


def full_name(server: str, tool: str) -> str:
    """How models call a tool: always the same, unlike any other, and fit for every provider."""
    plain = f"{server}{SEPARATOR}{_UNFIT.sub('_', tool)}"
    if len(plain) <= LONGEST_NAME and plain == f"{server}{SEPARATOR}{tool}":
        return plain
    mark = f"_{sha256(tool.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"{plain[: LONGEST_NAME - len(mark)]}{mark}"


def digest_of(tool: Listed) -> str:
    """A hash over all that a server says of a tool."""
    whole = [tool.name, tool.description, tool.input_schema, tool.annotations]
    try:
        return sha256(msgspec.json.encode(whole, order="deterministic")).hexdigest()
    except RecursionError:
        # Deeper than anything is told: what is left of it tells it from others.
        return digest_of(msgspec.structs.replace(tool, input_schema=_schema(tool.input_schema)))


def seen(text: str) -> str:
    """The text without characters that nobody sees: controls, marks of direction, and the like."""
    return "".join(
        one for one in text if one in _KEPT or unicodedata.category(one) not in _INVISIBLE
    )


_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def _schema(said: Mapping[str, Any]) -> dict[str, Any]:
    found = {**_sound(_cleaned(said, 0)), "type": "object"}
    if len(msgspec.json.encode(found)) > LARGEST_SCHEMA:
        return {"type": "object"}
    return found


def _sound(said: Any) -> dict[str, Any]:
    """A schema without what no checker could use: a server may write anything into it."""
    if not isinstance(said, dict):
        return {}  # true is one too: it takes everything
    found = {
        word: value
        for word, value in said.items()
        if word not in _FORMS or isinstance(value, _FORMS[word])
    }
    kinds = found.get("type", [])
    if not all(one in _KINDS for one in ([kinds] if isinstance(kinds, str) else kinds)):
        del found["type"]
    if "required" in found:
        found["required"] = [one for one in found["required"] if isinstance(one, str)]
    if "properties" in found:
        found["properties"] = {name: _sound(one) for name, one in found["properties"].items()}
    if "items" in found:
        found["items"] = _sound(found["items"])
    return found


_KINDS: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_FORMS: Final[Mapping[str, Any]] = {
    "type": str | list,
    "enum": list,
    "properties": dict,
    "required": list,
    "items": dict,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), int | float),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), int),
}


def _cleaned(value: Any, depth: int) -> Any:
    """A part of a schema without invisible characters; what is too deep is left out."""
    match value:
        case str():
            return seen(value)
        case dict() if depth < _DEEPEST:
            return {seen(str(key)): _cleaned(one, depth + 1) for key, one in value.items()}
        case list() if depth < _DEEPEST:
            return [_cleaned(one, depth + 1) for one in value]
        case dict() | list():
            return {}
        case _:
            return value


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
