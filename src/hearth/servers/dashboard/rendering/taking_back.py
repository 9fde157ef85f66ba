"""What was taken back of cells, what cannot be, and the button that takes them back."""

from typing import Final

from hearth.core.views.transcript import Entry
from hearth.core.vocabulary.commands import UndoCells
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.html import Html, button, div, li, p, span, ul
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.wording import short

MOST_OBSTACLES: Final = 20
UNDONE: Final = (
    "The interpreter is what it was before this cell; what is shown here was taken back."
)


def undone_mark(entry: Entry) -> Html | None:
    """That what a cell did was taken back, in words."""
    if not entry.undone:
        return None
    return span("taken back", class_="mark-undone", title=UNDONE)


def undo_button(entry: Entry, look: Look) -> Html | None:
    """How a cell is taken back, with all that came after it; none where no copy is kept."""
    if entry.cell not in look.undoable:
        return None
    return button(
        "Undo to here",
        span(f": take back {entry.cell} and all after it", class_="sr"),
        type="button",
        class_="btn btn-quiet btn-small undo-here",
        title=f"The interpreter becomes what it was before {entry.cell}",
        **command(look.session, UndoCells(cell=entry.cell)),
    )


def not_kept(entry: Entry) -> Html | None:
    """Why a cell cannot be taken back, where a copy was tried in vain before it ran."""
    if not entry.obstacles:
        return None
    return div(p("This cell cannot be taken back:"), obstacles(entry.obstacles), class_="not-kept")


def obstacles(found: tuple[str, ...]) -> Html:
    """What is in the way of a copy, each in a sentence."""
    more = len(found) - MOST_OBSTACLES
    return ul(
        *(li(short(one, 300)) for one in found[:MOST_OBSTACLES]),
        li(f"… and {more} more") if more > 0 else None,
        class_="obstacles",
    )
