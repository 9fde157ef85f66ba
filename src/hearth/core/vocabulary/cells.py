"""The events of cells: from the queue to their end, and what comes after it.

Each is also found in `events`, with all the others.
"""

from typing import Final, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary.content import Outputs, Text
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.permitting import Verdict
from hearth.core.vocabulary.phases import Rung
from hearth.core.vocabulary.wire import Part, Word

OnError: TypeAlias = Literal["keep", "undo"]
"""What becomes of what a cell did before it failed."""


class Copies(Part, frozen=True):
    """What can be taken back: copies of the interpreter, as it was before cells."""

    cells: tuple[CellId, ...] = ()
    """Before each of these; the oldest first."""
    size: int = 0
    """Bytes that all of them take beside what they share with the interpreter."""


NO_COPIES: Final = Copies()


class CellQueued(Word, frozen=True):
    """A cell was admitted and waits for those before it."""

    cell: CellId
    code: Text
    background: bool = False
    time_limit: float | None = None
    may_ask: bool = False
    reload: bool = True
    replays: CellId | None = None
    on_error: OnError = "keep"


class CellWithdrawn(Word, frozen=True):
    """A waiting cell left the queue without being run."""

    cell: CellId
    reason: str


class CellStarted(Word, frozen=True):
    """A cell is given to the interpreter. Written before the interpreter hears of it."""

    cell: CellId
    code: Text
    background: bool = False
    script: str = ""
    """The file it was read from, for a loaded script."""
    time_limit: float | None = None
    may_ask: bool = False
    reload: bool = True
    replays: CellId | None = None
    read_only: bool = False
    """Proven to only look: names, literals and attributes. Such a cell need not be replayed."""
    copy: bool = False
    """A copy of the interpreter is kept before it runs, so that it can be taken back."""
    on_error: OnError = "keep"


class CellCancelRequested(Word, frozen=True):
    """Someone asked a cell to stop: the running one, or one that waits."""

    cell: CellId
    attempt: int


class CellStopTried(Word, frozen=True):
    """One rung of the ladder was climbed to stop the running cell."""

    cell: CellId
    rung: Rung


class InputRequested(Word, frozen=True):
    """The running cell waits for a person to answer."""

    cell: CellId
    prompt: str = ""
    password: bool = False


class InputAnswered(Word, frozen=True):
    """Someone answered; a password is not kept."""

    cell: CellId
    text: str = ""


class CellFinished(Word, frozen=True):
    """A cell ran to its end."""

    cell: CellId
    duration: float
    value: Text = ""
    value_type: str = ""
    outputs: Outputs = ()
    names: tuple[str, ...] = ()
    uses: dict[str, str] = msgspec.field(default_factory=dict)
    """The distributions and project modules it depended on, with their content hashes."""
    dropped: int = 0
    """Bytes of output that were too many to be kept."""
    kept: Copies = NO_COPIES


class CellFailed(Word, frozen=True):
    """A cell ended in a failure; names it bound before stay bound if the interpreter lives."""

    cell: CellId
    failure: Failure
    duration: float = 0.0
    outputs: Outputs = ()
    names: tuple[str, ...] = ()
    uses: dict[str, str] = msgspec.field(default_factory=dict)
    dropped: int = 0
    kept: Copies = NO_COPIES
    undone: bool = False
    """All that it did to the interpreter was taken back."""


class CellCancelled(Word, frozen=True):
    """The running cell was stopped on request."""

    cell: CellId
    duration: float = 0.0
    outputs: Outputs = ()
    names: tuple[str, ...] = ()
    uses: dict[str, str] = msgspec.field(default_factory=dict)
    dropped: int = 0
    kept: Copies = NO_COPIES
    undone: bool = False


class CellOutputAdded(Word, frozen=True):
    """Something that a cell left running showed this after the cell had ended."""

    cell: CellId
    outputs: Outputs = ()
    dropped: int = 0


class CellToolCalled(Word, frozen=True):
    """Code in the interpreter called a tool of an MCP server; this is how that ended."""

    name: str
    """As an agent would call it: `server__tool`."""
    verdict: Verdict
    """What was said to it: allow, or why it was not run."""
    cell: CellId | None = None
    """The cell that called; None: something that an earlier one left running, or a warm-up."""
    arguments: str = ""
    """As JSON; the beginning of them, if they are long."""
    by: str = ""
    """The rule or grant that decided, in words."""
    duration: float = 0.0
    error: str = ""
    """What went wrong, if anything did."""


class ScriptLoaded(Word, frozen=True):
    """A file was run to its end."""

    path: str
    statements: int


class ScriptLoadFailed(Word, frozen=True):
    """A file could not be run to its end."""

    path: str
    failure: Failure
