"""The items of a timeline are plain data."""

from typing import get_args

from hearth.core.views.timeline_items import Item, Placed


def test_every_item_is_frozen_and_compares_by_what_it_says() -> None:
    kinds = get_args(Item)
    assert len(kinds) == 8
    for kind in (*kinds, Placed):
        assert kind.__struct_config__.frozen
        assert kind.__struct_config__.eq
