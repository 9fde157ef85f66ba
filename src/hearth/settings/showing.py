"""Settings for people to read: without secrets, with where each came from."""

import json
from collections.abc import Mapping
from typing import Any

from hearth.settings.checking import Value
from hearth.settings.keys import KEYS, Key
from hearth.settings.layers import Entry
from hearth.settings.masking import MASKED, masked_address, masked_server
from hearth.settings.mcp import SERVERS
from hearth.settings.sizes import shown_size
from hearth.settings.snapshot import JOINED, Said, Snapshot


def masked(key: str, value: Value) -> Value:
    """The value without what nobody but its owner may know."""
    if key.startswith(SERVERS) and isinstance(value, dict):
        return masked_server(value)
    if not KEYS[key].secret or not isinstance(value, str):
        return value
    return masked_address(value) if "://" in value else MASKED


def shown(name: str, value: Value) -> str:
    """A value as a person would write it."""
    safe = masked(name, value)
    match safe:
        case bool():
            return "true" if safe else "false"
        case int() if KEYS[name].is_size:
            return shown_size(safe)
        case int() | float():
            return f"{safe:g}" if isinstance(safe, float) else str(safe)
        case str():
            return safe
        case dict():
            return json.dumps(safe, ensure_ascii=False)
        case _:
            return ", ".join(safe) or "none"


def as_json(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot as one object: `values`, `given`, `sources`, `warnings`."""
    return {
        "values": {name: masked(name, value) for name, value in snapshot.values.items()},
        "given": {
            name: {"source": given.source, "line": given.line}
            for name, given in snapshot.given.items()
        },
        "sources": list(snapshot.sources),
        "warnings": [str(problem) for problem in snapshot.warnings],
    }


def table(snapshot: Snapshot) -> tuple[str, ...]:
    """A line for each setting that has a value: what it is and where it came from."""
    rows = [
        (name, _short(shown(name, value)), _where(snapshot, name))
        for name, value in snapshot.values.items()
    ]
    wide = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    return tuple(f"{name:<{wide[0]}}  {value:<{wide[1]}}  {where}" for name, value, where in rows)


def explain(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """What a key means, what holds and why: all who said something, the one who counts first.

    KeyError for a key that there is not.
    """
    key = KEYS[name]
    said = snapshot.said.get(name, ())
    lines = [key.description, f"It is {key.right}."]
    if name not in snapshot.values:
        lines.insert(0, f"{name} is not set")
    else:
        lines.insert(0, f"{name} = {shown(name, snapshot.values[name])}")
    lines.extend(_told(key, one, _role(key, said, one)) for one in reversed(said))
    return tuple(lines)


def explained(snapshot: Snapshot, name: str) -> Mapping[str, Any]:
    """The same as one object."""
    said = snapshot.said.get(name, ())
    value = snapshot.values.get(name)
    return {
        "key": name,
        "value": None if value is None else masked(name, value),
        "description": KEYS[name].description,
        "right": KEYS[name].right,
        "said": [
            {
                "value": masked(name, one.entry.value),
                "source": one.entry.source,
                "line": one.entry.line,
                "counts": _role(KEYS[name], said, one) in {"from", "with"},
                "why_not": one.why_not,
            }
            for one in reversed(said)
        ],
    }


def _role(key: Key, said: tuple[Said, ...], one: Said) -> str:
    counting = [other for other in said if other.counts]
    if not one.counts:
        return "not"
    if one is counting[-1]:
        return "from"
    return "with" if _is_joined(key.name) else "over"


def _is_joined(name: str) -> bool:
    """Whether what every file says about it counts."""
    return name == JOINED or KEYS[name].is_layered


def _told(key: Key, one: Said, role: str) -> str:
    why = f": {one.why_not}" if one.why_not else ""
    return f"  {role} {one.entry.where}  {_short(shown(key.name, one.entry.value))}{why}"


def _where(snapshot: Snapshot, name: str) -> str:
    entries = [one.entry for one in snapshot.said[name] if one.counts]
    counting: list[Entry] = entries if _is_joined(name) else entries[-1:]
    return ", ".join(entry.where for entry in counting)


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= 60 else f"{one_line[:59]}…"
