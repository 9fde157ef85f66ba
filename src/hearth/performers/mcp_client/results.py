"""What a tool of a server answered, as the outcome of a call: text, and pictures beside it.

Imports the protocol's types: see `speaking`.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import Final

import msgspec
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from hearth.core.vocabulary.content import Blob
from hearth.performers.tools.tool import Keep, Outcome

LONGEST: Final = 4_000_000
"""Characters of one result; what comes behind them is left out, and said."""
MOST_PICTURES: Final = 20
LARGEST_PICTURE: Final = 10_000_000
PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What models can see."""
NOTHING: Final = "It answered with nothing."


async def outcome_of(result: CallToolResult, keep: Keep) -> Outcome:
    """What an agent is told of a result."""
    texts: list[str] = []
    pictures: list[Blob] = []
    for block in result.content:
        if isinstance(block, ImageContent):
            texts.append(await _picture(block, pictures, keep))
        else:
            texts.append(_text(block))
    if structured := _structured(result, texts):
        texts.append(structured)
    text = "\n".join(one for one in texts if one)
    if len(text) > LONGEST:
        left = len(text) - LONGEST
        text = f"{text[:LONGEST]}\n[{left} more characters are left out: it is too long]"
    usual = NOTHING if not pictures else ""
    return Outcome(
        text or usual,
        is_error=bool(result.is_error),
        pictures=tuple(pictures),
        structured=result.structured_content,
    )


def _text(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ResourceLink():
            about = f" ({block.description})" if block.description else ""
            return f"[resource {block.name}: {block.uri}{about}]"
        case EmbeddedResource(resource=TextResourceContents() as inside):
            return f"[resource {inside.uri}]\n{inside.text}"
        case EmbeddedResource(resource=BlobResourceContents() as inside):
            kind = inside.mime_type or "data"
            return f"[resource {inside.uri}: {kind}, which cannot be shown as text]"
        case AudioContent():
            return f"[sound: {block.mime_type}, which cannot be shown as text]"
        case _:
            return "[something that cannot be shown as text]"


async def _picture(block: ImageContent, pictures: list[Blob], keep: Keep) -> str:
    """Keep a picture; what is said instead of one that cannot be."""
    kind = block.mime_type.partition(";")[0].strip().lower()
    if kind not in PICTURES:
        return f"[a picture of the type {kind[:100]}, which cannot be shown]"
    if len(pictures) >= MOST_PICTURES:
        return f"[another picture: only {MOST_PICTURES} are kept]"
    if len(block.data) * 3 // 4 > LARGEST_PICTURE:
        return f"[a picture of more than {LARGEST_PICTURE:,} bytes, which is not kept]"
    try:
        content = base64.b64decode(block.data, validate=True)
    except (binascii.Error, ValueError):
        return "[a picture that is broken]"
    pictures.append(await keep(content, kind))
    return ""


def _structured(result: CallToolResult, texts: Sequence[str]) -> str:
    """What it said as data, unless it said the same in words."""
    said = result.structured_content
    if said is None:
        return ""
    written = msgspec.json.encode(said, enc_hook=str).decode()
    for text in texts:
        try:
            if msgspec.json.decode(text) == said:
                return ""
        except (msgspec.MsgspecError, RecursionError):
            continue
    # One value in an object of its own is how libraries wrap what is no object.
    if set(said) == {"result"} and str(said["result"]) in texts:
        return ""
    return written
