"""Turns the loop of `hearth mcp`: lines from stdin, answers of the daemon, signals, the end."""

from __future__ import annotations

import os
import select
import signal
import sys
import time

from hearth.clients.mcp.bridge import Bridge
from hearth.clients.mcp.errand import Errand, How, request_bytes
from hearth.clients.mcp.exchange import connected
from hearth.clients.mcp.finding import Finding
from hearth.clients.mcp.lines import Lines
from hearth.clients.mcp.output import Output
from hearth.clients.mcp.traffic import Traffic
from hearth.daemon import discovery

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from types import FrameType
    from typing import Final

PIECE: Final = 256 * 1024
GRACE: Final = 1.0
"""Seconds that open requests have behind the end of the input."""
FAREWELL: Final = 0.5
"""Seconds to tell the daemon that a connection has ended, and to write what waits."""
LOOKING: Final = 1.0
"""Seconds between two looks for what was lost."""
INTERRUPTED: Final = 130


class Running:
    """One run of the bridge, between two file descriptors."""

    def __init__(self, how: How, stdin: int = 0, stdout: int = 1) -> None:
        self._how = how
        self._stdin = stdin
        self._stdout = stdout
        self._poll = select.poll()
        self._woken, self._wake = os.pipe()
        for end in (self._woken, self._wake):
            os.set_blocking(end, False)
        self._poll.register(self._woken, select.POLLIN)
        self._reads_input(wanted=True)
        # Nothing to wait for but its end: a client that vanished is noticed also when all is quiet.
        self._poll.register(stdout, 0)
        self._output = Output(stdout, self.wake)
        self._finding = Finding(how.home, self.wake, may_start=how.may_start)
        self._traffic = Traffic(self._poll, how)
        self._bridge = Bridge(self._finding, self._traffic, self._output.put, note, how.session)
        self._lines = Lines()
        self._signal = 0
        self._ends_at: float | None = None
        self._has_input = True

    def wake(self) -> None:
        """Have the loop turn; of any thread."""
        try:  # noqa: SIM105 - contextlib costs more than all of this
            os.write(self._wake, b"\0")
        except OSError:
            pass  # it is full of reasons to wake already

    def run(self) -> int:
        """Until the client is gone or somebody says so; the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told)
        try:
            while not self._is_over():
                self._turn()
        finally:
            self._finish()
        return INTERRUPTED if self._signal == signal.SIGINT else 0

    def _told(self, number: int, _frame: FrameType | None) -> None:
        self._signal = number
        self.wake()

    def _is_over(self) -> bool:
        if self._signal or self._output.is_gone:
            return True
        if self._has_input:
            return False
        if not self._bridge.is_busy:
            return True
        if self._ends_at is None and not self._finding.is_starting:
            self._ends_at = time.monotonic() + GRACE
        return self._ends_at is not None and time.monotonic() >= self._ends_at

    def _turn(self) -> None:
        is_full = self._output.is_full
        if is_full:
            self._traffic.pause()
        if self._has_input:
            self._reads_input(wanted=not self._bridge.is_crowded)
        happened = self._poll.poll(self._patience())
        if is_full and not self._output.is_full:
            self._traffic.resume()
        for descriptor, what in happened:
            if descriptor == self._stdin:
                self._read()
            elif descriptor == self._woken:
                os.read(self._woken, PIECE)
            elif descriptor == self._stdout:
                self._output.is_gone = True
            elif self._traffic.knows(descriptor):
                self._traffic.go_on(descriptor, what, self._bridge)
        if not happened and self._bridge.is_uneasy:
            self._bridge.look_around()
        self._bridge.pump()

    def _patience(self) -> float | None:
        """Milliseconds until something has to be done, whatever happens."""
        if self._ends_at is not None:
            return max(1.0, 1000 * (self._ends_at - time.monotonic()))
        return 1000 * LOOKING if self._bridge.is_uneasy else None

    def _reads_input(self, *, wanted: bool) -> None:
        self._poll.register(self._stdin, select.POLLIN if wanted else 0)

    def _read(self) -> None:
        try:
            data = os.read(self._stdin, PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        lines = self._lines.feed(data) if data else self._lines.ended()
        if not data:
            self._has_input = False
            self._poll.unregister(self._stdin)
        for line in lines:
            self._bridge.take(line)

    def _finish(self) -> None:
        self._farewell()
        self._traffic.close()
        self._output.close(0.0 if self._output.is_gone else FAREWELL)

    def _farewell(self) -> None:
        """Tell the daemon that a connection of the earlier era has ended, if it still listens."""
        headers = self._bridge.handshake.headers
        found = discovery.find(self._how.home) if headers else None
        if found is None:
            return
        try:
            line = connected(found)
            try:
                line.settimeout(FAREWELL)
                line.sendall(request_bytes(Errand("DELETE"), line, found, self._how, headers))
                line.recv(PIECE)
            finally:
                line.close()
        except OSError:
            pass  # it ends without us


def note(text: str) -> None:
    """Something for whoever reads the log of a client."""
    try:
        sys.stderr.write(f"hearth mcp: {text}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody reads it


def main(how: How) -> int:
    """Bridge stdin and stdout to the daemon; the exit code."""
    if os.isatty(0):
        note(
            "this speaks MCP on stdin and stdout, and is meant to be started by a client;"
            " `hearth mcp install` says how. Ctrl-D ends it."
        )
    return Running(how).run()
