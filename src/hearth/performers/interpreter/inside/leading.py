"""Where descriptors lead: code may close any, and open something else under the same number."""

import os

Place = tuple[int, int]
"""A file, a pipe or whatever else: its device and its number there."""


def place(fd: int | None) -> Place | None:
    """What a descriptor leads to; None if it is closed."""
    if fd is None:
        return None
    try:
        about = os.fstat(fd)
    except OSError:
        return None
    return about.st_dev, about.st_ino


def lead(fd: int, to: int | None) -> None:
    """Have a descriptor lead where another does; nowhere, if that is None. OSError."""
    if to is not None:
        os.dup2(to, fd)
        return
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    if nothing == fd:
        os.set_inheritable(fd, True)  # noqa: FBT003 - as dup2 makes it
        return
    os.dup2(nothing, fd)
    os.close(nothing)


def hold_first() -> None:
    """Let nothing new have the numbers of the standard streams, which are led into pipes later."""
    for fd in range(3):
        if place(fd) is None:
            lead(fd, None)
