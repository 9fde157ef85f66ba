"""How the daemon is: where it runs, what it needs, what contains agents, and what is wrong."""

import asyncio
import resource
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from hearth.api import Viewed
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.servers.dashboard.html import EMPTY, Child, Html, div, joined, li, p, span, strong, ul
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import (
    MOST,
    Tone,
    badge,
    facts,
    hint,
    left_out,
    part,
    path,
    warning,
)
from hearth.servers.dashboard.panels.wording import counted, folder, one_line, size
from hearth.servers.dashboard.panels.wording import span as lasted
from hearth.servers.http.agents.oversight import (
    Guarded,
    McpServerShown,
    McpServersListed,
    ServerShown,
)

SLOW: Final = 0.25
"""Seconds after which the daemon's loop is late."""
_TONES: Final[dict[str, Tone]] = {
    "ready": "good",
    "idle": "good",
    "starting": "info",
    "crashed": "bad",
    "failed": "bad",
    "missing": "warn",
    "needs_login": "warn",
    "unapproved": "warn",
    "incomplete": "warn",
}
_LIFE: Final = Path("/proc/self/statm")


async def show(looking: Looking, now: datetime) -> Html:
    """What is wrong first, then the rest."""
    around = looking.around
    lag = await _lag()
    guarded = await around.agents.guarded()
    status = await _status(looking)
    root = (status.root or status.directory) if status is not None else ""
    outside = await around.agents.mcp_servers(root) if root else None
    warnings = _warnings(guarded, outside, status, lag)
    return joined(
        part("Warnings", [warning(one) for one in warnings[:MOST]]) if warnings else EMPTY,
        await _daemon(looking, now, lag, guarded),
        _servers("Language servers", [_language(one) for one in around.agents.servers().servers]),
        _servers("MCP servers here", [_mcp(one) for one in outside.servers]) if outside else EMPTY,
    )


def memory() -> int:
    """Bytes of this process that are in memory now, or its peak where that cannot be told."""
    try:
        return int(_LIFE.read_text("ascii").split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


async def _lag() -> float:
    """Seconds until this has its turn again: what everybody waits for at the moment."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.sleep(0)
    return loop.time() - began


async def _status(looking: Looking) -> Status | None:
    if looking.session is None:
        return None
    viewed = await looking.around.hearth.view("status", looking.session)
    known = viewed.value if isinstance(viewed, Viewed) else None
    return known if isinstance(known, Status) else None


async def _daemon(looking: Looking, now: datetime, lag: float, guarded: Guarded) -> Html:
    info = looking.around.daemon.info()
    viewed = await looking.around.hearth.view("sessions")
    known = viewed.value if isinstance(viewed, Viewed) else None
    sessions = "unknown"
    if isinstance(known, Sessions):
        live = sum(not row.stopped for row in known.rows)
        sessions = f"{live} live of {len(known.rows)}"
    resumed = f", {info.resumed} of them from before" if info.resumed else ""
    sandbox = guarded.sandbox
    contained = badge("on", "good") if sandbox.on else badge("off", "warn")
    asks = guarded.mode == "ask"
    asked = badge("ask", "good") if asks else badge("auto", "warn")
    means = "people decide" if asks else "allowed unseen"
    rows: list[tuple[Child, Child]] = [
        ("version", info.version),
        ("process", f"pid {info.pid}, up for {lasted((now - info.started_at).total_seconds())}"),
        ("address", f"127.0.0.1:{info.port}"),
        ("home", path(info.home)),
        ("store", one_line(info.store) or "unknown"),
        ("sessions", f"{sessions}{resumed}"),
        ("memory", size(memory())),
        ("event loop", f"{lag * 1000:.1f} ms a round"),
        ("sandbox", joined(contained, " ", one_line(sandbox.why, 300))),
        ("permissions", joined(asked, " ", means)),
    ]
    return part("Daemon", facts(rows))


def _warnings(
    guarded: Guarded, outside: McpServersListed | None, status: Status | None, lag: float
) -> list[str]:
    found = []
    if not guarded.sandbox.on:
        why = guarded.sandbox.why or "nobody knows why"
        found.append(f"Commands of agents are not contained: {why}.")
    if guarded.mode == "auto":
        found.append("Nobody is asked: what people would decide is allowed unseen.")
    if lag > SLOW:
        found.append(f"The daemon is busy: everybody waits for {lag:.1f} s at the moment.")
    if outside is not None:
        found += outside.problems
    if status is not None:
        found += status.notices
    return found


def _servers(heading: str, rows: Sequence[Html]) -> Html:
    if not rows:
        return part(heading, hint("None was needed so far."))
    return part(
        heading,
        ul(rows[:MOST], class_="p-list", role="list"),
        left_out(MOST, len(rows), "server"),
        note=counted(len(rows), "server"),
    )


def _language(one: ServerShown) -> Html:
    running = f"pid {one.pid}" if one.pid else "does not run"
    again = f", restarted {counted(one.restarts, 'time')}" if one.restarts else ""
    about = f"{running}{again}, {counted(one.open_files, 'open file')}"
    return _server(one.server, one.state, folder(one.root), about, one.why)


def _mcp(one: McpServerShown) -> Html:
    running = f"pid {one.pid}, " if one.pid else ""
    used = f"used by {counted(one.users, 'session')}" if one.users else "not used now"
    about = f"{counted(one.tools, 'tool')}, {running}{used}, said in {folder(one.source)}"
    if one.noise:
        about += f", {counted(one.noise, 'line')} that made no sense"
    return _server(one.name, one.state, one.shown, about, one.why)


def _server(name: str, state: str, shown: str, about: str, why: str) -> Html:
    said = p(one_line(why, 300), class_="p-why small") if why else EMPTY
    tone = _TONES.get(state, "")
    return li(
        div(
            strong(one_line(name, 80), class_="p-server"),
            badge(state.replace("_", " "), tone),
            class_="row row-wrap",
        ),
        span(one_line(shown, 200), class_="mono muted p-shown"),
        p(one_line(about, 300), class_="muted small"),
        said,
    )
