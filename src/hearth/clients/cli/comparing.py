"""`hearth compare` and `hearth tree`: what two sessions hold otherwise, and how they branched."""

from __future__ import annotations

import sys

from hearth.clients.agents.differing_text import side_by_side
from hearth.clients.agents.tree_text import tree
from hearth.clients.cli.commanding import helped, session_named
from hearth.clients.cli.messages import Request, quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import ago, clean, columns, emit, out, tell
from hearth.clients.cli.styled import styled
from hearth.clients.cli.troubles import OK

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.troubles import Trouble

PATIENCE: Final = 30.0
"""Seconds within which a session lists its variables."""


def carry_out(asked: Asked) -> int:
    """Show it; the exit code."""
    return _tree(asked) if asked.verb.name == "tree" else _compare(asked)


def _compare(asked: Asked) -> int:
    *first, other = asked.words
    with reach() as wire:
        here = session_named(wire, asked, first[0] if first else "")
        path = f"/sessions/{quoted(here)}/compare"
        asking = Request("POST", path, {"other": other}, wait=PATIENCE)
        answer = wire.ask(asking)
        if answer.status >= 400:
            raise _told(helped(answer.trouble()))
        found: dict[str, Any] = answer.good()
    if asked.has("json"):
        emit(found)
        return OK
    differing = list(found.get("differing") or ())
    titles = (first[0] if first else here, other)
    for line in styled(side_by_side(differing, titles, columns(sys.stdout)), indent=""):
        out(line)
    if left := int(found.get("not_listed") or 0):
        tell(f"note: {left} names were too many to be compared")
    return OK


def _told(trouble: Trouble) -> Trouble:
    """Why they are not compared, and which of the two it is."""
    if trouble.code == "malformed":
        trouble.hint = "`hearth tree` names others"
    which = str(trouble.more.get("session") or "")
    if which and which not in trouble.message:
        trouble.message = f"{clean(which)} cannot be compared: {trouble.message}"
    return trouble


def _tree(asked: Asked) -> int:
    with reach() as wire:
        session = session_named(wire, asked, asked.words[0] if asked.words else "")
        found: dict[str, Any] = wire.get(f"/sessions/{quoted(session)}/tree")
    branches = list(found.get("branches") or ())
    left_out = int(found.get("left_out") or 0)
    if asked.has("json"):
        emit({"session": session, "branches": branches, "left_out": left_out})
        return OK
    ages = [ago(one.get("last_activity")) for one in branches]
    for line in styled(tree(branches, ages, left_out), indent=""):
        out(line)
    if len(branches) < 2:
        tell("nothing branched off yet: `hearth fork` does")
    return OK
