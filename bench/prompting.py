"""The command line: how long `hearth status` takes, and `hearth` until it answers."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import Final, NamedTuple

from bench.daemons import PATIENCE, at_home, daemon, gone, project_in
from bench.measuring import Figure, Round, Scale, at_most, scratch, seconds_of
from bench.peers import own_jupyter

from hearth.daemon.discovery import find

STATUS: Final = "hearth status, the whole command"
COLD: Final = "hearth on a fresh home, until it answers"
WARM: Final = "hearth a second time, until it answers"
PROMPT: Final = "hearth a second time, until its prompt"
HEARTH: Final = (str(Path(sys.executable).with_name("hearth")),)
"""As it was installed beside this interpreter."""
CONSOLE: Final = (sys.executable, "-m", "jupyter_console")
_ESCAPES: Final = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.")


class Reached(NamedTuple):
    """Seconds from the start of a program."""

    prompt: float
    answer: float


def measure(scale: Scale) -> list[Figure]:
    """Each round has one of each, so that all see the same machine."""
    return [_status(scale), *_prompts(scale)]


def _status(scale: Scale) -> Figure:
    rounds = []
    with daemon():
        for _ in range(scale.rounds):
            ours, empty = [], []
            for _ in range(scale.of(15, 2)):
                ours.append(seconds_of(lambda: _called(*HEARTH, "status")))
                empty.append(seconds_of(lambda: _called(sys.executable, "-c", "pass")))
            rounds.append(Round(median(ours) * 1000, median(empty) * 1000))
    return Figure(STATUS, "ms", rounds, "python3 -c pass", at_most(3.0))


def _called(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own words


def _prompts(scale: Scale) -> list[Figure]:
    cold, warm, prompt = [], [], []
    for _ in range(scale.of(3, 1)):
        with scratch() as folder, at_home(folder) as home:
            project = project_in(folder)
            peer = _console(project, own_jupyter(folder))
            try:
                first = reach(HEARTH, project, b">>> ", dict(os.environ))
                second = reach(HEARTH, project, b">>> ", dict(os.environ))
            finally:
                _end_daemon(home)
        cold.append(Round(first.answer, peer.answer))
        warm.append(Round(second.answer, peer.answer))
        prompt.append(Round(second.prompt, peer.prompt))
    return [
        Figure(COLD, "s", cold, "jupyter console", at_most(1.3)),
        Figure(WARM, "s", warm, "jupyter console", at_most(0.4)),
        Figure(PROMPT, "s", prompt, "jupyter console", at_most(0.4)),
    ]


def _console(project: Path, environment: dict[str, str]) -> Reached:
    """The peer, which now and then hears no answer to what is typed at once: then another."""
    for _ in range(2):
        with suppress(TimeoutError):
            return reach(CONSOLE, project, b"In [1]:", environment)
    return reach(CONSOLE, project, b"In [1]:", environment)


def _end_daemon(home: Path) -> None:
    found = find(str(home))
    if found is not None:
        _called(*HEARTH, "stop")
        gone(found.pid)


def reach(
    command: Sequence[str], folder: Path, prompt: bytes, environment: dict[str, str]
) -> Reached:
    """Start a program in a terminal; how long until its prompt, and until it has computed."""
    began = perf_counter()
    with _in_terminal(command, folder, environment) as terminal:
        seen = _read_until(terminal, b"", prompt)
        at_prompt = perf_counter() - began
        os.write(terminal, b"6*7000+7\r")
        _read_until(terminal, seen, b"42007")
        return Reached(at_prompt, perf_counter() - began)


@contextmanager
def _in_terminal(
    command: Sequence[str], folder: Path, environment: dict[str, str]
) -> Iterator[int]:
    pid, terminal = pty.fork()
    if pid == 0:  # the child: it becomes the program, or ends
        try:
            os.chdir(folder)
            os.execvpe(command[0], list(command), {**environment, "TERM": "xterm-256color"})  # noqa: S606 - our own words
        finally:
            os._exit(127)
    try:
        yield terminal
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGHUP)
        with suppress(OSError):
            os.close(terminal)
        os.waitpid(pid, 0)


def _read_until(terminal: int, seen: bytes, wanted: bytes) -> bytes:
    """All that was shown, once this is among it; questions of the terminal are answered."""
    until = monotonic() + PATIENCE
    while wanted not in _ESCAPES.sub(b"", seen):
        left = until - monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            raise TimeoutError(f"it never showed {wanted!r}: {seen[-2000:]!r}")
        data = os.read(terminal, 65536)
        if b"\x1b[6n" in data:  # where the cursor is
            os.write(terminal, b"\x1b[1;1R")
        seen += data
    return seen
