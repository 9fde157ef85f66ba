"""Datastar signals: JSON that is merged into what a page or an editor has.

A patch is merged as RFC 7386 has it: objects key by key, anything else as a whole, and null takes a
key away. Nothing but the output of `json.dumps` is ever sent: a browser would run anything else.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

Signals: TypeAlias = Mapping[str, Any]

_EVENT: Final = "event: datastar-patch-signals\n"


def patch_frame(signals: Signals, cursor: int | None = None) -> bytes:
    """A patch as a server-sent event; with a cursor, a client goes on from there."""
    written = json.dumps(signals, separators=(",", ":"))
    place = "" if cursor is None else f"id: {cursor}\n"
    return f"{_EVENT}{place}data: signals {written}\n\n".encode("ascii")


def changes(before: Signals, after: Signals) -> dict[str, Any]:
    """What must be merged into `before` to have `after`; empty if they are equal."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        known = before.get(key)
        if isinstance(value, Mapping) and isinstance(known, Mapping):
            if inner := changes(known, value):
                patch[key] = inner
        elif key not in before or known != value or type(known) is not type(value):
            patch[key] = value  # by type, too: to Python, True is 1
    return patch
