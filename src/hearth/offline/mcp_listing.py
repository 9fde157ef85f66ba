"""`hearth mcp list` and `hearth mcp status`: which servers agents have, and how they are doing."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hearth.clients.cli import reaching
from hearth.clients.cli.messages import quoted
from hearth.clients.cli.troubles import Trouble as Unreached
from hearth.offline.answering import Answer, Trouble
from hearth.offline.mcp_settings import Here, here, say
from hearth.offline.words import Asked
from hearth.settings.mcp import SERVERS, McpSettings, ServerSpec, servers_of
from hearth.settings.mcp_approvals import McpApprovals
from hearth.settings.snapshot import Snapshot

STATES: Final[Mapping[str, str]] = {
    "unapproved": "to be approved",
    "needs_login": "needs a login",
    "not_enabled": "not enabled",
}
"""What people are shown in place of some states."""


def list_servers(asked: Asked) -> Answer:
    """The servers of this place, as settings have them. Trouble."""
    where = here(asked.given.get("--proj"))
    snapshot = where.snapshot()
    settings = servers_of(snapshot)
    for problem in settings.problems:
        say(f"warning: {problem}")
    rows = [*_that_count(where, settings), *_that_do_not(snapshot, settings)]
    rows.sort(key=lambda row: str(row["name"]))
    if not rows:
        say("no server is configured; `hearth mcp add NAME -- COMMAND …` adds one")
    lines = table(
        ("NAME", "STATE", "OF", "STARTED BY OR REACHED AT"),
        [
            (
                str(row["name"]),
                STATES.get(str(row["state"]), str(row["state"])),
                str(row["of"]),
                str(row["shown"]),
            )
            for row in rows
        ],
    )
    _hint(rows)
    return Answer(tuple(lines), {"directory": str(where.directory), "servers": rows})


def status(asked: Asked) -> Answer:
    """How the servers of this place are doing, asked of the daemon. Trouble."""
    where = here(asked.given.get("--proj"))
    try:
        with reaching.reach() as wire:
            answer = wire.get(f"/mcp-servers?directory={quoted(str(where.directory))}")
    except Unreached as trouble:
        raise Trouble(trouble.code, trouble.message, trouble.hint, trouble.ending) from None
    servers: Sequence[Mapping[str, Any]] = answer.get("servers", ())
    if not servers:
        say("no server is configured here; `hearth mcp add NAME -- COMMAND …` adds one")
    rows = [
        (
            str(one.get("name", "")),
            STATES.get(str(one.get("state")), str(one.get("state", ""))),
            str(one.get("tools") or "-"),
            str(one.get("users") or "-"),
            str(one.get("pid") or "-"),
            str(one.get("shown", "")),
        )
        for one in servers
    ]
    lines = list(
        table(("NAME", "STATE", "TOOLS", "USERS", "PID", "STARTED BY OR REACHED AT"), rows)
    )
    for one in servers:
        if why := one.get("why"):
            say(f"{one.get('name')}: {why}")
    return Answer(tuple(lines), answer)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns under their names; nothing where there is no row."""
    if not rows:
        return []
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, *rows]
    ]


def _that_count(where: Here, settings: McpSettings) -> list[dict[str, Any]]:
    approvals = McpApprovals(where.home)
    if (problem := approvals.problem()) is not None:
        say(f"warning: {problem}")
    return [
        {
            "name": name,
            "state": _state(spec, settings, approvals),
            "of": "project" if spec.is_project else "you",
            "shown": spec.shown(),
            "file": spec.source,
        }
        for name, spec in settings.servers.items()
    ]


def _state(spec: ServerSpec, settings: McpSettings, approvals: McpApprovals) -> str:
    if spec.disabled:
        return "disabled"
    if not approvals.is_approved(spec):
        return "unapproved"
    if settings.enabled is not None and spec.name not in settings.enabled:
        return "not_enabled"
    return "enabled"


def _that_do_not(snapshot: Snapshot, settings: McpSettings) -> list[dict[str, Any]]:
    """What a file says of servers and does not count, or switches them off."""
    rows = []
    for key, said in snapshot.said.items():
        name = key.removeprefix(SERVERS)
        if not key.startswith(SERVERS) or name in settings.servers or not said:
            continue
        last = said[-1]
        is_off = last.entry.value is False
        rows.append(
            {
                "name": name,
                "state": "off" if is_off else "does not count",
                "of": "project" if last.entry.source == snapshot.project else "you",
                "shown": "" if is_off else last.why_not or "it is wrong as it is written",
                "file": last.entry.source,
            }
        )
    return rows


def _hint(rows: Sequence[Mapping[str, Any]]) -> None:
    if any(row["state"] == "unapproved" for row in rows):
        say("hint: `hearth mcp approve` shows what the project's servers would run, and asks")
    if any(row["state"] == "does not count" for row in rows):
        say("hint: `hearth trust` lets a project's configuration count")
