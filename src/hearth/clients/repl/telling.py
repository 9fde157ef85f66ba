"""What happens in a session, told to the person at the terminal: their own cells and all others.

A cell of one's own shows what it prints and its result. One of somebody else is set apart, with
its author and its code exactly as it was sent.
"""

from collections.abc import Callable, Iterable
from typing import Final, assert_never

from hearth.clients.repl.failing import failed
from hearth.clients.repl.noticing import noticed, noticed_live
from hearth.clients.repl.now import Closer, Now
from hearth.clients.repl.painting import Paint, author, seconds
from hearth.clients.repl.pieces import Piece, Words, is_whole, text_of
from hearth.clients.repl.printed import OTHERS, OWN, Printed
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.told_cell import ToldCell
from hearth.clients.repl.turn_telling import TurnTeller
from hearth.clients.repl.valuing import bounded, code_of, hint, object_of, value_of
from hearth.core.views.conversation import Conversation
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary.codec import decode_envelope
from hearth.core.vocabulary.content import Blob, Outputs, RichData, StreamText
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId, EventId, InputId
from hearth.core.vocabulary.turns import TurnEvent

WORTH_TELLING: Final = 1.0
"""A cell of one's own that took longer says how long, in seconds."""
MOST_LATE: Final = 50
"""So many ended cells are known, for what they may still show."""


