"""Looking through folders within bounds: never into caches, environments or without end."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

DEEPEST: Final = 6
MOST: Final = 4_000
"""How many folders one walk looks into: some tenths of a second on a cold disk."""

SKIPPED: Final = frozenset(
    {"__pycache__", "node_modules", "site-packages", "venv", "env", "build", "dist", "target"}
)


def ancestors(directory: Path) -> Iterator[Path]:
    """The folder itself, then those above it, up to the root of the file system."""
    yield directory
    yield from directory.parents


def folders(root: Path, deepest: int = DEEPEST, most: int = MOST) -> Iterator[Path]:
    """`root` and the folders below it, nearer ones first, each level sorted.

    Hidden folders, environments, caches and links to folders are left out, as is what cannot be
    read; at most `most` folders, `deepest` levels down.
    """
    level, seen = [root], 0
    for _ in range(deepest + 1):
        below: list[Path] = []
        for folder in level:
            if seen == most:
                return
            seen += 1
            yield folder
            below.extend(_inside(folder))
        level = below


def _inside(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []  # a folder that is closed to us, or just went, holds nothing for us
    return [
        folder / name
        for name in sorted(names)
        if not name.startswith(".")
        and name not in SKIPPED
        and not name.endswith((".egg-info", ".dist-info"))
        and not (folder / name / "pyvenv.cfg").exists()
    ]
