"""Whether what a file says are settings, key by key: each wrong one is told with its own line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from hearth.settings.jsonc import Document, Json, Place
from hearth.settings.keys import KEYS, Key, is_object, nearest
from hearth.settings.problems import SettingsError
from hearth.settings.rule_values import sorted_out
from hearth.settings.sizes import size_of

Value: TypeAlias = bool | int | float | str | tuple[str, ...] | dict[str, Json]
"""What a setting can be; an object only if people named the key."""

MAY_BE_NULL: Final = frozenset({"session.initScript", "session.sessionName"})
"""Here null is: not set. Everywhere else the key is left out."""

_KINDS: Final[Mapping[type, str]] = {
    type(None): "null",
    int: "a whole number",
    float: "a number with a fraction",
    str: "a text",
    list: "a list",
    dict: "an object",
}


@dataclass
class Wrong(Exception):
    """A value that its key does not take."""

    what: str
    right: str


@dataclass(frozen=True)
class Leaf:
    """One key that a document sets."""

    name: str
    value: Json
    place: Place
    line: int | None


def leaves(document: Document, path: Path, only: str = "") -> Iterator[Leaf]:
    """Every key that the document sets, with its value as written.

    SettingsError for a key that there is not, and for an object that is none. With `only`, of
    one object of the file; the others are nobody's affair then.
    """
    if not isinstance(document.value, dict):
        raise SettingsError(path, "is not an object", 'an object: { "session": { … } }', line=1)
    values = document.value
    if only:
        values = {only: values[only]} if only in values else {}
    yield from _below(document, path, values, ())


def _below(document: Document, path: Path, values: dict[str, Json], above: Place) -> Iterator[Leaf]:
    for key, value in values.items():
        place = (*above, key)
        name = ".".join(map(str, place))
        line = document.lines.get(place)
        # A full name in the place of a key would be another way to say the same, and twice.
        if "." in key:
            right = "an object for each part of the name"
            raise SettingsError(path, "has a dot in it", right, name, line)
        if name in KEYS:
            yield Leaf(name, value, place, line)
        elif not is_object(name):
            raise SettingsError(path, "is no key that hearth knows", nearest(name), name, line)
        elif isinstance(value, dict):
            yield from _below(document, path, value, place)
        else:
            right = "an object: { … }" if name != "session" else 'an object: { "isRoot": true }'
            raise SettingsError(path, "is not an object", right, name, line)


def checked(name: str, value: Json) -> Value | None:
    """The value as hearth keeps it: sizes are numbers of bytes. Wrong if the key takes none such.

    None for a null where that is allowed. The value itself is in no message: it may be a secret.
    """
    key = KEYS[name]
    if value is None:
        if name in MAY_BE_NULL:
            return None
        raise Wrong("is null", key.right)
    if key.is_rules:
        return _checked_rules(value, key)
    if any(_is_half(text) for text in (value if isinstance(value, list) else [value])):
        raise Wrong("holds half a character, which cannot be written", key.right)
    if key.is_size and isinstance(value, str):
        value = size_of(value) or value
    try:
        kept: Value = msgspec.convert(value, key.type)
    except msgspec.ValidationError as error:
        raise Wrong(_said(error, key, value), key.right) from None
    # An object stays as it is written: what it means is asked by whoever uses it.
    return value if isinstance(value, dict) else kept


def _checked_rules(value: Json, key: Key) -> Value:
    for one in sorted_out(value).unreadable:
        raise Wrong(f"{one.pattern}: {one.what}" if one.pattern else one.what, key.right)
    return value if isinstance(value, dict) else str(value)


def error_of(wrong: Wrong, leaf: Leaf, path: Path) -> SettingsError:
    """A wrong value as what is wrong with its file."""
    return SettingsError(path, wrong.what, wrong.right, leaf.name, leaf.line)


def _is_half(value: Json) -> bool:
    """Whether a text holds a surrogate, by an escape or out of a strange command line."""
    return isinstance(value, str) and any("\ud800" <= one <= "\udfff" for one in value)


def _said(error: msgspec.ValidationError, key: Key, value: Json) -> str:
    """What is wrong with a value, in words that need no Python."""
    texts = value if isinstance(value, list) else [value]
    if "" in texts:
        return "is empty"
    if key.is_free and isinstance(value, dict):
        return "is not written as it must be"
    what, _, place = str(error).partition(" - at ")
    if "regex" in what or "enum" in what or (key.is_size and isinstance(value, str)):
        return "is not written as it must be"
    if "got" not in what:
        return "is too large" if "<=" in what or "out of range" in what else "is too small"
    if place and isinstance(value, list):
        odd = next((one for one in value if not isinstance(one, str)), None)
        return f"holds {_kind(odd)}"
    return f"is {_kind(value)}"


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _KINDS[type(value)]
