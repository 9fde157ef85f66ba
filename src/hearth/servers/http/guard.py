"""What every request passes before anything else happens, on every path, known or not.

In this order: was it meant for us (Host, then where a browser says it is from), who asks, may they,
do they ask too often, do they speak our version, is the body fit. Only then is the body read.
"""

import logging
import math
import time
from collections.abc import Callable, Mapping
from typing import Final
from uuid import uuid4

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from hearth.core.vocabulary.origin import Origin
from hearth.credentials.standing import (
    KNOWN,
    UNKNOWN,
    Bucket,
    Credential,
    Rate,
    attributed,
    may,
    spend,
)
from hearth.credentials.tokens import Tokens
from hearth.daemon.versions import VERSION, compare, sentence
from hearth.servers.http import bodies, telling
from hearth.servers.http.addressed import hosts, misdirected
from hearth.servers.http.answers import COMMON, Trouble, defect, troubled
from hearth.servers.http.asked import CREDENTIAL, ORIGIN, Declined, claimed
from hearth.servers.http.conversation import TRANSPORT
from hearth.servers.http.declining import (
    SAFE,
    bad_token,
    decline,
    elsewhere,
    no_token,
    not_allowed,
    unsaid,
)
from hearth.servers.http.routing import Found, Routing

COOKIE: Final = "hearth"
ONCE: Final = frozenset(
    {
        *(b"host", b"authorization", b"origin", b"sec-fetch-site", b"cookie", b"content-type"),
        *(b"content-length", b"content-encoding", b"hearth-origin", b"hearth-client"),
        *(b"idempotency-key", b"prefer", b"last-event-id"),
        *(b"mcp-session-id", b"mcp-protocol-version", b"hearth-directory"),
    }
)
"""Headers that have one meaning: said twice, two readers could see two meanings."""

MOST_PEERS: Final = 1000

_said = logging.getLogger(__name__)


