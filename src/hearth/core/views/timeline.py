"""One timeline of a session: its cells and its conversation in the order in which they happened.

Fold events with `take` and what is going on with `hear`; `drain` says which items are others than
before. It begins anywhere in the log: what it knows only in part it shows in part. Cells that are
run for a tool call stand inside of that call.
"""

from datetime import datetime
from typing import Final

from msgspec.structs import replace

from hearth.core.rules.lines import segments_of
from hearth.core.views.conversation_rows import HERE, compaction_of, row_of, started_of
from hearth.core.views.open_blocks import OpenBlock, OpenKind, heard, without_first, without_step
from hearth.core.views.talk import Talk, step_of, talk_on
from hearth.core.views.timeline_cells import CELLS, cell_after, cell_of, is_open, shown_in
from hearth.core.views.timeline_items import (
    CallItem,
    CellItem,
    ErrorItem,
    Item,
    NoticeItem,
    Placed,
    SaidItem,
    SummaryItem,
    TextItem,
    TurnEndItem,
)
from hearth.core.views.timeline_notices import notice_key, noticed
from hearth.core.views.timeline_shelf import ENDLESS, Changes, Order, Shelf
from hearth.core.vocabulary import blocks as b
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.codec import Unreadable, decode_envelope
from hearth.core.vocabulary.deeds import FilesChanged, ToolRefused
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CallId, CellId, SessionId, TurnId
from hearth.core.vocabulary.progress import (
    DisplayShown,
    EventUnsaved,
    OutputChunk,
    OutputCleared,
    Progress,
    TextDelta,
    ThinkingDelta,
    ToolCallForming,
    ToolOutput,
)
from hearth.core.vocabulary.undoing import CellsRedone, CellsUndone

MOST_LIVE: Final = 64 * 1024
"""Characters of a running tool's output that are kept, the newest."""


