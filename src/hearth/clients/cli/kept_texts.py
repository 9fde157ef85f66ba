"""The texts of events as JSON: a long one is kept elsewhere, and the event has how it begins."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable
    from typing import Any

    Fetch = Callable[[str], str]
    """Gives the text that is kept under a hash."""


def beginning_of(text: Any) -> str:
    """A text, or as much of it as the event has."""
    return str(text.get("head", "")) if isinstance(text, dict) else str(text or "")


def whole(text: Any, fetch: Fetch) -> str:
    """A text, wherever it is kept."""
    return fetch(str(text["sha256"])) if isinstance(text, dict) else str(text or "")


def size_of(text: Any) -> int:
    """The bytes of all of it, without having them."""
    return int(text["size"]) if isinstance(text, dict) else len(str(text or "").encode())
