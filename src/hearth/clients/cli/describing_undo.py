"""Events of taking back, trying and forking in a line. Written for events as JSON, known or not."""

from __future__ import annotations

from hearth.clients.agents.diff_text import files
from hearth.clients.agents.undo_text import cells_said, left
from hearth.clients.cli.kept_texts import beginning_of

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any


def described_undo(kind: str, event: dict[str, Any]) -> str | None:
    """What matters most of it; None if it is of another kind."""
    cells = cells_said([str(one) for one in event.get("cells") or ()])
    match kind:
        case "cells_undone" | "cells_redone":
            said = f"{cells}; {left(event.get('kept') or {})}"
        case "copies_dropped":
            said = f"{cells}: {event.get('why') or ''}".removesuffix(": ")
        case "undo_requested":
            said = f"{cells}, brought back" if event.get("redo") else cells
        case "cell_not_kept":
            said = "; ".join(str(one) for one in event.get("obstacles") or ())
        case "trial_started":
            variants = list(event.get("variants") or ())
            said = f"{len(variants)} variants: {beginning_of(variants[0]) if variants else ''}"
        case "trial_ended":
            said = str(event.get("problem") or "") or _results(event)
        case "session_forked" | "fork_requested":
            said = f"{event.get('to', '')} ({event.get('how') or 'copy'})"
        case "return_previewed" | "session_returned" | "return_requested":
            said = _returned(event, cells)
        case _:
            return None
    return said


def _results(event: dict[str, Any]) -> str:
    results = list(event.get("results") or ())
    good = [one for one in results if not one.get("failure") and not one.get("stopped")]
    return f"{len(good)} of {len(results)} ran to their end"


def _returned(event: dict[str, Any], cells: str) -> str:
    scope = event.get("scope") or {}
    parts = [
        str(event.get("to") or "") or ("" if "blocks" in event else "undone"),
        *(f"with {one}" for one in ("interpreter", "files") if scope.get(one)),
        f"without {cells}" if cells else "",
        files(len(event.get("changes") or ())) if event.get("changes") else "",
    ]
    return ", ".join(part for part in parts if part)
