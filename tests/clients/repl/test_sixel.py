"""A PNG becomes sixels without a library; what is not understood becomes nothing."""

import re
import struct
import zlib

import pytest

from hearth.clients.repl.sixel import sixels


def png(
    rows: list[bytes], width: int, *, kind: int = 2, depth: int = 8, extra: bytes = b""
) -> bytes:
    """A picture out of rows that begin with their filter."""

    def chunk(name: bytes, data: bytes) -> bytes:
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, len(rows), depth, kind, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + (chunk(b"PLTE", extra) if extra else b"")
        + chunk(b"IDAT", zlib.compress(b"".join(rows)))
        + chunk(b"IEND", b"")
    )


RED, BLUE = b"\xff\0\0", b"\0\0\xff"


def drawn(content: bytes) -> str:
    found = re.fullmatch(r'\x1bP0;1;0q"(.*)\x1b\\', sixels(content), re.DOTALL)
    assert found is not None
    return found[1]


def test_two_pixels_are_drawn_in_their_colours() -> None:
    assert drawn(png([b"\0" + RED + BLUE], 2)) == ("1;1;2;1#5;2;0;0;100#180;2;100;0;0#5?@$#180@?")


@pytest.mark.parametrize(
    "second",
    [
        b"\x01" + RED + b"\0\0\0",
        b"\x02" + b"\0" * 6,
        b"\x03" + bytes([128, 0, 0]) + b"\0\0\0",
        b"\x04" + b"\0" * 6,
    ],
)
def test_every_way_to_write_a_row_is_read(second: bytes) -> None:
    plain = png([b"\0" + RED * 2, b"\0" + RED * 2], 2)
    assert drawn(png([b"\0" + RED * 2, second], 2)) == drawn(plain)


def test_what_is_transparent_is_white_and_palettes_are_looked_up() -> None:
    white = drawn(png([b"\0" + b"\xff\xff\xff"], 1))
    assert drawn(png([b"\0" + b"\0\0\0\0"], 1, kind=6)) == white
    assert drawn(png([b"\0\xff"], 1, kind=0)) == white
    assert drawn(png([b"\0\x01"], 1, kind=3, extra=RED + b"\xff\xff\xff")) == white


def test_a_large_picture_is_made_smaller() -> None:
    row = b"\0" + b"\x80" * 2000
    assert drawn(png([row] * 3, 2000, kind=0)).startswith("1;1;667;1")
    assert "!667@" in sixels(png([row] * 3, 2000, kind=0))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GIF89a",
        b"\x89PNG\r\n\x1a\n",
        b"\x89PNG\r\n\x1a\n" + b"\xff" * 40,
        png([b"\0" + RED], 1)[:45],
        png([b"\0" + RED], 1, depth=16),
        png([b"\0"], 1),
        png([b"\0\x09"], 1, kind=3, extra=RED),
    ],
)
def test_what_is_not_understood_is_nothing(content: bytes) -> None:
    assert sixels(content) == ""
