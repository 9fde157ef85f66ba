"""Tools that only look: how a session stands."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from hearth.api import Viewed
from hearth.core.views.status import Status
from hearth.core.vocabulary.refusals import Refused
from hearth.credentials.standing import Act
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.cells import error_of
from hearth.servers.mcp.tools.said import Said, refused

STATUS: Final = "get_status"


class GetStatus(Arguments, frozen=True):
    """What `get_status` takes."""

    verbose: bool = False
    since: int | None = None


async def get_status(call: Call, said: GetStatus) -> Said:
    """How the session stands: for a caller who knows it already, what has changed."""
    viewed = await call.seen("status")
    if isinstance(viewed, Refused):
        return refused(viewed)
    now = viewed.value
    if not isinstance(now, Status):
        raise TypeError(f"a status is a {type(now).__name__}")
    whole = {"cursor": viewed.seq, **stands(now)}
    if said.verbose:
        return Said({**whole, **begun(call, now)}, tells_actions=True)
    return Said(_news(call, said, whole, viewed), tells_actions=True)


def _news(
    call: Call, said: GetStatus, whole: Mapping[str, Any], viewed: Viewed
) -> Mapping[str, Any]:
    own = call.caller.connection
    if said.since is not None and said.since >= viewed.seq:
        return {"cursor": viewed.seq, "unchanged": True}
    if own is None or said.since is not None:
        return whole
    before = own.told.get((call.session, STATUS), {})
    own.tell(call.session, STATUS, whole)
    changed = {name: value for name, value in whole.items() if before.get(name) != value}
    gone = [name for name in before if name not in whole]
    return {**changed, **({"no_longer": gone} if gone else {})}


def stands(now: Status) -> dict[str, Any]:
    """What matters of a session now; what is as usual is left out."""
    found: dict[str, Any] = {"name": now.name, "directory": now.directory, "evals": now.evals}
    more = {
        "errors": now.errors,
        "cancelled": now.cancelled,
        "waiting": now.waiting,
        "stale": now.stale_events,
        "stopped": now.stopped,
    }
    found |= {name: value for name, value in more.items() if value}
    if now.current is not None:
        asked = now.current.question
        seconds = (datetime.now(UTC) - now.current.started_at).total_seconds()
        found["running"] = {
            "cell": now.current.cell,
            "seconds": round(seconds),
            "by": now.current.origin.name,
            **({"asks": asked.prompt} if asked is not None else {}),
        }
    found |= _undoable(now)
    if now.failure is not None:
        found["error"] = error_of(now.failure)
    if now.restart_due is not None:
        found["restart_due"] = now.restart_due.isoformat(timespec="seconds")
    return found


def _undoable(now: Status) -> dict[str, Any]:
    """What can be taken back, brought back and kept; nothing of it where there is none."""
    found: dict[str, Any] = {}
    if now.kept.cells:
        found["can_undo"] = {"cells": list(now.kept.cells), "bytes": now.kept.size}
    if now.redo:
        found["can_redo"] = now.redo
    if now.trial is not None:
        gone = {"gone": list(now.trial.gone)} if now.trial.gone else {}
        found["trial"] = {"cell": now.trial.cell, "variants": now.trial.variants, **gone}
    return found


def begun(call: Call, now: Status) -> dict[str, Any]:
    """How the session was started, for who wants to know."""
    daemon = call.around.daemon.info()
    started = now.started_at.isoformat(timespec="seconds") if now.started_at else None
    return {
        "root": now.root,
        "source": now.source,
        "projects": list(now.projects),
        "python": now.python,
        "version": now.version,
        "language": now.language,
        "generation": now.generation,
        "undo_for": now.undo.value,
        "started_at": started,
        "environment": now.fingerprint,
        "notices": list(now.notices),
        "daemon": {"version": daemon.version, "home": daemon.home, "store": daemon.store},
    }


TOOLS: Final = (
    Tool(
        name=STATUS,
        title="How the session stands",
        description=(
            "How the session stands; the second time what has changed since. `verbose` adds how "
            "it was started: root, projects, interpreter, environment. Answers in every state, "
            "also while a cell runs."
        ),
        act=Act.LOOK,
        takes=GetStatus,
        properties={
            "verbose": s.described(s.BOOLEAN, "Also how it was started"),
            "since": s.described(s.CURSOR, "A cursor: nothing is told if nothing happened since"),
        },
        gives={
            "cursor": s.CURSOR,
            "unchanged": s.BOOLEAN,
            "no_longer": s.list_of(s.TEXT),
            "name": s.TEXT,
            "directory": s.TEXT,
            "evals": s.INTEGER,
            "errors": s.INTEGER,
            "cancelled": s.INTEGER,
            "waiting": s.INTEGER,
            "stale": s.INTEGER,
            "stopped": s.BOOLEAN,
            "running": s.OBJECT,
            "error": s.ERROR,
            "restart_due": s.TEXT,
            "root": s.TEXT,
            "source": s.TEXT,
            "projects": s.list_of(s.TEXT),
            "python": s.TEXT,
            "version": s.TEXT,
            "language": s.TEXT,
            "generation": s.INTEGER,
            "started_at": {"type": ["string", "null"]},
            "environment": s.TEXT,
            "notices": s.list_of(s.TEXT),
            "daemon": s.OBJECT,
            "remedy": s.list_of(s.TEXT),
        },
        hints=Hints(read_only=True, idempotent=True),
        answer=get_status,
    ),
)
