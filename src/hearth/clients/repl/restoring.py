"""Leaves the terminal as it was found, whatever happened meanwhile."""

import os
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

_INPUT: Final = 0
_LOCAL: Final = 3
_AS_USUAL: Final = (
    "\x1b[0m"  # no colours
    "\x1b[?25h"  # the cursor is seen
    "\x1b[?2004l"  # what is pasted comes as if it were typed
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l"  # the mouse belongs to the terminal
    "\x1b[?7h"  # long lines go on below
)


@contextmanager
def restored(descriptor: int | None = None) -> Iterator[None]:
    """Put the terminal back into its state; where there is none, nothing is done."""
    if descriptor is None:
        descriptor = _terminal()
    before = _attributes(descriptor)
    try:
        yield
    finally:
        if before is not None and descriptor is not None:
            _restore(descriptor, before)


@contextmanager
def silenced(descriptor: int) -> Iterator[None]:
    """Echo nothing, also between two prompts: what is typed early belongs to the next one."""
    before = _attributes(descriptor)
    if before is None:
        yield
        return
    quiet = [*before]
    quiet[_INPUT] = _flags(before[_INPUT]) & ~termios.ICRNL
    quiet[_LOCAL] = _flags(before[_LOCAL]) & ~(termios.ECHO | termios.ICANON)
    with suppress(termios.error):  # the terminal is gone
        termios.tcsetattr(descriptor, termios.TCSANOW, quiet)
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSANOW, before)


def _flags(attribute: int | list[bytes | int]) -> int:
    if not isinstance(attribute, int):
        raise TypeError(attribute)  # only the control characters are a list
    return attribute


def _terminal() -> int | None:
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None  # closed, or not a file at all


def _attributes(descriptor: int | None) -> list[int | list[bytes | int]] | None:
    try:
        return None if descriptor is None else termios.tcgetattr(descriptor)
    except termios.error:
        return None  # not a terminal


def _restore(descriptor: int, before: list[int | list[bytes | int]]) -> None:
    try:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        if os.isatty(1):
            os.write(1, _AS_USUAL.encode())
    except (termios.error, OSError):
        pass  # the terminal is gone: there is nothing left to restore
