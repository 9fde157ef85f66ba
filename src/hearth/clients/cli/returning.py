"""`hearth rewind --scope`: a session goes back to when something was said, in what is asked for."""

from __future__ import annotations

from hearth.clients.agents.return_text import previewed, problems, went_back, would_change
from hearth.clients.cli.approving import agrees
from hearth.clients.cli.commanding import outcome
from hearth.clients.cli.showing import clean, emit, out, tell
from hearth.clients.cli.styled import styled
from hearth.clients.cli.troubles import FAILED, OK, Trouble, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

SCOPES: Final = {
    "conversation": {},
    "interpreter": {"interpreter": True},
    "files": {"files": True},
    "all": {"interpreter": True, "files": True},
}
"""What goes back: the conversation alone, with one of them, with both."""


def scope_of(asked: Asked) -> dict[str, bool]:
    """What is to go back. Trouble if there is no such thing."""
    given = asked.text("scope") or "conversation"
    if given not in SCOPES:
        raise wrong_usage(
            f"--scope is {given!r}, which is nothing that goes back",
            f"one of: {', '.join(SCOPES)}; without it only files go back",
        )
    return dict(SCOPES[given])


def go_back(wire: Wire, asked: Asked, session: str, to: str, scope: dict[str, bool]) -> int:
    """Show what would change, ask, and do it; to nothing: undo the last time. The exit code."""
    seen = _returned(wire, session, to, scope, preview=True)
    # What the last time changed is not looked for before it is undone.
    is_worth = not to or would_change(seen)
    is_done = False
    if not asked.has("json"):
        _show(seen, to, is_worth=is_worth)
    if is_worth and not asked.has("preview"):
        question = f"Go back to {clean(to)}? [y/N] " if to else "Undo the last time? [y/N] "
        if not (asked.has("yes") or agrees(question)):
            if asked.has("json"):
                emit(_told(session, to, seen, is_done=False))
            return FAILED
        seen = _returned(wire, session, to, scope, preview=False)
        is_done = True
    if asked.has("json"):
        emit(_told(session, to, seen, is_done=is_done))
    elif is_done:
        for line in styled(went_back(seen), indent=""):
            out(line)
        if to:
            tell("`hearth rewind --back` undoes it")
    return FAILED if is_done and seen.get("problems") else OK


def _returned(
    wire: Wire, session: str, to: str, scope: dict[str, bool], *, preview: bool
) -> dict[str, Any]:
    """What it comes to. Trouble if it cannot be done."""
    command = {"type": "return_to", "to": to, "scope": scope, "preview": preview}
    event = outcome(wire, session, command)
    if event.get("type") in {"return_previewed", "session_returned"}:
        return event
    why = clean(str(event.get("why") or "it was cut off"))
    raise Trouble(f"the session stays as it is: {why}", code="return_failed")


def _show(seen: dict[str, Any], to: str, *, is_worth: bool) -> None:
    where = f"at {clean(to)}" if to else "before the last time it went back"
    lines = previewed(seen, to) if is_worth else problems(seen)
    would = "would be what" if is_worth else "is as"
    out(f"the session {would} it was {where}{':' * is_worth}")
    for line in styled(lines):
        out(line)


def _told(session: str, to: str, seen: dict[str, Any], *, is_done: bool) -> dict[str, Any]:
    return {
        "session": session,
        "to": to,
        "rewound": is_done,
        "blocks": int(seen.get("blocks") or 0),
        "cells": list(seen.get("cells") or ()),
        "how": seen.get("how"),
        "changes": list(seen.get("changes") or ()),
        "left_out": int(seen.get("left_out") or 0),
        "problems": list(seen.get("problems") or ()),
    }
