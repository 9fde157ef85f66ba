"""The routes of editors, for the table of routes."""

from typing import Final

from hearth.servers.http.asked import Nothing
from hearth.servers.http.editors.shapes import (
    Cancel,
    Check,
    Complete,
    Exec,
    HardReset,
    Outcome,
    Taken,
)
from hearth.servers.http.routes import STREAM, Operation, get, post

CHOOSING: Final = {
    "session": "an id, a name, or the beginning of either",
    "directory": "an absolute path; the session of this directory is meant",
    "client": "the name of this client, the same on its streams and its requests",
}
_TAKEN: Final = {200: Outcome, 202: Taken}
_COMMANDING: Final = ("Idempotency-Key", "Prefer")


def _post(path: str, summary: str, takes: type) -> Operation:
    return post(path, summary, takes=takes, answers=_TAKEN, query=CHOOSING, headers=_COMMANDING)


def _get(path: str, summary: str) -> Operation:
    return get(path, summary, answers={200: STREAM}, query=CHOOSING)


OPERATIONS: Final[tuple[Operation, ...]] = (
    _post("/exec", "Run code", Exec),
    _post("/cancel", "Stop a cell", Cancel),
    _post("/reset", "Drop all variables", Nothing),
    _post("/hard-reset", "Replace the interpreter", HardReset),
    _post("/diagnostics", "Look for errors in code", Check),
    _post("/completions", "Ask what could stand at the cursor", Complete),
    _get("/eval", "Signals of the cell that runs, or ran last"),
    _get("/status", "Signals of how a session stands"),
    _get("/diagnostics", "Signals of what was found in code"),
    _get("/completions", "Signals of what was proposed"),
)
