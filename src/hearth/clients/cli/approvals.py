"""`hearth approvals`: all that agents wait for a person to allow, in all sessions."""

from __future__ import annotations

import sys

from hearth.clients.agents.approval_text import described, headline
from hearth.clients.cli.pending import Pending, pending
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import DIM, YELLOW, ago, emit, folder, out, painted, tell
from hearth.clients.cli.styled import styled
from hearth.clients.cli.troubles import OK, WAITING, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.parsing import Asked

NOTHING: Final = "nothing waits for a person"
HOW: Final = (
    "`hearth approve WHICH` allows it once, with --for-session or --always for longer;\n"
    "`hearth reject WHICH TEXT` does not, and tells the agent why"
)


def carry_out(asked: Asked) -> int:
    """Show what waits, or put it to the person; the exit code says whether something waits."""
    if asked.has("answer-all") and asked.has("json"):
        raise wrong_usage(
            "--answer-all and --json say two things", "a program answers by `approve`"
        )
    with reach() as wire:
        rows = pending(wire, asked.text("session"))
        if asked.has("json"):
            emit({"approvals": [{**row.raw, "which": row.which} for row in rows]})
        elif asked.has("answer-all"):
            # Only who answers pays for it.
            from hearth.clients.cli.answering import walk  # noqa: PLC0415 - as the comment says

            return walk(wire, rows, is_whole=asked.has("full"))
        else:
            _show(rows, is_whole=asked.has("full"))
    return WAITING if rows else OK


def show_one(row: Pending, *, how: str = "--full shows all", is_whole: bool = False) -> None:
    """One of them, with all that a person must know of it; `how` they see more, if there is."""
    out(painted(YELLOW, headline(row.asked, ago(row.asked.at))))
    out("  " + painted(DIM, f"in {row.is_of}, {folder(row.root)}"))
    for line in styled(described(row.asked, how=how, is_whole=is_whole)):
        out(line)


def _show(rows: list[Pending], *, is_whole: bool) -> None:
    if not rows:
        out(NOTHING)
        return
    for place, row in enumerate(rows):
        if place:
            out("")
        show_one(row, is_whole=is_whole)
        out(f"  → {row.which}")
    sys.stdout.flush()
    tell(painted(DIM, HOW, sys.stderr))
