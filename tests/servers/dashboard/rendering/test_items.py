"""Every kind of item is drawn as one element with pieces that have ids of their own."""

import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import BUSY, LOOK, everywhere, placed

from hearth.core.views.timeline_items import Item
from hearth.servers.dashboard.rendering.items import drawn

ITEMS = everywhere("some words")


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_is_one_element_with_the_id_of_its_key(name: str) -> None:
    item: Item = ITEMS[name]
    for look in (LOOK, BUSY):
        made = drawn(placed(item, "b17.2"), look)
        assert made.id == "i-b17_2"
        assert made.html.startswith('<article id="i-b17_2" class="item item-')
        assert made.html.endswith("</article>")
        assert made.before.endswith('<div id="i-b17_2-in" class="item-in">')
        assert len({one.id for one in made.pieces}) == len(made.pieces)
        for piece in made.pieces:
            assert piece.html.startswith(f'<div id="{piece.id}"')
            looked_at(piece.html, made.id)
        looked_at(made.html, made.id)


def test_the_same_item_is_drawn_the_same_way_twice() -> None:
    for item in ITEMS.values():
        assert drawn(placed(item), LOOK) == drawn(placed(item), LOOK)
