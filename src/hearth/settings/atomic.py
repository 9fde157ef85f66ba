"""Files that are written whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Put `content` in the place of the file; whoever reads sees all of it or the one before.

    Durable when this returns. Without a `mode` it has that of the file that is there, else 0600. A
    link stays a link to it. Folders above it are made. OSError, and then nothing has changed.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if mode is None:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    _sync(target.parent)


def _sync(folder: Path) -> None:
    """Make the new name in the folder durable, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
