"""An agent waits for a person: the question on the terminal, and the answer."""

from __future__ import annotations

import os
import sys

from hearth.clients.agents.approval_text import described, headline
from hearth.clients.agents.deciding import Deciding, Decision
from hearth.clients.cli.showing import YELLOW, is_terminal, painted, tell
from hearth.clients.cli.styled import styled

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.agents.asked_for import AskedFor

TERMINAL: Final = "/dev/tty"


class Approval:
    """What the agent asks for, on the terminal, until somebody answers."""

    def __init__(self, asked: AskedFor, more: int = 0) -> None:
        """`more` others wait behind it."""
        self.id = asked.approval
        self._deciding = Deciding(asked)
        self._typed = b""
        self._own = -1
        if is_terminal(sys.stdin):
            self._line = sys.stdin.fileno()
        else:
            # The prompt was piped in; the person is still there.
            self._own = self._line = os.open(TERMINAL, os.O_RDONLY)
        forget_typed(self._line)
        others = f"{more} more wait{'s' * (more == 1)}" if more else ""
        self._write(painted(YELLOW, headline(asked, others), sys.stderr) + "\n")
        for line in styled(described(asked), sys.stderr):
            self._write(line + "\n")
        self.ask()

    def fileno(self) -> int:
        """For select."""
        return self._line

    def ask(self) -> None:
        """Put the question, also once more, where something else was written behind it."""
        self._write(painted(YELLOW, self._deciding.prompt, sys.stderr))

    def read(self) -> Decision | None:
        """The answer, once a line gives one. EOFError if nobody will type one."""
        typed = os.read(self._line, 65536)
        if not typed:
            raise EOFError
        self._typed += typed
        while b"\n" in self._typed:
            line, _, self._typed = self._typed.partition(b"\n")
            found = self._deciding.hear(line.decode("utf-8", "replace"))
            if isinstance(found, Decision):
                return found
            for text in styled(found, sys.stderr):
                self._write(text + "\n")
            # Nobody has read this yet: what was typed before answers nothing.
            self._typed = b""
            forget_typed(self._line)
            self.ask()
        return None

    def close(self) -> None:
        """Let the terminal go."""
        if self._own >= 0:
            os.close(self._own)
            self._own = -1

    def _write(self, text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)
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


def typed_to(question: str) -> str:
    """What is typed after a question was put, and not before; empty at the end of the input."""
    from contextlib import suppress  # noqa: PLC0415 - only who is asked pays for it

    sys.stdout.flush()
    with suppress(OSError, ValueError):  # no descriptor: then nothing waits in it either
        forget_typed(sys.stdin.fileno())
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline()


def agrees(question: str) -> bool:
    """Whether a person says yes to a change, and who does not is told. Without one, nobody does."""
    if not is_terminal(sys.stdin) or not is_terminal(sys.stderr):
        tell("nothing was changed; `--yes` does it without asking")
        return False
    if typed_to(question).strip().lower() in {"y", "yes"}:
        return True
    tell("nothing was changed")
    return False


def forget_typed(line: int) -> None:
    """What was typed before the question was there does not answer it."""
    import termios  # noqa: PLC0415 - only who is asked pays for it
    from contextlib import suppress  # noqa: PLC0415 - as above

    with suppress(termios.error):  # it is no terminal: then nobody typed anything ahead
        termios.tcflush(line, termios.TCIFLUSH)
