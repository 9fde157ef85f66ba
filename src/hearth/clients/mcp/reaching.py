"""The daemon as it is reached, lost, and asked whether it lives before it gets more to do."""

from __future__ import annotations

from hearth.clients.mcp.errand import Errand

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable, Mapping
    from typing import Any, Final

    from hearth.clients.mcp.exchange import Connections, Exchange
    from hearth.clients.mcp.finding import Finding
    from hearth.clients.mcp.traffic import Traffic

MOST_PROBES: Final = 1000
"""How often a daemon is looked at that takes connections and ends them: one that dies does."""


class Reaching:
    """The way to the one daemon that is spoken with, if there is any.

    `lost` is called when it is gone, `given_up` with the reason when it answers nothing for good.
    """

    def __init__(
        self,
        finding: Finding,
        traffic: Traffic,
        note: Callable[[str], None],
        *,
        lost: Callable[[], None],
        given_up: Callable[[str], None],
    ) -> None:
        self._finding = finding
        self._traffic = traffic
        self._note = note
        self._lost = lost
        self._given_up = given_up
        self._connections: Connections | None = None
        self._probing: Errand | None = None
        """Looks whether a daemon answers; until then nothing else is sent."""
        self._is_shaken = False
        """A connection broke off: one that is dying still takes what nobody will read."""
        self._in_vain = 0

    @property
    def is_reached(self) -> bool:
        """Whether there is a daemon, as far as is known."""
        return self._connections is not None

    @property
    def is_ready(self) -> bool:
        """Whether there is one that may get something to do."""
        return self._connections is not None and self._probing is None

    def reach(self) -> None:
        """Find one, or have one started, unless there is one. NoDaemon."""
        if self._connections is None and self._probing is None:
            self._take_up(self._finding.reach())

    def look(self) -> None:
        """Find one that is there, unless it is known already. NoDaemon: not to talk to."""
        if self._connections is None and self._probing is None:
            self._take_up(self._finding.look())

    def send(self, errand: Errand, headers: Mapping[str, str]) -> None:
        """Send it off. OSError if nobody takes it where a daemon was; then that one is lost."""
        try:
            if self._connections is None:
                raise ConnectionRefusedError("it is gone")
            self._traffic.begin(errand, self._connections, headers)
        except OSError:
            self._finding.doubt()
            self._lose()
            raise

    def take_back(self, exchange: Exchange) -> None:
        """The connection of an answer that is complete."""
        if self._connections is not None and exchange.is_reusable:
            self._connections.give_back(exchange.line)
        else:
            exchange.close()

    def broke(self, errand: Errand) -> None:
        """A connection broke off: is it the daemon, or was it this one alone?"""
        connections = self._connections
        if connections is None or errand is self._probing:
            return  # there is nothing to doubt, or it is told by itself
        if not self._finding.is_there(connections.found):
            self._lose()
        elif self._probing is None:
            connections.close()
            self._is_shaken = True
            self._probe()

    def _take_up(self, connections: Connections | None) -> None:
        """Speak with this daemon from now on; after a loss, once it has answered something."""
        self._connections = connections
        if connections is not None and self._is_shaken:
            self._probe()

    def _probe(self) -> None:
        errand = Errand("GET", path="/health")

        def then(_: dict[str, Any] | None) -> None:
            self._probing = None
            if errand.exchange is not None and errand.exchange.status:
                self._is_shaken, self._in_vain = False, 0
                return
            self._lose()
            self._in_vain += 1
            if self._in_vain >= MOST_PROBES:
                self._in_vain = 0
                self._given_up("hearth's daemon takes connections, and answers nothing")

        errand.then = then
        self._probing = errand
        try:
            self.send(errand, {})
        except OSError:
            then(None)

    def _lose(self) -> None:
        if self._connections is not None:
            if not self._in_vain:
                self._note("the daemon is gone; the next request finds it again, or starts it")
            self._connections.close()
            self._connections = None
        self._is_shaken = True
        self._lost()
