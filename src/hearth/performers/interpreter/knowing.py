"""What is known of an interpreter without asking it: its names, and the code that made them."""

from collections import deque
from typing import Any, Final

MOST_CELLS: Final = 200
MOST_CODE: Final = 256 * 1024


class Known:
    """The names and the newest code of one interpreter, as far as they were told."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """The session's variables, with their types where known."""
        self.cells: deque[str] = deque()
        """The code that ran to its end, for checks: the newest of it."""
        self.told = 0
        """Grows whenever a cell tells of the names: an answer from before is too old then."""
        self._size = 0

    def tell(self, names: dict[Any, Any]) -> None:
        """A cell has ended, and these are the names now."""
        self.names = _texts(names)
        self.told += 1

    def answer(self, names: dict[Any, Any], told: int) -> None:
        """A question found these names; it was asked when so much had been told."""
        if self.told == told:
            self.names = _texts(names)

    def remember(self, code: str) -> None:
        """This code ran to its end."""
        if code:
            self.cells.append(code)
            self._size += len(code)
        while self._size > MOST_CODE or len(self.cells) > MOST_CELLS:
            self._size -= len(self.cells.popleft())

    def forget(self) -> None:
        """The interpreter was emptied: nothing of it holds any longer."""
        self.tell({})
        self.cells.clear()
        self._size = 0


def _texts(names: dict[Any, Any]) -> dict[str, str]:
    return {str(name): str(kind) for name, kind in names.items()}
