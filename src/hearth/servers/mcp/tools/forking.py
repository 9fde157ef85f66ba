"""Tools that let another session go on from one, and show what two sessions hold otherwise."""

from typing import Annotated, Any, Final, Literal

import msgspec

from hearth.api import Viewed
from hearth.core.views.differences import Differing, differing
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.ids import BlockId, SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import ForkHow
from hearth.credentials.standing import Act
from hearth.servers.http.naming import fresh_id
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.asking import asked, otherwise
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.running import LONGEST_WAIT, Wait
from hearth.servers.mcp.tools.said import Said, bounded, refused, trouble
from hearth.servers.mcp.waiting import carried_out

WAIT: Final = 60.0
MOST: Final = 100
LONGEST: Final = 120

INTERPRETERS: Final = {
    ForkHow.COPY: "copied",
    ForkHow.REPLAY: "rebuilt by replay",
    ForkHow.NEW: "new and empty",
}
"""What the interpreter of a fork is, in words."""
REPLAY: Final = (
    "fork_session with how=replay: its interpreter is rebuilt by running the cells again"
)
NEW: Final = "fork_session with how=new: the conversation goes on, with an empty interpreter"
OBSTACLES: Final = "its interpreter cannot be copied: `obstacles` names what is in the way"
AGAIN: Final = "fork_session again; get_status says how this session stands"


class ForkSession(Arguments, frozen=True):
    """What `fork_session` takes."""

    name: Annotated[str, msgspec.Meta(max_length=200)] = ""
    block: Annotated[str, msgspec.Meta(max_length=200)] = ""
    how: Literal["copy", "replay", "new"] | None = None
    wait: Wait = WAIT


class CompareSessions(Arguments, frozen=True):
    """What `compare_sessions` takes."""

    other: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    modules: bool = False


async def fork_session(call: Call, said: ForkSession) -> Said:
    """Begin a session that goes on from this one."""
    to = await _unused(call)
    how = ForkHow(said.how) if said.how is not None else None
    waited = await carried_out(
        call.hearth,
        call.session,
        c.ForkSession(to, BlockId(said.block), how, said.name),
        call.caller.origin,
        wait=call.patience(said.wait),
        tell=call.tell,
    )
    if isinstance(waited, Refused):
        return refused(waited)
    match waited.ending:
        case e.SessionForked() as forked:
            return _forked(forked)
        case e.ForkFailed() as failed:
            return _failed(failed, is_replay=how is ForkHow.REPLAY)
        case _:
            then = "get_recent_events with since=cursor and wait tells whether it is there"
            return Said({"forking": to, "running": True, "cursor": waited.cursor, "next": then})


async def _unused(call: Call) -> SessionId:
    """An id that nobody has."""
    while isinstance(await call.hearth.view("status", to := fresh_id()), Viewed):
        pass
    return to


def _forked(event: e.SessionForked) -> Said:
    fields: dict[str, Any] = {"forked": event.to, "interpreter": INTERPRETERS[event.how]}
    if event.name:
        fields["name"] = event.name
    if event.notice:
        fields["notice"] = event.notice
    then = f"you are still in your own; session={event.to} works there, compare_sessions compares"
    return Said({**fields, "next": then})


def _failed(event: e.ForkFailed, *, is_replay: bool) -> Said:
    if not event.obstacles:
        return trouble("fork_failed", event.why, *(event.remedy or (AGAIN,)))
    ways = (NEW,) if is_replay else (REPLAY, NEW)
    return trouble("fork_failed", OBSTACLES, *ways, obstacles=list(event.obstacles))


