"""Pictures that code and tools made: inside of the page if they are small, else by an address."""

import base64
import binascii
import re
import struct
from typing import Final

from hearth.servers.dashboard.html import Html, UnsafeMarkup, img, text

KINDS: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
SVG: Final = "image/svg+xml"
INLINE: Final = 256 * 1024
"""Characters of base64 that go into the page itself."""
LARGEST_SIDE: Final = 20_000

_BASE64: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_BLANKS: Final = re.compile(r"\s+")


def inside(kind: str, data: str, about: str) -> Html | None:
    """A small picture, carried by the page; None if it is none, or not small.

    A browser runs nothing that stands in a picture, and loads nothing for it.
    """
    if kind not in {*KINDS, SVG} or len(data) > 2 * INLINE:
        return None
    if kind == SVG:
        packed = base64.b64encode(data.encode("utf-8", "replace")).decode()
    else:
        packed = _BLANKS.sub("", data)
    if len(packed) > INLINE or not _BASE64.fullmatch(packed):
        return None
    size = "".join(f' {name}="{side}"' for name, side in zip(_SIDES, sides(packed), strict=False))
    # Only here an address may be anything but ours: it is made of a known type and of base64.
    return Html(
        f'<img src="data:{kind};base64,{packed}" alt="{text(about)}"{size} class="picture">'
    )


def fetched(address: str, about: str) -> Html:
    """A picture that the browser asks us for."""
    if not address.startswith("/dashboard/"):
        raise UnsafeMarkup("a picture is one that we serve")
    return img(src=address, alt=about, loading="lazy", class_="picture")


_SIDES: Final = ("width", "height")


def sides(packed: str) -> tuple[int, int] | tuple[()]:
    """Width and height of a PNG or a GIF, so that its room can be kept; nothing if not known."""
    try:
        head = base64.b64decode(packed[:32])
    except (binascii.Error, ValueError):
        return ()
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        width, height = struct.unpack(">II", head[16:24])
    elif head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:
        width, height = struct.unpack("<HH", head[6:10])
    else:
        return ()
    known = 0 < width <= LARGEST_SIDE and 0 < height <= LARGEST_SIDE
    return (width, height) if known else ()
