"""A stream of events that finds its daemon again when it was lost."""

from __future__ import annotations

import time

from hearth.clients.cli import reaching
from hearth.clients.cli.troubles import UNREACHABLE, Trouble, no_daemon
from hearth.clients.cli.wire import Wire
from hearth.daemon import discovery
from hearth.daemon.home import hearth_home
from hearth.daemon.persons import author

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable
    from typing import Final

    from hearth.clients.cli.server_sent import Sent

PAUSE: Final = 0.25
"""Seconds between two looks for a daemon that is gone."""
GONE: Final = "the daemon is gone; waiting for it to come back"
BACK: Final = "the daemon is back"


class Following:
    """Events from a cursor on. What is durable is neither missed nor repeated over a restart."""

    def __init__(
        self,
        wire: Wire,
        path: str,
        after: int,
        *,
        patience: float | None,
        tell: Callable[[str], None],
    ) -> None:
        """`patience`: how long a daemon may be gone; None: for ever. `tell` is told that it is."""
        self.wire = wire
        """The daemon that is followed now."""
        self.cursor = after
        self._path = path
        self._patience = patience
        self._tell = tell
        self.lost: Callable[[], None] | None = None
        """Called when the connection was: from then on, some progress may be missing."""
        self._stream = wire.stream(path, after)

    def fileno(self) -> int:
        """For select; look at `next(0)` first."""
        return self._stream.fileno()

    def next(self, patience: float | None = None) -> Sent | None:
        """The next event; None if none comes in this time. Trouble if the daemon stays away."""
        try:
            sent = self._stream.next(patience)
        except Trouble as trouble:
            if trouble.ending != UNREACHABLE:
                raise
            self._again(trouble)
            if patience is None:
                return self.next()
            # What came with the new connection is here already: nobody would be woken for it.
            sent = self._stream.ready()
        if sent is not None and sent.id.isdecimal():
            self.cursor = int(sent.id)
        return sent

    def close(self) -> None:
        """Let the connections go."""
        self._stream.close()
        self.wire.close()

    def _again(self, lost: Trouble) -> None:
        """Find the daemon again and go on behind what was seen."""
        self.close()
        if self.lost is not None:
            self.lost()
        until = None if self._patience is None else time.monotonic() + self._patience
        is_told = False
        while until is None or time.monotonic() < until:
            found = discovery.find(hearth_home())
            if found is not None:
                if found.version != self.wire.found.version:
                    reaching.compare(found)
                wire = Wire(found, author())
                try:
                    self._stream = wire.stream(self._path, self.cursor)
                except Trouble as trouble:
                    wire.close()
                    if trouble.ending != UNREACHABLE and trouble.code != "shutting_down":
                        raise
                    lost = trouble
                else:
                    self.wire = wire
                    if is_told:
                        self._tell(BACK)
                    return
            if not is_told:
                self._tell(GONE)
                is_told = True
            time.sleep(PAUSE)
        raise lost if discovery.find(hearth_home()) is not None else no_daemon(hearth_home())
