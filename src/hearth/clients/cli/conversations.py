"""The conversations of a folder: listed, and the one that is meant found, continued or begun."""

from __future__ import annotations

import time

from hearth.clients.cli import choosing, showing
from hearth.clients.cli.messages import Request, fresh_key, quoted
from hearth.clients.cli.showing import clean, emit, first_line, out, tell
from hearth.clients.cli.troubles import OK, Trouble, unreachable, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

    Row = dict[str, Any]

PREVIEW: Final = 60
NONE: Final = "No sessions found."


class Chosen:
    """The session to speak in, and a place in the log before everything that will be said."""

    __slots__ = ("cursor", "session")

    def __init__(self, session: str, cursor: int) -> None:
        self.session = session
        self.cursor = cursor


def check(asked: Asked) -> None:
    """Trouble if the flags say two things."""
    choosing.check(asked)
    ways = [one for one in ("session", "continue", "new") if asked.has(one)]
    if len(ways) > 1:
        raise wrong_usage(f"--{ways[0]} and --{ways[1]} say two things", "choose one of them")
    if asked.has("new") and asked.has("fork"):
        raise wrong_usage("--new and --fork say two things", "a fork is a new session already")


def choose(wire: Wire, asked: Asked) -> Chosen:
    """The session that is meant, live; begun if there is none. Trouble.

    What a person would not expect (it goes on with something older, there was none) is told.
    """
    answer = wire.get("/sessions")
    rows, cursor = list(answer["value"].get("rows", ())), int(answer["seq"])
    found = _named(wire, asked) if asked.has("session") else _of_folder(wire, asked, rows)
    if asked.has("fork"):
        return Chosen(_forked(wire, asked, found), cursor)
    return Chosen(found, cursor)


def show(wire: Wire, asked: Asked) -> int:
    """List the conversations of the folder, or all; the exit code."""
    rows = list(wire.get("/sessions")["value"].get("rows", ()))
    found = talks(rows, None if asked.has("all") else choosing.directory_of(asked), _mode(asked))
    if asked.has("json"):
        emit({"conversations": found})
        return OK
    if not found:
        out(NONE)
    width = len(str(len(found)))
    for number, row in enumerate(found, 1):
        said = _preview(row) or clean(str(row.get("name", "")))
        where = f"  {showing.folder(str(row.get('directory', '')))}" if asked.has("all") else ""
        out(f"{number:>{width}}. [{_stamp(row)}] {said} ({_counted(row)}){where}")
    return OK


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


def live_at(rows: list[Row], directory: str, mode: str = "project") -> Row | None:
    """The session that works in this directory now: the nearest, of several the last used."""
    near = [
        row
        for row in rows
        if not row.get("stopped")
        and not row.get("trouble")
        and row.get("state") in choosing.USABLE
        and holds(row, directory, mode)
    ]
    return max(near, key=lambda row: len(row.get("root") or row["directory"]), default=None)


# -- which one is meant ---------------------------------------------------------------------------


def _of_folder(wire: Wire, asked: Asked, rows: list[Row]) -> str:
    body = choosing.trusted(wire, asked)
    directory, mode = str(body["directory"]), _mode(asked)
    if asked.has("new"):
        return choosing.prepared(wire, body)
    if asked.has("continue"):
        found = _continued(asked, talks(rows, directory, mode))
        if found is None:
            tell("note: there is no conversation here to continue; a new one begins")
        return (
            choosing.prepared(wire, {**body, "reuse": True}) if found is None else _up(wire, found)
        )
    live = live_at(rows, directory, mode)
    if live is not None:
        return str(live["session"])
    earlier = talks(rows, directory) if mode == "project" else []
    if earlier and _resumes(wire, directory):
        _say_continued(earlier[0])
        return _up(wire, earlier[0])
    return choosing.prepared(wire, {**body, "reuse": True})


def _mode(asked: Asked) -> str:
    return "bare" if asked.has("bare") else "project"


def _continued(asked: Asked, found: list[Row]) -> Row | None:
    """The conversation that `--continue` means; None if there is none at all."""
    number = asked.number("continue") if asked.text("continue") else 1
    if not found and number in {None, 1}:
        return None
    if number is None or not 1 <= number <= len(found):
        raise wrong_usage(
            f"there is no conversation {number} here", "`hearth ask --list` shows which there are"
        )
    _say_continued(found[number - 1])
    return found[number - 1]


def _say_continued(row: Row) -> None:
    tell(f"continuing {row['session']}: {_preview(row)} ({_counted(row)})")


def _named(wire: Wire, asked: Asked) -> str:
    """The session of this id, name or beginning; one of this name is begun if there is none."""
    named = asked.text("session") or ""
    answer = wire.ask(Request("GET", f"/sessions/{quoted(named)}"))
    if answer.status == 404 and answer.trouble().code == "unknown_session":
        tell(f"note: there is no session {clean(named)}; a new one of this name begins")
        return choosing.prepared(wire, {"directory": choosing.directory_of(asked), "name": named})
    return _up(wire, answer.good()["value"])


def _up(wire: Wire, row: Row) -> str:
    """Its id; an interpreter that was stopped is begun anew, as the tools of the agent need it."""
    session = str(row["session"])
    if row.get("stopped"):
        wait = choosing.WARM_UP
        command = {"type": "hard_reset_session"}
        path = f"/sessions/{quoted(session)}/commands"
        answer = wire.ask(Request("POST", path, command, wait=wait, key=fresh_key()), wait)
        if answer.status == 202:
            raise unreachable(f"the session is not warm after {wait:g} s", code="timeout")
        answer.good()
    return session


def _forked(wire: Wire, asked: Asked, source: str) -> str:
    """A new session whose conversation branches off from that of another."""
    block = asked.text("fork") or ""
    point = {"session": source, **({"block": block} if block else {})}
    session = choosing.prepared(wire, {**choosing.wanted(asked), "forked_from": point})
    tell(f"{session} branches off from {source}{f' at {block}' if block else ''}")
    return session


def _resumes(wire: Wire, directory: str) -> bool:
    """Whether a conversation goes on where the last one stopped, without being told to."""
    try:
        shown = wire.get(f"/config?directory={quoted(directory)}")
    except Trouble:
        return (
            False  # settings that cannot be read say nothing; `hearth config` tells what is wrong
        )
    return shown.get("values", {}).get("session.autoResume") is True


def _preview(row: Row) -> str:
    return first_line(str(row.get("preview", "")), PREVIEW)


def _counted(row: Row) -> str:
    count = int(row.get("messages", 0))
    return f"{count} message{'' if count == 1 else 's'}"


def _modified(row: Row) -> str:
    """When something was last said in it; times of the wire sort as text."""
    return str(row.get("talked") or row.get("last_activity") or "")


def _stamp(row: Row) -> str:
    at = showing.epoch(_modified(row))
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) if at is not None else "?" * 16
