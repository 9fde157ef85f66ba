"""What becomes of each message: which goes to the daemon when, and what its client is told.

Touches sockets only through what it is given; `running` turns the loop.
"""

from __future__ import annotations

from collections import deque

from hearth.clients.mcp.answering import Heard, heard, is_forgotten, outcome, refusal, unanswered
from hearth.clients.mcp.errand import Errand
from hearth.clients.mcp.finding import NoDaemon
from hearth.clients.mcp.messages import (
    CONNECTION_LOST,
    INITIALIZE,
    INITIALIZED,
    INTERNAL_ERROR,
    LISTEN,
    PARSE_ERROR,
    NotUnderstood,
    key_of,
    routing_headers,
    understood,
    with_session,
)
from hearth.clients.mcp.reaching import Reaching
from hearth.clients.mcp.resuming import Resuming

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable
    from typing import Any, Final

    from hearth.clients.mcp.finding import Finding
    from hearth.clients.mcp.handshake import Handshake
    from hearth.clients.mcp.traffic import Traffic

MOST_OPEN: Final = 128
"""Requests that are with the daemon at the same time; more wait for their turn."""
MOST_WAITING: Final = 1000
MOST_BYTES: Final = 128 * 1024 * 1024
"""So much may wait before no more is read of the client."""
MOST_TRIES: Final = 3
"""How often something is sent that the daemon certainly did not take."""


