"""Items in their order, each under its key, and which of them are others than before."""

from bisect import bisect_left, insort
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from hearth.core.views.timeline_items import Item, Placed

ENDLESS: Final = 10**17
"""A version that no session reaches: where what is not stored yet stands."""

Order: TypeAlias = tuple[int, int, int]


class Changes(NamedTuple):
    """What is otherwise than before."""

    touched: tuple[str, ...]
    """Keys of items that are new or others."""
    removed: tuple[str, ...]


class Shelf:
    """Keeps items sorted, and remembers what was done to them."""

    def __init__(self) -> None:
        self._items: dict[str, Placed] = {}
        self._order: list[tuple[Order, str]] = []
        self._touched: dict[str, None] = {}
        self._removed: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._order)

    def get(self, key: str) -> Placed | None:
        """One item."""
        return self._items.get(key)

    def placed(self) -> list[Placed]:
        """Every item, in order."""
        return [self._items[key] for _, key in self._order]

    def unsealed(self) -> list[str]:
        """The keys of what is being written."""
        keys = []
        for order, key in reversed(self._order):
            if order[1] != ENDLESS:
                break
            keys.append(key)
        return keys

    def put(self, key: str, order: Order, item: Item) -> None:
        """An item, new or changed, where it stands now."""
        known = self._items.get(key)
        if known is not None and known.order != order:
            del self._order[bisect_left(self._order, (known.order, key))]
        if known is None or known.order != order:
            insort(self._order, (order, key))
        self._items[key] = Placed(key, order, item, known.stale if known is not None else False)
        self._touched[key] = None
        self._removed.pop(key, None)

    def mark(self, key: str, *, stale: bool) -> None:
        """Whether the result of a cell no longer holds."""
        placed = self._items[key]
        if placed.stale is not stale:
            self._items[key] = replace(placed, stale=stale)
            self._touched[key] = None

    def remove(self, key: str) -> None:
        """An item that is not shown any more."""
        placed = self._items.pop(key)
        del self._order[bisect_left(self._order, (placed.order, key))]
        self._touched.pop(key, None)
        self._removed[key] = None

    def oldest(self, most: int) -> list[str]:
        """The keys of those that stand before the newest so many; not of what is being written."""
        over = self._order[: max(0, len(self._order) - most)]
        return [key for order, key in over if order[1] != ENDLESS]

    def drain(self) -> Changes:
        """What changed since the last call."""
        changes = Changes(tuple(self._touched), tuple(self._removed))
        self._touched, self._removed = {}, {}
        return changes
