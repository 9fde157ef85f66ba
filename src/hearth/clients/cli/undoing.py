"""`hearth undo` and `hearth redo`: an interpreter becomes what it was before cells, or after."""

from __future__ import annotations

from hearth.clients.agents.undo_text import CHOSEN, brought_back, left, taken_back
from hearth.clients.cli.commanding import outcome, session_named
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import clean, emit, out, tell
from hearth.clients.cli.troubles import OK, Trouble, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

MOST: Final = 1000
"""Cells that are taken back at once."""
COUNTED: Final = f"what is taken back is a number up to {MOST}, or a cell: c7"


def carry_out(asked: Asked) -> int:
    """Have it done, and say what it is now; the exit code."""
    if asked.verb.name == "redo":
        return _done(asked, asked.words[0] if asked.words else "", {"type": "redo_cells"})
    named, what = _parted(asked.words)
    if (who := asked.text("for")) is None:
        return _done(asked, named, _wanted(what))
    if who not in CHOSEN:
        raise wrong_usage(f"--for is {who!r}, which is nobody", f"one of: {', '.join(CHOSEN)}")
    if what:
        raise wrong_usage(f"{what} and --for say two things", "choose first, then take back")
    return _done(asked, named, {"type": "choose_undo", "who": who})


def _parted(words: list[str]) -> tuple[str, str]:
    """The session and what is to be taken back: one word alone may be either."""
    if len(words) > 1:
        return words[0], words[1]
    only = words[0] if words else ""
    # A number that is none of cells is a slip, and nobody's session.
    return ("", only) if only.isdecimal() or _command(only) else (only, "")


def _wanted(what: str) -> dict[str, Any]:
    command = _command(what) if what else {"type": "undo_cells"}
    if command is None:
        raise wrong_usage(f"{what} cannot be taken back", COUNTED)
    return command


def _command(what: str) -> dict[str, Any] | None:
    """What takes so many cells back, or one and all since; None if it says neither."""
    digits = what.removeprefix("c")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 19 and int(digits)):
        return None
    if what.startswith("c"):
        return {"type": "undo_cells", "cell": what}
    return {"type": "undo_cells", "count": int(what)} if int(what) <= MOST else None


def _session(wire: Wire, asked: Asked, named: str) -> str:
    """The session that is meant. Trouble, with what else a word alone may say."""
    try:
        return session_named(wire, asked, named)
    except Trouble as trouble:
        if named and len(asked.words) == 1 and asked.verb.name == "undo":
            trouble.hint = f"{trouble.hint}; {COUNTED}".removeprefix("; ")
        raise


def _done(asked: Asked, named: str, command: dict[str, Any]) -> int:
    with reach() as wire:
        session = _session(wire, asked, named)
        event = outcome(wire, session, command)
    cells = [str(one) for one in event.get("cells") or ()]
    kept = event.get("kept") or {}
    told: dict[str, Any] = {"session": session}
    match event.get("type"):
        case "cells_undone":
            told |= {"undone": cells, "can_redo": bool(event.get("can_redo"))}
            redo = "; `hearth redo` brings back what was there" if event.get("can_redo") else ""
            said = taken_back(cells)
        case "cells_redone":
            told |= {"redone": cells}
            said, redo = brought_back(cells), ""
        case "undo_chosen":
            told |= {"for": event.get("who")}
            said, redo = CHOSEN.get(str(event.get("who")), ""), ""
        case _:
            why = clean(str(event.get("why") or "it was cut off"))
            raise Trouble(f"nothing was taken back: {why}", code="undo_failed")
    if asked.has("json"):
        emit({**told, "kept": {"cells": [], "size": 0, **kept}} if cells else told)
        return OK
    out(said)
    if cells:
        tell(f"{left(kept)}{redo}")
    return OK
