"""How many pictures a conversation can show: what no provider takes would end it for good.

A request that is refused for a picture is refused at every later step, since the picture stays
where it is. So whether one is shown follows from itself and from those before it, and never changes
again.
"""

from dataclasses import replace
from typing import Final

from hearth.core.vocabulary.messages import Picture

MOST: Final = 100
"""Pictures of one request that Anthropic takes for its smaller models."""
MOST_WITH_LARGE: Final = 20
"""So many, if one of them is large."""
LARGE: Final = 2_000
"""Pixels of a side; a picture with a longer one is large."""
MOST_DATA: Final = 20 * 1024 * 1024
"""Characters of all of them; a request of 32 MB is refused, and has text as well."""


class PictureRoom:
    """The room for pictures in one conversation."""

    def __init__(self) -> None:
        self._count = 0
        self._data = 0
        self._has_large = False

    def admit(self, picture: Picture) -> Picture:
        """The next picture along the line; without its data if there is no room for it."""
        if not picture.data:
            return picture
        is_large = max(picture.width, picture.height) > LARGE
        most = MOST_WITH_LARGE if is_large or self._has_large else MOST
        if self._count >= most or self._data + len(picture.data) > MOST_DATA:
            why = f"the conversation has no room for another, behind {self._count}"
            return replace(picture, data="", why=why)
        self._count += 1
        self._data += len(picture.data)
        self._has_large = self._has_large or is_large
        return picture
