"""Tools that steer an interpreter: stop a cell, answer it, begin anew, bring names back."""

from typing import Any, Final

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.credentials.standing import Act
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.cells import SUGGESTIONS, error_of
from hearth.servers.mcp.tools.running import LONGEST_WAIT, Wait
from hearth.servers.mcp.tools.said import Said, refused
from hearth.servers.mcp.waiting import Waited, carried_out, ending_of_cell

WAIT: Final = 60.0
STOPPING: Final = 10.0


class CancelEval(Arguments, frozen=True):
    """What `cancel_eval` takes."""

    cell: str | None = None
    wait: Wait = STOPPING


class ResetSession(Arguments, frozen=True):
    """What `reset_session` takes."""

    wait: Wait = WAIT


class HardResetSession(Arguments, frozen=True):
    """What `hard_reset_session` takes."""

    rebuild: bool = False
    wait: Wait = WAIT


class AnswerInput(Arguments, frozen=True):
    """What `answer_input` takes."""

    text: str
    cell: str | None = None


class ReplaySession(Arguments, frozen=True):
    """What `replay_session` takes."""

    source: str | None = None
    wait: Wait = WAIT


async def cancel_eval(call: Call, said: CancelEval) -> Said:
    """Stop a cell, and wait until it has ended."""
    cell = CellId(said.cell) if said.cell else None
    ended = await ending_of_cell(
        call.hearth, call.session, c.CancelCell(cell), call.caller.origin, wait=said.wait
    )
    if isinstance(ended, Refused):
        return refused(ended)
    match ended.event:
        case e.CellCancelled() | e.CellFailed() | e.CellFinished() | e.CellWithdrawn() as event:
            how = str(event.__struct_config__.tag).removeprefix("cell_")
            return Said({"cell": event.cell, "ended": how})
        case e.TrialEnded(cell=cell, results=results):
            is_stopped = not results or any(one.stopped for one in results)
            return Said({"cell": cell, "ended": "cancelled" if is_stopped else "finished"})
        case _:
            return Said(
                {"cell": ended.cell, "running": True, "next": "get_status; it is being stopped"}
            )


async def reset_session(call: Call, said: ResetSession) -> Said:
    """Forget all names."""
    return await _begun_anew(call, c.ResetSession(), said.wait)


async def hard_reset_session(call: Call, said: HardResetSession) -> Said:
    """Replace the interpreter."""
    return await _begun_anew(call, c.HardResetSession(said.rebuild), said.wait)


async def answer_input(call: Call, said: AnswerInput) -> Said:
    """Answer what a cell asks."""
    command = c.AnswerInput(said.text, CellId(said.cell) if said.cell else None)
    waited = await _waited(call, command, WAIT)
    if isinstance(waited, Refused):
        return refused(waited)
    cursor = {"cursor": waited.cursor}
    return Said(
        {**cursor, "next": "get_recent_events with since=cursor and wait tells how it ends"}
    )


async def replay_session(call: Call, said: ReplaySession) -> Said:
    """Run the recorded cells again."""
    source: SessionId | None = None
    if said.source is not None:
        meant = await call.choosing.meant(said.source)
        if isinstance(meant, Refused):
            return refused(meant)
        source = meant
    waited = await _waited(call, c.ReplaySession(source), said.wait)
    if isinstance(waited, Refused):
        return refused(waited)
    event = waited.ending
    if not isinstance(event, e.SessionReplayed):
        return Said(
            {"running": True, "cursor": waited.cursor, "next": "get_recent_events with wait"}
        )
    counted = {
        "ran": len(event.ran),
        "skipped": len(event.skipped),
        "failed": list(event.failed),
        "differing": [one.cell for one in event.differing],
        "missing": list(event.missing),
        "problem": event.problem,
    }
    return Said({name: value for name, value in counted.items() if value or name == "ran"})


