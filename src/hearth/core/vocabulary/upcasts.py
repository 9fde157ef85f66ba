"""How rows written by earlier versions are read: a list of small functions.

An upcast turns the raw JSON of one version of an event into that of the next. Stored bytes are
never changed. Rows that already have their present shape never come here.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

Raw = dict[str, Any]


class Upcast(NamedTuple):
    """From the event tagged `old` to the one tagged `new`; `change` returns the new fields."""

    old: str
    new: str
    change: Callable[[Raw], Raw]


UPCASTS: Final[Sequence[Upcast]] = ()
"""In the order in which they came into being."""


def upcast(fact: Any, upcasts: Sequence[Upcast]) -> Raw | None:
    """The raw fact with its event brought to the newest shape; None if nothing applies."""
    if not isinstance(fact, dict) or not isinstance(event := fact.get("event"), dict):
        return None
    changed = False
    for step in upcasts:
        if event.get("type") == step.old:
            event = {**step.change(event), "type": step.new}
            changed = True
    return {**fact, "event": event} if changed else None
