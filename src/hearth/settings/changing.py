"""Changing a file that other threads and processes of the same person change, too."""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hearth.daemon import locking

PATIENCE: Final = 10.0
"""Seconds to wait for another process that writes."""


@contextlib.contextmanager
def alone_with(file: Path, threads: threading.Lock) -> Iterator[None]:
    """Alone with a file, among threads by their lock and among processes by one beside the file.

    The folder is made, for its owner alone. TimeoutError if somebody else does not come to an end.
    """
    with threads:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = locking.take(str(file.with_suffix(".lock")), PATIENCE)
        if held is None:
            raise TimeoutError(None, f"{file} is being written to by somebody else")
        try:
            yield
        finally:
            os.close(held)
