"""Forks of a live kernel that its user never sees: not in os.wait, not among its children.

A process between the kernel and the new one ends at once, so that the new one becomes a child of
the guardian, who adopts whatever has lost its parent.
"""

import contextlib
import gc
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

from . import processes

_LONGEST_ANSWER: Final = 4096
_HELD_BACK: Final = signal.valid_signals() - {
    signal.SIGCHLD,
    signal.SIGKILL,
    signal.SIGSTOP,
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGFPE,
    signal.SIGILL,
}
ADOPTED: Final = signal.SIGUSR1
"""What a new process is told with that its parent has ended; held back everywhere else."""


class Reborn(SystemExit):
    """Raised in a copy of a kernel: it leaves the loop, to go on in a folder with new wires.

    It passes whatever only catches errors, up to whoever runs the loop.
    """

    def __init__(self, folder: Path, *, after: int, moved: bool, is_tried: bool = False) -> None:
        super().__init__()
        self.folder = folder
        self.after = after
        """The number that its first message comes behind."""
        self.moved = moved
        """Whether it is another folder than that of the kernel it was copied from."""
        self.is_tried = is_tried
        """Whether a variant runs in it, which may come to be the session."""


@contextlib.contextmanager
def undisturbed(kernel: Any) -> Iterator[None]:
    """Nothing of the user's reacts to forks made here, in neither process.

    Those that are made leave it, too: then they have the random numbers before them that the
    original has.
    """
    original = os.getpid()
    numbers = random.getstate()
    reaction = signal.getsignal(signal.SIGCHLD)
    if reaction not in {signal.SIG_DFL, None}:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    held_back = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
    kernel.forks = True
    collects = gc.isenabled()
    gc.disable()  # it would touch every object in a process between, and so copy all of them
    try:
        with _without_warning():
            yield
    finally:
        kernel.forks = False
        if collects:
            gc.enable()
        if os.getpid() != original:
            _be_another(numbers)
        if reaction not in {signal.SIG_DFL, None}:
            signal.signal(signal.SIGCHLD, reaction)
        signal.pthread_sigmask(signal.SIG_SETMASK, held_back)


@contextlib.contextmanager
def _without_warning() -> Iterator[None]:
    """Newer Pythons warn of forks beside threads; here they are known, and begun anew."""
    if sys.version_info < (3, 12):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _be_another(numbers: Any) -> None:
    random.setstate(numbers)  # Python has new ones begin in every fork
    main: Any = threading.main_thread()
    main._set_native_id()  # noqa: SLF001 - Python 3.11 forgets it
    for one in signal.sigpending():
        signal.sigtimedwait({one}, 0)  # it was meant for somebody else, or for a sleeper


def answer(line: int, said: str) -> NoReturn:
    """In the process between: say what came of it, and end."""
    try:
        os.write(line, said.encode()[:_LONGEST_ANSWER])
    finally:
        os._exit(0)


def answered(line: int, between: int) -> str:
    """In the kernel: wait for what the process between says, and for its end."""
    try:
        said = os.read(line, _LONGEST_ANSWER)
    finally:
        os.close(line)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(between, 0)
    return said.decode("utf-8", "replace")


def be_adopted(by: int, between: int) -> None:
    """In the new process: wait for its parent's end, and belong to the guardian from then on.

    A guardian that has ended meanwhile adopts nobody: then this process ends, too.
    """
    processes.tell_when_orphaned(ADOPTED)
    if os.getppid() == between:
        signal.sigwait({ADOPTED})
    processes.die_with(by)
