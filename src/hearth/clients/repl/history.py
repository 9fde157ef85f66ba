"""What was typed, kept over restarts. Several REPLs may write to it at the same time."""

import json
import os
from collections.abc import Iterable
from typing import Final

from prompt_toolkit.history import History

MOST_READ: Final = 2_000_000
"""Bytes. What is older is kept, and not searched."""
LONGEST: Final = 100_000
"""Characters of one entry; a longer one is not remembered."""


class SharedHistory(History):
    """One JSON text per line, each appended with one write: no entry is ever torn."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """What was typed before, the newest first."""
        seen: str | None = None
        for line in reversed(self._tail()):
            entry = _entry(line)
            if entry and entry != seen:
                seen = entry
                yield entry

    def store_string(self, string: str) -> None:
        """Remember one entry."""
        if len(string) > LONGEST:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, 0o600)
        except OSError:
            return  # it is remembered until the end of this REPL, and no longer
        try:
            os.write(descriptor, json.dumps(string).encode() + b"\n")
        except OSError:
            pass  # as above: a full disk must not keep anybody from typing
        finally:
            os.close(descriptor)

    def _tail(self) -> list[bytes]:
        try:
            with open(self._path, "rb") as file:  # noqa: PTH123 - a path as the daemon gives it
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - MOST_READ))
                lines = file.read(MOST_READ).split(b"\n")
        except OSError:
            return []  # nothing was typed yet
        return lines[1:] if size > MOST_READ else lines


def _entry(line: bytes) -> str:
    try:
        entry = json.loads(line)
    except ValueError:
        return ""  # not written by us
    return entry if isinstance(entry, str) else ""
