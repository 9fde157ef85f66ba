"""Every kind of item as markup."""

from typing import assert_never

from hearth.core.views.timeline_items import (
    CallItem,
    CellItem,
    ErrorItem,
    NoticeItem,
    Placed,
    SaidItem,
    SummaryItem,
    TextItem,
    TurnEndItem,
)
from hearth.servers.dashboard.drawing import Drawn
from hearth.servers.dashboard.rendering.calls import drawn_call
from hearth.servers.dashboard.rendering.cells import drawn_cell
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.notes import (
    drawn_end,
    drawn_error,
    drawn_notice,
    drawn_summary,
)
from hearth.servers.dashboard.rendering.talking import drawn_said, drawn_text


def drawn(placed: Placed, look: Look) -> Drawn:  # noqa: PLR0911 - a closed match is long
    """An item as it looks now. Its cost is bounded, whatever stands in it."""
    match placed.item:
        case CellItem() as item:
            return drawn_cell(placed, item, look)
        case SaidItem() as item:
            return drawn_said(placed, item, look)
        case TextItem() as item:
            return drawn_text(placed, item, look)
        case CallItem() as item:
            return drawn_call(placed, item, look)
        case ErrorItem() as item:
            return drawn_error(placed, item, look)
        case NoticeItem() as item:
            return drawn_notice(placed, item, look)
        case SummaryItem() as item:
            return drawn_summary(placed, item, look)
        case TurnEndItem() as item:
            return drawn_end(placed, item, look)
        case _:
            assert_never(placed.item)
