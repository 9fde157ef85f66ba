"""What stands in the one timeline of a session: cells, what was said, calls, and what was noted.

Each item has a key that never changes, from the first piece of it that is seen live to the day it
is read from the log; so whoever shows it can tell that it is the same.
"""

from datetime import datetime
from typing import TypeAlias

from hearth.core.views.conversation_rows import Compaction, Row, Started
from hearth.core.views.open_blocks import OpenBlock
from hearth.core.views.talk import Approval
from hearth.core.views.transcript import Entry
from hearth.core.vocabulary.blocks import Usage
from hearth.core.vocabulary.content import Output
from hearth.core.vocabulary.deeds import FileChange
from hearth.core.vocabulary.ids import CallId, TurnId
from hearth.core.vocabulary.permitting import Judged
from hearth.core.vocabulary.turns import TurnEnd
from hearth.core.vocabulary.undoing import UndoEvent
from hearth.core.vocabulary.wire import Part


class CellItem(Part, frozen=True):
    """A cell: waiting, running or ended."""

    entry: Entry
    live: tuple[Output, ...] = ()
    """What it has shown so far, while it runs; its entry has all of it once it has ended."""
    live_from: int = 0
    """So many characters before these are not kept."""


class SaidItem(Part, frozen=True):
    """What a person said to the agent."""

    row: Row


class TextItem(Part, frozen=True):
    """What a model wrote or thought: sealed (`row`), or being written (`open`)."""

    turn: TurnId
    row: Row | None = None
    open: OpenBlock | None = None


class CallItem(Part, frozen=True, kw_only=True):
    """A tool call with everything that came of it, as far as it is known."""

    turn: TurnId
    call: CallId | None = None
    """None: it is being written."""
    name: str
    asked: Row | None = None
    """The call itself; None: it is being written, or stands before what was read."""
    started: Started | None = None
    result: Row | None = None
    live: str = ""
    """What it has written so far, the end of it; its result has all of it."""
    cell: CellItem | None = None
    """The cell that is run for it."""
    approval: Approval | None = None
    """What a person is asked about it right now."""
    refused: tuple[Judged, ...] = ()
    """What a rule denied."""
    changes: tuple[FileChange, ...] = ()
    """What it did to files."""


class ErrorItem(Part, frozen=True):
    """A turn ended in an error."""

    row: Row


class NoticeItem(Part, frozen=True):
    """A thin line: something that people should know."""

    at: datetime
    words: str
    entry: Entry | None = None
    """Of a session's own notice; it may carry a failure."""
    event: UndoEvent | None = None
    """What it is about, where there is more to it than these words."""


class SummaryItem(Part, frozen=True):
    """From here on the model was given a summary of what stands before."""

    made: Compaction


class TurnEndItem(Part, frozen=True):
    """A turn is over."""

    turn: TurnId
    at: datetime
    end: TurnEnd
    steps: int
    usage: Usage
    why: str = ""
    seconds: float | None = None


Item: TypeAlias = (
    CellItem | SaidItem | TextItem | CallItem | ErrorItem | NoticeItem | SummaryItem | TurnEndItem
)


class Placed(Part, frozen=True):
    """An item and where it stands."""

    key: str
    """Letters, digits, `-`, `_` and `.`; the same for ever."""
    order: tuple[int, int, int]
    """Items are shown in the order of these."""
    item: Item
    stale: bool = False
    """Of a cell: its result no longer holds."""
