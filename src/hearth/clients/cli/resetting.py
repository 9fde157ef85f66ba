"""`hearth reset`: a session begins again, with what its project is now."""

from __future__ import annotations

from hearth.clients.cli.choosing import directory_of
from hearth.clients.cli.messages import Request, fresh_key, quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import clean, emit, out, tell
from hearth.clients.cli.troubles import FAILED, OK, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

WARM_UP: Final = 600.0


def carry_out(asked: Asked) -> int:
    """Reset it and wait until it is ready; the exit code."""
    with reach() as wire:
        session = _meant(asked, wire)
        command: dict[str, Any] = {"type": "reset_session"}
        if asked.has("hard") or asked.has("rebuild"):
            command = {"type": "hard_reset_session", "rebuild": asked.has("rebuild")}
        path = f"/sessions/{quoted(session)}"
        asking = Request("POST", f"{path}/commands", command, wait=WARM_UP, key=fresh_key())
        settled = wire.ask(asking).good()
        status = wire.get(path)["value"]
    is_ready = settled["envelopes"][-1]["event"]["type"] == "session_ready"
    if asked.has("json"):
        emit({"session": session, "name": status.get("name", ""), "ready": is_ready})
        return OK if is_ready else FAILED
    called = f"{clean(str(status.get('name') or session))} ({session})"
    if not is_ready:
        failure = status.get("failure") or {}
        tell(
            f"error: {called} could not be started again: {clean(str(failure.get('message', '')))}"
        )
        return FAILED
    out(f"{called} is ready; its variables are gone")
    for notice in status.get("notices", ()):
        tell(f"note: {clean(str(notice))}")
    return OK


def _meant(asked: Asked, wire: Wire) -> str:
    """The named session, or the live one of this directory. Trouble if there is none."""
    if asked.words:
        return str(wire.get(f"/sessions/{quoted(asked.words[0])}")["value"]["session"])
    directory = directory_of(asked)
    rows = wire.get("/sessions")["value"].get("rows", ())
    here = [row for row in rows if directory in {row.get("root"), row.get("directory")}]
    alive = [row for row in here if not row.get("stopped") and row.get("mode") != "bare"]
    if not alive:
        raise wrong_usage(
            f"there is no session in {directory}", "name one: `hearth sessions` lists them"
        )
    return str(alive[0]["session"])
