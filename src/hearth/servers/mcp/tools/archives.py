"""Tools that make a file of a session, and a session of a file; all files lie in one folder."""

from typing import Annotated, Any, Final

import msgspec

from hearth.core.vocabulary.ids import SessionId
from hearth.credentials.standing import Act
from hearth.servers.http.naming import fresh_id
from hearth.servers.mcp.outside import ArchiveTrouble
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.overview import unavailable
from hearth.servers.mcp.tools.said import Said, trouble

LARGEST: Final = 256 * 1024
"""Bytes of an export that are given, or taken, within a call."""
_ID: Final = "^[A-Za-z0-9_-]{1,64}$"


class ExportSession(Arguments, frozen=True):
    """What `export_session` takes."""

    content: bool = False


class ImportSession(Arguments, frozen=True):
    """What `import_session` takes."""

    file: Annotated[str, msgspec.Meta(max_length=255)] = ""
    content: Annotated[str, msgspec.Meta(max_length=LARGEST)] = ""
    new_id: Annotated[str, msgspec.Meta(pattern=_ID)] | None = None


async def export_session(call: Call, said: ExportSession) -> Said:
    """A session as a file."""
    archives = call.around.archives
    if archives is None:
        return unavailable("export_session")
    try:
        made = await archives.export(call.session)
        fields: dict[str, Any] = {
            "file": made.file,
            "path": made.path,
            "events": made.events,
            "size": made.size,
            "sha256": made.digest,
        }
        if said.content:
            content = await archives.content(made.file, LARGEST)
            if content is None:
                fields["content_left_out"] = f"it is larger than {LARGEST} bytes; read the file"
            else:
                fields["content"] = content
    except ArchiveTrouble as wrong:
        return _troubled(wrong)
    return Said(fields)


async def import_session(call: Call, said: ImportSession) -> Said:
    """A file as a session."""
    archives = call.around.archives
    if archives is None:
        return unavailable("import_session")
    if bool(said.file) == bool(said.content):
        what = "pass `file`, the name of an export, or `content`, what one says"
        return trouble("malformed", what, path="$.file")
    session = SessionId(said.new_id) if said.new_id else fresh_id()
    try:
        if said.file:
            events = await archives.take(said.file, session)
        else:
            events = await archives.take_content(said.content, session)
    except ArchiveTrouble as wrong:
        return _troubled(wrong)
    return Said(
        {"imported": session, "events": events, "next": "hard_reset_session starts it"},
        session=session,
    )


def _troubled(wrong: ArchiveTrouble) -> Said:
    return trouble(wrong.kind, wrong.what, *((wrong.hint,) if wrong.hint else ()))


TOOLS: Final = (
    Tool(
        name="export_session",
        title="Export a session",
        description=(
            "Write the whole log of a session into a file of hearth's exports folder. `content` "
            "gives what it says too, if it is small."
        ),
        act=Act.WORK,
        takes=ExportSession,
        properties={"content": s.described(s.BOOLEAN, "Also what it says")},
        gives={
            "file": s.TEXT,
            "path": s.TEXT,
            "events": s.INTEGER,
            "size": s.INTEGER,
            "sha256": s.TEXT,
            "content": s.TEXT,
            "content_left_out": s.TEXT,
            **s.TROUBLE,
        },
        hints=Hints(),
        answer=export_session,
    ),
    Tool(
        name="import_session",
        title="Import a session",
        description="Make a new session of an export. It is stopped until it is started anew.",
        act=Act.WORK,
        takes=ImportSession,
        properties={
            "file": {"type": "string", "maxLength": 255, "description": "Of the exports folder"},
            "content": {"type": "string", "maxLength": LARGEST},
            "new_id": {"type": "string", "pattern": _ID},
        },
        gives={"imported": s.TEXT, "events": s.INTEGER, "next": s.TEXT, **s.TROUBLE},
        hints=Hints(),
        answer=import_session,
        needs_session=False,
    ),
)
