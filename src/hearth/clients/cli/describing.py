"""An event of the log in one line for people. Written for events as JSON, known or not."""

from __future__ import annotations

from hearth.clients.cli.describing_turns import described_turn
from hearth.clients.cli.describing_undo import described_undo
from hearth.clients.cli.kept_texts import beginning_of
from hearth.clients.cli.showing import CYAN, DIM, GREEN, RED, YELLOW, first_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

COLOURS: Final = {
    "cell_finished": GREEN,
    "session_ready": GREEN,
    "session_replayed": GREEN,
    "cell_failed": RED,
    "session_faulted": RED,
    "cell_cancelled": YELLOW,
    "cell_withdrawn": YELLOW,
    "input_requested": YELLOW,
    "cell_started": CYAN,
    "turn_started": CYAN,
    "turn_finished": GREEN,
    "retry_scheduled": YELLOW,
    "approval_requested": YELLOW,
    "compaction_failed": YELLOW,
    "tool_refused": RED,
    "files_changed": CYAN,
    "files_rewound": YELLOW,
    "rewind_failed": RED,
    "lookup_failed": RED,
    "cells_undone": YELLOW,
    "cells_redone": GREEN,
    "undo_failed": RED,
    "cell_not_kept": YELLOW,
    "trial_started": CYAN,
    "trial_ended": GREEN,
    "fork_failed": RED,
    "session_returned": YELLOW,
    "return_failed": RED,
    "state_transitioned": DIM,
    "environment_changed": DIM,
}
QUIET: Final = ("id", "type", "cell", "origin")
"""Fields that say nothing more in a line."""
MOST: Final = 100
_CODE: Final = frozenset(
    {
        "cell_queued",
        "cell_started",
        "check_requested",
        "completions_requested",
        "inspection_requested",
    }
)


def described(event: dict[str, Any]) -> str:
    """What happened: the event's name and what matters most of it."""
    kind = str(event.get("type", "?"))
    cell = str(event.get("cell", ""))
    detail = _detail(kind, event)
    return " ".join(part for part in (f"{kind:<25}", cell, detail) if part).rstrip()


def failure_of(failure: Any) -> str:
    """Why something failed, in a few words."""
    if not isinstance(failure, dict):
        return ""
    match failure.get("type"):
        case "code_raised":
            name, message = failure.get("name", ""), beginning_of(failure.get("message"))
            return f"{name}: {message}" if message else str(name)
        case "timed_out":
            return f"it ran longer than {float(failure.get('limit', 0)):g} s"
        case "project_not_found":
            return f"there is no project at {failure.get('path', '')}"
        case "check_failed":
            found = failure.get("diagnostics") or [{}]
            return str(found[0].get("message", "the code has errors"))
        case other:
            return beginning_of(failure.get("message")) or str(other)


def _detail(kind: str, event: dict[str, Any]) -> str:
    match kind:
        case "cell_finished":
            said = _finished(event)
        case "cell_failed" | "session_faulted" | "script_load_failed":
            said = failure_of(event.get("failure"))
        case "state_transitioned":
            said = f"{event.get('from', '?')} → {event.get('to', '?')}"
        case "session_started":
            config = event.get("config", {})
            said = str(config.get("directory") or config.get("name") or "")
        case "session_warm_up_started":
            said = f"interpreter number {event.get('generation', '?')}"
        case "restart_scheduled":
            said = f"in {float(event.get('delay', 0)):g} s"
        case "diagnostics_checked":
            found = event.get("diagnostics", ())
            said = str(found[0].get("message", "")) if found else "nothing found"
        case "environment_changed":
            stale = event.get("stale", 0)
            said = f"{stale} results no longer hold" if stale else ""
        case _ if kind in _CODE:
            said = str(event.get("script", "")) or beginning_of(event.get("code"))
        case _:
            known = described_turn(kind, event)
            known = described_undo(kind, event) if known is None else known
            said = _plain(event) if known is None else known
    return first_line(said, MOST)


def _finished(event: dict[str, Any]) -> str:
    took = f"in {float(event.get('duration', 0)):.3g} s"
    if not event.get("value_type"):
        return took
    return f"{took} → {first_line(beginning_of(event.get('value')), MOST - 20)}"


def _plain(event: dict[str, Any]) -> str:
    """Whatever is short enough: also of events that a later hearth writes."""
    said = [
        f"{key}={first_line(str(value), 40)}"
        for key, value in event.items()
        if key not in QUIET and isinstance(value, str | int | float) and value != ""
    ]
    return " ".join(said)
