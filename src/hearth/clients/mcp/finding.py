"""The daemon of this person's home: found, or started by a thread, so that nobody is held up."""

from __future__ import annotations

from threading import Thread

from hearth.clients.mcp.exchange import Connections, connected
from hearth.daemon import discovery, versions

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from _socket import socket
    from collections.abc import Callable

    from hearth.daemon.discovery import Found


class NoDaemon(Exception):
    """There is none, or none that can be talked to. The text is for people and ends in a hint."""


class Finding:
    """Looks for the daemon. `news` is called by the thread that started one, or could not."""

    def __init__(self, home: str, news: Callable[[], None], *, may_start: bool = True) -> None:
        self._home = home
        self._news = news
        self._may_start = may_start
        self._thread: Thread | None = None
        self._result: Found | NoDaemon | None = None
        self._is_doubted = False

    @property
    def is_starting(self) -> bool:
        """Whether one is being started."""
        return self._thread is not None and self._result is None

    def doubt(self) -> None:
        """Whoever was found could not be reached: look whether it answers before it counts."""
        self._is_doubted = True

    def is_there(self, found: Found) -> bool:
        """Whether this one still lives, and listens: one that is dying may be found for a while."""
        try:
            self._connect(found).close()
        except OSError:
            return False
        return True

    def look(self) -> Connections | None:
        """The ways to a daemon that is there; None if there is none. NoDaemon: not to talk to."""
        found = discovery.find(self._home)
        return None if found is None else self._compared(found)

    def reach(self) -> Connections | None:
        """The ways to the daemon; None as long as one is being started. NoDaemon."""
        if self.is_starting:
            return None
        if self._thread is not None:
            result, self._thread, self._result = self._result, None, None
            self._is_doubted = False
            if isinstance(result, NoDaemon):
                raise result
            return self._compared(result) if result is not None else None
        found = None if self._is_doubted and self._may_start else self.look()
        if found is None and not self._may_start:
            raise NoDaemon("no daemon is running; hint: `hearth -d` starts one")
        if found is None:
            self._thread = Thread(target=self._start, daemon=True)
            self._thread.start()
        return found

    def _start(self) -> None:
        # Only who has to start a daemon pays for that.
        from hearth.daemon import starting  # noqa: PLC0415 - as the comment says

        try:
            self._result = starting.start(self._home)
        except starting.NotStarted as trouble:
            self._result = NoDaemon(
                f"hearth's daemon could not be started: {trouble.what}; hint: {trouble.hint}"
            )
        except Exception as defect:  # noqa: BLE001 - whoever waits must be told, whatever it is
            self._result = NoDaemon(f"hearth's daemon could not be started: {defect!r}")
        self._news()

    def _compared(self, found: Found) -> Connections:
        if versions.compare(versions.VERSION, found.version) == "incompatible":
            raise NoDaemon(versions.sentence(found.version))
        return Connections(found, self._connect)

    def _connect(self, found: Found) -> socket:
        """A new connection to this one, as long as it is the home's. OSError."""
        if discovery.find(self._home) != found:
            # Whoever listens on its port by now is a stranger, and must not be told the token.
            raise ConnectionRefusedError("it is gone")
        return connected(found)
