"""A terminal for tests: a real pty, with an emulator that knows what a person would see."""

import json
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from typing import Any, Final

import pyte

ROOT: Final = Path(__file__).parents[3]
PATIENCE: Final = 30.0
COLUMNS, LINES = 130, 50
OTHERS: Final = "OTHERS_OF_THE_REPL"
"""The descriptor over which others are told what to do."""


class _Emulator(pyte.HistoryScreen):
    """Answers what a program asks its terminal, as a real one does."""

    def __init__(self, answer: Callable[[str], None]) -> None:
        super().__init__(COLUMNS, LINES, history=5000)
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        """Type the answer."""
        self._answer(data)


class Seat:
    """A program at a terminal, and the person who sits there."""

    def __init__(self, arguments: list[str], environ: dict[str, str], folder: Path) -> None:
        self.master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.raw = b""
        self._screen = _Emulator(self.type)
        self._stream = pyte.ByteStream(self._screen)
        ours, theirs = socket.socketpair()
        self._others = ours
        self._slave = slave
        self.process = subprocess.Popen(  # noqa: S603 - the program is our own
            arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**environ, OTHERS: str(theirs.fileno())},
            start_new_session=True,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.master, text.encode())

    def others(self, *said: str) -> None:
        """Let somebody else do something, and wait until it is done."""
        self._others.sendall(" ".join(said).encode() + b"\n")
        self._others.settimeout(PATIENCE)
        assert self._others.recv(5) == b"done\n"

    def bot(self, code: str) -> None:
        """Let an agent run code."""
        self.others("bot", json.dumps(code))

    def shown(self) -> str:
        """All that a person can see, with what scrolled away."""
        history = ["".join(line[place].data for place in range(COLUMNS)) for line in self._above()]
        return "\n".join(line.rstrip() for line in [*history, *self._screen.display]).rstrip()

    def until(self, wanted: str | Callable[[str], Any]) -> str:
        """Read until a person would see this; what they see then."""
        limit = time.monotonic() + PATIENCE
        while not (wanted in self.shown() if isinstance(wanted, str) else wanted(self.shown())):
            assert self._read(limit), f"{wanted!r} was never seen:\n{self.shown()}"
        return self.shown()

    def ended(self) -> int:
        """Wait until the program is over; its exit code."""
        limit = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < limit, f"it does not end:\n{self.shown()}"
            self._read(min(limit, time.monotonic() + 0.05))
        while self._read(time.monotonic()):
            pass
        return self.process.returncode

    def attributes(self) -> list[Any]:
        """How the terminal is set."""
        return termios.tcgetattr(self._slave)

    def hang_up(self) -> None:
        """End the program, if it is not over."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        for descriptor in (self.master, self._slave):
            os.close(descriptor)
        self._others.close()

    def _above(self) -> Iterator[Any]:
        return iter(self._screen.history.top)

    def _read(self, limit: float) -> bool:
        left = max(0.0, limit - time.monotonic())
        ready, _, _ = select.select([self.master], [], [], left)
        if not ready:
            return False
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            return False
        self.raw += piece
        self._stream.feed(piece)
        return bool(piece)


def environ_for(home: Path, **more: str) -> dict[str, str]:
    """The surroundings of a program that must not meet anything of ours."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}",
        "HEARTH_HOME": str(home),
        **more,
    }


@contextmanager
def at_a_seat(arguments: list[str], environ: dict[str, str], folder: Path) -> Iterator[Seat]:
    """Any program at a terminal."""
    seat = Seat(arguments, {**environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}, folder)
    try:
        yield seat
    finally:
        seat.hang_up()


@contextmanager
def seated(home: Path, what: str = "scripted", *options: str, **environ: str) -> Iterator[Seat]:
    """The REPL with an engine of its own, at a terminal."""
    folder = home.parent / "loom"
    folder.mkdir(exist_ok=True)
    arguments = [sys.executable, "-m", "tests.clients.repl.child", str(home), what, *options]
    with at_a_seat(arguments, environ_for(home, **environ), folder) as seat:
        yield seat
