"""Tools that run something: code, and files."""

from typing import Annotated, Any, Final, Literal

import msgspec

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.cells import OnError
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.credentials.standing import Act
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.cells import told
from hearth.servers.mcp.tools.said import Said, refused
from hearth.servers.mcp.waiting import Waited, carried_out

WAIT: Final = 25.0
LONGEST_WAIT: Final = 600.0

Wait = Annotated[float, msgspec.Meta(ge=0, le=LONGEST_WAIT)]
Limit = Annotated[float, msgspec.Meta(gt=0)]


class RunCode(Arguments, frozen=True):
    """What `run_code` takes."""

    code: str
    wait: Wait = WAIT
    time_limit: Limit | None = None
    if_busy: Literal["refuse", "queue"] = "refuse"
    may_ask: bool = False
    on_error: OnError = "keep"


class LoadScript(Arguments, frozen=True):
    """What `load_script` takes."""

    path: Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
    wait: Wait = WAIT
    time_limit: Limit | None = None
    may_ask: bool = False


async def run_code(call: Call, said: RunCode) -> Said:
    """Run code."""
    command = c.RunCell(
        said.code,
        time_limit=said.time_limit,
        if_busy=said.if_busy,
        may_ask=said.may_ask,
        on_error=said.on_error,
    )
    waited = await stoppable(call, command, said.wait)
    if isinstance(waited, Refused):
        return refused(waited)
    answer = await _told(call, waited)
    if said.on_error == "undo" and (why := _why_not_undone(waited)):
        return Said({**answer.fields, "not_undone": why}, answer.is_error, answer.pictures)
    return _with_obstacles(answer, waited)


async def load_script(call: Call, said: LoadScript) -> Said:
    """Run a file."""
    command = c.LoadScript(said.path, time_limit=said.time_limit, may_ask=said.may_ask)
    waited = await stoppable(call, command, said.wait)
    if isinstance(waited, Refused):
        return refused(waited)
    answer = await _told(call, waited)
    if waited.outcome is None:
        return answer
    kept = {name: value for name, value in answer.fields.items() if name not in {"result", "type"}}
    loaded = [one.event for one in waited.envelopes if isinstance(one.event, e.ScriptLoaded)]
    if loaded:
        kept = {"statements": loaded[-1].statements, **kept}
    return _with_obstacles(Said(kept, answer.is_error, answer.pictures), waited)


async def stoppable(call: Call, command: c.Command, wait: float) -> Waited | Refusal:
    """What became of a command whose cell is stopped with the task that it may be."""

    def began(waited: Waited) -> None:
        call.caller.doing.stop = lambda: _stopped(call, waited)

    return await carried_out(
        call.hearth,
        call.session,
        command,
        call.caller.origin,
        wait=call.patience(wait),
        tell=call.tell,
        began=began,
    )


async def _stopped(call: Call, waited: Waited) -> None:
    """Whoever had it run wants it stopped."""
    if waited.cell is not None and waited.outcome is None:
        await call.hearth.submit(call.session, c.CancelCell(waited.cell), call.caller.origin)


def _why_not_undone(waited: Waited) -> str:
    """Why what a cell did is still there although it was to be taken back; empty: it is not."""
    ended = waited.ending
    if not isinstance(ended, e.CellFailed | e.CellCancelled) or ended.undone:
        return ""
    return _obstacles(waited) or "there was no copy of the interpreter to go back to"


def _with_obstacles(answer: Said, waited: Waited) -> Said:
    """The answer, with why the cell cannot be taken back if it cannot."""
    if not (obstacles := _obstacles(waited)):
        return answer
    return Said({**answer.fields, "cannot_undo": obstacles}, answer.is_error, answer.pictures)


def _obstacles(waited: Waited) -> str:
    missed = [one.event for one in waited.envelopes if isinstance(one.event, e.CellNotKept)]
    return "; ".join(missed[-1].obstacles) if missed else ""


