"""Items in order."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.views.timeline_items import NoticeItem
from hearth.core.views.timeline_shelf import ENDLESS, Shelf

ITEM = NoticeItem(datetime(2026, 1, 1, tzinfo=UTC), "x")


def test_an_item_that_moves_is_there_once() -> None:
    shelf = Shelf()
    shelf.put("a", (0, ENDLESS, 0), ITEM)
    shelf.put("b", (0, 2, 0), ITEM)
    assert shelf.unsealed() == ["a"]
    shelf.put("a", (0, 1, 0), ITEM)
    assert [one.key for one in shelf.placed()] == ["a", "b"]
    assert shelf.unsealed() == []


def test_changes_are_told_once_and_what_is_gone_is_not_touched() -> None:
    shelf = Shelf()
    shelf.put("a", (0, 1, 0), ITEM)
    shelf.put("b", (0, 2, 0), ITEM)
    shelf.remove("a")
    assert shelf.drain() == (("b",), ("a",))
    assert shelf.drain() == ((), ())
    shelf.put("a", (0, 1, 0), ITEM)
    assert shelf.drain() == (("a",), ())


def test_a_mark_stays_when_the_item_changes() -> None:
    shelf = Shelf()
    shelf.put("a", (0, 1, 0), ITEM)
    shelf.mark("a", stale=True)
    shelf.drain()
    shelf.mark("a", stale=True)
    assert shelf.drain().touched == ()
    shelf.put("a", (0, 1, 0), ITEM)
    placed = shelf.get("a")
    assert placed is not None
    assert placed.stale


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 9)), max_size=30))
def test_it_is_always_sorted(moves: list[tuple[str, int]]) -> None:
    shelf = Shelf()
    known: dict[str, int] = {}
    for key, version in moves:
        shelf.put(key, (0, version, 0), ITEM)
        known[key] = version
    assert [one.key for one in shelf.placed()] == sorted(known, key=lambda key: (known[key], key))
    assert len(shelf) == len(known)
    assert shelf.oldest(2) == [one.key for one in shelf.placed()][: max(0, len(known) - 2)]