class Bridge:
    """One client of MCP and the daemon behind it."""

    def __init__(
        self,
        finding: Finding,
        traffic: Traffic,
        write: Callable[[bytes], None],
        note: Callable[[str], None],
        session: str = "",
    ) -> None:
        self._traffic = traffic
        self._write = write
        self._note = note
        self._resuming = Resuming(self._send, self._not_taken_back, note)
        self._reaching = Reaching(
            finding, traffic, note, lost=self._resuming.lose, given_up=self._fail_waiting
        )
        self._session = session
        """The session of calls that name none, until the client chooses another."""
        self._waiting: deque[Errand] = deque()
        self._asked: dict[object, Errand] = {}
        """The client's requests without an answer, by the key of their ids."""
        self._open = 0
        self._said = 0

    @property
    def handshake(self) -> Handshake:
        """What a client of the earlier era has agreed on."""
        return self._resuming.handshake

    @property
    def is_busy(self) -> bool:
        """Whether a request of the client is to be answered soon."""
        return any(one.message and one.message.method != LISTEN for one in self._asked.values())

    @property
    def is_uneasy(self) -> bool:
        """Whether something is to be looked for though nothing happens."""
        is_stranded = bool(self._waiting) and not self._reaching.is_reached
        return is_stranded or self._resuming.is_lost or self._resuming.waits_for_stream

    @property
    def is_crowded(self) -> bool:
        """Whether the client has said more than it should before the daemon has got it."""
        waiting = self._waiting
        return len(waiting) > MOST_WAITING or sum(len(one.body) for one in waiting) > MOST_BYTES

    # -- what the client says --------------------------------------------------------------------

    def take(self, line: bytes | None) -> None:
        """A line of the client; None for one that was too long."""
        if line is None:
            self._write(refusal(None, PARSE_ERROR, "the line is longer than 64 MiB").line)
            return
        try:
            message = understood(line)
        except NotUnderstood as wrong:
            self._write(refusal(wrong.about, wrong.code, wrong.why).line)
            return
        if message.cancels is not None and self._takes_back(message.cancels):
            return
        if self._session and not self.handshake.chosen:
            message = with_session(message, self._session)
        errand = Errand("POST", message.raw, message=message)
        self._said += 1
        errand.place = self._said
        if message.is_request and (key := key_of(message.id)) is not None:
            self._asked[key] = errand
        self._waiting.append(errand)

    def _takes_back(self, key: object) -> bool:
        """Cancel a request of ours; whether that is all, and the daemon need not be told."""
        errand = self._asked.get(key)
        if errand is None or not (errand.is_modern or errand in self._waiting):
            return self.handshake.state == "none"
        del self._asked[key]
        if errand in self._waiting:
            self._waiting.remove(errand)
        else:
            self._let_go(errand)
        return True

    # -- to the daemon ---------------------------------------------------------------------------

    def pump(self) -> None:
        """Send what can be sent now, in the order it was said; after each turn of the loop."""
        while self._waiting and self._find_daemon():
            self._send_waiting()
            if self._reaching.is_reached:
                return
            # It was gone already, and nothing else may turn the loop: who is there is looked for.

    def _find_daemon(self) -> bool:
        """Whether there is one that takes something now; what waits fails if none can be had."""
        try:
            self._reaching.reach()
        except NoDaemon as trouble:
            self._fail_waiting(str(trouble))
        return self._reaching.is_ready

    def _send_waiting(self) -> None:
        held: deque[Errand] = deque()
        while self._waiting:
            errand = self._waiting.popleft()
            if not self._may_go(errand):
                held.append(errand)
            elif not self._send(errand):
                held.append(errand)
                break
        held.extend(self._waiting)
        self._waiting = held

    def _may_go(self, errand: Errand) -> bool:
        message = errand.message
        if message is None or not self._reaching.is_reached:
            return False
        if errand.is_request and message.method != "ping" and self._open >= MOST_OPEN:
            return False
        if errand.is_modern or self.handshake.state in {"none", "open"}:
            return True
        if self._resuming.is_lost:
            if message.method == INITIALIZE:
                return True
            self._resuming.resume()
        return False

    def _send(self, errand: Errand) -> bool:
        """Whether it is on its way."""
        if not self._reaching.is_reached:
            return False
        message = errand.message
        handshake = self.handshake
        if message is not None and not message.is_modern:
            if message.method == INITIALIZE:
                if handshake.id:
                    self._say_goodbye()
                handshake.begin(message)
            elif handshake.state == "none" and not message.is_request:
                return True  # nobody is there to hear it
            elif message.method == INITIALIZED:
                handshake.state, handshake.initialized = "opening", message
        headers = routing_headers(message) if message and message.is_modern else handshake.headers
        errand.tries += 1
        errand.headers = headers
        try:
            self._reaching.send(errand, headers)
        except OSError as error:
            return self._not_sent(errand, error)
        self._open += errand.is_request
        return True

    def _not_sent(self, errand: Errand, error: OSError) -> bool:
        """Nobody answers where a daemon was; whether that is the end of it."""
        self._undo(errand)
        if errand.message is None or errand.tries < MOST_TRIES:
            # What opens a connection is said again with all the rest.
            return errand.message is not None and errand.message.method == INITIALIZED
        self._end(errand, f"hearth's daemon cannot be reached: {error.strerror or error}")
        return True

    def _undo(self, errand: Errand) -> None:
        """The daemon did not take it: a handshake stands as before."""
        message = errand.message
        if message is not None and self.handshake.state == "opening" and not message.is_modern:
            if message.method == INITIALIZE:
                self.handshake.state = "none"
            elif message.method == INITIALIZED:
                self.handshake.state = "lost"

    def _fail_waiting(self, why: str) -> None:
        waiting, self._waiting = self._waiting, deque()
        for errand in waiting:
            self._end(errand, why)

    def _say_goodbye(self) -> None:
        """The client begins again: what it had is not needed any more."""
        if self._resuming.stream is not None:
            self._let_go(self._resuming.stream)
            self._resuming.stream = None
        try:  # noqa: SIM105 - contextlib costs more than all of this
            self._reaching.send(Errand("DELETE", then=lambda _: None), self.handshake.headers)
        except OSError:
            pass  # it is gone, and with it what the client had

    # -- what the daemon says --------------------------------------------------------------------

    def came(self, errand: Errand, text: str) -> None:
        """A message of the stream that answers an errand."""
        found = heard(text)
        if found is None:
            self._note("the daemon sent something that is no message; it is left out")
        elif found.is_answer and errand is not self._resuming.stream:
            if not errand.is_answered:
                self._answered(errand, found)
        elif errand.then is None:
            self._write(found.line)

    def finished(self, errand: Errand) -> None:
        """The answer of the daemon is complete."""
        exchange = errand.exchange
        if exchange is None:
            return
        self._open -= errand.is_request
        self._reaching.take_back(exchange)
        if errand is self._resuming.stream:
            self._resuming.stream_ended(exchange.status)
        elif errand.message is None:
            said = heard(exchange.body.decode("utf-8", "replace")) if exchange.body else None
            self._tell(errand, errand.heard or (said.said if said else {}), exchange.status)
        elif self._is_forgotten(errand, exchange.status, exchange.body):
            self._forgotten(errand)
        elif errand.is_request and not errand.is_answered:
            self._settle(errand, exchange.status, exchange.body, is_stream=exchange.is_stream)
        elif errand.message.method == INITIALIZED:
            self._resuming.confirmed()

    def broke(self, errand: Errand, why: str) -> None:
        """The connection of an errand is gone."""
        self._open -= errand.is_request
        if errand.exchange is not None:
            errand.exchange.close()
        self._reaching.broke(errand)
        if errand is self._resuming.stream:
            self._resuming.stream = None
        elif not errand.is_answered:
            self._undo(errand)
            self._end(errand, why, was_sent=True)

    def _is_forgotten(self, errand: Errand, status: int, body: bytes) -> bool:
        """Whether the daemon did nothing because it does not know the connection any more."""
        is_ours = not errand.is_modern and self.handshake.state in {"open", "opening", "lost"}
        return is_ours and errand.tries < MOST_TRIES and is_forgotten(status, body)

    def _forgotten(self, errand: Errand) -> None:
        """What it asks is asked again, once the daemon knows the client."""
        if errand.message is not None and errand.message.method == INITIALIZED:
            self.handshake.state = "lost"
            return
        if errand.headers == self.handshake.headers:
            self.handshake.lose()  # else it is known already, and perhaps agreed on anew
        before = sum(one.place < errand.place for one in self._waiting)
        self._waiting.insert(before, errand)

    def _settle(self, errand: Errand, status: int, body: bytes, *, is_stream: bool) -> None:
        """Answer a request whose answer came as a body, or did not come."""
        if errand.message is None:
            return
        if is_stream:
            self._end(errand, "its stream ended", was_sent=True)
        else:
            self._answered(errand, outcome(errand.message.id, status, body))

    def _answered(self, errand: Errand, found: Heard) -> None:
        errand.is_answered = True
        errand.heard = found.said
        message = errand.message
        if message is None:
            return  # one of our own, and told when all of it is here
        if self._asked.get(key := key_of(message.id)) is errand:
            del self._asked[key]
        if message.method == INITIALIZE and not message.is_modern:
            headers = errand.exchange.headers if errand.exchange is not None else {}
            if not self.handshake.opened(headers, found.said):
                self.handshake.state = "none"
        else:
            self.handshake.noted(message, found.said)
        self._write(found.line)

    def _end(self, errand: Errand, why: str, *, was_sent: bool = False) -> None:
        """The daemon will not answer: say so to whoever waits."""
        if errand.then is not None:
            self._tell(errand, None)
        elif errand.message is not None and errand.is_request:
            about = errand.message.id
            self._answered(
                errand,
                unanswered(about, why) if was_sent else refusal(about, CONNECTION_LOST, why),
            )

    def _tell(self, errand: Errand, said: dict[str, Any] | None, status: int = 0) -> None:
        """Give the answer of one of our own to who wanted it."""
        if errand.then is not None:
            errand.then(said if status < 400 else None)

    def _let_go(self, errand: Errand) -> None:
        self._open -= errand.is_request
        errand.is_answered = True
        self._traffic.drop(errand)

    # -- the earlier era's connection ------------------------------------------------------------

    def look_around(self) -> None:
        """After a while: take up a connection that was lost, if there is a daemon again."""
        if self._resuming.is_lost:
            try:
                self._reaching.look()
            except NoDaemon:
                return  # whoever asks for something is told
        if not self._reaching.is_ready:
            return
        if self._resuming.is_lost:
            self._resuming.resume()
        elif self._resuming.waits_for_stream:
            self._resuming.open_stream()

    def _not_taken_back(self, why: str) -> None:
        """The daemon does not want the client: who waits for that is told, all others wait on."""
        if not self._reaching.is_reached:
            return  # it is gone again: another one is looked for
        held, self._waiting = self._waiting, deque()
        told = f"hearth's daemon did not take the client back: {why or 'it did not answer'}"
        for errand in held:
            if errand.is_modern:
                self._waiting.append(errand)
            elif errand.is_request and errand.message is not None:
                self._answered(errand, refusal(errand.message.id, INTERNAL_ERROR, told))
