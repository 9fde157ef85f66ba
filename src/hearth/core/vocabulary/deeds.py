"""The events of what agents may do, and of what they did to files. Also found in `events`."""

from enum import StrEnum
from typing import TypeAlias

from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import ApprovalId, CallId, TurnId
from hearth.core.vocabulary.permitting import Judged, Kept
from hearth.core.vocabulary.wire import Part, Word


class ChangeKind(StrEnum):
    """What became of a file."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


class FileChange(Part, frozen=True):
    """What a tool did to one file."""

    path: str
    """Absolute."""
    kind: ChangeKind
    before: Blob | None = None
    """What was there; None: nothing."""
    after: str = ""
    """The sha256 of what is there now; empty: nothing."""
    diff: Text = ""
    """In the unified form; empty where there is none to show."""
    added: int = 0
    removed: int = 0


class PathChange(Part, frozen=True):
    """How one file differs between two states of a project."""

    path: str
    """From the root of the project."""
    kind: ChangeKind
    """What going back does to it."""
    added: int = 0
    removed: int = 0


class TaskState(StrEnum):
    """How far a task is."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    BLOCKED = "blocked"


class Task(Part, frozen=True):
    """Something an agent has set out to do."""

    task: str
    """Counted within the session: `1`."""
    title: str
    description: str = ""
    state: TaskState = TaskState.PENDING


class ToolRefused(Word, frozen=True):
    """A call is not run: a rule forbids it."""

    call: CallId
    turn: TurnId
    name: str
    judged: tuple[Judged, ...]
    """What was denied."""


class GrantRecorded(Word, frozen=True):
    """What a person allowed for always is kept outside of the project, until they revoke it."""

    approval: ApprovalId
    problem: str = ""
    """Why it is not kept; then it held for that one call."""


class FilesKept(Word, frozen=True):
    """The files of the project are kept as they are, because what comes next may change them."""

    turn: TurnId
    call: CallId
    kept: Kept


class FilesChanged(Word, frozen=True):
    """A tool changed files."""

    turn: TurnId
    call: CallId
    changes: tuple[FileChange, ...]


class TaskChanged(Word, frozen=True):
    """An agent added a task to its list, or said how far it is."""

    turn: TurnId
    task: Task


class RewindRequested(Word, frozen=True):
    """Someone wants the files of the project as they were, or to know what that would change."""

    to: str
    """A block: as they were when this was said; empty: as they were before the last rewind."""
    preview: bool = False


class FilesCompared(Word, frozen=True):
    """What going back would change. Nothing was changed."""

    changes: tuple[PathChange, ...]
    kept: Kept | None = None
    """What would be gone back to; None: nothing was changed since."""
    left_out: int = 0
    """So many more differ than are listed."""


class FilesRewound(Word, frozen=True):
    """The files of the project are as they were."""

    changes: tuple[PathChange, ...]
    kept: Kept | None = None
    before: Kept | None = None
    """As they were until now: a rewind to no block brings this back. None: nothing was changed."""
    left_out: int = 0


class RewindFailed(Word, frozen=True):
    """The files stay as they are, but for those that are listed."""

    why: str
    changes: tuple[PathChange, ...] = ()
    before: Kept | None = None
    """As they were until now, where some were changed: a rewind to no block brings this back."""


DeedEvent: TypeAlias = (
    ToolRefused
    | GrantRecorded
    | FilesKept
    | FilesChanged
    | TaskChanged
    | RewindRequested
    | FilesCompared
    | FilesRewound
    | RewindFailed
)
