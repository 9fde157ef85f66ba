"""The conversations of a folder or of all, as they are listed, counted and told of."""

from __future__ import annotations

import sys
import time

from hearth.clients.cli import choosing, showing
from hearth.clients.cli.showing import clean, emit, first_line, out, tell
from hearth.clients.cli.troubles import OK

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

    Row = dict[str, Any]

PREVIEW: Final = 60
LEAST_PREVIEW: Final = 20
"""Shorter than this nothing can be recognised: the line becomes longer instead."""
NONE: Final = "No sessions found."


def show(wire: Wire, asked: Asked) -> int:
    """List the conversations of the folder, or all; the exit code."""
    rows = list(wire.get("/sessions")["value"].get("rows", ()))
    found = listed(rows, asked)
    if asked.has("json"):
        emit({"conversations": found})
        return OK
    if not found:
        out(NONE)
    width = len(str(len(found)))
    for number, row in enumerate(found, 1):
        where = f"  {showing.folder(str(row.get('directory', '')))}" if asked.has("all") else ""
        before, behind = f"{number:>{width}}. [{_stamp(row)}] ", f" ({_facts(row)}){where}"
        most = _room(len(before) + len(behind))
        said = preview(row, most) or first_line(str(row.get("name", "")), most)
        out(f"{before}{said}{behind}")
    hidden = len(_talks_meant(rows, asked)) - len(found)
    if hidden:
        tell(f"{hidden} more without an answer yet; `--all` shows them")
    return OK


def listed(rows: list[Row], asked: Asked) -> list[Row]:
    """Those that a list shows and a number counts: where a model answered, or really all."""
    found = _talks_meant(rows, asked)
    return found if asked.has("all") else [row for row in found if row.get("replied")]


def talks(rows: list[Row], directory: str | None, mode: str = "project") -> list[Row]:
    """The sessions with something said in them, of a folder or of all, the newest first."""
    found = [row for row in rows if row.get("messages") and not row.get("trouble")]
    if directory is not None:
        found = [row for row in found if holds(row, directory, mode)]
    return sorted(found, key=_modified, reverse=True)


def holds(row: Row, directory: str, mode: str = "project") -> bool:
    """Whether this session is one of that directory; as the daemon finds them."""
    if row.get("mode", "project") != mode:
        return False
    if row.get("directory") == directory:
        return True
    # Of a folder that belongs to no project, the folders below are not meant.
    root = row.get("root", "") if row.get("source") != "directory" and mode == "project" else ""
    return bool(root) and (directory == root or directory.startswith(root.rstrip("/") + "/"))


def mode_of(asked: Asked) -> str:
    """What kind of sessions is meant."""
    return "bare" if asked.has("bare") else "project"


def preview(row: Row, most: int = PREVIEW) -> str:
    """How it begins."""
    return first_line(str(row.get("preview", "")), most)


def counted(row: Row) -> str:
    """How many messages it has."""
    count = int(row.get("messages", 0))
    return f"{count} message{'' if count == 1 else 's'}"


def _talks_meant(rows: list[Row], asked: Asked) -> list[Row]:
    directory = None if asked.has("all") else choosing.directory_of(asked)
    return talks(rows, directory, mode_of(asked))


def _facts(row: Row) -> str:
    facts = [counted(row), showing.spent(row)]
    if not row.get("replied"):
        facts.append("no answer yet")
    if row.get("forked_from"):
        facts.append(f"fork of {clean(str(row['forked_from']))}")
    return ", ".join(fact for fact in facts if fact)


def _room(taken: int) -> int:
    """Characters of a preview, so that a line of the list is one of the terminal."""
    if not showing.is_terminal(sys.stdout):
        return PREVIEW
    return min(PREVIEW, max(LEAST_PREVIEW, showing.columns(sys.stdout) - taken))


def _modified(row: Row) -> str:
    """When something was last said in it; times of the wire sort as text."""
    return str(row.get("talked") or row.get("last_activity") or "")


def _stamp(row: Row) -> str:
    at = showing.epoch(_modified(row))
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) if at is not None else "?" * 16
