"""What is taken back, tried, forked and gone back to, told as it happens: to everybody."""

from typing import assert_never

import msgspec

from hearth.clients.agents.return_text import went_back
from hearth.clients.agents.undo_text import CHOSEN, brought_back, cells_said, left, not_kept
from hearth.clients.agents.undo_text import taken_back as taken_back_said
from hearth.clients.agents.visible import one_line
from hearth.clients.repl.failing import helping
from hearth.clients.repl.painting import Paint, author
from hearth.clients.repl.styling import styled
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.undoing import ForkHow, UndoEvent

FORKS = {
    ForkHow.COPY: "a live copy of this session",
    ForkHow.REPLAY: "rebuilt by running its cells again",
    ForkHow.NEW: "with an empty interpreter",
}
WAYS_OUT = (
    ".branch --replay rebuilds it by running the cells again; "
    ".branch --new begins with an empty interpreter"
)
STANDS = ".sessions shows how all of them stand, .stop ends this one"


def undo_noticed(  # noqa: C901, PLR0911, PLR0912 - one case for each kind of event
    event: UndoEvent, envelope: Envelope, paint: Paint, *, is_mine: bool
) -> str:
    """The lines for an event of this kind; empty if it needs none."""
    by = "" if is_mine else f" ({author(envelope.origin)})"
    match event:
        case e.UndoChosen():
            return paint.dim(f"{CHOSEN[event.who]}{by}")
        case e.CellNotKept():
            return paint.warning(not_kept(event.cell, event.obstacles))
        case e.CopiesDropped():
            why = f": {one_line(event.why)}" if event.why else ""
            return paint.dim(f"{cells_said(event.cells)} can no longer be taken back{why}")
        case e.CellsUndone():
            redo = "; .redo brings back what was there" if event.can_redo else ""
            said = f"{taken_back_said(event.cells)}{by}{redo}"
            return f"{said}\n{paint.dim(left(msgspec.to_builtins(event.kept)))}"
        case e.CellsRedone():
            return f"{brought_back(event.cells)}{by}"
        case e.UndoFailed():
            return paint.warning(f"nothing was taken back: {one_line(event.why)}")
        case e.TrialStarted():
            return paint.dim(_tries(event, by, is_mine=is_mine))
        case e.VariantKept():
            return f"variant {event.variant} of {event.cell} becomes the session{by}"
        case e.VariantsDropped():
            why = f": {one_line(event.reason)}" if event.reason else ""
            return paint.dim(f"no variant of {event.cell} was kept{why}{by}")
        case e.SessionForked():
            return "" if is_mine else _forked(event, by, paint)
        case e.ForkFailed():
            return no_fork(event, paint)
        case e.SessionReturned():
            return _returned(event, by, paint)
        case e.ReturnFailed():
            return paint.warning(f"the session stays as it is: {one_line(event.why)}")
        case (
            e.UndoRequested()
            | e.TrialEnded()
            | e.ForkRequested()
            | e.ReturnRequested()
            | e.ReturnPreviewed()
        ):
            return ""  # its end is told, or whoever asked is
        case _:
            assert_never(event)


def no_fork(event: e.ForkFailed, paint: Paint) -> str:
    """Why there is no fork, each obstacle in a line, and the ways out."""
    if not event.obstacles:  # it would be so for an interpreter of any kind
        hint = one_line(helping(event.remedy)) or STANDS
        return f"{paint.warning(f'there is no fork: {one_line(event.why)}')}\n  {hint}"
    lines = [paint.warning("there is no fork: its interpreter cannot be copied")]
    lines += [paint.warning(f"  {one_line(one)}") for one in event.obstacles]
    return "\n".join([*lines, f"  {WAYS_OUT}"])


def _tries(event: e.TrialStarted, by: str, *, is_mine: bool) -> str:
    count = len(event.variants)
    how = "1 variant, in a copy" if count == 1 else f"{count} variants, each in a copy"
    stops = "; Ctrl-C stops it" if is_mine else ""
    return f"{event.cell} tries {how}{stops}{by}"


def _forked(event: e.SessionForked, by: str, paint: Paint) -> str:
    whom, to = one_line(event.whom), one_line(event.to)
    said = f"{whom} was begun from here, {FORKS[event.how]}{by}; .switch {to} goes there"
    return paint.dim(said)


def _returned(event: e.SessionReturned, by: str, paint: Paint) -> str:
    first, *rest = went_back(msgspec.to_builtins(event))
    again = ".rewind back undoes it" if event.to else ""
    if not rest:
        return f"{first[1]}{by}{f'; {again}' if again else ''}"
    return "\n".join(one for one in (f"{first[1]}{by}", styled(rest, paint), again) if one)
