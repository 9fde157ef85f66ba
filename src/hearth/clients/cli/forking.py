"""`hearth fork`: another session that goes on from one, with a copy of its interpreter."""

from __future__ import annotations

import os

from hearth.clients.cli.commanding import outcome, session_named, typed
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import clean, emit, out, tell
from hearth.clients.cli.troubles import OK, Trouble, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

HOW: Final = {
    "copy": "a live copy of its interpreter",
    "replay": "its cells were run again",
    "new": "with an empty interpreter",
}
"""What the interpreter of a fork is."""
WAYS: Final = (
    "fork_session with how=replay rebuilds it by running the cells again",
    "fork_session with how=new begins with an empty interpreter",
)
"""What helps where an interpreter cannot be copied."""
STANDS: Final = "`hearth status` shows how all sessions stand, `hearth stop-session` ends one"


def carry_out(asked: Asked) -> int:
    """Begin it, and say what it is; the exit code."""
    how = asked.text("how") or ""
    if how and how not in HOW:
        raise wrong_usage(f"--how is {how!r}, which is no way", f"one of: {', '.join(HOW)}")
    block, name = asked.text("at") or "", asked.text("name") or ""
    with reach() as wire:
        source = session_named(wire, asked, asked.words[0] if asked.words else "")
        event = forked(wire, source, block=block, how=how, name=name)
    to, made = str(event["to"]), str(event.get("how") or "")
    notice, name = str(event.get("notice") or ""), str(event.get("name") or name)
    if asked.has("json"):
        emit({"session": to, "from": source, "how": made, "name": name, "notice": notice})
        return OK
    out(to)  # alone, so that a script can go on with it
    at = f" at {clean(block)}" if block else ""
    called = f" ({clean(name)})" if name else ""
    tell(f"{to}{called} goes on from {source}{at}: {HOW.get(made, made)}")
    if notice:
        tell(f"note: {clean(notice)}")
    return OK


def forked(
    wire: Wire, source: str, *, block: str = "", how: str = "", name: str = ""
) -> dict[str, Any]:
    """What tells that there is a fork. Trouble if there is none: each obstacle, and a way out."""
    command: dict[str, Any] = {"type": "fork_session", "to": f"session-{os.urandom(3).hex()}"}
    command |= {key: one for key, one in (("block", block), ("how", how), ("name", name)) if one}
    event = outcome(wire, source, command)
    if event.get("type") == "session_forked":
        return event
    obstacles = [clean(str(one)) for one in event.get("obstacles") or ()]
    why = clean(str(event.get("why") or "it was cut off"))
    if obstacles:
        why = "\n  ".join(["its interpreter cannot be copied", *obstacles])
    # What else is in the way would be so for an interpreter of any kind.
    remedies = WAYS if obstacles else [clean(str(one)) for one in event.get("remedy") or ()]
    hint = typed(list(remedies)) or STANDS
    raise Trouble(
        f"there is no fork: {why}",
        hint=hint,
        code="fork_failed",
        more={"obstacles": obstacles},
    )
