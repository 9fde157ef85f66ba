"""The routes of the log's own streams, for the table of routes."""

from typing import Final

from hearth.servers.http.routes import STREAM, Operation, get
from hearth.servers.http.streams.attendance import Present

AFTER: Final = {
    "after": "the cursor to go on from; the newest events alone if it is left out",
    "client": "the name of this client: with however many streams, it is one who is connected",
}
_RESUMING: Final = ("Last-Event-ID",)

OPERATIONS: Final[tuple[Operation, ...]] = (
    get(
        "/events",
        "The log of all sessions as it grows",
        answers={200: STREAM},
        query={
            **AFTER,
            "session": "an id, a name, or the beginning of either: that session alone",
            "limit": "with Datastar-Request: how many events of the past come first",
        },
        headers=(*_RESUMING, "Datastar-Request"),
    ),
    get(
        "/sessions/{id}/events",
        "The log of one session as it grows",
        answers={200: STREAM},
        query={**AFTER, "expect": "new: a session that is yet to be created is waited for"},
        headers=(*_RESUMING, "Datastar-Request"),
    ),
    get("/sessions/{id}/who", "Who is connected to a session", answers={200: list[Present]}),
)
