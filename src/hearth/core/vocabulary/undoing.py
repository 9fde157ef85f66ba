"""The events of taking back, trying and forking what an interpreter holds. Also in `events`."""

from enum import StrEnum
from typing import TypeAlias

from hearth.core.vocabulary.cells import NO_COPIES, Copies
from hearth.core.vocabulary.content import Outputs, Text
from hearth.core.vocabulary.deeds import PathChange
from hearth.core.vocabulary.failures import Failure, Interrupted, WorkerCrashed
from hearth.core.vocabulary.ids import BlockId, CellId, SessionId
from hearth.core.vocabulary.wire import Part, Word


class UndoFor(StrEnum):
    """Whose cells can be taken back: before each of them a copy of the interpreter is kept."""

    NOBODY = "nobody"
    AGENTS = "agents"
    EVERYONE = "everyone"


class ForkHow(StrEnum):
    """What the interpreter of a fork is."""

    COPY = "copy"
    """A live copy, with all that the other holds."""
    REPLAY = "replay"
    """A new one, in which the recorded cells are run again."""
    NEW = "new"
    """A new one, with nothing in it."""


class VariantResult(Part, frozen=True):
    """How one variant of a trial ended, in a copy of the interpreter."""

    duration: float = 0.0
    value: Text = ""
    value_type: str = ""
    outputs: Outputs = ()
    names: tuple[str, ...] = ()
    failure: Failure | None = None
    """Why it cannot be called a success; None: it ran to its end."""
    stopped: bool = False
    """It was cancelled."""
    dropped: int = 0

    @property
    def is_ok(self) -> bool:
        """Whether it ran to its end."""
        return self.failure is None and not self.stopped

    @property
    def is_gone(self) -> bool:
        """Whether its interpreter did not live on, so that it cannot be kept."""
        return isinstance(self.failure, WorkerCrashed | Interrupted)


class UndoChosen(Word, frozen=True):
    """Whose cells can be taken back from now on."""

    who: UndoFor


class CellNotKept(Word, frozen=True):
    """A cell that is about to run cannot be taken back: no copy could be made before it."""

    cell: CellId
    obstacles: tuple[str, ...]
    """Each of what is in the way, in a sentence."""


class CopiesDropped(Word, frozen=True):
    """These cells can no longer be taken back."""

    cells: tuple[CellId, ...]
    kept: Copies = NO_COPIES
    why: str = ""


class UndoRequested(Word, frozen=True):
    """The interpreter is being brought back to what it was before these cells, or after them."""

    cells: tuple[CellId, ...]
    redo: bool = False


class CellsUndone(Word, frozen=True):
    """The interpreter is what it was before these cells ran. The log keeps them."""

    cells: tuple[CellId, ...]
    kept: Copies = NO_COPIES
    """What is left of copies."""
    can_redo: bool = False


class CellsRedone(Word, frozen=True):
    """The interpreter is again what it was after these cells ran. None of them was run again."""

    cells: tuple[CellId, ...]
    kept: Copies = NO_COPIES


class UndoFailed(Word, frozen=True):
    """Nothing was taken back: the interpreter is as it was."""

    why: str


class TrialStarted(Word, frozen=True):
    """Variants of a cell are run side by side, each in a copy of the interpreter."""

    cell: CellId
    variants: tuple[str, ...]
    time_limit: float | None = None


class TrialEnded(Word, frozen=True):
    """All variants have ended. One of them may be kept; the interpreter is as it was."""

    cell: CellId
    results: tuple[VariantResult, ...] = ()
    problem: str = ""
    """Why nothing was tried."""


class VariantKept(Word, frozen=True):
    """A variant becomes the session: its copy takes the place of the interpreter."""

    cell: CellId
    variant: int
    """Counted from 1."""
    generation: int


class VariantsDropped(Word, frozen=True):
    """No variant of a trial was kept; their copies end."""

    cell: CellId
    reason: str = ""


class ForkRequested(Word, frozen=True):
    """A session is to begin that goes on from here."""

    to: SessionId
    block: BlockId = BlockId("")
    """Where its conversation branches off; empty: at the newest."""
    how: ForkHow = ForkHow.COPY
    name: str = ""


class SessionForked(Word, frozen=True):
    """Another session goes on from here."""

    to: SessionId
    how: ForkHow
    """What its interpreter is."""
    notice: str = ""
    """What did not come along."""
    name: str = ""
    """What it is called."""

    @property
    def whom(self) -> str:
        """The other session as people tell it from others."""
        return f"{self.name} ({self.to})" if self.name else self.to


class ForkFailed(Word, frozen=True):
    """There is no fork."""

    to: SessionId
    why: str
    """All of it in a sentence, with the obstacles."""
    obstacles: tuple[str, ...] = ()
    remedy: tuple[str, ...] = ()
    """What would help."""


class RewindScope(Part, frozen=True):
    """What is taken back with a conversation."""

    interpreter: bool = False
    files: bool = False


class SessionPart(StrEnum):
    """What of a session goes back by itself. A problem of a return begins with which it is of."""

    CONVERSATION = "the conversation"
    INTERPRETER = "the interpreter"
    FILES = "the files"


class Returned(Part, frozen=True):
    """What a return did, so that it can be taken back itself."""

    was: BlockId = BlockId("")
    """Where the conversation was; empty: nowhere else."""
    undone: bool = False
    """Cells were taken back by a copy, and can be brought back."""
    version: int = 0
    """Of the session, before its interpreter was rebuilt; 0: it was not."""
    files: bool = False
    cells: tuple[CellId, ...] = ()
    """Those that were taken back by a copy."""
    since: int = 0
    """Of the session, when it was asked for."""


class ReturnRequested(Word, frozen=True):
    """A session is to go back to when something was said, or it is asked what that would change."""

    to: BlockId
    """Empty: to what it was before the last time it went back."""
    scope: RewindScope = RewindScope()
    preview: bool = False


class ReturnPreviewed(Word, frozen=True):
    """What going back would change. Nothing was changed."""

    blocks: int
    """So many blocks of the conversation come after that moment."""
    cells: tuple[CellId, ...] = ()
    """What would be taken back of the interpreter."""
    how: ForkHow | None = None
    """By a copy that is kept, or by running the cells before it again; None: nothing to do."""
    changes: tuple[PathChange, ...] = ()
    left_out: int = 0
    problems: tuple[str, ...] = ()
    """What could not be taken back, and why."""


class SessionReturned(Word, frozen=True):
    """The session is back where it was, in what was asked for."""

    to: BlockId
    scope: RewindScope = RewindScope()
    cells: tuple[CellId, ...] = ()
    how: ForkHow | None = None
    changes: tuple[PathChange, ...] = ()
    left_out: int = 0
    problems: tuple[str, ...] = ()
    """What is not as it was, and why."""
    did: Returned = Returned()


class ReturnFailed(Word, frozen=True):
    """The session did not go back."""

    why: str


UndoEvent: TypeAlias = (
    UndoChosen
    | CellNotKept
    | CopiesDropped
    | UndoRequested
    | CellsUndone
    | CellsRedone
    | UndoFailed
    | TrialStarted
    | TrialEnded
    | VariantKept
    | VariantsDropped
    | ForkRequested
    | SessionForked
    | ForkFailed
    | ReturnRequested
    | ReturnPreviewed
    | SessionReturned
    | ReturnFailed
)
"""What happens to an interpreter that can be taken back, tried in and forked."""
