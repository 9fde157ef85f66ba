"""What one cell prints, as lines: bounded, with its unfinished line apart."""

from typing import Final, NamedTuple

from hearth.clients.repl.sanitising import clean_line

LONGEST_LINE: Final = 4_000
MOST_REMEMBERED: Final = 1_000_000
"""So many characters of a stream are kept, to know what of it was shown."""


class Bounds(NamedTuple):
    """How much of one cell is shown as it comes; `.show` has the rest."""

    lines: int
    characters: int


OWN: Final = Bounds(500, 200_000)
OTHERS: Final = Bounds(60, 20_000)


class Printed:
    """The stream of one cell's output, turned into lines as it comes."""

    def __init__(self, bounds: Bounds, *, colour: bool) -> None:
        self._bounds = bounds
        self._colour = colour
        self._unfinished = ""
        self.stream = "stdout"
        """The one that was written to last."""
        self._newest = ""
        self._lines = 0
        self._characters = 0
        self._seen: dict[str, list[str]] = {}
        self._seen_length = 0
        self.hidden = 0
        """Lines that were too many to be shown."""

    @property
    def live(self) -> str:
        """The line that is being written, or the newest of those that are no longer shown."""
        newest = self._newest if self.hidden else ""
        return clean_line((self._unfinished or newest)[-LONGEST_LINE:], colour=self._colour)

    def add(self, stream: str, text: str) -> list[str]:
        """The lines that are finished by this text and are to be shown."""
        self._remember(stream, text)
        shown = self.finish() if stream != self.stream else []
        self.stream = stream
        *lines, self._unfinished = (self._unfinished + text).split("\n")
        if len(self._unfinished) > LONGEST_LINE and "\r" in self._unfinished:
            # A progress bar that never ends its line: only its last state can still matter.
            self._unfinished = self._unfinished[self._unfinished.rstrip("\r").rfind("\r") + 1 :]
        return shown + [one for line in lines if (one := self._admit(line)) is not None]

    def finish(self) -> list[str]:
        """The unfinished line, now that nothing follows it."""
        line, self._unfinished = self._unfinished, ""
        admitted = self._admit(line) if line else None
        return [] if admitted is None else [admitted]

    def clear(self) -> None:
        """The cell took back what it was writing."""
        self._unfinished = ""

    def is_untouched(self) -> bool:
        """Whether nothing was printed at all."""
        return not self._seen

    def unseen(self, stream: str, whole: str) -> str:
        """What of the whole text was never heard live; nothing where that cannot be told."""
        seen = "".join(self._seen.get(stream, ()))
        return whole[len(seen) :] if whole.startswith(seen) else ""

    def _remember(self, stream: str, text: str) -> None:
        self._seen_length += len(text)
        if self._seen_length <= MOST_REMEMBERED:
            self._seen.setdefault(stream, []).append(text)
        else:
            self._seen[stream] = ["\0too much to be remembered"]

    def _admit(self, line: str) -> str | None:
        self._lines += 1
        if self._lines > self._bounds.lines or self._characters > self._bounds.characters:
            self.hidden += 1
            self._newest = line
            return None
        shown = clean_line(line, colour=self._colour)
        if len(shown) > LONGEST_LINE:
            left_out = len(shown) - LONGEST_LINE
            shown = f"{clean_line(line, colour=False)[:LONGEST_LINE]} ({left_out} characters more)"
        self._characters += len(shown)
        return shown
