"""The file in which desks are kept: read with patience, written whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Final

FILE: Final = "dashboard.json"
LARGEST: Final = 8 * 1024 * 1024
"""Bytes; what is larger was not written by us."""


def kept(path: Path) -> bytes | None:
    """What the file says; None if there is none. OSError, also if it is too large to be ours."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    if len(content) > LARGEST:
        raise OSError(f"{path.name} has more than {LARGEST} bytes")
    return content


def set_aside(path: Path) -> Path | None:
    """Keep a file that cannot be used under another name; None if even that is not possible."""
    for number in range(1, 100):
        other = path.with_name(f"{path.stem}.broken-{number}{path.suffix}")
        if other.exists():
            continue
        with contextlib.suppress(OSError):
            return path.rename(other)
        return None
    return None


def write_whole(path: Path, content: bytes) -> None:
    """Put this in the place of the file, for its owner alone; durable when it returns. OSError."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
