"""Ctrl-C, as something that is looked at between two steps instead of breaking into one."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    import signal
    from types import FrameType
    from typing import Self
else:
    # The bare module of the interpreter: the names that `signal` gives to numbers take as long to
    # import as a message takes to the daemon.
    import _signal as signal


class Presses:
    """While it is entered, the first Ctrl-C is only counted; the second interrupts as ever.

    An interruption can come between reading bytes and keeping them. What follows a stream waits
    for `fileno` too, which can be read once Ctrl-C was pressed, and sees `count`.
    """

    def __init__(self) -> None:
        self.count = 0
        self._wakes, self._woken = os.pipe()
        os.set_blocking(self._woken, False)

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._pressed)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)
        os.close(self._wakes)
        os.close(self._woken)

    def fileno(self) -> int:
        """For select: can be read from the first press until `heard`."""
        return self._wakes

    def heard(self) -> None:
        """The press that could be read was taken notice of."""
        os.read(self._wakes, 1)

    def _pressed(self, _: int, __: FrameType | None) -> None:
        self.count += 1
        if self.count > 1:
            raise KeyboardInterrupt
        os.write(self._woken, b"!")
