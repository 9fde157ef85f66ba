"""The process around the doors, as they see it."""

import os
from collections.abc import Callable
from datetime import UTC, datetime

from hearth.daemon.discovery import Found, announce, withdraw
from hearth.daemon.versions import VERSION
from hearth.servers.http.around import DaemonInfo
from hearth.servers.http.sockets import Bound
from hearth.serving.stopping import Stopping


class ThisDaemon:
    """Tells about this process, has it found, and lets it be stopped."""

    def __init__(
        self, home: str, bound: Bound, store: str, stopping: Stopping, resumed: Callable[[], int]
    ) -> None:
        self._home = home
        self._port = bound.port
        self._socket = str(bound.path)
        self._store = store
        self._stopping = stopping
        self._resumed = resumed
        self._started_at = datetime.now(UTC)
        self._announced = False

    def info(self) -> DaemonInfo:
        """Which process this is, and where it is reached."""
        return DaemonInfo(
            pid=os.getpid(),
            port=self._port,
            socket=self._socket,
            started_at=self._started_at,
            version=VERSION,
            home=self._home,
            store=self._store,
            resumed=self._resumed(),
        )

    def stop(self, *, end_sessions: bool) -> None:
        """Begin to end; returns at once."""
        self._stopping.ask("somebody asked for it", end_sessions=end_sessions)

    def rotated(self, token: str) -> None:
        """Have clients find the new token. OSError."""
        if self._announced:
            self.announce(token)

    def announce(self, token: str) -> None:
        """Be found from now on. OSError."""
        announce(
            self._home,
            Found(
                pid=os.getpid(),
                port=self._port,
                socket=self._socket,
                token=token,
                started_at=f"{self._started_at:%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z",
                version=VERSION,
            ),
        )
        self._announced = True

    def withdraw(self) -> None:
        """Be found no longer."""
        self._announced = False
        withdraw(self._home, os.getpid())
