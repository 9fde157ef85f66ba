"""What is drawn of an item: a frame, and in it pieces that can be sent one by one.

What is being written grows by its last pieces. As long as the frame and the first pieces are the
same, only the others are sent.
"""

from typing import NamedTuple

from hearth.servers.dashboard.html import Html


class Piece(NamedTuple):
    """A part of an item; its markup is one element with this id."""

    id: str
    html: Html


class Drawn(NamedTuple):
    """An item as markup: `before`, the pieces, `after`.

    `before` opens the item's own element, whose id is `i-` and the key of the item, and ends with
    the opening tag of the element that holds the pieces, whose id is that with `-in` behind it.
    """

    id: str
    before: Html
    pieces: tuple[Piece, ...]
    after: Html

    @property
    def html(self) -> Html:
        """All of it."""
        return Html("".join((self.before, *(one.html for one in self.pieces), self.after)))


def item_id(key: str) -> str:
    """The id of the element of an item."""
    return f"i-{key.replace('.', '_').replace('@', '_')}"