class Guard:
    """The application in front of all others."""

    def __init__(
        self, routing: Routing, tokens: Tokens, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._routing = routing
        self._tokens = tokens
        self._clock = clock
        self._spent: dict[str, Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever it is."""
        if scope["type"] != "http":
            raise AssertionError(f"nothing here speaks {scope['type']}")
        answering = _Answering(send)
        telling.begin(answering.request_id)
        try:
            await self._answer(scope, receive, answering)
        except bodies.ClientGone:
            answering.status = answering.status or 499
        except Exception:  # noqa: BLE001 - a defect is contained here
            await self._confess(scope, receive, answering)
        finally:
            took = time.perf_counter() - answering.began
            telling.answered(scope["method"], scope["path"], answering.status, took)

    async def _answer(self, scope: Scope, receive: Receive, send: "_Answering") -> None:
        headers: dict[bytes, bytes] = {}
        twice: set[bytes] = set()
        for name, value in scope["headers"]:
            if name in headers:
                twice.add(name)
            headers[name] = value
        unread = scope["method"] not in SAFE and bodies.has_body(headers)
        try:
            found = self._admitted(scope, headers, twice)
            body = await self._body(scope, receive, headers)
            unread = False
            if not isinstance(found, Found):
                await found(scope, receive, send)
                return
            scope["path_params"] = dict(found.params)
            onward = receive if body is None else bodies.again(body, receive)
            await found.app(scope, onward, send)
        except Declined as declined:
            rest = headers if unread else {}
            await decline(declined.trouble, scope, receive, send, rest)
        except HTTPException as error:
            trouble = Trouble(error.status_code, "not_done", error.detail)
            await decline(trouble, scope, receive, send, {})

    async def _confess(self, scope: Scope, receive: Receive, send: "_Answering") -> None:
        """A defect of ours ends this request and no other. The client learns where to look."""
        _said.exception("a request could not be answered", extra=dict(telling.about()))
        # What was said already cannot be taken back; it is cut off, so that it looks incomplete.
        if not send.status:
            await troubled(defect(send.request_id))(scope, receive, send)

    # -- the steps ----------------------------------------------------------------------------

    def _admitted(
        self, scope: Scope, headers: Mapping[bytes, bytes], twice: set[bytes]
    ) -> Found | Response:
        """What the request means, now that it may be done. Declined."""
        self._check_address(scope, headers, twice)
        found = self._routing.find(scope["method"], scope["path"])
        if isinstance(found, Found) and found.operation.open:
            self._check_rate(f"open {_peer(scope)}", UNKNOWN)
            return found
        credential = self._known(scope, headers, twice)
        scope[CREDENTIAL] = credential
        # Also of what is not let: who tried it stands in the log.
        telling.known(credential.standing, credential.name)
        if twice & ONCE:
            name = min(twice & ONCE).decode()
            raise Declined(Trouble(400, "malformed", f"the header {name} is there twice"))
        if isinstance(found, Found) and not may(credential.standing, found.operation.act):
            raise Declined(not_allowed(credential, found))
        self._check_rate(f"{credential.standing} {credential.name}", KNOWN)
        _check_version(headers)
        scope[ORIGIN] = _origin(credential, headers)
        telling.by(scope[ORIGIN])
        return found if isinstance(found, Found) else elsewhere(scope, found)

    def _check_address(
        self, scope: Scope, headers: Mapping[bytes, bytes], twice: set[bytes]
    ) -> None:
        over = scope["extensions"][TRANSPORT]["over"]
        server = scope.get("server")
        port = server[1] if server else None
        trouble = misdirected(
            None if b"host" in twice else _text(headers, b"host"),
            "twice" if b"origin" in twice else _text(headers, b"origin"),
            _text(headers, b"sec-fetch-site"),
            hosts(over, port),
        )
        if trouble is not None:
            raise Declined(trouble)

    def _known(self, scope: Scope, headers: Mapping[bytes, bytes], twice: set[bytes]) -> Credential:
        """Who asks. Declined."""
        trouble = no_token()
        if b"authorization" in headers:
            scheme, _, token = headers[b"authorization"].decode("latin-1").partition(" ")
            if scheme.lower() == "bearer" and b"authorization" not in twice:
                credential = self._tokens.who(token.strip())
                if credential is not None:
                    return credential
            trouble = bad_token()
        elif b"cookie" in headers:
            credential = self._by_cookie(headers[b"cookie"].decode("latin-1"))
            if credential is not None:
                if scope["method"] not in SAFE and not _says_where_from(headers):
                    raise Declined(unsaid())
                return credential
            trouble = bad_token()
        self._check_rate(f"unknown {_peer(scope)}", UNKNOWN)
        raise Declined(trouble)

    def _by_cookie(self, header: str) -> Credential | None:
        """Of several cookies of our name, which another port can set too, any good one counts."""
        for pair in header.split(";"):
            name, _, value = pair.strip().partition("=")
            if name == COOKIE and (known := self._tokens.cookie(value)) is not None:
                return known
        return None

    def _check_rate(self, who: str, rate: Rate) -> None:
        if len(self._spent) > MOST_PEERS:
            self._spent.clear()
        self._spent[who], early = spend(self._spent.get(who), rate, self._clock())
        if early:
            raise Declined(
                Trouble(
                    429,
                    "too_many_requests",
                    f"more than {rate.each_second:g} requests came within a second",
                    "ask less often; follow a stream instead of asking again",
                    headers={"Retry-After": str(math.ceil(early))},
                )
            )

    async def _body(
        self, scope: Scope, receive: Receive, headers: Mapping[bytes, bytes]
    ) -> bytes | None:
        """The body of a request that may have one; None for the others. Declined."""
        if scope["method"] in SAFE:
            return None
        if (trouble := bodies.unfit(headers)) is not None:
            raise Declined(trouble)
        body = await bodies.read(receive)
        if isinstance(body, Trouble):
            raise Declined(body)
        return body


class _Answering:
    """`send`, with what is on every answer; it remembers what was answered."""

    __slots__ = ("_send", "began", "request_id", "status")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.began = time.perf_counter()
        self.request_id = uuid4().hex[:16]
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [*COMMON, (b"x-request-id", self.request_id.encode())]
            message = {**message, "headers": [*message.get("headers", ()), *own]}
        await self._send(message)


def _origin(credential: Credential, headers: Mapping[bytes, bytes]) -> Origin:
    said = _text(headers, b"hearth-origin")
    origin = attributed(credential, None if said is None else claimed(said))
    if isinstance(origin, str):
        raise Declined(Trouble(403, "not_allowed", origin))
    return origin


def _check_version(headers: Mapping[bytes, bytes]) -> None:
    theirs = _text(headers, b"hearth-client")
    if theirs is not None and compare(VERSION, theirs) == "incompatible":
        what, _, hint = sentence(VERSION, theirs[:40]).partition("; hint: ")
        upgrade = {"Upgrade": f"hearth/{VERSION}"}
        raise Declined(Trouble(426, "wrong_version", what, hint, headers=upgrade))


def _says_where_from(headers: Mapping[bytes, bytes]) -> bool:
    """Whether the browser said so; what it said has been looked at before."""
    return b"origin" in headers or headers.get(b"sec-fetch-site") == b"same-origin"


def _peer(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "unix"


def _text(headers: Mapping[bytes, bytes], name: bytes) -> str | None:
    value = headers.get(name)
    return None if value is None else value.decode("latin-1")
