"""A PNG as sixels, for terminals that draw those; without a library for pictures.

Good enough for plots: 216 colours, at most 800 pixels wide. What is more than eight bits deep or
interlaced is not drawn.
"""

import struct
import zlib
from itertools import groupby
from typing import Final, NamedTuple

WIDEST: Final = 800
TALLEST: Final = 600
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
LARGEST: Final = 1_500_000
"""Pixels. More would keep the person waiting."""


class _Image(NamedTuple):
    width: int
    height: int
    channels: int
    kind: int
    palette: bytes
    rows: list[bytes]


def sixels(content: bytes) -> str:
    """The picture as a sixel sequence; empty if it is none that is understood here."""
    try:
        rows = _pixels(content)
    except (ValueError, struct.error, zlib.error, IndexError):
        return ""
    return f'\x1bP0;1;0q"1;1;{len(rows[0])};{len(rows)}{_bands(rows)}\x1b\\' if rows else ""


def _pixels(content: bytes) -> list[list[int]]:
    image = _read(content)
    if image is None:
        return []
    step = max(1, -(-image.width // WIDEST), -(-image.height // TALLEST))
    known: dict[bytes, int] = {}
    return [_coloured(image, row, step, known) for row in image.rows[::step]]


def _read(content: bytes) -> _Image | None:
    if not content.startswith(_SIGNATURE):
        return None
    chunks = _chunks(content)
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks["IHDR"][:13])
    if depth != 8 or interlaced or kind not in _CHANNELS or not 0 < width * height <= LARGEST:
        return None
    channels = _CHANNELS[kind]
    limit = (width * channels + 1) * height
    raw = zlib.decompressobj().decompress(chunks["IDAT"], limit)
    rows = _unfiltered(raw, width * channels, height, channels)
    return _Image(width, height, channels, kind, chunks.get("PLTE", b""), rows)


def _chunks(content: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    place = len(_SIGNATURE)
    while place + 8 <= len(content):
        (length,) = struct.unpack(">I", content[place : place + 4])
        name = content[place + 4 : place + 8].decode("ascii", "replace")
        found[name] = found.get(name, b"") + content[place + 8 : place + 8 + length]
        place += 12 + length
    if "IHDR" not in found or "IDAT" not in found:
        raise ValueError("not a whole PNG")
    return found


def _unfiltered(raw: bytes, length: int, height: int, channels: int) -> list[bytes]:
    """The rows as they were before each was written as a difference to its surroundings."""
    rows: list[bytes] = []
    above = bytearray(length)
    for number in range(height):
        start = number * (length + 1)
        row = bytearray(raw[start + 1 : start + 1 + length])
        if len(row) < length:
            raise ValueError("rows are missing")
        _undo(raw[start], row, above, channels)
        rows.append(bytes(row))
        above = row
    return rows


def _undo(kind: int, row: bytearray, above: bytearray, step: int) -> None:
    match kind:
        case 0:
            pass
        case 1:
            for place in range(step, len(row)):
                row[place] = (row[place] + row[place - step]) & 255
        case 2:
            row[:] = bytes((one + up) & 255 for one, up in zip(row, above, strict=True))
        case 3:
            for place, up in enumerate(above):
                left = row[place - step] if place >= step else 0
                row[place] = (row[place] + (left + up) // 2) & 255
        case _:
            for place, up in enumerate(above):
                left, corner = (row[place - step], above[place - step]) if place >= step else (0, 0)
                row[place] = (row[place] + _nearest(left, up, corner)) & 255


def _nearest(left: int, up: int, corner: int) -> int:
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


def _coloured(image: _Image, row: bytes, step: int, known: dict[bytes, int]) -> list[int]:
    """One row as places in a cube of six by six by six colours."""
    size = image.channels
    places = range(0, len(row) - size + 1, size * step)
    found = []
    for pixel in (row[place : place + size] for place in places):
        if pixel not in known:
            known[pixel] = _cube(image, pixel)
        found.append(known[pixel])
    return found


def _cube(image: _Image, pixel: bytes) -> int:
    """The nearest colour; white shines through where a pixel is transparent."""
    match image.kind:
        case 3:
            red, green, blue = image.palette[pixel[0] * 3 : pixel[0] * 3 + 3]
            alpha = 255
        case 0 | 4:
            red = green = blue = pixel[0]
            alpha = pixel[1] if image.kind == 4 else 255
        case _:
            red, green, blue = pixel[:3]
            alpha = pixel[3] if image.kind == 6 else 255
    red, green, blue = ((one * alpha + 255 * (255 - alpha)) // 255 for one in (red, green, blue))
    return (red * 5 + 127) // 255 * 36 + (green * 5 + 127) // 255 * 6 + (blue * 5 + 127) // 255


def _bands(rows: list[list[int]]) -> str:
    used = sorted({colour for row in rows for colour in row})
    palette = "".join(
        f"#{one};2;{one // 36 * 20};{one // 6 % 6 * 20};{one % 6 * 20}" for one in used
    )
    return palette + "-".join(_band(rows[start : start + 6]) for start in range(0, len(rows), 6))


def _band(rows: list[list[int]]) -> str:
    """Six rows: for each colour in them, which of the six pixels of each column have it."""
    planes: dict[int, bytearray] = {}
    for height, row in enumerate(rows):
        bit = 1 << height
        for place, colour in enumerate(row):
            if colour not in planes:
                planes[colour] = bytearray(len(row))
            planes[colour][place] |= bit
    return "$".join(f"#{colour}{_run_lengths(planes[colour])}" for colour in sorted(planes))


def _run_lengths(plane: bytearray) -> str:
    runs = ((chr(63 + bits), len(list(group))) for bits, group in groupby(plane))
    return "".join(f"!{count}{mark}" if count > 3 else mark * count for mark, count in runs)
