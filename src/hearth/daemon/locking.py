"""Locks on files, which the system drops when their holder ends, however it ends."""

import fcntl
import os
import time
from typing import Final

PAUSE: Final = 0.01
"""Seconds between two looks at a lock that somebody has."""


def take(path: str, patience: float) -> int | None:
    """Lock a file, which is made; the descriptor to close in the end. None if it stays taken.

    Whoever looks whether a lock is held takes it for a moment: so never without some patience.
    OSError.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    until = time.monotonic() + patience
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    os.close(descriptor)
                    return None
                time.sleep(PAUSE)
            else:
                return descriptor
    except BaseException:
        os.close(descriptor)
        raise
