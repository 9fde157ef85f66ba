"""The frame around the pieces of an item: its own element, and the one that holds the pieces."""

from collections.abc import Callable, Sequence
from typing import Final

from hearth.core.views.timeline_items import Placed
from hearth.servers.dashboard.drawing import Drawn, Piece, item_id
from hearth.servers.dashboard.html import Html, article, div

_SLOT: Final = Html("\x00")
"""Where the pieces go. No text has it: it is made visible wherever it would be shown."""


def outlined(
    placed: Placed,
    kind: str,
    pieces: Sequence[Piece],
    around: Callable[[Html], Sequence[Html | None]],
    about: str = "",
) -> Drawn:
    """An item: `around` is given the element that holds the pieces and puts it in its place.

    `kind`: what it is, and more classes; `about`: what it is called where it is not seen.
    """
    name = item_id(placed.key)
    made = article(
        *around(div(_SLOT, id_=f"{name}-in", class_="item-in")),
        id_=name,
        class_=f"item item-{kind}",
        aria_label=about or None,
        data_key=placed.key,
        data_order=".".join(map(str, placed.order)),
        data_preserve_attr="tabindex",  # by which it has the focus, also while it is drawn anew
    )
    before, after = made.split(_SLOT)
    return Drawn(name, Html(before), tuple(pieces), Html(after))
