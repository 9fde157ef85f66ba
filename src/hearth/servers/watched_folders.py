"""Which folders of a project are watched: its sources, not its environments and caches."""

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

MOST: Final = 2000
"""So many folders are watched of one project; each costs the kernel a watch."""

NOT_SOURCES: Final = frozenset(
    {"__pycache__", "node_modules", "build", "dist", "site-packages", "venv", "env", "target"}
)


def is_source(root: str, path: str) -> bool:
    """Whether a changed file below the root is one that a session may have loaded."""
    below = Path(os.path.relpath(path, root)).parts[:-1]
    return path.endswith(".py") and not any(map(is_left_out, below))


def is_folder_news(path: str, known: Collection[str]) -> bool:
    """Whether a change means that other folders are to be watched than before."""
    return path in known or (Path(path).is_dir() and not is_left_out(Path(path).name))


def is_left_out(folder: str) -> bool:
    """Whether nothing below a folder of this name is watched."""
    return folder in NOT_SOURCES or (folder.startswith(".") and folder not in {".", ".."})


def folders_of(root: str) -> list[str]:
    """The folders to watch, the root first; nothing if it is gone."""
    return [folder for folder, _ in zip(_walk(root), range(MOST), strict=False)]


def saved_since(folders: Iterable[str], moment: float) -> list[str]:
    """The sources in these folders that were saved since a moment, in seconds of the epoch."""
    return [path for folder in folders for path in _sources_in(folder) if _saved_at(path) >= moment]


def _sources_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return [one.path for one in found if one.name.endswith(".py")]
    except OSError:
        return []  # it went away meanwhile, and with it what was in it


def _saved_at(path: str) -> float:
    try:
        return Path(path).stat().st_mtime
    except OSError:
        return 0.0  # it went away meanwhile, or leads nowhere


def _walk(root: str) -> Iterator[str]:
    for folder, below, _ in os.walk(root):
        if "pyvenv.cfg" in os.listdir(folder):  # noqa: PTH208 - names are enough
            below.clear()  # an environment under any name
            continue
        below[:] = sorted(name for name in below if not is_left_out(name))
        yield folder
