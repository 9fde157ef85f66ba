"""Which session a command means, and waiting until it is warm."""

from __future__ import annotations

import os
import select

from hearth.clients.cli.messages import Request, quoted
from hearth.clients.cli.noting import SOON, Note
from hearth.clients.cli.showing import clean, folder, tell
from hearth.clients.cli.troubles import FAILED, Trouble, unreachable, wrong_usage
from hearth.clients.cli.wire import Stream, Wire
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked

WARM_UP: Final = 600.0
"""Seconds within which a session must be warm: environments may have to be built first."""
USABLE: Final = frozenset({"warming_up", "ready", "evaluating"})
"""The states of a session that can take code, sooner or later."""
FAILURES: Final = frozenset(
    {"warm_up_failed", "project_not_found", "worker_crashed", "timed_out", "interrupted"}
)
"""Not refused, but tried in vain."""


def directory_of(asked: Asked) -> str:
    """The directory that is meant: `--proj`, or the current one. Trouble if it is not there."""
    given = asked.text("proj")
    directory = os.path.abspath(given or os.curdir)  # noqa: PTH100 - pathlib takes too long to import
    if not os.path.isdir(directory):  # noqa: PTH112 - as above
        raise wrong_usage(f"there is no directory {given}", "name one that is there")
    return directory


def check(asked: Asked) -> None:
    """Trouble if a session is named and described at the same time."""
    for other in ("proj", "bare", "trust"):
        if asked.has("session") and asked.has(other):
            raise wrong_usage(
                f"--session and --{other} say two things",
                "a session that is named has its project already",
            )


def session_for(wire: Wire, asked: Asked) -> str:
    """The id of the session that is meant, warm; created if there is none. Trouble.

    What a person should know of a session that was created is told on stderr.
    """
    named = asked.text("session")
    if named is not None:
        return str(wire.get(f"/sessions/{quoted(named)}")["value"]["session"])
    return prepared(wire, {**trusted(wire, asked), "reuse": True})


def live_session(wire: Wire, asked: Asked) -> str:
    """The id of the session that is meant, if it is there; none is begun. Trouble."""
    named = asked.text("session")
    if named is not None:
        return str(wire.get(f"/sessions/{quoted(named)}")["value"]["session"])
    directory = directory_of(asked)
    rows = wire.get("/sessions")["value"].get("rows", ())
    near = [
        row
        for row in rows
        if not row.get("trouble")
        and not row.get("forked_from")  # as the daemon chooses: whoever means a fork says so
        and row.get("mode") != "bare"
        and _is_below(directory, str(row.get("root") or row.get("directory") or ""))
    ]
    # One that was stopped has a log, and a project, all the same.
    found = [row for row in near if not row.get("stopped")] or near
    if not found:
        raise wrong_usage(
            f"there is no session in {directory}", "name one: `hearth sessions` lists them"
        )
    return str(max(found, key=lambda row: len(row.get("root") or row["directory"]))["session"])


def _is_below(directory: str, root: str) -> bool:
    return bool(root) and (directory == root or directory.startswith(root.rstrip("/") + "/"))


def wanted(asked: Asked) -> dict[str, Any]:
    """What a session of the meant directory is made of. Trouble if the directory is not there."""
    body = {"directory": directory_of(asked)}
    return {**body, "mode": "bare"} if asked.has("bare") else body


def trusted(wire: Wire, asked: Asked) -> dict[str, Any]:
    """As `wanted`, with the project of that directory trusted if that is said. Trouble."""
    body = wanted(asked)
    if asked.has("trust"):
        # Only who says so pays for it.
        from hearth.clients.cli.trusting import ensure  # noqa: PLC0415 - as the comment says

        ensure(wire, str(body["directory"]))
    return body


def prepared(wire: Wire, body: dict[str, Any]) -> str:
    """The id of a session that is made of this or found, once it is warm. Trouble."""
    directory = str(body["directory"])
    note = Note()
    try:
        answer = wire.waits_for(SOON, Request("POST", "/sessions", body, wait=WARM_UP), WARM_UP)
        if answer is None:
            note.say(f"preparing a session in {folder(directory)}")
            _watch(wire, directory, note)
            answer = wire.answer(WARM_UP + 30)
    finally:
        note.clear()
    if answer.status == 202:
        raise unreachable(f"the session is not warm after {WARM_UP:g} s", code="timeout")
    if answer.status < 400:
        made = answer.json()
        if answer.status == 201:
            for notice in made.get("status", {}).get("notices", ()):
                tell(f"note: {clean(str(notice))}")
        return str(made["session"])
    trouble = answer.trouble()
    if trouble.code in FAILURES:
        trouble.ending = FAILED
    raise trouble


def _watch(wire: Wire, directory: str, note: Note) -> None:
    """Show what the warm-up does, until the answer is there."""
    stream: Stream | None = None
    with wire.another() as beside:
        try:
            stream = _steps(beside, directory)
            while stream is not None:
                ours, theirs = wire.fileno(), stream.fileno()
                readable, _, _ = select.select([ours, theirs], [], [], 1.0)
                if ours in readable:
                    return
                note.say(_newest(stream) or f"preparing a session in {folder(directory)}")
        except Trouble:
            return  # it is only for show: the answer tells what matters
        finally:
            if stream is not None:
                stream.close()


def _steps(wire: Wire, directory: str) -> Stream | None:
    """The stream of the session that is being prepared for this directory, if it is known."""
    for row in wire.get("/sessions")["value"].get("rows", ()):
        if row.get("state") == "warming_up" and row.get("directory") == directory:
            return wire.stream(f"/sessions/{quoted(row['session'])}/events")
    return None


def _newest(stream: Stream) -> str:
    """The last step that was told."""
    message = ""
    while (sent := stream.next(0)) is not None:
        if sent.kind == "progress":
            progress = plain_json.loads(sent.data).get("progress", {})
            if progress.get("type") == "warm_up_step":
                message = str(progress.get("message", ""))
    return message
