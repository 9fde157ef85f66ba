"""Begins a template before anything else of the daemon is imported.

A daemon that starts imports for as long as a template does. Side by side, on two processors, a
person who waits for a first prompt waits for the longer of them and not for both.
"""

import contextlib
import socket
import subprocess

from hearth.performers.interpreter.launcher import LAUNCHER, launcher_environment

_begun: "dict[str, Begun]" = {}
"""By interpreter, until somebody takes it."""


class Begun:
    """A template that was started and has not been heard of yet."""

    def __init__(self, process: "subprocess.Popen[bytes]", ours: socket.socket) -> None:
        self.process = process
        self.ours = ours
        """Over which it is spoken to."""

    def end(self) -> None:
        """It is not needed."""
        self.ours.close()
        self.process.kill()
        self.process.wait()


def begin(python: str) -> None:
    """Start a template of this interpreter. If it cannot be, whoever needs it next is told."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(  # noqa: S603 - our own launcher, in the interpreter we run in
                [python, str(LAUNCHER), "template"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=launcher_environment(python),
                start_new_session=True,
            )
        except OSError:
            ours.close()
            return
    _begun[python] = Begun(process, ours)


def take(python: str) -> Begun | None:
    """The template that was begun, for whoever comes first."""
    return _begun.pop(python, None)


def end() -> None:
    """Leave none behind that nobody took."""
    for python in tuple(_begun):
        with contextlib.suppress(KeyError):
            _begun.pop(python).end()
