"""Pictures of results: which can be sent at all, and to whom; of all others a line is sent.

A picture that a provider refuses would be refused with everything that is ever said behind it, so
one that is damaged or too large is not sent to anybody.
"""

import struct
import zlib
from base64 import b64encode
from dataclasses import replace
from typing import Final

from hearth.core.vocabulary.lines import ModelChoice
from hearth.core.vocabulary.messages import Message, Picture, Returned, ToolMessage
from hearth.performers.language_model.capabilities import capabilities
from hearth.performers.tools.files.binary import picture_of

LARGEST: Final = 5 * 1024 * 1024 // 4 * 3
"""Bytes. Anthropic takes 5 MiB of base64, which is a third more than what it stands for."""
LONGEST_SIDE: Final = 8_000
"""Pixels that Anthropic takes."""
LOST: Final = "its content is lost"
DAMAGED: Final = "it is damaged"
TOO_LARGE: Final = f"models take {LARGEST / 1_000_000:.1f} MB at most"
TOO_LONG: Final = f"models take {LONGEST_SIDE:,} pixels a side at most"
OTHER_KIND: Final = "models take PNG, JPEG, GIF and WebP"
FAILED: Final = "its call failed"


def picture_from(content: bytes, media_type: str) -> Picture:
    """The picture that this is; its type is what it is, not what is said of it."""
    found = picture_of(content)
    if found is None:
        return Picture(media_type, 0, 0, why=OTHER_KIND)
    known = Picture(found.media_type, found.width, found.height)
    if len(content) > LARGEST:
        return replace(known, why=TOO_LARGE)
    if not found.width or not found.height or not _is_whole(content, found.media_type):
        return replace(known, why=DAMAGED)
    if max(found.width, found.height) > LONGEST_SIDE:
        return replace(known, why=TOO_LONG)
    return replace(known, data=b64encode(content).decode())


def as_seen(message: Message, choice: ModelChoice) -> Message:
    """The message as its model can take it: each picture that is left is sent to it."""
    if not isinstance(message, ToolMessage) or not any(one.pictures for one in message.results):
        return message
    sees = capabilities(choice.provider, choice.model).sees
    results = tuple(_as_seen(one, sees=sees) for one in message.results)
    return replace(message, results=results)


def data_url(picture: Picture) -> str:
    """A picture as an address that holds it."""
    return f"data:{picture.media_type};base64,{picture.data}"


def _as_seen(result: Returned, *, sees: bool) -> Returned:
    # An error with a picture is refused by Anthropic.
    sent = tuple(one for one in result.pictures if one.data and sees and not result.is_error)
    lines = [_in_words(one, sees=sees) for one in result.pictures if one not in sent]
    text = "\n".join((result.text, *lines) if result.text.strip() else lines)
    return replace(result, text=text, pictures=sent) if lines else result


def _in_words(picture: Picture, *, sees: bool) -> str:
    size = f", {picture.width} \u00d7 {picture.height}" if picture.width else ""
    about = f"{picture.media_type}{size}"
    if not sees:
        return f"[a picture that this model cannot see: {about}]"
    return f"[a picture that is not shown: {about}; {picture.why or FAILED}]"


def _is_whole(content: bytes, media_type: str) -> bool:
    """Whether it ends as pictures of its kind do."""
    match media_type:
        case "image/png":
            return _is_whole_png(content)
        case "image/jpeg":
            return _is_whole_jpeg(content)
        case "image/gif":
            return content.rstrip(b"\0").endswith(b";")
        case _:  # WebP says how long it is
            return int.from_bytes(content[4:8], "little") + 8 <= len(content)


def _is_whole_png(content: bytes) -> bool:
    at, has_data = 8, False
    while at + 12 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        end = at + 8 + length
        if end + 4 > len(content):
            return False
        if (
            zlib.crc32(memoryview(content)[at + 4 : end])
            != struct.unpack_from(">I", content, end)[0]
        ):
            return False
        if kind == b"IEND":
            return has_data
        has_data = has_data or kind == b"IDAT"
        at = end + 4
    return False


def _is_whole_jpeg(content: bytes) -> bool:
    """Whether its first scan comes to an end; nothing inside of one looks like that."""
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xDA:
            return content.find(b"\xff\xd9", at) > 0
        if marker == 0xFF:
            at += 1
        elif 0xD0 <= marker <= 0xD8 or marker == 0x01:  # it has no length
            at += 2
        else:
            at += 2 + max(2, int.from_bytes(content[at + 2 : at + 4], "big"))
    return False
