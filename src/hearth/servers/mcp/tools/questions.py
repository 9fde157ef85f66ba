"""Tools that ask the interpreter about code and names; nothing is run for them."""

from typing import Annotated, Any, Final

import msgspec

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.answers import Exploration
from hearth.core.vocabulary.content import Diagnostic
from hearth.core.vocabulary.refusals import Refused
from hearth.credentials.standing import Act
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.asking import asked, otherwise
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.said import Said, bounded

MOST: Final = 100
"""Items of one answer; what is more is counted."""
LONGEST: Final = 4_000

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
Cursor = Annotated[int, msgspec.Meta(ge=0)]


class CheckCode(Arguments, frozen=True):
    """What `check_code` takes."""

    code: str
    file: str = ""
    full: bool = False


class AtCursor(Arguments, frozen=True):
    """What `get_completions` and `inspect` take."""

    code: str
    cursor: Cursor | None = None


class ListVariables(Arguments, frozen=True):
    """What `list_variables` takes."""

    prefix: str = ""
    modules: bool = False


class Explore(Arguments, frozen=True):
    """What `explore_module` and `explore_type` take."""

    name: Name


async def check_code(call: Call, said: CheckCode) -> Said:
    """What is wrong with code: what this caller has not been told yet, or all of it."""
    event = await asked(call, c.CheckCode(said.code, said.file, said.full))
    if not isinstance(event, e.DiagnosticsChecked):
        return otherwise(event)
    places = range(len(event.diagnostics)) if said.full else event.fresh
    shown = [_diagnostic(event.diagnostics[place]) for place in places]
    known = len(event.diagnostics) - len(shown)
    return Said({"diagnostics": shown[:MOST], **_counted(shown), **_if(known_before=known)})


async def get_completions(call: Call, said: AtCursor) -> Said:
    """What could stand at the cursor."""
    event = await asked(call, c.CompleteCode(said.code, _cursor(said)))
    if not isinstance(event, e.CompletionsReturned):
        return otherwise(event)
    items = [
        {"label": one.label, "kind": one.kind.value, **_if(detail=one.detail[:200])}
        for one in event.items
    ]
    return Said({"items": items[:MOST], **_counted(items)})


async def inspect(call: Call, said: AtCursor) -> Said:
    """What stands at the cursor."""
    event = await asked(call, c.InspectCode(said.code, _cursor(said)))
    if not isinstance(event, e.InspectionReturned):
        return otherwise(event)
    found = event.inspection
    shown = _if(
        name=found.name,
        kind=found.kind,
        type=found.value_type,
        signature=bounded(found.signature, LONGEST),
        doc=bounded(found.doc, LONGEST),
        file=found.file,
        line=found.line,
        value=bounded(found.value, LONGEST),
    )
    return Said({"found": found.found, **shown})


async def list_variables(call: Call, said: ListVariables) -> Said:
    """The names of the session."""
    event = await asked(call, c.ListVariables(said.prefix, said.modules))
    if not isinstance(event, e.VariablesReturned):
        return otherwise(event)
    shown = [
        {
            "name": one.name,
            "type": one.value_type,
            **_if(length=one.length, shape=one.shape, preview=bounded(one.preview, 120)),
        }
        for one in event.variables[:MOST]
    ]
    more = max(event.total, len(event.variables)) - len(shown)
    return Said({"variables": shown, **_if(more=more)})


async def explore_module(call: Call, said: Explore) -> Said:
    """The public members of a module."""
    return _explored(await asked(call, c.ExploreModule(said.name)))


async def explore_type(call: Call, said: Explore) -> Said:
    """The members of a class or an object."""
    return _explored(await asked(call, c.ExploreType(said.name)))


def _explored(event: e.Event | Refused | None) -> Said:
    if not isinstance(event, e.ExplorationReturned):
        return otherwise(event)
    found: Exploration = event.exploration
    members = [
        {
            "name": one.name,
            "kind": one.kind,
            **_if(signature=one.signature[:300], doc=one.doc[:160]),
        }
        for one in found.members
    ]
    return Said(
        {
            "found": found.found,
            "name": found.name,
            **_if(doc=bounded(found.doc, 1000), file=found.file, bases=list(found.bases)),
            **({"members": members[:MOST], **_counted(members)} if found.found else {}),
            **_if(suggestions=list(found.suggestions)),
        }
    )


def _cursor(said: AtCursor) -> int:
    return len(said.code) if said.cursor is None else min(said.cursor, len(said.code))