class Teller:
    """Turns events and progress of one session into pieces for a terminal."""

    def __init__(
        self, paint: Paint, is_mine: Callable[[InputId], bool], *, tells_others: bool = True
    ) -> None:
        """Without `tells_others`, cells that are not one's own are passed over."""
        self._paint = paint
        self._tells_others = tells_others
        self._is_mine = is_mine
        self._cells: dict[CellId, ToldCell] = {}
        self._late: dict[CellId, Printed] = {}
        self._turns = TurnTeller(paint, is_mine, tells_others=tells_others)
        self._unsaved: set[EventId] = set()
        self.doing = ""
        """What a warm-up or a replay is at."""

    @property
    def live(self) -> str:
        """The line that is just being written."""
        cells = (cell.live(self._paint) for cell in self._cells.values())
        return next(cells, "") or self._turns.live

    def attach(self, now: Now, code: str, said: Conversation | None = None) -> list[Piece]:
        """Begin in the middle: a cell and a turn may be running already."""
        running = now.running
        cell_id = running.cell if running is not None else None
        pieces = self._turns.attach(said, cell_id) if said is not None else []
        if running is None:
            return pieces
        cell = self._open(running.cell, running.cause)
        cell.is_partly_heard = True
        if cell.is_mine or not self._tells_others:
            return pieces
        return [*pieces, code_of(cell.id, author(running.author), code, self._paint)]

    def interrupted(self) -> None:
        """Progress may have been missed: what a cell kept is compared with what was heard."""
        for cell in self._cells.values():
            cell.is_partly_heard = True

    def tell(self, envelope: Envelope) -> list[Piece]:
        """What one event adds."""
        if isinstance(envelope.event, TurnEvent):
            return self._once(envelope, self._turns.tell)
        cell = getattr(envelope.event, "cell", None)
        passed_over = cell is not None and self._is_passed_over(cell, envelope.cause)
        pieces = self._once(envelope, self._tell)
        return [] if passed_over else pieces

    def show(self, progress: p.Progress) -> list[Piece]:
        """What one piece of progress adds."""
        cell = getattr(progress, "cell", None)
        pieces = self._show(progress)
        return [] if cell is not None and self._is_passed_over(cell) else pieces

    def _is_passed_over(self, cell: CellId, cause: InputId | None = None) -> bool:
        if self._tells_others:
            return False
        known = self._cells.get(cell)
        if known is not None:
            return not known.is_mine
        return cause is None or not self._is_mine(cause)

    def _once(self, envelope: Envelope, tell: Callable[[Envelope], list[Piece]]) -> list[Piece]:
        if envelope.id in self._unsaved:
            self._unsaved.discard(envelope.id)
            return []  # it was told while it waited for the store
        return tell(envelope)

    def _tell(self, envelope: Envelope) -> list[Piece]:  # noqa: PLR0911 - one case for each event
        event = envelope.event
        match event:
            case e.CellStarted():
                return self._started(envelope, event)
            case e.CellFinished() | e.CellFailed() | e.CellCancelled():
                return self._closed(event)
            case e.CellOutputAdded():
                return self._added(event)
            case e.InputRequested() if not self._of(event.cell).is_mine:
                asked = clean(event.prompt, colour=False)
                return self._say(f"{event.cell} waits for an answer: {asked}")
            case e.InputAnswered() if not self._of(event.cell).is_mine:
                return self._say(f"{event.cell} was answered by {author(envelope.origin)}")
            case e.SessionWarmUpStarted() | e.ReplayStarted():
                self.doing = ""
                return []
            case e.SessionReady() | e.SessionReplayed() | e.SessionFaulted():
                self.doing = ""
            case _:
                pass
        return self._say(noticed(envelope, self._paint, is_mine=self._is_mine(envelope.cause)))

    def _show(self, progress: p.Progress) -> list[Piece]:  # noqa: C901, PLR0911 - a closed match
        match progress:
            case p.OutputChunk():
                return self._chunk(progress)
            case p.DisplayShown():
                return self._display(progress)
            case p.OutputCleared():
                self._of(progress.cell).printed.clear()
                return []
            case p.WarmUpStep():
                self.doing = clean(progress.message, colour=False)
                return []
            case p.ReplayStep():
                self.doing = f"replaying {progress.cell}, {progress.place} of {progress.of}"
                return []
            case p.EventUnsaved():
                envelope = decode_envelope(progress.json.encode())
                if envelope.id in self._unsaved:
                    return []
                pieces = self.tell(envelope)
                self._unsaved.add(envelope.id)
                return pieces
            case p.ProgressDropped():
                self.interrupted()
                return []
            case p.StoreWarning() | p.SessionResumed():
                return self._say(noticed_live(progress, self._paint))
            case p.TextDelta() | p.ThinkingDelta() | p.ToolCallForming() | p.ToolOutput():
                return self._turns.show(progress)
            case _:
                assert_never(progress)

    # -- cells ------------------------------------------------------------------------------------

    def _open(self, cell: CellId, cause: InputId, *, is_replay: bool = False) -> ToldCell:
        mine = self._is_mine(cause)
        printed = Printed(OWN if mine else OTHERS, colour=self._paint.colour)
        self._cells[cell] = ToldCell(cell, printed, is_mine=mine, is_replay=is_replay)
        return self._cells[cell]

    def _of(self, cell: CellId) -> ToldCell:
        """A cell that is told; one that nobody told us of is somebody else's."""
        if cell not in self._cells:
            printed = Printed(OTHERS, colour=self._paint.colour)
            self._cells[cell] = ToldCell(cell, printed, is_mine=False, is_replay=False)
            self._cells[cell].is_partly_heard = True
        return self._cells[cell]

    def _started(self, envelope: Envelope, event: e.CellStarted) -> list[Piece]:
        cell = self._open(event.cell, envelope.cause, is_replay=event.replays is not None)
        if cell.is_mine or cell.is_replay:
            return []
        who = author(envelope.origin)
        called = self._turns.cell_started(envelope, event)
        if called is not None:
            line, cell.is_divided = called
            if cell.is_divided:
                return [*line, Words(self._paint.rule(f"{event.cell}  {who}"), is_aside=True)]
            return [*line, code_of(event.cell, who, event.code, self._paint)]
        if event.script:
            script = clean(event.script, colour=False).replace("\n", " ")
            return [Words(self._paint.rule(f"{event.cell}  {who} runs {script}"))]
        return [code_of(event.cell, who, event.code, self._paint)]

    def _chunk(self, chunk: p.OutputChunk) -> list[Piece]:
        if chunk.cell not in self._cells and chunk.cell in self._late:
            lines = self._late[chunk.cell].add(chunk.stream, chunk.text)
            return self._say("\n".join(lines))
        return self._print(self._of(chunk.cell), chunk.stream, chunk.text)

    def _print(self, cell: ToldCell, stream: str, text: str) -> list[Piece]:
        before = self._flush(cell) if stream != cell.printed.stream else []
        return [*before, *self._lines(cell, stream, cell.printed.add(stream, text))]

    def _lines(self, cell: ToldCell, stream: str, lines: Iterable[str]) -> list[Piece]:
        is_aside = stream == "stderr"
        paint = self._paint.warning if is_aside else _as_it_is
        said = [line if "\x1b" in line else paint(line) for line in lines]
        return [*self._divide(cell), Words("\n".join(said), is_aside)] if said else []

    def _divide(self, cell: ToldCell) -> list[Piece]:
        if cell.is_divided:
            return []
        cell.is_divided = True
        return [Words(self._paint.rule())]

    def _display(self, shown: p.DisplayShown) -> list[Piece]:
        cell = self._of(shown.cell)
        if shown.data.is_result:
            return []  # told at the end, with its type
        if shown.display and shown.display in cell.displays:
            cell.displays[shown.display] = shown.data
            cell.updated.add(shown.display)
            return []  # its last state is told at the end
        if shown.display:
            cell.displays[shown.display] = shown.data
        cell.displayed += 1
        return [*self._flush(cell), *self._divide(cell), *self._rich(cell, shown.data)]

    def _rich(self, cell: ToldCell, data: RichData) -> list[Piece]:
        return [object_of(cell.id, data, f"{cell.id}-{cell.displayed}", self._paint)]

    def _flush(self, cell: ToldCell) -> list[Piece]:
        stream = cell.printed.stream
        return self._lines(cell, stream, cell.printed.finish())

    def _closed(self, event: Closer) -> list[Piece]:
        cell = self._of(event.cell)
        pieces = [*self._unheard(cell, event.outputs), *self._flush(cell)]
        for display in sorted(cell.updated):
            pieces += self._rich(cell, cell.displays[display])
        if hidden := cell.printed.hidden:
            pieces += self._say(hint(f"{hidden} more lines", cell.id, self._paint))
        if event.dropped:
            said = f"{self._paint.more} {event.dropped} bytes of output were too many to be kept"
            pieces += self._say(self._paint.dim(said))
        pieces += [*self._ending(cell, event), *self._turns.cell_ended(event.cell)]
        del self._cells[event.cell]
        self._late[event.cell] = Printed(OTHERS, colour=self._paint.colour)
        while len(self._late) > MOST_LATE:
            del self._late[next(iter(self._late))]
        return pieces

    def _unheard(self, cell: ToldCell, outputs: Outputs) -> list[Piece]:
        """What a cell showed and nobody told us live."""
        if isinstance(outputs, Blob):
            if not cell.printed.is_untouched() and not cell.is_partly_heard:
                return []
            return self._say(hint("more than is shown here", cell.id, self._paint))
        pieces: list[Piece] = []
        objects = 0
        for output in outputs:
            match output:
                case StreamText():
                    rest = cell.printed.unseen(output.stream, text_of(output.text))
                    whole = is_whole(output.text) or cell.printed.is_untouched()
                    if rest and whole:
                        pieces += self._print(cell, output.stream, rest)
                case RichData() if not output.is_result:
                    objects += 1
                    if objects > cell.displayed:
                        cell.displayed += 1
                        pieces += [*self._flush(cell), *self._divide(cell)]
                        pieces += self._rich(cell, output)
                case RichData():
                    pass  # the result is told with its type
        return pieces

    def _ending(self, cell: ToldCell, event: Closer) -> list[Piece]:
        took = seconds(event.duration)
        match event:
            case e.CellFinished():
                said = [] if cell.is_replay else value_of(cell.id, event, self._paint)
                is_slow = event.duration >= WORTH_TELLING and self._paint.notes
                closing = f"{event.cell} finished in {took}"
                mine = self._paint.dim(f"# {took}") if is_slow else ""
            case e.CellFailed():
                said = [Words(failed(event.failure, self._paint), is_aside=True)]
                closing, mine = f"{event.cell} failed after {took}", ""
            case e.CellCancelled():
                said = []
                closing = f"{event.cell} was cancelled after {took}"
                mine = self._paint.warning(f"cancelled after {took}")
            case _:
                assert_never(event)
        if cell.is_replay and not said:
            return []
        divided = self._divide(cell) if said else []
        if not cell.is_mine:
            return [*divided, *said, Words(self._paint.rule(closing))]
        return [*said, *self._say(mine)]

    def _added(self, event: e.CellOutputAdded) -> list[Piece]:
        known = self._late.get(event.cell)
        if known is not None and not known.is_untouched():
            return self._say("\n".join(known.finish()))
        if isinstance(event.outputs, Blob):
            return self._say(f"{event.cell} goes on to print; .show {event.cell} shows it")
        texts = [text_of(one.text) for one in event.outputs if isinstance(one, StreamText)]
        said = clean("".join(texts), colour=self._paint.colour).rstrip("\n")
        return self._say(bounded(said, event.cell, self._paint))

    def _say(self, text: str) -> list[Piece]:
        return [Words(text, is_aside=True)] if text else []


def _as_it_is(text: str) -> str:
    return text
