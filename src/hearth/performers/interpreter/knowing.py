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
        self.is_told = False
        """Whether these are its names: else nobody has told of any yet."""
        self.cells: deque[str] = deque()
        """The code that ran to its end, for checks: the newest of it."""
        self.told = 0
        """Grows whenever a cell tells of the names: an answer from before is too old then."""
        self._size = 0
        self._ever = 0
        self._marks: dict[str, int] = {}
        """How much code had run before each cell."""
        self._left: dict[str, list[str]] = {}
        """Code that was taken back, by the name of the copy that brings it back."""

    def tell(self, names: dict[Any, Any]) -> None:
        """A cell has ended, and these are the names now."""
        self.names, self.is_told = _texts(names), True
        self.told += 1

    def answer(self, names: dict[Any, Any], told: int) -> None:
        """A question found these names; it was asked when so much had been told."""
        if self.told == told:
            self.names, self.is_told = _texts(names), True

    def begin_as(self, other: "Known") -> None:
        """It is a copy of another interpreter: what is known of that holds for it, too."""
        self.names, self.is_told = dict(other.names), other.is_told
        self.cells = deque(other.cells)
        self._size, self._ever = other._size, len(self.cells)  # noqa: SLF001 - the same class

    def remember(self, code: str) -> None:
        """This code ran to its end."""
        if code:
            self.cells.append(code)
            self._ever += 1
            self._size += len(code)
        while self._size > MOST_CODE or len(self.cells) > MOST_CELLS:
            self._size -= len(self.cells.popleft())

    def begin(self, cell: str) -> None:
        """A cell begins: it may be taken back to here."""
        self._left.clear()
        self._marks[cell] = self._ever
        if len(self._marks) > MOST_CELLS:
            del self._marks[next(iter(self._marks))]

    def take_back(self, to: str, keep_as: str) -> None:
        """A copy has taken its place: the names are those of then, and have to be asked for."""
        self.tell({})
        self.is_told = False
        if to in self._left:
            for code in self._left.pop(to):
                self.remember(code)
            return
        count = min(self._ever - self._marks.get(to, 0), len(self.cells))
        taken = [self.cells.pop() for _ in range(count)][::-1]
        self._ever -= count
        self._size -= sum(map(len, taken))
        if keep_as:
            self._left[keep_as] = taken

    def forget(self) -> None:
        """The interpreter was emptied: nothing of it holds any longer."""
        self.tell({})
        self.cells.clear()
        self._marks.clear()
        self._left.clear()
        self._size = self._ever = 0


def _texts(names: dict[Any, Any]) -> dict[str, str]:
    return {str(name): str(kind) for name, kind in names.items()}
