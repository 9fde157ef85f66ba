"""The routes of the dashboard, for the table of routes."""

from typing import Final

from hearth.credentials.standing import Act
from hearth.servers.dashboard.shapes import (
    KEEP,
    REWIND,
    BranchKept,
    PanelWanted,
    Revoked,
    RewindWanted,
    TabJoined,
    TabMeant,
)
from hearth.servers.dashboard.sidebar import operations as sidebar
from hearth.servers.http.routes import ANYTHING, PAGE, STREAM, Operation, get, post

_OF_CELL: Final = "/{version}/{cell}/{number}"
_WORDS: Final = {404: "text/plain", 503: "text/plain"}
"""Why there is nothing, for who sees it in a frame."""

OWN: Final[tuple[Operation, ...]] = (
    get("/dashboard", "The page of all sessions", answers={200: PAGE}),
    get("/dashboard/s/{id}", "The page of one session", answers={200: PAGE}),
    get(
        "/dashboard/s/{id}/items",
        "Items of a session's timeline, as markup",
        query={
            "before": "a place: the items before it",
            "after": "a place: the items behind it",
            "at": "a version: the items around it",
        },
        answers={200: PAGE},
    ),
    get("/dashboard/s/{id}/text", "A conversation as text", answers={200: "text/plain"}),
    get(
        f"/dashboard/s/{{id}}/frame{_OF_CELL}",
        "An output of a cell as a page of its own, in which nothing runs",
        answers={200: PAGE, **_WORDS},
    ),
    get(
        f"/dashboard/s/{{id}}/output{_OF_CELL}",
        "A picture that a cell showed",
        answers={200: ANYTHING, **_WORDS},
    ),
    get(
        "/dashboard/s/{id}/blob/{sha256}",
        "Content that was too large for an event, to be read",
        query={"type": "text, png, jpeg, gif or webp"},
        answers={200: ANYTHING, **_WORDS},
    ),
    get("/dashboard/assets/{file}", "What the dashboard is made of", answers={200: ANYTHING}),
    get(
        "/dashboard/lines/{line}",
        "What the tabs of one browser show, as patches for their pages",
        query={"tab": "a name, a dot and the id of a session; once for each tab"},
        headers=("Last-Event-ID",),
        answers={200: STREAM},
    ),
    post(
        "/dashboard/tabs",
        "Show a tab more on a line",
        Act.LOOK,
        takes=TabJoined,
        answers={204: None},
    ),
    post("/dashboard/tabs/leave", "A tab is gone", Act.LOOK, takes=TabMeant, answers={204: None}),
    post(
        "/dashboard/session/switch/{id}",
        "Let one tab show another session",
        Act.LOOK,
        takes=TabMeant,
        answers={204: None},
    ),
    post(
        "/dashboard/panel",
        "Let one tab show a panel",
        Act.LOOK,
        takes=PanelWanted,
        answers={204: None},
    ),
    post(
        "/dashboard/revoke",
        "Take a grant back, out of the dashboard",
        Act.GOVERN,
        takes=Revoked,
        answers={200: PAGE},
    ),
    post(
        REWIND,
        "What going back to when something was said would change, as a dialog",
        takes=RewindWanted,
        answers={200: PAGE},
        headers=("Idempotency-Key", "Prefer"),
    ),
    post(
        KEEP,
        "Keep one branch of a session, and end the interpreters of the others",
        takes=BranchKept,
        answers={200: PAGE},
    ),
)
OPERATIONS: Final[tuple[Operation, ...]] = (*OWN, *sidebar.OPERATIONS)
