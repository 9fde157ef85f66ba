"""What a model wrote, as every wire takes it back: names of calls, arguments, its own items."""

import hashlib
import re
from typing import Any, Final

import msgspec

LONGEST_ID: Final = 64
"""Characters that names of calls and of conversations may have."""
NOT_JSON: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What reading JSON ends in where it is none, or is nested deeper than anyone means it."""

_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OTHER: Final = re.compile(r"[^A-Za-z0-9_-]")


def plain_id(wire_id: str, digits: int) -> str:
    """An id that every provider takes: the same one if it is already, else one made from it.

    Two that differ stay different: what had to be replaced leaves so many digits of a digest
    behind. A wire never changes how many, since what it sent once it sends again.
    """
    if _PLAIN_ID.fullmatch(wire_id):
        return wire_id
    digest = hashlib.sha256(wire_id.encode()).hexdigest()[:digits]
    kept = _OTHER.sub("_", wire_id)[: LONGEST_ID - digits - 1]
    return f"{kept}_{digest}"


def arguments_sent(arguments: str) -> str:
    """The arguments of a call as JSON of an object: exactly as written, wherever they are one.

    Providers refuse a whole conversation for one call that a model once got wrong. It was refused
    as arguments; the model must still see what it wrote.
    """
    if not arguments.strip():
        return "{}"
    if native_item(arguments) is not None:
        return arguments
    return msgspec.json.encode({"_unparsed": arguments}).decode()


def native_item(native: str | bytes) -> dict[str, Any] | None:
    """What a provider gave us to be sent back; None if it is no JSON of an object any more."""
    try:
        item = msgspec.json.decode(native)
    except NOT_JSON:
        return None
    return item if isinstance(item, dict) else None
