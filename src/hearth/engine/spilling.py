"""Moves what is too large for an event into blobs, before the event is stored."""

from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import fields, replace

from hearth.core.vocabulary.codec import (
    MAX_EVENT_BYTES,
    MAX_PAYLOAD_BYTES,
    draft,
    encode,
)
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Draft, Fact
from hearth.log.event_log import BlobStore

HEAD = 500
"""So many characters of a spilled text stay in the event."""

_hints: dict[type, dict[str, Any]] = {}


async def bounded(fact: Fact, blobs: BlobStore) -> tuple[Fact, Draft]:
    """The fact as it can be stored: unchanged when small, its large payloads as blobs when not.

    Payloads over 64 KiB always go; if the event is still too large as a whole, so does
    everything else that can.
    """
    try:
        made = draft(fact)
    except UnicodeEncodeError:  # half a surrogate pair: JSON has no way to write it
        fact = msgspec.convert(_writable(msgspec.to_builtins(fact)), Fact)
        made = draft(fact)
    if len(made.data) <= MAX_PAYLOAD_BYTES:
        return fact, made
    for limit in (MAX_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES // 16):
        fact = replace(fact, event=await _spill(fact.event, limit, blobs))
        made = draft(fact)
        if len(made.data) <= MAX_EVENT_BYTES:
            break
    return fact, made


async def _spill(word: msgspec.Struct, limit: int, blobs: BlobStore) -> Any:
    hints = _hints.setdefault(type(word), get_type_hints(type(word)))
    changed = {}
    for field in fields(word):
        value = getattr(word, field.name)
        smaller = await _smaller(value, hints[field.name], limit, blobs)
        if smaller is not value:
            changed[field.name] = smaller
    return replace(word, **changed) if changed else word


async def _smaller(value: Any, hint: Any, limit: int, blobs: BlobStore) -> Any:
    """The value, or a blob in its place, or the same with blobs inside."""
    if isinstance(value, str):
        return await _text(value, limit, blobs) if _admits_blob(hint) else value
    if isinstance(value, dict):
        return await _bundle(value, limit, blobs) if _admits_blob(get_args(hint)[1]) else value
    if isinstance(value, tuple):
        kept = tuple([await _smaller(one, None, limit, blobs) for one in value])
        if _admits_blob(hint) and len(whole := encode(kept)) > limit:
            return await blobs.put(whole, "application/json")
        return kept
    if isinstance(value, msgspec.Struct) and not isinstance(value, Blob):
        return await _spill(value, limit, blobs)
    return value


async def _bundle(bundle: dict[str, Any], limit: int, blobs: BlobStore) -> dict[str, Any]:
    """Each text of a bundle is of the kind that it is named by."""
    return {
        kind: await _text(one, limit, blobs, kind) if isinstance(one, str) else one
        for kind, one in bundle.items()
    }


async def _text(
    text: str, limit: int, blobs: BlobStore, media_type: str = "text/plain"
) -> str | Blob:
    content = text.encode()
    if len(content) <= limit:
        return text
    blob = await blobs.put(content, media_type)
    return replace(blob, head=text[:HEAD])


def _writable(value: Any) -> Any:
    """The same with question marks for what is not Unicode text."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {_writable(key): _writable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(one) for one in value]
    return value


def _admits_blob(hint: Any) -> bool:
    return get_origin(hint) in {Union, type(str | int)} and Blob in get_args(hint)
