"""All that is under way to the daemon at once: sockets that are looked at when they are ready."""

from __future__ import annotations

import select

from hearth.clients.mcp.errand import Errand, How, request_bytes
from hearth.clients.mcp.exchange import Connections, Exchange, Lost

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping
    from typing import Protocol

    class Listener(Protocol):
        """Who is told what comes of errands."""

        def came(self, errand: Errand, text: str) -> None:
            """A message of a stream."""

        def finished(self, errand: Errand) -> None:
            """The whole answer is here."""

        def broke(self, errand: Errand, why: str) -> None:
            """No answer will come."""


class Traffic:
    """Errands under way."""

    def __init__(self, poll: select.poll, how: How) -> None:
        self._poll = poll
        self._how = how
        self._under_way: dict[int, Errand] = {}

    def begin(self, errand: Errand, connections: Connections, headers: Mapping[str, str]) -> None:
        """Send it off. OSError if the daemon cannot be reached; then nothing was sent."""
        line = connections.take()
        data = request_bytes(errand, line, connections.found, self._how, headers)
        errand.exchange = Exchange(line, data)
        errand.is_answered = False
        errand.exchange.write()
        self._under_way[line.fileno()] = errand
        self._register(line.fileno(), errand.exchange)

    def knows(self, descriptor: int) -> bool:
        """Whether something of ours is under way there."""
        return descriptor in self._under_way

    def go_on(self, descriptor: int, happened: int, listener: Listener) -> None:
        """Do what can be done now where the system says that something happened."""
        errand = self._under_way[descriptor]
        exchange = errand.exchange
        if exchange is None:
            return
        if happened & select.POLLOUT and exchange.wants_to_write:
            exchange.write()
            self._register(descriptor, exchange)
        if not happened & ~select.POLLOUT:
            return
        try:
            texts = exchange.read()
        except Lost as lost:
            self._forget(descriptor)
            listener.broke(errand, str(lost))
            return
        for text in texts:
            listener.came(errand, text)
        if exchange.is_done and self._under_way.get(descriptor) is errand:
            self._forget(descriptor)
            listener.finished(errand)

    def drop(self, errand: Errand) -> None:
        """Hang up."""
        if errand.exchange is not None:
            descriptor = errand.exchange.line.fileno()
            if self._under_way.get(descriptor) is errand:
                self._forget(descriptor)
            errand.exchange.close()

    def pause(self) -> None:
        """Read nothing for now: whoever should get it does not read either."""
        for descriptor in self._under_way:
            self._poll.modify(descriptor, 0)

    def resume(self) -> None:
        """Read again."""
        for descriptor, errand in self._under_way.items():
            if errand.exchange is not None:
                self._register(descriptor, errand.exchange)

    def close(self) -> None:
        """Hang up everywhere."""
        for errand in list(self._under_way.values()):
            self.drop(errand)

    def _register(self, descriptor: int, exchange: Exchange) -> None:
        writes = select.POLLOUT if exchange.wants_to_write else 0
        self._poll.register(descriptor, select.POLLIN | writes)

    def _forget(self, descriptor: int) -> None:
        del self._under_way[descriptor]
        self._poll.unregister(descriptor)
