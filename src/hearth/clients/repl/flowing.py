"""A block while a model writes it: its lines are given out as they end, each of them once."""

from collections.abc import Sequence


class Flow:
    """What was heard of one block. What comes twice is known by its place in the text."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._unfinished = ""
        self.is_broken = False
        """A piece was missed; the rest comes with the sealed block."""

    @property
    def unfinished(self) -> str:
        """The line that is being written."""
        return self._unfinished

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was heard of it."""
        return not self._length

    @property
    def heard(self) -> str:
        """All that was heard, from its beginning on."""
        return "".join(self._pieces)

    def add(self, offset: int, text: str) -> Sequence[str]:
        """The lines that this piece of the text, at its place, ends."""
        if offset > self._length:
            self.is_broken = True
            return ()
        new = text[self._length - offset :]
        if not new:
            return ()
        self._pieces.append(new)
        self._length += len(new)
        *lines, self._unfinished = (self._unfinished + new).split("\n")
        return lines

    def cut(self) -> Sequence[str]:
        """The unfinished line, now that something else follows it."""
        line, self._unfinished = self._unfinished, ""
        return (line,) if line else ()

    def rest(self, whole: str) -> Sequence[str] | None:
        """The lines of the sealed text that were not given out; None if it is another text."""
        heard = self.heard
        if not whole.startswith(heard):
            return None
        left = self._unfinished + whole[len(heard) :]
        return left.removesuffix("\n").split("\n") if left else ()
