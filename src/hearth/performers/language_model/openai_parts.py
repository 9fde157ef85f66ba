"""What requests of both of OpenAI's wires have in common: headers, tools, calls, results."""

import hashlib
import re
from typing import Any, Final

import msgspec

from hearth.core.vocabulary.messages import Returned

LONGEST_ID: Final = 64
"""Characters that names of calls and of conversations may have."""
NOT_JSON: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What reading JSON ends in where it is none, or is nested deeper than anyone means it."""

_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OTHER: Final = re.compile(r"[^A-Za-z0-9_-]")
_DIGEST: Final = 16

encode: Final = msgspec.json.Encoder().encode


class Declared(msgspec.Struct, frozen=True):
    """A tool as the prefix declares it; its schema is passed on byte for byte."""

    name: str
    description: str
    input_schema: msgspec.Raw


_tools: Final = msgspec.json.Decoder(list[Declared])


def headers(key: str) -> dict[str, str]:
    """The headers of every request; servers that ask for no key are sent none."""
    made = {"content-type": "application/json", "accept": "text/event-stream"}
    return made | {"authorization": f"Bearer {key}"} if key else made


def declared(tools: str) -> list[Declared]:
    """The tools of a prefix, in its order."""
    return _tools.decode(tools) if tools else []


def plain_id(wire_id: str) -> str:
    """An id that every provider takes: the same one if it is already, else one made from it.

    Two that differ stay different: what had to be replaced leaves a digest behind.
    """
    if _PLAIN_ID.fullmatch(wire_id):
        return wire_id
    digest = hashlib.sha256(wire_id.encode()).hexdigest()[:_DIGEST]
    kept = _OTHER.sub("_", wire_id)[: LONGEST_ID - _DIGEST - 1]
    return f"{kept}_{digest}"


def arguments_sent(arguments: str) -> str:
    """The arguments of a call as JSON of an object: exactly as written, wherever they are one.

    Servers that put them into a template parse them, and refuse a whole conversation for one call
    that a model once got wrong.
    """
    if not arguments.strip():
        return "{}"
    if is_object(arguments):
        return arguments
    return encode({"_unparsed": arguments}).decode()


def is_object(text: str) -> bool:
    """Whether a text is JSON of an object."""
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except NOT_JSON:
        return False


def result_sent(result: Returned) -> str:
    """The text of a result; these wires have no other place to say that it is an error."""
    return f"Error: {result.text}" if result.is_error else result.text


def native_item(native: str | bytes) -> dict[str, Any] | None:
    """What a provider gave us to be sent back; None if it is no JSON of an object any more."""
    try:
        item = msgspec.json.decode(native)
    except NOT_JSON:
        return None
    return item if isinstance(item, dict) else None
