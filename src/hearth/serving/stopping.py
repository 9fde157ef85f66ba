"""How a daemon is asked to end: by a signal, by a person over HTTP, or because nobody is there."""

import asyncio
import logging
import signal
from typing import Any

_said = logging.getLogger(__name__)


class Stopping:
    """Whether the daemon is to end, and whether its interpreters end with it.

    Until `serving` is called, the start itself is cut short: its task is cancelled.
    """

    def __init__(self, starting: "asyncio.Task[Any] | None") -> None:
        self._asked = asyncio.Event()
        self._starting = starting
        self.end_sessions = False

    @property
    def asked(self) -> bool:
        """Whether somebody wants it to end."""
        return self._asked.is_set()

    def ask(self, why: str, *, end_sessions: bool) -> None:
        """Begin to end; returns at once. Of several who ask, one who ends the sessions is heard."""
        _said.info("the daemon ends: %s", why)
        self.end_sessions = self.end_sessions or end_sessions
        self._asked.set()
        if self._starting is not None:
            self._starting.cancel()
            self._starting = None

    def serving(self) -> None:
        """The start is over: from here on, being asked only ends the waiting."""
        self._starting = None

    async def wait(self) -> None:
        """Return when somebody has asked."""
        await self._asked.wait()

    def on_signals(self, loop: asyncio.AbstractEventLoop) -> None:
        """SIGTERM and SIGINT ask, and leave interpreters for the next daemon."""
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._signalled, number)

    def _signalled(self, number: signal.Signals) -> None:
        self.ask(f"{number.name} came", end_sessions=False)
