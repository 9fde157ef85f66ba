"""What is happening, shown live and never stored. The closing event carries the full value."""

from typing import Literal, TypeAlias

from hearth.core.vocabulary.content import RichData
from hearth.core.vocabulary.ids import CallId, CellId, TurnId
from hearth.core.vocabulary.wire import Word


class OutputChunk(Word, frozen=True):
    """A cell wrote this just now."""

    cell: CellId
    stream: Literal["stdout", "stderr"]
    text: str


class DisplayShown(Word, frozen=True):
    """A cell showed this just now; one with the same `display` takes the place of the earlier."""

    cell: CellId
    data: RichData
    display: str = ""


class OutputCleared(Word, frozen=True):
    """A cell took back what it had shown so far."""

    cell: CellId


class WarmUpStep(Word, frozen=True):
    """What the warm-up is doing."""

    message: str


class ReplayStep(Word, frozen=True):
    """A recorded cell is run again now: the how-manieth of how many."""

    cell: CellId
    place: int
    of: int


class TextDelta(Word, frozen=True):
    """A model wrote this just now: `offset` characters of the block were there before it."""

    turn: TurnId
    step: int
    place: int
    """Of the block within the answer, counted from 0."""
    offset: int
    text: str


class ThinkingDelta(Word, frozen=True):
    """A model thought this just now."""

    turn: TurnId
    step: int
    place: int
    offset: int
    text: str


class ToolCallForming(Word, frozen=True):
    """A model is about to call this tool; what with is shown once it is complete."""

    turn: TurnId
    step: int
    place: int
    name: str


class ToolOutput(Word, frozen=True):
    """A tool that is not a cell wrote this just now."""

    call: CallId
    text: str


class SessionResumed(Word, frozen=True):
    """A daemon that was started again has this session up."""

    adopted: bool
    """Its interpreter had lived on, with all its names; otherwise it has a new one."""


class EventUnsaved(Word, frozen=True):
    """An event that is real but waits on disk for the store to come back; it has no cursor yet."""

    json: str
    """The envelope as it will be in the log, with `seq` 0."""


class StoreWarning(Word, frozen=True):
    """The store does not take events at the moment."""

    unsaved: int
    message: str


class ProgressDropped(Word, frozen=True):
    """This follower was too slow: so many pieces of progress were left out."""

    count: int


Progress: TypeAlias = (
    OutputChunk
    | DisplayShown
    | OutputCleared
    | WarmUpStep
    | ReplayStep
    | TextDelta
    | ThinkingDelta
    | ToolCallForming
    | ToolOutput
    | SessionResumed
    | EventUnsaved
    | StoreWarning
    | ProgressDropped
)
