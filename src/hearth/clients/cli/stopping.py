"""`hearth stop` and `hearth stop-session`."""

from __future__ import annotations

import os
import select
import time

from hearth.clients.cli.messages import Request, fresh_key, quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import emit, out
from hearth.clients.cli.troubles import OK, Trouble
from hearth.clients.cli.wire import Wire
from hearth.daemon import discovery
from hearth.daemon.home import hearth_home

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.parsing import Asked

PATIENCE: Final = 30.0
PAUSE: Final = 0.02
REASON: Final = "asked for on the command line"


def carry_out(asked: Asked) -> int:
    """End it; the exit code."""
    with reach() as wire:
        return _session(asked, wire) if asked.verb.name == "stop-session" else _daemon(asked, wire)


def _daemon(asked: Asked, wire: Wire) -> int:
    found = wire.found
    patience = asked.seconds("timeout") or PATIENCE
    keep = asked.has("keep-sessions")
    process = _handle(found.pid)
    try:
        wire.ask(Request("POST", "/shutdown", {"end_sessions": not keep})).good()
        wire.close()
        if not _is_gone(found.pid, process, patience):
            raise Trouble(
                f"the daemon (pid {found.pid}) still runs {patience:g} s after it was told to end",
                hint="logs/daemon.log in its home may say why; `kill` ends it, the log stays whole",
                code="still_running",
                more={"pid": found.pid},
            )
    finally:
        if process is not None:
            os.close(process)
    if asked.has("json"):
        emit({"stopped": True, "pid": found.pid, "sessions": "kept" if keep else "ended"})
    else:
        kept = "; its interpreters wait for the next one" if keep else ""
        out(f"the daemon (pid {found.pid}) has ended{kept}")
    return OK


def _session(asked: Asked, wire: Wire) -> int:
    name = asked.words[0]
    status = wire.get(f"/sessions/{quoted(name)}")["value"]
    session = status["session"]
    command = {"type": "stop_session", "reason": REASON}
    path = f"/sessions/{quoted(session)}/commands"
    answer = wire.ask(Request("POST", path, command, wait=PATIENCE, key=fresh_key()))
    answer.good()
    has_ended = answer.status == 200
    if asked.has("json"):
        emit({"session": session, "name": status.get("name", ""), "stopped": has_ended})
    else:
        called = f"{status.get('name') or session} ({session})"
        out(f"{called} {'has ended' if has_ended else 'is ending'}; its log stays")
    return OK


def _handle(pid: int) -> int | None:
    """Something that can be waited on until the process has ended, where the system has it."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _is_gone(pid: int, process: int | None, patience: float) -> bool:
    until = time.monotonic() + patience
    if process is not None:
        readable, _, _ = select.select([process], [], [], patience)
        return bool(readable)
    while time.monotonic() < until:
        found = discovery.find(hearth_home())
        if found is None or found.pid != pid:
            return True
        time.sleep(PAUSE)
    return False
