"""The routes of the sidebar, for the table of routes."""

from typing import Final

from hearth.servers.dashboard.sidebar.shapes import (
    DeskWanted,
    ForkWanted,
    NewWanted,
    OneSession,
    Ordered,
    Unarchived,
)
from hearth.servers.http.routes import PAGE, Operation, get, post

_MARKUP: Final = {200: PAGE}

OPERATIONS: Final[tuple[Operation, ...]] = (
    get("/dashboard/new", "The form for a new session, as markup", answers=_MARKUP),
    post(
        "/dashboard/new",
        "Begin a session out of the dashboard's form",
        takes=NewWanted,
        answers=_MARKUP,
        headers=("Idempotency-Key", "Prefer"),
    ),
    get(
        "/dashboard/projects",
        "What is found for a directory, as markup",
        query={
            "directory": "a path; ~ is the home of who runs the daemon",
            "place": "the form that asks: dialog or home",
        },
        answers=_MARKUP,
    ),
    post(
        "/dashboard/fork",
        "Begin a session that goes on from another one",
        takes=ForkWanted,
        answers=_MARKUP,
        headers=("Idempotency-Key", "Prefer"),
    ),
    get(
        "/dashboard/rename",
        "The form that renames a session, as markup",
        query={"session": "its id"},
        required=True,
        answers=_MARKUP,
    ),
    get(
        "/dashboard/search",
        "What is found in all sessions, as markup",
        query={
            "q": "words; without it the dialog that takes them is answered",
            "for": "what stands in that dialog to begin with",
        },
        answers=_MARKUP,
    ),
    post(
        "/dashboard/archive",
        "Stop a session and put it away in the person's list",
        takes=OneSession,
        answers=_MARKUP,
    ),
    post(
        "/dashboard/unarchive",
        "Take a session out of the person's archive",
        takes=Unarchived,
        answers=_MARKUP,
    ),
    post("/dashboard/order", "Order the person's list", takes=Ordered, answers=_MARKUP),
    post(
        "/dashboard/desk",
        "Change how the person has the dashboard",
        takes=DeskWanted,
        answers={204: None},
    ),
)
