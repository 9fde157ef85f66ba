"""Tools that begin, list, choose and end sessions."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from hearth.api import Viewed
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused, SessionExists
from hearth.credentials.standing import Act
from hearth.resolving import NOT_STARTED
from hearth.servers.http.naming import fresh_id
from hearth.servers.mcp.callers import BadDirectory, absolute
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool, rows_in
from hearth.servers.mcp.tools.cells import not_started
from hearth.servers.mcp.tools.running import LONGEST_WAIT, Wait
from hearth.servers.mcp.tools.said import Said, refused, trouble
from hearth.servers.mcp.waiting import Waited, carried_out

WAIT: Final = 60.0
MOST: Final = 50


class CreateSession(Arguments, frozen=True):
    """What `create_session` takes."""

    directory: str = ""
    name: Annotated[str, msgspec.Meta(max_length=200)] = ""
    projects: Annotated[tuple[str, ...], msgspec.Meta(max_length=100)] = ()
    mode: Literal["project", "bare"] = "project"
    wait: Wait = WAIT


class ListSessions(Arguments, frozen=True):
    """What `list_sessions` takes."""

    stopped: bool = False


class StopSession(Arguments, frozen=True):
    """What `stop_session` takes."""

    wait: Wait = WAIT


class SwitchSession(Arguments, frozen=True):
    """What `switch_session` takes, beside the session."""


async def create_session(call: Call, said: CreateSession) -> Said:
    """Begin a session; it is the caller's own from then on."""
    try:
        directory = absolute(said.directory) if said.directory else call.caller.directory
    except BadDirectory as wrong:
        return trouble("malformed", str(wrong), path="$.directory")
    directory = directory or await call.caller.roots()
    mode = c.SessionMode(said.mode if directory else c.SessionMode.BARE)
    config = c.SessionConfig(
        directory=directory or str(Path.home()), name=said.name, projects=said.projects, mode=mode
    )
    session, waited = await _begun(call, c.CreateSession(config), said.wait)
    if isinstance(waited, Refused):
        return refused(waited)
    event = waited.ending
    if isinstance(event, e.SessionFaulted):
        # Nothing half dead is left.
        await call.hearth.submit(session, c.StopSession(NOT_STARTED), call.caller.origin)
        return not_started(event.failure)
    if (own := call.caller.connection) is not None:
        own.active = session
        own.be_at(session, call.caller.origin)
    fields: dict[str, Any] = {"created": session, "directory": config.directory}
    if waited.warning:
        fields["warning"] = waited.warning
    return Said(fields, session=session, tells_actions=event is None)


async def _begun(
    call: Call, command: c.CreateSession, wait: float
) -> tuple[SessionId, Waited | Refusal]:
    """Under an id that nobody has."""
    while True:
        session = fresh_id()
        waited = await carried_out(
            call.hearth, session, command, call.caller.origin, wait=wait, tell=call.tell
        )
        if not isinstance(waited, SessionExists):
            return session, waited


async def list_sessions(call: Call, said: ListSessions) -> Said:
    """All sessions that live, the most recently used first."""
    viewed = await call.hearth.view("sessions")
    if not isinstance(viewed, Viewed):
        return refused(viewed)
    wanted = [row for row in rows_in(viewed) if said.stopped or not row.stopped]
    fields: dict[str, Any] = {"sessions": [listed(row) for row in wanted[:MOST]]}
    if len(wanted) > MOST:
        fields["more"] = len(wanted) - MOST
    return Said(fields)


def listed(row: SessionRow) -> dict[str, Any]:
    """A session in the list."""
    found: dict[str, Any] = {
        "id": row.session,
        "name": row.name,
        "directory": row.directory,
        "state": "stopped" if row.stopped else row.state.value,
    }
    for name, time in (("started", row.started_at), ("used", row.last_activity)):
        if time is not None:
            found[name] = time.strftime("%Y-%m-%dT%H:%M:%SZ")
    if row.projects:
        found["projects"] = list(row.projects[:20])
    if row.trouble:
        found["trouble"] = row.trouble
    return found


async def stop_session(call: Call, said: StopSession) -> Said:
    """End a session's interpreter."""
    if not call.session:
        return trouble(
            "unknown_session", "you have no session of your own", "name one with `session`"
        )
    waited = await carried_out(
        call.hearth, call.session, c.StopSession(), call.caller.origin, wait=said.wait
    )
    if isinstance(waited, Refused):
        return refused(waited)
    return Said({"stopped": call.session}, session=call.session)


async def switch_session(call: Call, _: SwitchSession) -> Said:
    """Make a session the caller's own; new connections begin with it."""
    own = call.caller.connection
    if own is None:
        return trouble(
            "no_connection",
            "each of your requests stands for itself: nothing is remembered between two",
            "pass `session` with each call",
        )
    if not call.is_named:
        return trouble("malformed", "Object missing required field `session`", path="$")
    command = c.SwitchSession(call.session)
    waited = await carried_out(call.hearth, DAEMON_STREAM, command, call.caller.origin, wait=WAIT)
    if isinstance(waited, Refused):
        return refused(waited)
    own.active = call.session
    own.be_at(call.session, call.caller.origin)
    return Said({"switched": True})


_TROUBLE: Final = {**s.TROUBLE, "suggestion": s.TEXT}

TOOLS: Final = (
    Tool(
        name="create_session",
        title="Begin a session",
        description=(
            "Begin another session with an interpreter of its own, and use it from now on. You "
            "rarely need it: without `session` you have one already."
        ),
        act=Act.WORK,
        takes=CreateSession,
        properties={
            "directory": s.described(s.TEXT, "Absolute; where you work if left out"),
            "name": {"type": "string", "maxLength": 200},
            "projects": s.described(
                {**s.list_of(s.TEXT), "maxItems": 100}, "Only these projects of the directory"
            ),
            "mode": {
                "type": "string",
                "enum": ["project", "bare"],
                "default": "project",
                "description": "bare: nothing of a project is loaded",
            },
            "wait": s.wait(WAIT, LONGEST_WAIT),
        },
        gives={"created": s.TEXT, "directory": s.TEXT, "warning": s.TEXT, **_TROUBLE},
        hints=Hints(),
        answer=create_session,
        needs_session=False,
    ),
    Tool(
        name="list_sessions",
        title="List sessions",
        description="The sessions that live, the most recently used first.",
        act=Act.LOOK,
        takes=ListSessions,
        properties={"stopped": s.described(s.BOOLEAN, "Also those that were stopped")},
        gives={"sessions": s.list_of(s.OBJECT), "more": s.INTEGER, **_TROUBLE},
        hints=Hints(read_only=True, idempotent=True),
        answer=list_sessions,
        needs_session=False,
    ),
    Tool(
        name="stop_session",
        title="Stop a session",
        description=(
            "End a session's interpreter; its names are gone, its log stays. Sessions are shared: "
            "stop only what you began."
        ),
        act=Act.WORK,
        takes=StopSession,
        properties={"wait": s.wait(WAIT, LONGEST_WAIT)},
        gives={"stopped": s.TEXT, **_TROUBLE},
        hints=Hints(destructive=True, idempotent=True),
        answer=stop_session,
        needs_session=False,
    ),
    Tool(
        name="switch_session",
        title="Use another session",
        description=(
            "Use this session from now on when you name none. It moves nobody else; new "
            "connections begin with it."
        ),
        act=Act.WORK,
        takes=SwitchSession,
        properties={},
        required=("session",),
        gives={"switched": s.BOOLEAN, **_TROUBLE},
        hints=Hints(idempotent=True),
        answer=switch_session,
        needs_session=False,
    ),
)
