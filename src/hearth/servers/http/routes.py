"""The one table of routes: where, who may, what is taken, what is answered.

Dispatch, the check of standing, OpenAPI and the tests that attack every route read it; a route
that is not in it cannot be served.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hearth.api import Accepted, Settled
from hearth.core.vocabulary.commands import Command
from hearth.credentials.standing import Act
from hearth.servers.http.around import ConfigShown, TrustShown
from hearth.servers.http.asked import Nothing
from hearth.servers.http.shapes import (
    AnyView,
    BlocksSeen,
    CodeMade,
    Compare,
    Compared,
    Created,
    Health,
    Info,
    NewSession,
    NewToken,
    SeenSessions,
    SeenStatus,
    Shutdown,
    TokenMade,
    TokensListed,
    TreeSeen,
    TrustGranted,
    Up,
)

STREAM: Final = "text/event-stream"
BYTES: Final = "application/octet-stream"
PAGE: Final = "text/html"
ANYTHING: Final = "*/*"


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    act: Act
    summary: str
    takes: Any = None
    """The type of its JSON body."""
    answers: Mapping[int, Any] = field(default_factory=dict)
    """By status: the type of the JSON, or the media type of what is no JSON."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The parameters of its query, and what each means."""
    required: bool = False
    """Whether those must be given."""
    headers: tuple[str, ...] = ()
    """The request headers that mean something to it alone."""
    open: bool = False
    """It takes no token: what it is called with is a credential of its own."""

    @property
    def streams(self) -> bool:
        """Whether its answer goes on for as long as the client listens."""
        return STREAM in self.answers.values()


def get(path: str, summary: str, **more: Any) -> Operation:
    """A route that only looks."""
    return Operation("GET", path, Act.LOOK, summary, **more)


def post(path: str, summary: str, act: Act = Act.WORK, **more: Any) -> Operation:
    """A route that does something."""
    return Operation("POST", path, act, summary, **more)


def delete(path: str, summary: str, act: Act = Act.WORK, **more: Any) -> Operation:
    """A route that ends something."""
    return Operation("DELETE", path, act, summary, **more)


_DIRECTORY: Final = {"directory": "an absolute path"}
_COMMANDING: Final = ("Idempotency-Key", "Prefer")

OPERATIONS: Final[tuple[Operation, ...]] = (
    get("/health", "Whether the daemon lives", answers={200: Health}),
    get("/api/daemon-info", "Which daemon this is", answers={200: Info}),
    get("/sessions", "All sessions, the most recently used first", answers={200: SeenSessions}),
    post(
        "/sessions",
        "Begin a session, or find the live one of a directory",
        takes=NewSession,
        answers={200: Up, 201: Up, 202: Created},
        headers=_COMMANDING,
    ),
    get("/sessions/{id}", "How one session stands", answers={200: SeenStatus}),
    delete("/sessions/{id}", "Stop a session; its log stays", answers={202: Accepted}),
    post(
        "/sessions/{id}/commands",
        "Ask a session for something",
        takes=Command,
        answers={200: Settled, 202: Accepted},
        headers=_COMMANDING,
    ),
    get(
        "/sessions/{id}/blocks",
        "The blocks of a conversation page by page, the newest first",
        query={
            "before": "a version: only blocks before it; the newest ones if it is left out",
            "limit": "how many, 50 if it is left out and 1000 at most",
        },
        answers={200: BlocksSeen},
    ),
    get(
        "/sessions/{id}/tree",
        "The forks around a session, each behind the one it came from",
        answers={200: TreeSeen},
    ),
    post(
        "/sessions/{id}/compare",
        "Which variables another session holds otherwise",
        takes=Compare,
        answers={200: Compared},
        headers=("Prefer",),
    ),
    get("/sessions/{id}/views/{name}", "A view of one session", answers={200: AnyView}),
    get("/views/{name}", "A view of all sessions", answers={200: AnyView}),
    get("/blobs/{sha256}", "Content that was too large for an event", answers={200: BYTES}),
    get(
        "/config",
        "The settings that count in a directory",
        query=_DIRECTORY,
        required=True,
        answers={200: ConfigShown},
    ),
    get(
        "/trust",
        "Whether what a project wants to run may run",
        query=_DIRECTORY,
        required=True,
        answers={200: TrustShown},
    ),
    post(
        "/trust",
        "Trust a project's files as they are",
        Act.GOVERN,
        takes=TrustGranted,
        answers={200: TrustShown},
    ),
    post(
        "/codes",
        "A one-time code for a browser",
        Act.GOVERN,
        takes=Nothing,
        answers={200: CodeMade},
    ),
    get(
        "/login",
        "Turn a one-time code into a cookie",
        query={"code": "a one-time code"},
        required=True,
        answers={303: None},
        open=True,
    ),
    post("/logout", "End the cookie of this browser", Act.LOOK, takes=Nothing, answers={204: None}),
    Operation("GET", "/tokens", Act.GOVERN, "Who has a token", answers={200: TokensListed}),
    post(
        "/tokens",
        "Give out a token",
        Act.GOVERN,
        takes=NewToken,
        answers={201: TokenMade},
    ),
    delete("/tokens/{name}", "End a token", Act.GOVERN, answers={204: None}),
    post(
        "/tokens/rotate",
        "Another token for the person; cookies and codes end",
        Act.GOVERN,
        takes=Nothing,
        answers={200: TokenMade},
    ),
    post(
        "/shutdown",
        "End the daemon",
        Act.GOVERN,
        takes=Shutdown,
        answers={202: Nothing},
    ),
    get("/openapi.json", "This description", answers={200: dict}),
    get("/docs", "A page to try it", answers={200: PAGE}),
    get("/", "To the dashboard", answers={303: None}),
    get("/pages/{file}", "What the pages are made of", answers={200: ANYTHING}),
)
