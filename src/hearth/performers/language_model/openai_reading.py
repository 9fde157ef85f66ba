"""What answers of both of OpenAI's wires have in common: shapes, counts, rejections."""

from http import HTTPStatus
from typing import Any, TypeVar

import msgspec

from hearth.core.vocabulary.blocks import Usage
from hearth.performers.language_model.codec import WireTrouble
from hearth.performers.language_model.event_reading import malformed, not_a_stream
from hearth.performers.language_model.failures import told, trouble_of
from hearth.performers.language_model.sent_back import NOT_JSON

_T = TypeVar("_T")


def decoded(decoder: msgspec.json.Decoder[_T], data: bytes | msgspec.Raw) -> _T:
    """A frame in the shape that its protocol says."""
    try:
        return decoder.decode(data)
    except NOT_JSON as error:
        raise malformed(str(error)) from error


def counted(usage: Any, *, sent: str, written: str, details: str) -> Usage:
    """The tokens of a request, by the names that a wire has for them.

    The provider counts all input together; what it read from or wrote to its cache is part of it.
    """
    if not isinstance(usage, dict):
        return Usage()
    found = usage.get(details)
    parts = found if isinstance(found, dict) else {}
    total = _count(usage.get(sent))
    # DeepSeek names what was read from its cache beside the total.
    read = _count(parts.get("cached_tokens")) or _count(usage.get("prompt_cache_hit_tokens"))
    read = min(read, total)
    wrote = min(_count(parts.get("cache_write_tokens")), total - read)
    return Usage(total - read - wrote, read, wrote, _count(usage.get(written)))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def rejected(status: int, body: bytes, retry_after: float | None) -> WireTrouble:
    """What an answer that is not a stream means."""
    if status == HTTPStatus.OK:
        return not_a_stream(body, status, retry_after)
    code, message = told(body)
    said = message or f"the provider answered with status {status} and said nothing"
    return WireTrouble(trouble_of(status, code, message), said, status, retry_after)
