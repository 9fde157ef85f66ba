"""What of a stored event can be searched for: a pure function from its JSON to text.

Code, output, values, errors, what people and models said, what tools were called with and what they
returned, and the names that people and code give. Not the log's own words: who searches for `error`
wants what somebody wrote, not every event whose type has it. Nor what stands in the log twice.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

SEARCHABLE_VERSION: Final = 2
"""Grows when the same event gives other text: an index made by another version is rebuilt."""

MAX_QUERY_WORDS: Final = 64
"""Words of a query beyond these are not looked at."""

_FIELDS: Final = frozenset(
    {
        *("code", "text", "value", "head", "name", "names", "message", "traceback", "script"),
        *("path", "reason", "errors", "file", "arguments", "result", "summary", "files"),
    }
)
_ELSEWHERE: Final = frozenset({"message_queued", "edit_requested", "prefix_started"})
"""What they say is said again where it takes effect, or by nobody in the conversation."""
_WORD: Final = re.compile(r"[^\W_]+")
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_AROUND: Final = 60


def searchable_text(data: bytes) -> str:
    """The text of a stored fact; empty if there is none, or if it cannot be read."""
    try:
        fact = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    event = fact.get("event") if isinstance(fact, dict) else None
    if isinstance(event, dict) and event.get("type") in _ELSEWHERE:
        return ""
    text = "\n".join(_texts(event, wanted=False))
    return _ESCAPES.sub("", text.replace("\0", " "))


def words_of(text: str) -> list[str]:
    """The words of a text, each once, in small letters. Whatever is no word separates them."""
    return list(dict.fromkeys(_WORD.findall(text.lower())))


def query_words(query: str) -> list[str]:
    """The words that a query asks for."""
    return words_of(query)[:MAX_QUERY_WORDS]


def excerpt(text: str, words: list[str]) -> str:
    """The part of a text around the first of the words, on one line."""
    low = text.lower()
    places = [place for word in words if (place := low.find(word)) >= 0]
    middle = min(places, default=0)
    start, end = max(0, middle - _AROUND), middle + 2 * _AROUND
    part = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{part}{'…' if end < len(text) else ''}"


def _texts(node: Any, *, wanted: bool) -> Iterator[str]:
    if isinstance(node, str):
        if wanted and node:
            yield node
    elif isinstance(node, list):
        for one in node:
            yield from _texts(one, wanted=wanted)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "bundle" and isinstance(value, dict):
                yield from _shown(value)
            else:
                yield from _texts(value, wanted=key in _FIELDS)


def _shown(bundle: dict[str, Any]) -> Iterator[str]:
    """Of one object's representations the plain one, or else whatever is text."""
    plain = bundle.get("text/plain")
    texts = [plain] if plain else [v for mime, v in bundle.items() if mime.startswith("text/")]
    for text in texts:
        yield from _texts(text, wanted=True)
