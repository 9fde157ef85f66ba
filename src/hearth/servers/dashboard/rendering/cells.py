"""Cells: who ran what, how it stands, and everything it showed."""

from typing import Final

from hearth.core.views.timeline_items import CellItem, Placed
from hearth.core.views.transcript import CellStanding, Entry
from hearth.core.vocabulary.commands import AnswerInput, CancelCell
from hearth.core.vocabulary.content import Outputs
from hearth.core.vocabulary.phases import Affordance
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.drawing import Drawn, Piece, item_id
from hearth.servers.dashboard.html import Html, button, div, form, header, input_, label, span
from hearth.servers.dashboard.rendering.bounding import note
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.outline import outlined
from hearth.servers.dashboard.rendering.outputs import Showing, drawn_outputs
from hearth.servers.dashboard.rendering.results import (
    CameTo,
    came_to,
    piece,
    shown_code,
    standing_mark,
)
from hearth.servers.dashboard.rendering.rich import Kept
from hearth.servers.dashboard.rendering.taking_back import not_kept, undo_button, undone_mark
from hearth.servers.dashboard.rendering.terminal import stripped
from hearth.servers.dashboard.rendering.trials import drawn_trial
from hearth.servers.dashboard.rendering.wording import badge, seconds, short, when

STALE: Final = "What it used has changed since: run it again to have a result that holds."
_NOT_NOW: Final = "The interpreter does not take this at the moment."
_OPEN: Final = frozenset({CellStanding.WAITING, CellStanding.RUNNING})


def drawn_cell(placed: Placed, item: CellItem, look: Look) -> Drawn:
    """A cell with its header, its code and its outputs."""
    entry = item.entry
    standing = entry.standing.value if entry.standing else "known in part"
    name = item_id(placed.key)
    made = cell_pieces(item, name, look)
    reached = "0" if made else None  # by keyboard, to be scrolled
    return outlined(
        placed,
        f"cell is-{standing.split(maxsplit=1)[0]}{_more_kinds(entry, stale=placed.stale)}",
        made,
        lambda inside: (
            _header(entry, look, stale=placed.stale),
            shown_code(entry.code, look),
            div(inside, class_="outputs", tabindex=reached, role="group", aria_label="output"),
            asked(entry, look),
        ),
        about=f"cell {entry.cell}, {standing}{', taken back' if entry.undone else ''}",
    )


def _more_kinds(entry: Entry, *, stale: bool) -> str:
    is_open_trial = bool(entry.variants) and not entry.kept
    kinds = {"is-stale": stale, "is-undone": entry.undone, "is-trial": is_open_trial}
    return "".join(f" {kind}" for kind, is_so in kinds.items() if is_so)


def cell_pieces(item: CellItem, name: str, look: Look) -> list[Piece]:
    """Everything that a cell showed and came to; the ids of the pieces begin with `name`."""
    entry = item.entry
    is_open = entry.standing in _OPEN
    place = "" if is_open or not entry.cell.isalnum() else f"{entry.version}/{entry.cell}"
    came = CameTo.of(entry)
    if is_open:
        came = came._replace(outputs=item.live, start=item.live_from)
    if entry.variants:
        made = drawn_trial(entry, name, look)
    else:
        made = came_to(came, name, Kept(look.session, place))
    if (cannot := not_kept(entry)) is not None:
        made.insert(0, piece(f"{name}-kept", cannot))
    for number, late in enumerate(entry.late):
        made += _late(number, late, name, look)
    return made


def asked(entry: Entry, look: Look) -> Html | None:
    """What `input()` asks, with a field for the answer."""
    if entry.question is None or entry.standing is not CellStanding.RUNNING:
        return None
    can = Affordance.ANSWER_INPUT in look.allowed
    prompt = stripped(entry.question[:2000]).strip() or "It waits for a line of text."
    return form(
        label(
            span(prompt, class_="question"),
            input_(name="text", autocomplete="off", spellcheck="false", disabled=not can),
            class_="field",
        ),
        button(
            "Answer",
            type="submit",
            class_="btn btn-primary btn-small",
            disabled=not can,
            title=None if can else _NOT_NOW,
        ),
        class_="asks row",
        **command(look.session, AnswerInput("", entry.cell or None), on="submit", fills="text"),
    )


def stop_button(entry: Entry, look: Look) -> Html | None:
    """How a cell that has not ended is ended."""
    if entry.standing not in _OPEN or not entry.cell:
        return None
    words = "Withdraw" if entry.standing is CellStanding.WAITING else "Stop"
    can = Affordance.CANCEL_EVAL in look.allowed
    return button(
        words,
        span(f" cell {entry.cell}", class_="sr"),
        type="button",
        class_="btn btn-small btn-danger",
        disabled=not can,
        title=None if can else _NOT_NOW,
        **command(look.session, CancelCell(entry.cell)),
    )


def _header(entry: Entry, look: Look, *, stale: bool) -> Html:
    took = seconds(entry.duration) if entry.duration is not None else ""
    return header(
        span(short(entry.cell, 20), class_="cell-id mono"),
        badge(entry.author),
        standing_mark(entry.standing),
        undone_mark(entry),
        span(took, class_="muted mono took") if took else None,
        span("stale", class_="mark-stale", title=STALE) if stale else None,
        span(short(entry.notice, 200), class_="muted") if entry.notice else None,
        span(class_="gap"),
        stop_button(entry, look),
        undo_button(entry, look),
        when(entry.at, look.now),
        class_="line",
    )


def _late(number: int, late: Outputs, name: str, look: Look) -> list[Piece]:
    prefix = f"{name}-l{number}"
    showing = Showing(prefix, Kept(look.session))
    about = piece(f"{prefix}-at", note("This came after it had ended."))
    return [about, *drawn_outputs(late, showing)]
