"""Keeps git from waiting for pipes that are called like its own files.

Git opens every `.gitignore` and `.gitattributes` that it comes across. If one is a pipe it waits
for a writer, who never comes: nothing of the project would be kept any more. So whoever waits too
long is let go on, as if the file were empty.
"""

import contextlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PATIENCE: Final = 1.0
"""Seconds after which pipes are looked for: most of what git does is done by then."""
MOST: Final = 200
MOST_ENTRIES: Final = 500_000

_NAMES: Final = frozenset({b".gitignore", b".gitattributes"})
_OPENED: Final = os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_PAUSE: Final = 0.02


@contextlib.contextmanager
def let_through(root: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Nobody who runs meanwhile is kept waiting by such pipes in a project for long."""
    done = threading.Event()
    helper = threading.Thread(target=_help, args=(root, patience, done), daemon=True)
    helper.start()
    try:
        yield
    finally:
        done.set()


def _help(root: Path, patience: float, done: threading.Event) -> None:
    if done.wait(patience):
        return
    with contextlib.ExitStack() as held, contextlib.suppress(OSError):
        pipes = []
        for folder, name in _pipes(root, done):
            pipes.append((os.dup(folder), name))
            held.callback(os.close, pipes[-1][0])
            if len(pipes) >= MOST:
                break
        while pipes and not done.wait(_PAUSE):
            for folder, name in pipes:
                _open_and_close(folder, name)


def _pipes(root: Path, done: threading.Event) -> Iterator[tuple[int, bytes]]:
    """The pipes with such names: the folder that each is in, open for now, and its name."""
    seen = 0
    for _, folders, files, here in os.fwalk(os.fsencode(root), follow_symlinks=False):
        seen += len(files) + len(folders)
        if done.is_set() or seen > MOST_ENTRIES:
            return
        for name in _NAMES.intersection(files):
            if _is_pipe(here, name):
                yield here, name


def _is_pipe(folder: int, name: bytes) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISFIFO(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    return False


def _open_and_close(folder: int, name: bytes) -> None:
    """A writer comes, and goes again: who waits for one reads that there is nothing."""
    with contextlib.suppress(OSError):
        if _is_pipe(folder, name):
            os.close(os.open(name, _OPENED, dir_fd=folder))
