"""Whether a call's arguments are what its tool takes. What is not valid is never run.

Knows these words of JSON Schema: type, enum, properties, required, additionalProperties, items,
minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems.
Others only describe.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

MOST: Final = 5
"""So many mistakes are told at once."""

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_BOUNDS: Final[Mapping[str, tuple[str, Callable[[float, float], bool]]]] = {
    "minimum": ("at least", lambda value, bound: value >= bound),
    "maximum": ("at most", lambda value, bound: value <= bound),
    "exclusiveMinimum": ("more than", lambda value, bound: value > bound),
    "exclusiveMaximum": ("less than", lambda value, bound: value < bound),
}


class NotValid(ValueError):
    """The arguments cannot be taken; the text says why."""


def parsed(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a model wrote as the arguments of a call; nothing at all is an empty object. NotValid.

    The message names the place of each mistake and what would be right there.
    """
    try:
        value = msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise NotValid(f"they are not JSON: {error}") from None
    if not isinstance(value, dict):
        raise NotValid(f"they are {_kind(value)}, not an object")
    found = []
    for problem in _problems(value, schema, ""):
        found.append(problem)
        if len(found) == MOST:
            break
    if found:
        raise NotValid("; ".join(found))
    return value


def _problems(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    where = place or "the whole"
    wanted = schema.get("type")
    kinds = [wanted] if isinstance(wanted, str) else list(wanted or ())
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{where} is {_kind(value)}, not {' or '.join(map(_article, kinds))}"
        return
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        choices = ", ".join(msgspec.json.encode(one).decode() for one in schema["enum"])
        yield f"{where} is none of {choices}"
    match value:
        case dict():
            yield from _of_object(value, schema, place)
        case list():
            yield from _counted(len(value), schema, ("minItems", "maxItems"), where, "items")
            items = schema.get("items")
            for index, one in enumerate(value if isinstance(items, Mapping) else ()):
                yield from _problems(one, items or {}, f"{place}[{index}]")
        case str():
            yield from _counted(len(value), schema, ("minLength", "maxLength"), where, "characters")
        case int() | float() if not isinstance(value, bool):
            for word, (said, holds) in _BOUNDS.items():
                if word in schema and not holds(value, schema[word]):
                    yield f"{where} must be {said} {schema[word]}"
        case _:
            pass


def _of_object(value: dict[str, Any], schema: Mapping[str, Any], place: str) -> Iterator[str]:
    prefix = f"{place}." if place else ""
    known: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{prefix}{name} is missing"
    for name, one in value.items():
        if name in known:
            yield from _problems(one, known[name], f"{prefix}{name}")
        elif schema.get("additionalProperties") is False:
            names = ", ".join(known) or "nothing"
            yield f"{prefix}{_short(name)} is not known; known are: {names}"


def _counted(
    size: int, schema: Mapping[str, Any], words: tuple[str, str], where: str, what: str
) -> Iterator[str]:
    least, most = (schema.get(word) for word in words)
    if least is not None and size < least:
        yield f"{where} has {size} {what}, at least {least} are needed"
    if most is not None and size > most:
        yield f"{where} has {size} {what}, at most {most} are allowed"


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):  # which Python takes for a number
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS.get(kind, (object,)))


def _same(value: Any, one: Any) -> bool:
    return type(value) is type(one) and bool(value == one)


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "a string"
        case list():
            return "an array"
        case dict():
            return "an object"
        case _:
            return "a number"


def _article(kind: str) -> str:
    return "null" if kind == "null" else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"