async def _begun_anew(call: Call, command: c.Command, wait: float) -> Said:
    waited = await _waited(call, command, wait)
    if isinstance(waited, Refused):
        return refused(waited)
    fields: dict[str, Any] = {"warning": waited.warning} if waited.warning else {}
    match waited.ending:
        case e.SessionReady():
            return Said({"reset": True, **fields})
        case e.SessionFaulted(failure=failure):
            error = {"error": error_of(failure), "suggestion": SUGGESTIONS[type(failure)]}
            return Said({**error, **fields}, is_error=True)
        case _:
            return Said({**fields, "running": True, "next": "get_status says when it is ready"})


async def _waited(call: Call, command: c.Command, wait: float) -> Waited | Refused:
    return await carried_out(
        call.hearth, call.session, command, call.caller.origin, wait=wait, tell=call.tell
    )


_TROUBLE: Final = {
    "error": s.ERROR,
    "suggestion": s.TEXT,
    "remedy": s.list_of(s.TEXT),
    "running": s.BOOLEAN,
    "next": s.TEXT,
}
_RESET: Final = {"reset": s.BOOLEAN, "warning": s.TEXT, **_TROUBLE}
_CELL: Final = s.described(s.TEXT, "The cell that is meant; the running one if left out")

TOOLS: Final = (
    Tool(
        name="cancel_eval",
        title="Stop the running cell",
        description=(
            "Interrupt the running cell, or take a waiting one back. The interpreter and its "
            "names survive; what the cell bound before stays bound."
        ),
        act=Act.WORK,
        takes=CancelEval,
        properties={"cell": _CELL, "wait": s.wait(STOPPING, LONGEST_WAIT)},
        gives={"cell": s.TEXT, "ended": s.TEXT, **_TROUBLE},
        hints=Hints(idempotent=True),
        answer=cancel_eval,
    ),
    Tool(
        name="reset_session",
        title="Forget all names",
        description=(
            "Forget every name and warm up again. Code that failed is no reason: what it bound "
            "stays, and it can be corrected. For a session that is faulted."
        ),
        act=Act.WORK,
        takes=ResetSession,
        properties={"wait": s.wait(WAIT, LONGEST_WAIT)},
        gives=_RESET,
        hints=Hints(destructive=True),
        answer=reset_session,
    ),
    Tool(
        name="hard_reset_session",
        title="Replace the interpreter",
        description=(
            "Kill the interpreter, whatever it does, and start another; all names are gone. The "
            "last way out, and the way to bring a stopped session back."
        ),
        act=Act.WORK,
        takes=HardResetSession,
        properties={
            "rebuild": s.described(s.BOOLEAN, "Sync the project's environment first"),
            "wait": s.wait(WAIT, LONGEST_WAIT),
        },
        gives=_RESET,
        hints=Hints(destructive=True),
        answer=hard_reset_session,
    ),
    Tool(
        name="answer_input",
        title="Answer a cell that asks",
        description="Answer what the running cell asks with input().",
        act=Act.WORK,
        takes=AnswerInput,
        properties={"text": s.described(s.TEXT, "The line that is typed"), "cell": _CELL},
        required=("text",),
        gives={"cursor": s.CURSOR, **_TROUBLE},
        hints=Hints(open_world=True),
        answer=answer_input,
    ),
    Tool(
        name="replay_session",
        title="Bring names back",
        description=(
            "Run the recorded cells of a session again in a fresh interpreter, so that its names "
            "are back; what differs or fails is told."
        ),
        act=Act.WORK,
        takes=ReplaySession,
        properties={
            "source": s.described(s.TEXT, "The session whose cells are run; this one if left out"),
            "wait": s.wait(WAIT, LONGEST_WAIT),
        },
        gives={
            "ran": s.INTEGER,
            "skipped": s.INTEGER,
            "failed": s.list_of(s.TEXT),
            "differing": s.list_of(s.TEXT),
            "missing": s.list_of(s.TEXT),
            "problem": s.TEXT,
            "cursor": s.CURSOR,
            **_TROUBLE,
        },
        hints=Hints(destructive=True, open_world=True),
        answer=replay_session,
    ),
)
