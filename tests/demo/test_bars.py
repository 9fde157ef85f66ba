"""The demo's bars are text, and a picture that others can read."""

import struct
import zlib
from xml.etree import ElementTree as ET

import pytest

from hearth.demo.bars import WIDE, Bars

VALUES = {"Jan": 50.0, "Feb": 100.0}


def test_bars_are_as_long_as_their_numbers() -> None:
    assert str(Bars(VALUES)) == f"Jan {'█' * (WIDE // 2)} 50\nFeb {'█' * WIDE} 100"


def test_a_picture_is_valid_svg_with_all_names() -> None:
    bars = Bars(VALUES, "two months")
    drawn = bars._repr_svg_()
    assert drawn is not None
    assert bars._repr_png_() is None
    texts = [one.text for one in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - our own
    assert texts == ["two months", "Jan", "50", "Feb", "100"]


def test_a_picture_for_terminals_is_a_valid_png() -> None:
    bars = Bars(VALUES, form="png")
    drawn = bars._repr_png_()
    assert drawn is not None
    assert bars._repr_svg_() is None
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    kinds, place, pixels = [], 8, b""
    while place < len(drawn):
        (size,) = struct.unpack_from(">I", drawn, place)
        kind, content = drawn[place + 4 : place + 8], drawn[place + 8 : place + 8 + size]
        assert struct.unpack_from(">I", drawn, place + 8 + size) == (zlib.crc32(kind + content),)
        kinds.append(kind)
        pixels += zlib.decompress(content) if kind == b"IDAT" else b""
        place += 12 + size
    assert kinds == [b"IHDR", b"IDAT", b"IEND"]
    wide, high = struct.unpack_from(">II", drawn, 16)
    assert len(pixels) == high * (1 + 3 * wide)
    ink = bytes.fromhex("d9622b")
    assert {line.count(ink) for line in _lines(pixels, 1 + 3 * wide)} == {0, 180, 360}


@pytest.mark.parametrize("values", [{}, {"Jan": 0.0}])
def test_nothing_to_draw_is_no_error(values: dict[str, float]) -> None:
    assert Bars(values)._repr_svg_()
    assert Bars(values, form="png")._repr_png_()
    assert "█" not in str(Bars(values))


def _lines(pixels: bytes, size: int) -> list[bytes]:
    return [pixels[place : place + size] for place in range(0, len(pixels), size)]
