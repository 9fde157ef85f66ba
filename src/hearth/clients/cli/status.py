"""`hearth status` and `hearth sessions`: how everything stands."""

from __future__ import annotations

import time

from hearth.clients.agents.undo_text import sized
from hearth.clients.cli import showing
from hearth.clients.cli.messages import Request, quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import emit, out
from hearth.clients.cli.troubles import OK
from hearth.clients.cli.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any

    from hearth.clients.cli.parsing import Asked


def carry_out(asked: Asked) -> int:
    """Show it; the exit code."""
    with reach() as wire:
        return _sessions(asked, wire) if asked.verb.name == "sessions" else _status(asked, wire)


def _status(asked: Asked, wire: Wire) -> int:
    info_answer, list_answer = wire.ask_all(
        [Request("GET", "/api/daemon-info"), Request("GET", "/sessions")]
    )
    info, rows = info_answer.good(), _rows(list_answer.good())
    shown = _wanted(rows, everything=asked.has("all"))
    details = _details(wire, shown)
    if asked.has("json"):
        emit(
            {
                "daemon": info,
                "sessions": [{**row, **one} for row, one in zip(shown, details, strict=True)],
                "waiting": info.get("approvals", 0),
            }
        )
        return OK
    for line in _about(info):
        out(line)
    out("")
    _show(shown, details)
    _tell_hidden(rows, shown)
    return OK


def _sessions(asked: Asked, wire: Wire) -> int:
    rows = _rows(wire.get("/sessions"))
    if asked.has("names"):
        for row in _wanted(rows, everything=asked.has("all")):
            for name in dict.fromkeys([row.get("name", ""), row["session"]]):
                if name:
                    out(showing.first_line(name, 200))
        return OK
    shown = _wanted(rows, everything=asked.has("all"))
    if asked.has("json"):
        emit({"sessions": shown})
        return OK
    _show(shown, [{} for _ in shown])
    _tell_hidden(rows, shown)
    return OK


def _rows(answer: Any) -> list[dict[str, Any]]:
    return list(answer["value"].get("rows", ()))


def _wanted(rows: list[dict[str, Any]], *, everything: bool) -> list[dict[str, Any]]:
    return [row for row in rows if everything or not row.get("stopped")]


def _details(wire: Wire, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the list does not tell; empty for a session that has gone meanwhile."""
    answers = wire.ask_all([Request("GET", f"/sessions/{quoted(row['session'])}") for row in rows])
    found = []
    for answer in answers:
        said = answer.json() if answer.status == 200 else {}
        found.append(
            {
                **said.get("value", {}),
                **({"connections": said["connections"]} if "connections" in said else {}),
            }
        )
    return found


def _about(info: dict[str, Any]) -> list[str]:
    began = showing.epoch(info.get("startedAt"))
    lasted = f", for {showing.span(time.time() - began)}" if began is not None else ""
    running = showing.painted(showing.GREEN, "running")
    lines = [
        f"hearth {info.get('version', '?')} is {running} (pid {info.get('pid', '?')}{lasted})",
        f"  address  http://127.0.0.1:{info.get('port', '?')}",
        f"  socket   {showing.folder(str(info.get('socket', '')))}",
        f"  home     {showing.folder(str(info.get('home', '')))}",
    ]
    if info.get("store"):
        lines.append(f"  store    {info['store']}")
    return [*lines, *_of_agents(info)]


def _of_agents(info: dict[str, Any]) -> list[str]:
    """What contains agents, and what they wait for."""
    lines = []
    if sandbox := info.get("sandbox"):
        said = "on" if sandbox.get("on") else showing.painted(showing.YELLOW, "off")
        why = f": {sandbox['why']}" if sandbox.get("why") else ""
        lines.append(f"  sandbox  {said}{why}")
    if info.get("permissionMode") == "auto":
        lines.append(f"  asking   {showing.painted(showing.YELLOW, 'nobody')} (auto mode)")
    if waiting := info.get("approvals"):
        what = "thing waits" if waiting == 1 else "things wait"
        shown = showing.painted(showing.YELLOW, f"{waiting} {what}")
        lines.append(f"  agents   {shown} for you: `hearth approvals`")
    return lines


def _show(rows: list[dict[str, Any]], details: list[dict[str, Any]]) -> None:
    if not rows:
        out("no sessions; `hearth` begins one for this directory, `hearth run '1 + 1'` too")
        return
    head = ["NAME", "SESSION", "STATE", "LAST ACTIVITY", "DIRECTORY"]
    lines = [
        [
            showing.first_line(row.get("name", ""), 40) or "-",
            row["session"],
            _state(row),
            showing.ago(row.get("last_activity")),
            showing.folder(row.get("directory", "")) or "-",
        ]
        for row in rows
    ]
    if any(details):
        head.insert(3, "CELLS")
        head.insert(5, "NOW")
        for line, detail in zip(lines, details, strict=True):
            line.insert(3, str(detail.get("evals", "-")))
            line.insert(5, _now(detail))
        if all(line[5] == "" for line in lines):
            for line in [head, *lines]:
                del line[5]
        _insert_copies(head, lines, details)
    if any(showing.spent(row) for row in rows):
        head.insert(-1, "COST")
        for line, row in zip(lines, rows, strict=True):
            line.insert(-1, showing.spent(row))
    for text in showing.table(head, lines, showing.STATES):
        out(text)


def _state(row: dict[str, Any]) -> str:
    if row.get("stopped"):
        return "stopped"
    return "set aside" if row.get("trouble") else str(row.get("state", "?"))


def _now(detail: dict[str, Any]) -> str:
    """What it is doing, or why it does nothing."""
    if current := detail.get("current"):
        code = current.get("script") or current.get("code", "")
        code = code.get("head", "") if isinstance(code, dict) else code
        who = current.get("origin", {}).get("name") or "someone"
        asks = " (asks for input)" if current.get("question") is not None else ""
        return f"{who}: {showing.first_line(code, 40)}{asks}"
    if failure := detail.get("failure"):
        said = failure.get("message") or failure.get("path") or failure.get("type", "")
        said = said.get("head", "") if isinstance(said, dict) else said
        return showing.first_line(str(said), 50)
    return ""


def _insert_copies(head: list[str], lines: list[list[str]], details: list[dict[str, Any]]) -> None:
    """What can be taken back, behind the cells; nothing if that is so of none."""
    kept = [detail.get("kept") or {} for detail in details]
    if not any(one.get("cells") for one in kept):
        return
    head.insert(4, "COPIES")
    for line, one in zip(lines, kept, strict=True):
        line.insert(4, _copies(one))


def _copies(kept: dict[str, Any]) -> str:
    """How many cells can be taken back, and what the copies before them take."""
    count, size = len(kept.get("cells") or ()), int(kept.get("size") or 0)
    return f"{count} ({sized(size)})" if count and size else str(count)


def _tell_hidden(rows: list[dict[str, Any]], shown: list[dict[str, Any]]) -> None:
    hidden = len(rows) - len(shown)
    if hidden:
        showing.tell(f"{hidden} more stopped; `--all` shows them")
