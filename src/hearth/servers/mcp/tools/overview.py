"""Tools that show what people see: the regions of a screen, and the projects of a folder."""

from typing import Any, Final

from hearth.core.views.diagnostics import Diagnostics
from hearth.core.views.status import Status
from hearth.core.views.transcript import Entry, Transcript
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.refusals import Refused
from hearth.credentials.standing import Act
from hearth.servers.mcp.callers import BadDirectory, absolute
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool, rows_in, status_in
from hearth.servers.mcp.tools.cells import error_of, printed
from hearth.servers.mcp.tools.said import Said, bounded, head_of, refused, trouble

CELLS: Final = 5
LONGEST: Final = 600


class GetUiState(Arguments, frozen=True):
    """What `get_ui_state` takes."""


class GetAvailableProjects(Arguments, frozen=True):
    """What `get_available_projects` takes."""

    directory: str = ""


async def get_ui_state(call: Call, _: GetUiState) -> Said:
    """What a person who looks at this session sees."""
    fields: dict[str, Any] = {"editor": None, "output": [], "diagnostics": []}
    if call.session:
        status = await call.seen("status")
        transcript = await call.seen("transcript")
        diagnostics = await call.seen("diagnostics")
        for viewed in (status, transcript, diagnostics):
            if isinstance(viewed, Refused):
                return refused(viewed)
        fields |= _regions(status, transcript, diagnostics)
    fields["sessions"] = [
        {"id": row.session, "name": row.name, "state": row.state.value}
        for row in rows_in(await call.hearth.view("sessions"))
        if not row.stopped
    ][:20]
    return Said(fields)


def _regions(*views: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for viewed in views:
        match viewed.value:
            case Status() as now:
                code = now.current.code if now.current is not None else now.last_code
                found["editor"] = bounded(head_of(code), LONGEST)
            case Transcript() as past:
                cells = [one for one in past.entries if one.cell][-CELLS:]
                found["output"] = [_shown(one) for one in cells]
            case Diagnostics() as checked:
                newest = list(checked.by_key.values())[-1:]
                found["diagnostics"] = [
                    {"message": bounded(one.message, 200), "line": one.start_line}
                    for each in newest
                    for one in each.diagnostics[:20]
                ]
            case _:
                pass
    return found


def _shown(entry: Entry) -> dict[str, Any]:
    shown: dict[str, Any] = {"cell": entry.cell}
    if entry.standing is not None:
        shown["standing"] = entry.standing.value
    if entry.undone:
        shown["taken_back"] = True
    if entry.variants:
        shown |= {"variants": len(entry.variants), "kept": entry.kept}
    if not isinstance(entry.outputs, Blob):
        shown |= {name: bounded(text, LONGEST) for name, text in printed(entry.outputs).items()}
    if entry.value:
        shown["result"] = bounded(head_of(entry.value), LONGEST)
    if entry.failure is not None:
        shown["error"] = error_of(entry.failure).get("message", "")
    return shown


async def get_available_projects(call: Call, said: GetAvailableProjects) -> Said:
    """The projects of a folder."""
    projects = call.around.projects
    if projects is None:
        return unavailable("get_available_projects")
    try:
        directory = absolute(said.directory) if said.directory else ""
    except BadDirectory as wrong:
        return trouble("malformed", str(wrong), path="$.directory")
    directory = directory or call.caller.directory or await _of_session(call)
    if not directory:
        what = "nobody said of which directory"
        return trouble("malformed", what, "pass `directory`", path="$.directory")
    found = await projects.found(directory)
    fields: dict[str, Any] = {
        "root": found.root,
        "source": found.source,
        "projects": list(found.projects),
    }
    return Said({**fields, **({"notices": list(found.notices)} if found.notices else {})})


async def _of_session(call: Call) -> str:
    now = status_in(await call.seen("status")) if call.session else None
    return now.directory if now is not None else ""


def unavailable(tool: str) -> Said:
    """What needs more around it than there is here."""
    return trouble(
        "tool_unavailable",
        f"{tool} needs the daemon, and this hearth has none around it",
        "start the daemon: hearth start",
        tool=tool,
    )


TOOLS: Final = (
    Tool(
        name="get_ui_state",
        title="What people see",
        description="What a person sees of this session: editor, output, diagnostics, sessions.",
        act=Act.LOOK,
        takes=GetUiState,
        properties={},
        gives={
            "editor": {"type": ["string", "null"]},
            "output": s.list_of(s.OBJECT),
            "diagnostics": s.list_of(s.OBJECT),
            "sessions": s.list_of(s.OBJECT),
            **s.TROUBLE,
        },
        hints=Hints(read_only=True, idempotent=True),
        answer=get_ui_state,
        needs_session=False,
    ),
    Tool(
        name="get_available_projects",
        title="Projects of a folder",
        description="The Python projects of the root that a folder belongs to, and its source.",
        act=Act.LOOK,
        takes=GetAvailableProjects,
        properties={"directory": s.described(s.TEXT, "Absolute; where you work if left out")},
        gives={
            "root": s.TEXT,
            "source": s.TEXT,
            "projects": s.list_of(s.TEXT),
            "notices": s.list_of(s.TEXT),
            **s.TROUBLE,
        },
        hints=Hints(read_only=True, idempotent=True),
        answer=get_available_projects,
        needs_session=False,
    ),
)
