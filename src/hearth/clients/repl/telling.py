"""What happens in a session, told to the person at the terminal: their own cells and all others.

A cell of one's own shows what it prints and its result. One of somebody else is set apart, with
its author and its code exactly as it was sent.
"""

from collections.abc import Callable
from typing import Final, assert_never

from hearth.clients.repl.noticing import noticed, noticed_live
from hearth.clients.repl.now import Closer, Now
from hearth.clients.repl.painting import Paint, author
from hearth.clients.repl.pieces import Piece, Words, aside, text_of
from hearth.clients.repl.printed import OTHERS, Printed
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.told_cell import ToldCell
from hearth.clients.repl.trial_telling import TrialTeller
from hearth.clients.repl.turn_telling import TurnTeller
from hearth.clients.repl.valuing import bounded, code_of
from hearth.core.views.conversation import Conversation
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary.codec import decode_envelope
from hearth.core.vocabulary.content import Blob, StreamText
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId, EventId, InputId
from hearth.core.vocabulary.turns import TurnEvent

MOST_LATE: Final = 50
"""So many ended cells are known, for what they may still show."""


class Teller:
    """Turns events and progress of one session into pieces for a terminal."""

    def __init__(
        self,
        paint: Paint,
        is_mine: Callable[[InputId], bool],
        *,
        tells_others: bool = True,
        width: Callable[[], int] = lambda: 80,
    ) -> None:
        """Without `tells_others`, cells that are not one's own are passed over."""
        self._paint = paint
        self._tells_others = tells_others
        self._is_mine = is_mine
        self._cells: dict[CellId, ToldCell] = {}
        self._late: dict[CellId, Printed] = {}
        self._turns = TurnTeller(paint, is_mine, tells_others=tells_others)
        self._trials = TrialTeller(paint, width)
        self._unsaved: set[EventId] = set()
        self.doing = ""
        """What a warm-up or a replay is at."""

    @property
    def live(self) -> str:
        """The line that is just being written."""
        cells = (cell.live for cell in self._cells.values())
        return next(cells, "") or self._turns.live

    def attach(self, now: Now, code: str, said: Conversation | None = None) -> list[Piece]:
        """Begin in the middle: a cell and a turn may be running already."""
        self._turns.root = now.root
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

    def _tell(self, envelope: Envelope) -> list[Piece]:  # noqa: PLR0911 - one case for each
        event = envelope.event
        match event:
            case e.CellStarted():
                return self._started(envelope, event)
            case e.CellFinished() | e.CellFailed() | e.CellCancelled():
                return self._closed(event)
            case e.CellOutputAdded():
                return self._added(event)
            case e.TrialStarted():
                self._trials.begun(event.cell, event.variants)
            case e.TrialEnded():
                self._cells.pop(event.cell, None)
                mine = self._is_mine(envelope.cause)
                return self._trials.ended(event, envelope, is_mine=mine)
            case e.InputRequested() if not self._of(event.cell).is_mine:
                asked = clean(event.prompt, colour=False)
                return aside(f"{event.cell} waits for an answer: {asked}")
            case e.InputAnswered() if not self._of(event.cell).is_mine:
                return aside(f"{event.cell} was answered by {author(envelope.origin)}")
            case e.VariantsDropped():
                # What is run instead drops them, under a name that begins with its own.
                mine = self._is_mine(InputId(envelope.cause.removesuffix(".trial")))
                return aside(noticed(envelope, self._paint, is_mine=mine))
            case (
                e.SessionWarmUpStarted()
                | e.SessionReady()
                | e.ReplayStarted()
                | e.SessionReplayed()
                | e.SessionFaulted()
            ):
                self.doing = ""
            case _:
                pass
        return aside(noticed(envelope, self._paint, is_mine=self._is_mine(envelope.cause)))

    def _show(self, progress: p.Progress) -> list[Piece]:  # noqa: C901, PLR0911 - a closed match
        match progress:
            case p.OutputChunk():
                return self._chunk(progress)
            case p.DisplayShown():
                return self._of(progress.cell).displays(progress)
            case p.OutputCleared():
                self._of(progress.cell).clears()
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
                return aside(noticed_live(progress, self._paint))
            case p.TextDelta() | p.ThinkingDelta() | p.ToolCallForming() | p.ToolOutput():
                return self._turns.show(progress)
            case _:
                assert_never(progress)

    # -- cells ------------------------------------------------------------------------------------

    def _open(self, cell: CellId, cause: InputId, *, is_replay: bool = False) -> ToldCell:
        mine = self._is_mine(cause)
        self._cells[cell] = ToldCell(cell, self._paint, is_mine=mine, is_replay=is_replay)
        return self._cells[cell]

    def _of(self, cell: CellId) -> ToldCell:
        """A cell that is told; one that nobody told us of is somebody else's."""
        if cell not in self._cells:
            self._cells[cell] = ToldCell(cell, self._paint, is_mine=False)
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
            return aside("\n".join(lines))
        return self._of(chunk.cell).prints(chunk.stream, chunk.text)

    def _closed(self, event: Closer) -> list[Piece]:
        pieces = [*self._of(event.cell).closed(event), *self._turns.cell_ended(event.cell)]
        del self._cells[event.cell]
        self._late[event.cell] = Printed(OTHERS, colour=self._paint.colour)
        while len(self._late) > MOST_LATE:
            del self._late[next(iter(self._late))]
        return pieces

    def _added(self, event: e.CellOutputAdded) -> list[Piece]:
        known = self._late.get(event.cell)
        if known is not None and not known.is_untouched():
            return aside("\n".join(known.finish()))
        if isinstance(event.outputs, Blob):
            return aside(f"{event.cell} goes on to print; .show {event.cell} shows it")
        texts = [text_of(one.text) for one in event.outputs if isinstance(one, StreamText)]
        said = clean("".join(texts), colour=self._paint.colour).rstrip("\n")
        return aside(bounded(said, event.cell, self._paint))
