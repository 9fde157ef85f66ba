"""Starts daemons in processes of their own, hears what they say, and kills them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from hearth.core.vocabulary.ids import InputId, SessionId

ROOT = Path(__file__).parents[2]
PATIENCE: Final = 60.0


class Ack(NamedTuple):
    """What a daemon promised before it died."""

    id: InputId
    session: SessionId
    seq: int


class Daemon:
    """One process, and what it has said so far."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self.said: list[str] = []

    def hear(self, lines: int) -> None:
        """Wait until it has said so much more."""
        assert self._process.stdout is not None
        for _ in range(lines):
            self.said.append(self._process.stdout.readline().decode().rstrip("\n"))
            assert self.said[-1], "it ended by itself"

    def hear_until(self, wanted: str) -> None:
        """Wait until it says this."""
        while wanted not in self.said:
            self.hear(1)

    def die(self) -> None:
        """Wait until it has killed itself."""
        assert self._process.wait(PATIENCE) == -signal.SIGKILL

    def kill(self) -> None:
        """Without a warning. What it managed to say before counts."""
        self._process.kill()
        rest, _ = self._process.communicate()
        self.said += [line for line in rest.decode().splitlines(keepends=False) if line]

    @property
    def acks(self) -> list[Ack]:
        """The commands it accepted."""
        words = [line.split() for line in self.said if line.startswith("ack ")]
        return [Ack(InputId(id_), SessionId(session), int(seq)) for _, id_, session, seq in words]

    @property
    def usable(self) -> set[SessionId]:
        """The sessions in which it has run a cell since it started."""
        return {SessionId(line.split()[1]) for line in self.said if line.startswith("usable ")}


@contextmanager
def started(program: str, *arguments: str | Path) -> Iterator[Daemon]:
    """A program of this folder in a process of its own, which is killed at the latest here."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", f"tests.journeys.{program}", *map(str, arguments)]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and words
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE
    ) as process:
        daemon = Daemon(process)
        try:
            yield daemon
        finally:
            daemon.kill()