def _diagnostic(one: Diagnostic) -> dict[str, Any]:
    return {
        "message": bounded(one.message, 500),
        "severity": one.severity.value,
        "start": [one.start_line, one.start_column],
        "end": [one.end_line, one.end_column],
        **_if(rule=one.rule),
    }


def _counted(items: list[Any]) -> dict[str, int]:
    return {"more": len(items) - MOST} if len(items) > MOST else {}


def _if(**fields: Any) -> dict[str, Any]:
    """Those of these that say something."""
    return {name: value for name, value in fields.items() if value}


_CURSOR: Final = s.described(s.CURSOR, "In characters; the end of the code if left out")
_NAME: Final = {"type": "string", "minLength": 1, "maxLength": 300}
_LOOKS: Final = Hints(read_only=True, idempotent=True)
_MORE: Final = {"more": s.INTEGER, **s.TROUBLE}
_EXPLORED: Final = {
    "found": s.BOOLEAN,
    "name": s.TEXT,
    "doc": s.TEXT,
    "file": s.TEXT,
    "bases": s.list_of(s.TEXT),
    "members": s.list_of(s.an_object(name=s.TEXT, kind=s.TEXT, signature=s.TEXT, doc=s.TEXT)),
    "suggestions": s.list_of(s.TEXT),
    **_MORE,
}
_PLACE: Final = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}

TOOLS: Final = (
    Tool(
        name="check_code",
        title="Check code",
        description=(
            "Find errors in code without running it; knows the names of the live session. A "
            "repeated check tells what is new. Lines count from 1, columns from 0."
        ),
        act=Act.WORK,
        takes=CheckCode,
        properties={
            "code": s.described(s.TEXT, "Python source"),
            "file": s.described(s.TEXT, "The file it is meant for"),
            "full": s.described(s.BOOLEAN, "Tell all findings, also those told before"),
        },
        required=("code",),
        gives={
            "diagnostics": s.list_of(
                s.an_object(
                    message=s.TEXT,
                    severity={"type": "string", "enum": ["error", "warning", "info", "hidden"]},
                    start=_PLACE,
                    end=_PLACE,
                    rule=s.TEXT,
                )
            ),
            "known_before": s.INTEGER,
            **_MORE,
        },
        hints=_LOOKS,
        answer=check_code,
    ),
    Tool(
        name="get_completions",
        title="Complete code",
        description="What could stand at the cursor, from the live objects. Runs nothing.",
        act=Act.WORK,
        takes=AtCursor,
        properties={"code": s.TEXT, "cursor": _CURSOR},
        required=("code",),
        gives={"items": s.list_of(s.an_object(label=s.TEXT, kind=s.TEXT, detail=s.TEXT)), **_MORE},
        hints=_LOOKS,
        answer=get_completions,
    ),
    Tool(
        name="inspect",
        title="Inspect what stands at the cursor",
        description="Type, signature, documentation, source and value of a live name.",
        act=Act.WORK,
        takes=AtCursor,
        properties={"code": s.described(s.TEXT, "For example a name"), "cursor": _CURSOR},
        required=("code",),
        gives={
            "found": s.BOOLEAN,
            **dict.fromkeys(("name", "kind", "type", "signature", "doc", "file", "value"), s.TEXT),
            "line": s.INTEGER,
            **s.TROUBLE,
        },
        hints=_LOOKS,
        answer=inspect,
    ),
    Tool(
        name="list_variables",
        title="List the names of the session",
        description="The names that are bound, with type, size and a short preview.",
        act=Act.WORK,
        takes=ListVariables,
        properties={
            "prefix": s.described(s.TEXT, "Only names that begin so"),
            "modules": s.described(s.BOOLEAN, "Imported modules too"),
        },
        gives={"variables": s.list_of(s.OBJECT), **_MORE},
        hints=_LOOKS,
        answer=list_variables,
    ),
    Tool(
        name="explore_module",
        title="Explore a module",
        description="The public members of an imported module or package. Imports nothing.",
        act=Act.WORK,
        takes=Explore,
        properties={"name": s.described(_NAME, "For example json")},
        required=("name",),
        gives=_EXPLORED,
        hints=_LOOKS,
        answer=explore_module,
    ),
    Tool(
        name="explore_type",
        title="Explore a type",
        description="Members and signatures of a class or an object, live ones included.",
        act=Act.WORK,
        takes=Explore,
        properties={"name": s.described(_NAME, "A name of the session, or a dotted path")},
        required=("name",),
        gives=_EXPLORED,
        hints=_LOOKS,
        answer=explore_type,
    ),
)
