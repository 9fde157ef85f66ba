"""The keyboard, of which nothing is echoed while something is written above the prompt."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from prompt_toolkit.input.vt100 import Vt100Input


class Keyboard(Vt100Input):
    """stdin of a terminal.

    Whoever types while lines are written above the prompt must not see their keys among them, so
    the terminal is not given back for that; only an editor or a suspended REPL gives it back.
    """

    def __init__(self) -> None:
        super().__init__(sys.stdin)
        self._writing = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the terminal meanwhile."""
        self._writing += 1
        try:
            yield
        finally:
            self._writing -= 1

    def cooked_mode(self) -> AbstractContextManager[None]:
        """The terminal as programs expect it, for those who are given it."""
        return nullcontext() if self._writing else super().cooked_mode()