async def compare_sessions(call: Call, said: CompareSessions) -> Said:
    """What two sessions hold otherwise."""
    other = await call.choosing.meant(said.other)
    if isinstance(other, Refused):
        return refused(other)
    if other == call.session:
        what = f"{other} is the session itself"
        return trouble("malformed", what, "name another as `other`", path="$.other")
    found = []
    for session in (call.session, other):
        event = await asked(call, c.ListVariables("", said.modules), session)
        if not isinstance(event, e.VariablesReturned):
            return _of(session, otherwise(event))
        found.append(event)
    here, there = found
    every = differing(here.variables, there.variables)
    fields: dict[str, Any] = {"other": other, "differing": [_shown(one) for one in every[:MOST]]}
    if len(every) > MOST:
        fields["more"] = len(every) - MOST
    if left := max(0, *(one.total - len(one.variables) for one in found)):
        # What is not listed on one side only looks as if it were missing there.
        fields["not_listed"] = left
    return Said(fields)


def _of(session: SessionId, said: Said) -> Said:
    """Trouble with one of two sessions: which of them."""
    error = {**said.fields["error"], "session": session}
    return Said({**said.fields, "error": error}, said.is_error, tells_actions=said.tells_actions)


def _shown(one: Differing) -> dict[str, Any]:
    sides = (("here", one.here), ("there", one.there))
    return {"name": one.name, **{side: _variable(found) for side, found in sides}}


def _variable(one: Variable | None) -> dict[str, Any] | None:
    if one is None:
        return None
    shown = {
        "type": one.value_type,
        "length": one.length,
        "shape": one.shape,
        "preview": bounded(one.preview, LONGEST),
    }
    return {name: value for name, value in shown.items() if value not in (None, "")}


_SIDE: Final = {
    "type": ["object", "null"],
    "description": "type, length, shape, preview; null: it is not there",
}

TOOLS: Final = (
    Tool(
        name="fork_session",
        title="Fork a session",
        description=(
            "Begin another session that goes on from this one, with a live copy of its interpreter "
            "and its conversation. Use it to explore a way that takes many steps without touching "
            "this session, or that somebody else works in. You stay where you are."
        ),
        act=Act.WORK,
        takes=ForkSession,
        properties={
            "name": {"type": "string", "maxLength": 200},
            "block": s.described(
                {"type": "string", "maxLength": 200},
                "Branch off at this block of the conversation; the newest if left out",
            ),
            "how": {
                "type": "string",
                "enum": ["copy", "replay", "new"],
                "description": "The interpreter: a live copy, rebuilt by running the cells again, "
                "or an empty one; copy at the newest, replay at an older block if left out",
            },
            "wait": s.wait(WAIT, LONGEST_WAIT),
        },
        gives={
            "forked": s.described(s.TEXT, "The id of the new session"),
            "interpreter": {"type": "string", "enum": list(INTERPRETERS.values())},
            "name": s.described(s.TEXT, "What it is called"),
            "notice": s.described(s.TEXT, "What did not come along"),
            "forking": s.TEXT,
            "running": s.BOOLEAN,
            "cursor": s.CURSOR,
            "next": s.TEXT,
            **s.TROUBLE,
        },
        hints=Hints(open_world=True),
        answer=fork_session,
        is_long=True,
    ),
    Tool(
        name="compare_sessions",
        title="Compare two sessions",
        description=(
            "The names that differ between this session and another, by type and preview. Use it "
            "after work in a fork, to see what it changed."
        ),
        act=Act.WORK,
        takes=CompareSessions,
        properties={
            "other": s.described(
                {"type": "string", "minLength": 1, "maxLength": 200}, "Its id or name"
            ),
            "modules": s.described(s.BOOLEAN, "Imported modules too"),
        },
        required=("other",),
        gives={
            "other": s.TEXT,
            "differing": s.list_of(s.an_object(name=s.TEXT, here=_SIDE, there=_SIDE)),
            "more": s.INTEGER,
            "not_listed": s.described(s.INTEGER, "So many names were too many to be listed"),
            **s.TROUBLE,
        },
        hints=Hints(read_only=True, idempotent=True),
        answer=compare_sessions,
    ),
)
