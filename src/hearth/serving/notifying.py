"""Tells systemd how the daemon is, where systemd runs it."""

import os
import socket
from collections.abc import MutableMapping

ASKED_FOR = "NOTIFY_SOCKET"


class Notifying:
    """Speaks to the one who started us, if that is systemd; otherwise says nothing."""

    def __init__(self, environ: MutableMapping[str, str] = os.environ) -> None:
        # Taken out: no interpreter may speak for the daemon.
        address = environ.pop(ASKED_FOR, "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address

    def ready(self) -> None:
        """Whoever waits for the daemon need wait no longer."""
        self._say("READY=1")

    def stopping(self) -> None:
        """It ends on purpose."""
        self._say("STOPPING=1")

    def _say(self, word: str) -> None:
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaking:
            try:
                speaking.connect(self._address)
                speaking.sendall(word.encode())
            except OSError:
                pass  # nobody listens: it is a courtesy, and the daemon works all the same
