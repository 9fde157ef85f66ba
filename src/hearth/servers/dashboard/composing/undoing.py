"""The menu that takes cells back: undo, redo, whose cells are kept, and what that takes."""

from typing import Final

from hearth.core.views.status import Status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.phases import Affordance
from hearth.core.vocabulary.undoing import UndoFor
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.composing.offers import SITUATIONS, Offer
from hearth.servers.dashboard.html import (
    Html,
    button,
    details,
    div,
    fieldset,
    hr,
    legend,
    p,
    small,
    span,
    summary,
)
from hearth.servers.dashboard.rendering.wording import counted, in_bytes

WHOSE: Final = {
    UndoFor.NOBODY: ("Nobody's", "No copies are kept; nothing can be taken back"),
    UndoFor.AGENTS: ("Agents'", "Before each cell of an agent a copy is kept"),
    UndoFor.EVERYONE: ("Everyone's", "Before each cell a copy is kept"),
}


def taking_back(status: Status) -> tuple[Offer, Offer]:
    """Take the latest cell back; bring back what was taken back last."""
    newest = status.kept.cells[-1] if status.kept.cells else None
    return (
        Offer(
            "undo",
            "Undo",
            c.UndoCells(cell=newest),
            _why_not(status, Affordance.UNDO_CODE, _nothing_kept(status)),
            f"The interpreter becomes what it was before {newest}" if newest else "",
        ),
        Offer(
            "redo",
            "Redo",
            c.RedoCells(),
            _why_not(status, Affordance.REDO_CODE, "nothing was taken back since a cell ran"),
            "Brings back what was taken back last; nothing is run again",
        ),
    )


def undo_menu(status: Status, undo: Html, redo: Html) -> Html:
    """`details#head-undo`; the two buttons are drawn as all others of the head."""
    return details(
        summary("Undo", class_="btn btn-small", aria_label="Undo and redo"),
        div(
            undo,
            redo,
            hr(),
            fieldset(
                legend("Whose cells can be taken back", class_="undo-whose"),
                *(_choice(status, who) for who in UndoFor),
                class_="undo-choices",
            ),
            p(held(status), id_="undo-held", class_="muted small undo-held"),
            class_="menu-in",
        ),
        id_="head-undo",
        class_="menu",
        data_preserve_attr="open",
    )


def held(status: Status) -> str:
    """What is kept now, and what that takes, in a sentence."""
    kept = status.kept
    if not kept.cells:
        return "No copies are held."
    copies = "1 copy is" if len(kept.cells) == 1 else f"{len(kept.cells)} copies are"
    back = f"back to before {kept.cells[0]}"
    again = f"; {counted(status.redo, 'step')} can be redone" if status.redo else ""
    return f"{copies} held, {back}: {in_bytes(kept.size)}{again}."


def _choice(status: Status, who: UndoFor) -> Html:
    words, about = WHOSE[who]
    is_on = status.undo is who
    return button(
        span(words, span(" cells", class_="sr"), class_="btn-label"),
        small(about, class_="btn-about muted", aria_hidden="true"),
        type_="button",
        id_=f"do-undo-{who.value}",
        class_="btn",
        aria_pressed="true" if is_on else "false",
        aria_description=about,
        **command(status.session, c.ChooseUndo(who)),
    )


def _why_not(status: Status, wanted: Affordance, nothing: str) -> str:
    if wanted in status.available:
        return ""
    is_free = Affordance.TRY_CODE in status.available  # where these would be, if there were any
    return nothing if is_free else SITUATIONS[status.state]


def _nothing_kept(status: Status) -> str:
    if status.undo is UndoFor.EVERYONE:
        return "no cell ran yet that can be taken back"
    return f"no copy is kept: {WHOSE[status.undo][0].lower()} cells can be taken back"
