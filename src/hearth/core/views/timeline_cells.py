"""A cell of the timeline: as its events tell, and what it shows while it runs."""

from typing import Final, TypeAlias, get_args

from msgspec.structs import replace

from hearth.core.views.timeline_items import CallItem, CellItem, Item, NoticeItem
from hearth.core.views.transcript import CellStanding, Transcript, carry_on
from hearth.core.vocabulary import cells as c
from hearth.core.vocabulary.content import Output, RichData, StreamText
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.progress import DisplayShown, OutputChunk, OutputCleared
from hearth.core.vocabulary.undoing import (
    CellNotKept,
    ForkRequested,
    TrialEnded,
    TrialStarted,
    VariantKept,
    VariantsDropped,
)

MOST_LIVE: Final = 64 * 1024
"""Characters of a running cell's output that are kept, the newest."""
MOST_SHOWN: Final = 200
"""Outputs that are kept while it runs, the newest."""

OfCell: TypeAlias = (
    c.CellQueued
    | c.CellWithdrawn
    | c.CellStarted
    | c.CellCancelRequested
    | c.CellFinished
    | c.CellFailed
    | c.CellCancelled
    | c.InputRequested
    | c.InputAnswered
    | c.CellOutputAdded
    | CellNotKept
    | TrialStarted
    | TrialEnded
    | VariantKept
    | VariantsDropped
)
CELLS: Final = frozenset(get_args(OfCell))
Live: TypeAlias = OutputChunk | DisplayShown | OutputCleared

_ENDED: Final = {CellStanding.FINISHED, CellStanding.FAILED, CellStanding.CANCELLED}


def cell_of(event: Event) -> CellId:
    """The cell that an event is about."""
    return event.cell if isinstance(event, OfCell) else CellId("")


def shown_in(item: Item | None) -> CellItem | None:
    """The cell that an item is or has in it."""
    match item:
        case CellItem():
            return item
        case CallItem():
            return item.cell
        case _:
            return None


def is_open(item: Item | None) -> bool:
    """Whether more will come of a cell, a call or a fork."""
    if isinstance(item, NoticeItem):
        return isinstance(item.event, ForkRequested)
    cell = shown_in(item)
    if cell is not None and cell.entry.standing in {CellStanding.RUNNING, CellStanding.WAITING}:
        return True
    return isinstance(item, CallItem) and item.result is None


def cell_after(cell: CellItem | None, happened: Envelope | Live) -> CellItem | None:
    """The cell after an event or a piece of output; None: there is nothing to show of it."""
    if isinstance(happened, Envelope):
        known = Transcript((cell.entry,)) if cell is not None else Transcript()
        entries = carry_on(known, happened).entries
        if not entries:
            return cell
        entry = entries[-1]
        if cell is None or entry.standing in _ENDED:
            return CellItem(entry)
        return replace(cell, entry=entry)
    if cell is None or cell.entry.standing in _ENDED:
        return cell
    match happened:
        case OutputChunk(stream=stream, text=text):
            return _bounded(cell, _written(cell.live, StreamText(stream, text)))
        case DisplayShown(data=data, display=display):
            return _bounded(cell, _displayed(cell.live, data, display))
        case OutputCleared():
            return replace(cell, live=(), live_from=0)


def _written(live: tuple[Output, ...], new: StreamText) -> tuple[Output, ...]:
    last = live[-1] if live else None
    if (
        isinstance(last, StreamText)
        and isinstance(last.text, str)
        and isinstance(new.text, str)
        and last.stream == new.stream
    ):
        return (*live[:-1], StreamText(new.stream, last.text + new.text))
    return (*live, new)


def _displayed(live: tuple[Output, ...], data: RichData, display: str) -> tuple[Output, ...]:
    """One with the same name takes the place of the earlier."""
    if not display:
        return (*live, data)
    named = replace(data, bundle={**data.bundle, NAMED: display})
    for place, one in enumerate(live):
        if isinstance(one, RichData) and one.bundle.get(NAMED) == display:
            return (*live[:place], named, *live[place + 1 :])
    return (*live, named)


NAMED: Final = "application/x-hearth-display"
"""Under this type a live output carries the name by which it can be replaced."""


def _bounded(cell: CellItem, live: tuple[Output, ...]) -> CellItem:
    dropped = 0
    live = live[-MOST_SHOWN:]
    over = sum(len(_text(one)) for one in live) - MOST_LIVE
    kept: list[Output] = []
    for one in live:
        text = _text(one)
        if over <= 0 or not isinstance(one, StreamText):
            kept.append(one)
            continue
        cut = min(over, len(text))
        over, dropped = over - cut, dropped + cut
        if cut < len(text):
            kept.append(StreamText(one.stream, text[cut:]))
    return replace(cell, live=tuple(kept), live_from=cell.live_from + dropped)


def _text(output: Output) -> str:
    if isinstance(output, StreamText):
        return output.text if isinstance(output.text, str) else output.text.head
    return ""
