"""Sizes as people write them: `512 MiB`, `1.5 GB`, or a number of bytes."""

import re
from typing import Final

PATTERN: Final = r"^\d{1,15}(\.\d{1,6})? ?([kKMGT]i?)?B$"
_UNITS: Final = {
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 1 << 10,
    "kiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
}
_PARTS: Final = re.compile(r"([\d.]+) ?(\w+)", re.ASCII)


def size_of(text: str) -> int | None:
    """The bytes that a text stands for; None if it is none, or less than a byte."""
    parts = _PARTS.fullmatch(text) if re.match(PATTERN, text, re.ASCII) else None
    # A line break at the end would pass the pattern, not the parts.
    return (int(float(parts[1]) * _UNITS[parts[2]]) or None) if parts else None


def shown_size(size: int) -> str:
    """A number of bytes for people: `8 GiB`; exact where that is short, else rounded."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size >= _UNITS[unit]:
            return f"{size / _UNITS[unit]:.2f}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{size} B"
