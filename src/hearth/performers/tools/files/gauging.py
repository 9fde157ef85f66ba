"""How much there is below a folder, looked at only as far as it takes to know that it is little."""

import os
from typing import Final

MOST_ENTRIES: Final = 300
MOST_BYTES: Final = 8 * 1024 * 1024
"""What one thread searches in the time that several take to begin and to end."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST: Final = 60
_EVERY: Final = 4
"""One of so many files is looked at: a single large one is searched by one thread anyway."""


def is_little(folder: int) -> bool:
    """Whether there is little below an open folder: few files, and small ones. Through no link."""
    gauge = _Gauge()
    try:
        gauge.add(folder)
    except OSError:
        return False  # who knows
    return not gauge.is_full


class _Gauge:
    def __init__(self) -> None:
        self._entries = 0
        self._size = 0

    @property
    def is_full(self) -> bool:
        return self._entries > MOST_ENTRIES or self._size > MOST_BYTES

    def add(self, folder: int, depth: int = 0) -> None:
        folders: list[str] = []
        with os.scandir(folder) as entries:
            for entry in entries:
                self._entries += 1
                if self.is_full or depth > _DEEPEST:
                    self._entries = MOST_ENTRIES + 1
                    return
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":
                        folders.append(entry.name)
                elif self._entries % _EVERY == 0:
                    self._size += _EVERY * entry.stat(follow_symlinks=False).st_size
        for name in folders:
            inside = os.open(name, _FOLDER, dir_fd=folder)
            try:
                self.add(inside, depth + 1)
            finally:
                os.close(inside)
            if self.is_full:
                return
