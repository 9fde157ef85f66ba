"""Pictures, small and whole, as tools give them."""

import struct
import zlib
from base64 import b64encode
from typing import Final

from hearth.core.vocabulary.messages import Picture


def png(width: int = 3, height: int = 2, comment: bytes = b"") -> bytes:
    """A picture of one colour."""
    rows = (b"\0" + b"\x7f" * 3 * width) * height if width * height < 10_000 else b""
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"tEXt", b"c\0" + comment) if comment else b"",
            _chunk(b"IDAT", zlib.compress(rows)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + _sum(kind + content)


def _sum(content: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(content))


JPEG: Final = (
    b"\xff\xd8\xff\xe0\x00\x04JJ\xff\xff\xc0\x00\x0b\x08\x00\x14\x00\x1e\x01\x01\x11\x00"
    b"\xff\xda\x00\x02entropy\xff\x00\xff\xd9"
)
GIF: Final = b"GIF89a" + struct.pack("<HH", 7, 8) + b"\0\0\0\x2c...\0;"
WEBP: Final = b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8 " + bytes(10) + struct.pack("<HH", 9, 5)

SMALL: Final = Picture("image/png", 3, 2, b64encode(png()).decode())
DATA: Final = SMALL.data.encode()
