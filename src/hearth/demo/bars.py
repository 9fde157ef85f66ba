"""Bars for numbers, as text and as a picture. The demo puts this module into its folder.

Runs in the interpreter of a session, so that it imports the standard library alone.
"""

import struct
import zlib
from collections.abc import Mapping
from typing import Final, Literal

WIDE: Final = 32
"""Characters of the longest bar in text."""
LEFT: Final = 70
HIGH: Final = 22
LONG: Final = 360
"""Of a picture, in pixels: the place of names, the height of a bar, the length of the longest."""
INK: Final = "#d9622b"


class Bars:
    """One bar for each name. It prints as text, and is shown as a picture where there are some."""

    def __init__(
        self, values: Mapping[str, float], title: str = "", form: Literal["svg", "png"] = "svg"
    ) -> None:
        self._values = dict(values)
        self._title = title
        self._form = form
        self._most = max(self._values.values(), default=0) or 1

    def __str__(self) -> str:
        """Bars of text under each other."""
        return "\n".join(
            f"{name} {'█' * round(WIDE * value / self._most)} {value:,.0f}"
            for name, value in self._values.items()
        )

    def _repr_svg_(self) -> str | None:
        if self._form != "svg":
            return None
        rows = "".join(
            f'<text x="{LEFT - 8}" y="{place * HIGH + 46}" text-anchor="end">{name}</text>'
            f'<rect x="{LEFT}" y="{place * HIGH + 33}" height="{HIGH - 5}" fill="{INK}"'
            f' width="{LONG * value / self._most:.0f}"/>'
            f'<text x="{LEFT + LONG * value / self._most + 6:.0f}" y="{place * HIGH + 46}">'
            f"{value:,.0f}</text>"
            for place, (name, value) in enumerate(self._values.items())
        )
        wide, high = LEFT + LONG + 70, len(self._values) * HIGH + 44
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"'
            f' width="{wide}" height="{high}" font-family="sans-serif" font-size="12">'
            f'<rect width="100%" height="100%" fill="white"/>'
            f'<text x="{LEFT}" y="20" font-size="15">{self._title}</text>{rows}</svg>'
        )

    def _repr_png_(self) -> bytes | None:
        """For terminals, which know no SVG; the names stand in the text."""
        if self._form != "png":
            return None
        wide = LONG + 20
        ink = bytes(int(INK[place : place + 2], 16) for place in (1, 3, 5))
        paper = b"\0" + b"\xff" * (3 * wide)
        lines = [paper] * 6
        for value in self._values.values():
            long = max(0, round(LONG * value / self._most))
            bar = b"\0" + b"\xff" * 30 + ink * long + b"\xff" * (3 * (wide - 10 - long))
            lines += [bar] * (HIGH - 8) + [paper] * 8
        return b"".join(
            (
                b"\x89PNG\r\n\x1a\n",
                _chunk(b"IHDR", struct.pack(">IIBBBBB", wide, len(lines), 8, 2, 0, 0, 0)),
                _chunk(b"IDAT", zlib.compress(b"".join(lines))),
                _chunk(b"IEND", b""),
            )
        )


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
