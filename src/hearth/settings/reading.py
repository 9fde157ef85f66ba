"""A settings file as it is written, before anybody asks what its keys mean."""

import os
import stat
from pathlib import Path
from typing import Final

from hearth.settings.jsonc import Document, NotJson, read_jsonc
from hearth.settings.problems import SettingsError

FILE_NAME: Final = "hearth.jsonc"
LARGEST: Final = 1_000_000
"""A larger file is something else under this name."""


def read_bytes(path: Path, largest: int = LARGEST) -> bytes | None:
    """What is in a file, at most one byte more than `largest`; None if there is none.

    SettingsError for what is no readable file. Never waits: a pipe under the name is refused.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(path, error.strerror) from error
    except ValueError as error:  # a path that no system takes
        raise _unreadable(path, str(error)) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _unreadable(path, "it is no file")
        return first_bytes(descriptor, largest + 1)
    except OSError as error:
        raise _unreadable(path, error.strerror) from error
    finally:
        os.close(descriptor)


def first_bytes(descriptor: int, most: int) -> bytes:
    """What an open file begins with: at most so many bytes. OSError."""
    parts = []
    while most and (part := os.read(descriptor, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def parse(content: bytes, path: Path) -> Document:
    """The document that bytes are. SettingsError names `path`."""
    if len(content) > LARGEST:
        raise SettingsError(path, f"is larger than {LARGEST:,} bytes", "a file of settings")
    try:
        return read_jsonc(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError(path, "is not UTF-8", "text in UTF-8", line=line) from None
    except NotJson as error:
        raise SettingsError(
            path, error.message, "JSON, with comments if you like", line=error.line
        ) from None


def _unreadable(path: Path, why: str | None) -> SettingsError:
    return SettingsError(path, f"cannot be read: {why}", "a file you may read")
