"""An agent waits for a person: the question on the terminal, and the answer."""

from __future__ import annotations

import os
import sys

from hearth.clients.cli.showing import YELLOW, clean, is_terminal, painted

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

YES: Final = frozenset({"y", "yes"})
NO: Final = frozenset({"n", "no"})
TERMINAL: Final = "/dev/tty"


def answer_of(typed: str) -> tuple[str, str]:
    """What a line means: `once` or `reject`, and what the agent is told with it.

    Only a clear yes is one. What stands behind a yes or a no is for the agent; a sentence that is
    neither is a no with that reason.
    """
    words = typed.strip()
    first, _, rest = words.partition(" ")
    sign = first.strip(",.;:!").lower()
    if sign in YES:
        return "once", rest.strip()
    return "reject", rest.strip() if sign in NO else words


class Approval:
    """What the agent asks for, on the terminal, until somebody answers."""

    def __init__(self, event: dict[str, Any]) -> None:
        self.id = str(event.get("approval", ""))
        self._typed = b""
        self._own = -1
        if is_terminal(sys.stdin):
            self._line = sys.stdin.fileno()
        else:
            # The prompt was piped in; the person is still there.
            self._own = self._line = os.open(TERMINAL, os.O_RDONLY)
        self._ask(clean(str(event.get("why", ""))) or "the agent asks for your consent")

    def fileno(self) -> int:
        """For select."""
        return self._line

    def read(self) -> tuple[str, str] | None:
        """The answer, once a line is complete. EOFError if nobody will type one."""
        typed = os.read(self._line, 65536)
        if not typed:
            raise EOFError
        self._typed += typed
        if b"\n" not in self._typed:
            return None
        return answer_of(self._typed.decode("utf-8", "replace"))

    def close(self) -> None:
        """Let the terminal go."""
        if self._own >= 0:
            os.close(self._own)
            self._own = -1

    def _ask(self, why: str) -> None:
        sys.stdout.flush()
        question = painted(YELLOW, "Let it go on? [y/N] ", sys.stderr)
        sys.stderr.write(f"{why}\n{question}")
        sys.stderr.flush()


def is_anyone_there() -> bool:
    """Whether a person can be asked: they see what we write, and there is a terminal to type in."""
    if not is_terminal(sys.stderr):
        return False
    if is_terminal(sys.stdin):
        return True
    try:
        os.close(os.open(TERMINAL, os.O_RDONLY))
    except OSError:
        return False
    return True