async def _told(call: Call, waited: Waited) -> Said:
    match waited.ending:
        case e.CellFinished() | e.CellFailed() | e.CellCancelled() as ended:
            return await told(ended, call.session, call.around.fetch)
        case e.CellWithdrawn(cell=cell, reason=reason):
            return Said({"cell": cell, "withdrawn": reason}, is_error=True)
        case _:
            return going_on(waited)


def going_on(waited: Waited) -> Said:
    """It has not ended: how to hear of its end, and what it asks if it does."""
    fields: dict[str, Any] = {"cell": waited.cell or "", "cursor": waited.cursor, "running": True}
    if waited.asks is not None:
        fields["asks"] = {"prompt": waited.asks.prompt, "password": waited.asks.password}
        fields["next"] = "answer_input, then get_recent_events with since=cursor and wait"
    else:
        fields["next"] = "get_recent_events with since=cursor and wait tells how it ends"
    if waited.printed:
        fields["stdout"] = waited.printed[-2000:]
    return Said(fields)


_SEMANTICS: Final = (
    "If it raises, what it bound before stays bound: correct it and send only what is still to run."
)

_GIVES: Final = {
    "stdout": s.TEXT,
    "stderr": s.TEXT,
    "displays": s.list_of(s.TEXT),
    "error": s.ERROR,
    "suggestion": s.TEXT,
    "remedy": s.list_of(s.TEXT),
    "cancelled": s.BOOLEAN,
    "withdrawn": s.TEXT,
    "hasErrors": s.BOOLEAN,
    "undone": s.described(s.BOOLEAN, "All that it did to the interpreter was taken back"),
    "not_undone": s.described(s.TEXT, "Why what it did is still there"),
    "cannot_undo": s.described(s.TEXT, "What keeps undo_code from taking it back"),
    "dropped_bytes": s.INTEGER,
    "cell": s.TEXT,
    "cursor": s.CURSOR,
    "running": s.described(s.BOOLEAN, "It goes on; `cell` and `cursor` are its handle"),
    "asks": {"type": "object"},
    "next": s.TEXT,
}

TOOLS: Final = (
    Tool(
        name="run_code",
        title="Run code",
        description=(
            "Run Python in the live session; names stay for later calls. Gives the value of the "
            f"last expression, its type and what was printed. {_SEMANTICS} One that runs longer "
            "than `wait` goes on, and its handle is given."
        ),
        act=Act.WORK,
        takes=RunCode,
        properties={
            "code": s.described(s.TEXT, "Python source; several lines are one cell"),
            "wait": s.wait(WAIT, LONGEST_WAIT),
            "time_limit": s.described(s.POSITIVE, "Stop it after so many seconds"),
            "if_busy": {
                "type": "string",
                "enum": ["refuse", "queue"],
                "default": "refuse",
                "description": "What to do while another cell runs",
            },
            "may_ask": s.described(s.BOOLEAN, "Let input() ask; answer with answer_input"),
            "on_error": {
                "type": "string",
                "enum": ["keep", "undo"],
                "default": "keep",
                "description": "undo: if it fails, all it did to the interpreter is taken back; "
                "use it where half of a cell would be worse than none",
            },
        },
        required=("code",),
        gives={"result": s.TEXT, "type": s.TEXT, **_GIVES},
        hints=Hints(destructive=True, open_world=True),
        answer=run_code,
        is_long=True,
    ),
    Tool(
        name="load_script",
        title="Run a file",
        description=(
            "Run a Python file in the live session, statement by statement; gives how many ran. "
            f"{_SEMANTICS}"
        ),
        act=Act.WORK,
        takes=LoadScript,
        properties={
            "path": s.described(s.TEXT, "Absolute, or from the session's directory"),
            "wait": s.wait(WAIT, LONGEST_WAIT),
            "time_limit": s.described(s.POSITIVE, "Stop it after so many seconds"),
            "may_ask": s.described(s.BOOLEAN, "Let input() ask; answer with answer_input"),
        },
        required=("path",),
        gives={"statements": s.INTEGER, **_GIVES},
        hints=Hints(destructive=True, open_world=True),
        answer=load_script,
        is_long=True,
    ),
)
