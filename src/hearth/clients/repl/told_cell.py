"""A cell while it is told: what it prints and shows as it comes, and in the end what it came to."""

from collections.abc import Iterable
from typing import Final, assert_never

from hearth.clients.repl.failing import failed
from hearth.clients.repl.now import Closer
from hearth.clients.repl.painting import Paint, seconds
from hearth.clients.repl.pieces import Piece, Words, aside, is_whole, readable, text_of
from hearth.clients.repl.printed import OTHERS, OWN, Printed
from hearth.clients.repl.valuing import hint, object_of, value_of
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, Outputs, RichData, StreamText
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.progress import DisplayShown

WORTH_TELLING: Final = 1.0
"""A cell of one's own that took longer says how long, in seconds."""

UNDONE: Final = "what it did to the interpreter was taken back"


class ToldCell:
    """A cell that is being told."""

    def __init__(
        self, cell: CellId, paint: Paint, *, is_mine: bool, is_replay: bool = False
    ) -> None:
        self.id = cell
        self.is_mine = is_mine
        self.is_replay = is_replay
        self.is_divided = is_mine
        """Whether its output was set apart from its code."""
        self.is_partly_heard = False
        self._paint = paint
        self._printed = Printed(OWN if is_mine else OTHERS, colour=paint.colour)
        self._displays: dict[str, RichData] = {}
        self._updated: set[str] = set()
        self._displayed = 0

    @property
    def live(self) -> str:
        """What it is just writing, or drawing anew in place."""
        if self._printed.live or not self._updated:
            return self._printed.live
        newest = self._displays[max(self._updated)]
        return readable(newest, colour=self._paint.colour).split("\n", 1)[0]

    def prints(self, stream: str, text: str) -> list[Piece]:
        """What it printed just now, as far as its lines are whole."""
        before = self._flush() if stream != self._printed.stream else []
        return [*before, *self._lines(stream, self._printed.add(stream, text))]

    def clears(self) -> None:
        """It took back what it was writing."""
        self._printed.clear()

    def displays(self, shown: DisplayShown) -> list[Piece]:
        """An object that it shows; one that it draws anew is told in its last state, at the end."""
        if shown.data.is_result:
            return []  # told at the end, with its type
        is_known = shown.display in self._displays
        if shown.display:
            self._displays[shown.display] = shown.data
        if is_known:
            self._updated.add(shown.display)
            return []
        return self._object(shown.data)

    def closed(self, event: Closer) -> list[Piece]:
        """What was not told yet, and how it ended."""
        pieces = [*self._unheard(event.outputs), *self._flush()]
        for display in sorted(self._updated):
            pieces += self._rich(self._displays[display])
        if hidden := self._printed.hidden:
            pieces += aside(hint(f"{hidden} more lines", self.id, self._paint))
        if event.dropped:
            said = f"{self._paint.more} {event.dropped} bytes of output were too many to be kept"
            pieces += aside(self._paint.dim(said))
        return [*pieces, *self._ending(event)]

    def _lines(self, stream: str, lines: Iterable[str]) -> list[Piece]:
        is_aside = stream == "stderr"
        paint = self._paint.warning if is_aside else _as_it_is
        said = [line if "\x1b" in line else paint(line) for line in lines]
        return [*self._divide(), Words("\n".join(said), is_aside)] if said else []

    def _flush(self) -> list[Piece]:
        stream = self._printed.stream
        return self._lines(stream, self._printed.finish())

    def _divide(self) -> list[Piece]:
        if self.is_divided:
            return []
        self.is_divided = True
        return [Words(self._paint.rule())]

    def _object(self, data: RichData) -> list[Piece]:
        self._displayed += 1
        return [*self._flush(), *self._divide(), *self._rich(data)]

    def _rich(self, data: RichData) -> list[Piece]:
        return [object_of(self.id, data, f"{self.id}-{self._displayed}", self._paint)]

    def _unheard(self, outputs: Outputs) -> list[Piece]:
        """What it showed and nobody told us live."""
        if isinstance(outputs, Blob):
            if not self._printed.is_untouched() and not self.is_partly_heard:
                return []
            return aside(hint("more than is shown here", self.id, self._paint))
        pieces: list[Piece] = []
        objects = 0
        for output in outputs:
            match output:
                case StreamText():
                    rest = self._printed.unseen(output.stream, text_of(output.text))
                    whole = is_whole(output.text) or self._printed.is_untouched()
                    if rest and whole:
                        pieces += self.prints(output.stream, rest)
                case RichData() if not output.is_result:
                    objects += 1
                    if objects > self._displayed:
                        pieces += self._object(output)
                case RichData():
                    pass  # the result is told with its type
        return pieces

    def _ending(self, event: Closer) -> list[Piece]:
        took = seconds(event.duration)
        match event:
            case e.CellFinished():
                said = [] if self.is_replay else value_of(self.id, event, self._paint)
                is_slow = event.duration >= WORTH_TELLING and self._paint.notes
                closing = f"{event.cell} finished in {took}"
                mine = self._paint.dim(f"# {took}") if is_slow else ""
            case e.CellFailed():
                said = [Words(failed(event.failure, self._paint), is_aside=True)]
                closing, mine = f"{event.cell} failed after {took}", ""
                if event.undone:
                    closing, mine = f"{closing}; {UNDONE}", self._paint.dim(UNDONE)
            case e.CellCancelled():
                said = []
                closing = f"{event.cell} was cancelled after {took}"
                mine = self._paint.warning(f"cancelled after {took}")
                if event.undone:
                    closing, mine = f"{closing}; {UNDONE}", f"{mine}; {UNDONE}"
            case _:
                assert_never(event)
        if self.is_replay and not said:
            return []
        divided = self._divide() if said else []
        if not self.is_mine:
            return [*divided, *said, Words(self._paint.rule(closing))]
        return [*said, *aside(mine)]


def _as_it_is(text: str) -> str:
    return text