class Timeline:
    """The items of a range of the log, oldest first, and how the conversation stands."""

    def __init__(self, talk: Talk, *, source: SessionId = HERE, version: int = 0) -> None:
        """`talk`: how the conversation stands once all of the range was taken.

        `source`: the session that is read, if it is one that the conversation was forked from; of
        that one only the conversation is shown. `version`: the range begins behind it.
        """
        self.talk = talk
        self.version = version
        self.is_cut = False
        """Its conversation goes on from elsewhere: it must be read anew."""
        self._source = source
        self._segments = segments_of(talk.shown, ENDLESS)
        self._shelf = Shelf()
        self._sealed: dict[tuple[TurnId, int], int] = {}
        self._calls: dict[CallId, str] = {}
        self._cells: dict[CellId, str] = {}
        self._begun: dict[TurnId, datetime] = {}
        self._open: tuple[OpenBlock, ...] = ()

    # -- what is there ------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._shelf)

    def placed(self) -> list[Placed]:
        """Every item, in order."""
        return self._shelf.placed()

    def get(self, key: str) -> Placed | None:
        """One item."""
        return self._shelf.get(key)

    def drain(self) -> Changes:
        """What changed since the last call."""
        return self._shelf.drain()

    def trim(self, most: int) -> None:
        """Let the oldest items go, until there are so many. What goes on stays."""
        for key in self._shelf.oldest(most):
            if not is_open(self._item(key)):
                self._remove(key)

    # -- events -------------------------------------------------------------------------------

    def take(self, envelope: Envelope) -> None:
        """One more event; one that is known already changes nothing."""
        if envelope.version <= self.version:
            return
        self.version = envelope.version
        event = envelope.event
        if type(event) in CELLS:
            self._take_cell(envelope)
            return
        if not self._source:
            self.talk = talk_on(self.talk, envelope.version, envelope)
        match event:
            case t.BlockSealed():
                self._seal(envelope, event)
            case t.ToolStarted() if event.call in self._calls:
                self._start(envelope, event)
            case t.ApprovalRequested() | t.ApprovalAnswered():
                self.ask()
            case ToolRefused():
                self._call(event.call, refused=event.judged)
            case FilesChanged():
                self._call(event.call, changes=event.changes)
            case t.TurnStarted():
                self._begun[event.turn] = envelope.at
            case t.RetryScheduled() | t.StepFinished():
                self._write(without_step(self._open, event.turn, event.step))
            case t.CompactionStarted():
                self._write(())
            case t.TurnFinished():
                self._end(envelope, event)
            case t.ConversationCompacted():
                made = SummaryItem(compaction_of(envelope, event, self._source))
                self._put(self._key(f"s{envelope.version}"), self._place(envelope.version), made)
            case t.BranchSwitched() | t.ConversationForked():
                self.is_cut = True
            case _ if not self._source:
                if isinstance(event, CellsUndone | CellsRedone):
                    self._take_back(event)
                self._note(envelope)
            case _:
                pass

    def write(self, blocks: tuple[OpenBlock, ...]) -> None:
        """What is being written at this moment."""
        self._write(blocks)

    def ask(self) -> None:
        """Put what people are asked to the calls that it is about."""
        asked = {call: one for one in self.talk.approvals for call in one.calls}
        for call, key in self._calls.items():
            item = self._item(key)
            if isinstance(item, CallItem) and item.approval is not asked.get(call):
                self._call(call, approval=asked.get(call))

    def judge(self, stale: frozenset[CellId]) -> None:
        """Mark the cells whose results no longer hold, and no others."""
        for placed in self.placed():
            if (cell := shown_in(placed.item)) is not None:
                self._shelf.mark(placed.key, stale=cell.entry.cell in stale)

    def _take_cell(self, envelope: Envelope) -> None:
        if self._source:
            return
        cell = cell_of(envelope.event)
        key = self._cells.get(cell)
        known = shown_in(self._item(key))
        after = cell_after(known, envelope)
        if after is None:
            return
        if key is None:
            self._cells[cell] = cell
            self._put(cell, self._place(envelope.version), after)
        else:
            self._show_cell(key, after)

    def _show_cell(self, key: str, cell: CellItem) -> None:
        placed = self._shelf.get(key)
        if placed is None:
            return
        call = placed.item if isinstance(placed.item, CallItem) else None
        item: Item = replace(call, cell=cell) if call is not None else cell
        self._put(key, placed.order, item)

    def _take_back(self, event: CellsUndone | CellsRedone) -> None:
        """Mark what was taken back, or brought back; the cells stay where they stand."""
        is_undone = isinstance(event, CellsUndone)
        for cell in event.cells:
            key = self._cells.get(cell)
            known = shown_in(self._item(key))
            if key is not None and known is not None:
                entry = replace(known.entry, undone=is_undone)
                self._show_cell(key, replace(known, entry=entry))

    def _note(self, envelope: Envelope) -> None:
        noted, key = noticed(envelope), notice_key(envelope)
        if noted is not None:
            known = self._shelf.get(key)
            self._put(key, known.order if known else self._place(envelope.version), noted)

    def _seal(self, envelope: Envelope, event: t.BlockSealed) -> None:
        row = row_of(envelope, event, self._source)
        place = self._place(envelope.version, strict=True)
        if event.replaces is not None and not self._source:
            self.is_cut = True
        if event.role is b.Role.ASSISTANT:
            # Counted also where it is not shown: it is the how-manieth that makes the key.
            number = self._sealed.get((row.turn, row.step), 0)
            self._sealed[row.turn, row.step] = number + 1
            self._open = without_first(self._open, row.turn, row.step)
        else:
            number = -1
        if place is None:
            return
        key = self._key(f"{row.turn}-{row.step}-{number}")
        match row.content:
            case b.ToolCallBlock(call=call, name=name):
                self._calls[call] = key
                self._put(key, place, CallItem(turn=row.turn, call=call, name=name, asked=row))
            case b.ToolResultBlock(call=call):
                self._result(envelope, row.content, call)
            case b.TextBlock() | b.ThinkingBlock() if event.role is b.Role.ASSISTANT:
                self._put(key, place, TextItem(row.turn, row))
            case b.TextBlock() | b.ThinkingBlock():
                self._put(self._key(f"b{row.version}"), place, SaidItem(row))
            case b.ErrorBlock():
                self._put(self._key(f"b{row.version}"), place, ErrorItem(row))
            case b.NoticeBlock(text=words):
                noted = NoticeItem(row.at, words)
                self._put(self._key(f"b{row.version}"), place, noted)

    def _result(self, envelope: Envelope, said: b.ToolResultBlock, call: CallId) -> None:
        event = envelope.event
        if not isinstance(event, t.BlockSealed):
            return
        row = row_of(envelope, event, self._source)
        if call not in self._calls:
            key = self._calls[call] = self._key(call)
            place = self._place(envelope.version)
            self._put(key, place, CallItem(turn=event.turn, call=call, name=said.name, result=row))
        else:
            self._call(call, result=row, live="", approval=None)

    def _start(self, envelope: Envelope, event: t.ToolStarted) -> None:
        cell = None
        if event.cell is not None and not self._source:
            own = self._cells.get(event.cell)
            if own is not None:
                cell = shown_in(self._item(own))
                self._remove(own)
            self._cells[event.cell] = self._calls[event.call]
        self._call(event.call, started=started_of(envelope, event), cell=cell)

    def _end(self, envelope: Envelope, event: t.TurnFinished) -> None:
        self._write(())
        self.ask()
        began = self._begun.get(event.turn)
        seconds = (envelope.at - began).total_seconds() if began is not None else None
        ended = TurnEndItem(
            turn=event.turn,
            at=envelope.at,
            end=event.end,
            steps=event.steps,
            usage=event.usage,
            why=event.why,
            seconds=seconds,
        )
        if (place := self._place(envelope.version, strict=True)) is not None:
            self._put(self._key(f"e-{event.turn}"), place, ended)

    # -- progress -----------------------------------------------------------------------------

    def hear(self, progress: Progress) -> None:
        """What is going on right now. What comes too late, or of nothing known, changes nothing."""
        match progress:
            case TextDelta() | ThinkingDelta() | ToolCallForming():
                if step_of(progress.turn, progress.step) > self.talk.finished:
                    self._write(heard(self._open, progress))
            case ToolOutput(call=call, text=text):
                item = self._item(self._calls.get(call))
                if isinstance(item, CallItem) and item.result is None:
                    self._call(call, live=(item.live + text)[-MOST_LIVE:])
            case OutputChunk() | DisplayShown() | OutputCleared():
                key = self._cells.get(progress.cell)
                cell = shown_in(self._item(key))
                if key is not None and cell is not None:
                    after = cell_after(cell, progress)
                    if after is not None and after is not cell:
                        self._show_cell(key, after)
            case EventUnsaved(json=text):
                try:
                    self.take(decode_envelope(text.encode()))
                except Unreadable:
                    return
            case _:
                return

    def _write(self, blocks: tuple[OpenBlock, ...]) -> None:
        """Show exactly these as being written."""
        self._open = blocks
        numbers: dict[tuple[TurnId, int], int] = {}
        wanted: set[str] = set()
        for one in blocks:
            step = (one.turn, one.step)
            number = numbers.get(step, self._sealed.get(step, 0))
            numbers[step] = number + 1
            key = f"{one.turn}-{one.step}-{number}"
            wanted.add(key)
            known = self._item(key)
            if isinstance(known, TextItem) and known.open is one:
                continue
            item: Item = TextItem(one.turn, None, one)
            if one.kind is OpenKind.CALL:
                item = CallItem(turn=one.turn, name=one.name)
                if known == item:
                    continue
            self._put(key, (len(self._segments), ENDLESS, number + 1000 * one.step), item)
        for key in self._shelf.unsealed():
            if key not in wanted:
                self._remove(key)

    # -- places -------------------------------------------------------------------------------

    def _key(self, own: str) -> str:
        return f"{self._source}.{own}" if self._source else own

    def _place(self, version: int, *, strict: bool = False) -> Order | None:
        """Where something of this version stands; `strict`: None if it is not on the line."""
        behind = 0
        for number, one in enumerate(self._segments):
            if one.session != self._source:
                continue
            if one.first <= version <= one.last:
                return (number, version, 0)
            if one.first <= version:
                behind = number
        return None if strict else (behind, version, 0)

    def _call(self, call: CallId, **changed: object) -> None:
        key = self._calls.get(call)
        if key is None:
            return
        placed = self._shelf.get(key)
        if placed is not None and isinstance(placed.item, CallItem):
            self._put(key, placed.order, replace(placed.item, **changed))

    def _put(self, key: str, order: Order | None, item: Item) -> None:
        if order is not None:
            self._shelf.put(key, order, item)

    def _item(self, key: str | None) -> Item | None:
        placed = self._shelf.get(key) if key is not None else None
        return placed.item if placed is not None else None

    def _remove(self, key: str) -> None:
        self._shelf.remove(key)
        self._calls = {one: where for one, where in self._calls.items() if where != key}
        self._cells = {one: where for one, where in self._cells.items() if where != key}
