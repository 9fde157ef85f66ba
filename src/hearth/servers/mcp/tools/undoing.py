"""Tools that take back what was run in an interpreter, and bring it back again."""

from typing import Annotated, Any, Final

import msgspec

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.refusals import Refused
from hearth.credentials.standing import Act
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.cells import SUGGESTIONS, error_of
from hearth.servers.mcp.tools.running import LONGEST_WAIT, Wait
from hearth.servers.mcp.tools.said import Said, refused, trouble
from hearth.servers.mcp.waiting import Waited, carried_out

WAIT: Final = 60.0
MOST_CELLS: Final = 1000
AS_IT_WAS: Final = "the interpreter is as it was"
TOOLS_FOR: Final = {
    "undo_cells with": "undo_code with",
    "choose_undo with who=everyone": "the person's `hearth undo --for everyone`",
}
"""What commands are called here; what there is no tool for is the person's."""


class UndoCode(Arguments, frozen=True):
    """What `undo_code` takes."""

    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_CELLS)] = 1
    cell: str | None = None
    wait: Wait = WAIT


class RedoCode(Arguments, frozen=True):
    """What `redo_code` takes."""

    wait: Wait = WAIT


async def undo_code(call: Call, said: UndoCode) -> Said:
    """Take cells back."""
    cell = CellId(said.cell) if said.cell else None
    return await _reverted(call, c.UndoCells(said.count, cell), said.wait)


async def redo_code(call: Call, said: RedoCode) -> Said:
    """Bring back what was taken back."""
    return await _reverted(call, c.RedoCells(), said.wait)


async def _reverted(call: Call, command: c.Command, wait: float) -> Said:
    waited = await carried_out(
        call.hearth, call.session, command, call.caller.origin, wait=wait, tell=call.tell
    )
    if isinstance(waited, Refused):
        return _as_tools(refused(waited))
    match waited.ending:
        case e.CellsUndone(cells=cells, kept=kept, can_redo=can_redo):
            return Said({"undone": list(cells), "can_redo": can_redo, **_left(kept)})
        case e.CellsRedone(cells=cells, kept=kept):
            return Said({"redone": list(cells), **_left(kept)})
        case e.UndoFailed(why=why):
            return trouble("undo_failed", f"{why}; {AS_IT_WAS}", "fork_session with how=replay")
        case _:
            return became(waited)


def _as_tools(said: Said) -> Said:
    """The same, with what would help as an agent can have it: rules speak of commands."""
    remedies = [str(one) for one in said.fields["remedy"]]
    for command, tool in TOOLS_FOR.items():
        remedies = [one.replace(command, tool, 1) for one in remedies]
    fields = {**said.fields, "remedy": remedies}
    return Said(fields, said.is_error, tells_actions=said.tells_actions)


def became(waited: Waited) -> Said:
    """What it is of an interpreter that was to become another: it is not there yet, or gone."""
    match waited.ending:
        case e.SessionFaulted(failure=failure):
            error = {"error": error_of(failure), "suggestion": SUGGESTIONS[type(failure)]}
            return Said(error, is_error=True)
        case e.SessionWarmUpAbandoned(reason=reason):
            return trouble("abandoned", reason, "get_status")
        case _:
            return Said({"running": True, "next": "get_status says when it is ready"})


def _left(kept: Copies) -> dict[str, Any]:
    """What else can be taken back."""
    return {"can_undo": list(kept.cells)} if kept.cells else {}


COMING: Final = {
    "error": s.ERROR,
    "suggestion": s.TEXT,
    "remedy": s.list_of(s.TEXT),
    "running": s.BOOLEAN,
    "next": s.TEXT,
}
_CAN_UNDO: Final = s.described(s.list_of(s.TEXT), "Cells that can still be taken back")

TOOLS: Final = (
    Tool(
        name="undo_code",
        title="Take cells back",
        description=(
            "Make the interpreter what it was before the latest cells, in an instant: names, "
            "objects, imports; not files or what went over the network. Use it when what you ran "
            "turns out wrong, instead of mending names one by one. Only what agents ran; a "
            "person's cells stay."
        ),
        act=Act.WORK,
        takes=UndoCode,
        properties={
            "count": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_CELLS,
                "default": 1,
                "description": "So many of the latest cells",
            },
            "cell": s.described(s.TEXT, "Instead: this one and all that came after it"),
            "wait": s.wait(WAIT, LONGEST_WAIT),
        },
        gives={
            "undone": s.list_of(s.TEXT),
            "can_redo": s.BOOLEAN,
            "can_undo": _CAN_UNDO,
            **COMING,
        },
        hints=Hints(destructive=True),
        answer=undo_code,
    ),
    Tool(
        name="redo_code",
        title="Bring cells back",
        description=(
            "Bring back what undo_code took back last; nothing is run again. Use it when taking "
            "back was the mistake, before anything else is run."
        ),
        act=Act.WORK,
        takes=RedoCode,
        properties={"wait": s.wait(WAIT, LONGEST_WAIT)},
        gives={"redone": s.list_of(s.TEXT), "can_undo": _CAN_UNDO, **COMING},
        hints=Hints(),
        answer=redo_code,
    ),
)
