"""What someone asks. Never stored; accepted or refused before anything happens."""

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary.cells import OnError
from hearth.core.vocabulary.ids import BlockId, CellId, SessionId
from hearth.core.vocabulary.prompting import Prompt
from hearth.core.vocabulary.undoing import ForkHow, RewindScope, UndoFor
from hearth.core.vocabulary.wire import Part, Word

Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]


class SessionMode(StrEnum):
    """How much of its surroundings a session loads."""

    PROJECT = "project"
    BARE = "bare"


class ForkPoint(Part, frozen=True):
    """Where a session branched off from another."""

    session: SessionId
    block: BlockId = BlockId("")
    """Of its conversation; empty: its newest one."""
    how: ForkHow = ForkHow.NEW
    """What the interpreter was made of."""
    version: int = 0
    """Of the other, when its interpreter was copied; 0: it was not."""
    asked: int = 0
    """Of the other, when it was asked to fork: by this a fork is told from another of the same id.
    0: it was not asked, it is gone on from."""


class SessionConfig(Part, frozen=True):
    """What a session is made of. Fixed at creation, apart from its name."""

    directory: str = ""
    name: str = ""
    projects: tuple[str, ...] = ()
    interpreter: str = "python"
    mode: SessionMode = SessionMode.PROJECT
    forked_from: ForkPoint | None = None
    """Its conversation goes on from there, and its interpreter if it was copied."""
    undo: UndoFor = UndoFor.AGENTS
    """Whose cells can be taken back, unless it is chosen otherwise later."""


class CreateSession(Word, frozen=True):
    """Begin a session under the id it is sent to, and warm its interpreter up."""

    config: SessionConfig = SessionConfig()


class StopSession(Word, frozen=True):
    """End the session's interpreter. The log stays; a hard reset brings it back."""

    reason: str = ""


class RenameSession(Word, frozen=True):
    """Give the session another display name."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class SwitchSession(Word, frozen=True):
    """Make this the session new connections begin with. Sent to the daemon's own stream."""

    to: SessionId


class NoteSettings(Word, frozen=True):
    """Record that settings files were read again. Sent to the daemon's own stream."""

    sources: tuple[str, ...] = ()
    """The files that count now, the strongest last."""
    changed: tuple[str, ...] = ()
    """The keys whose values are others than before."""
    problems: tuple[str, ...] = ()
    """What is wrong in which file; what it said before goes on to count."""


class RunCell(Word, frozen=True):
    """Run code in the session's interpreter."""

    code: str
    background: bool = False
    """Nobody waits for the answer; shown to followers, nothing else changes."""
    time_limit: Seconds | None = None
    if_busy: Literal["refuse", "queue"] = "refuse"
    may_ask: bool = False
    """Someone is there to answer `input()`; without it, asking is an error in the code."""
    reload: bool = True
    """Sources that were saved meanwhile are taken before it runs."""
    replays: CellId | None = None
    """The earlier cell that is run again; only while a replay is under way."""
    on_error: OnError = "keep"
    """`undo`: if it fails, all that it did to the interpreter is taken back."""


class LoadScript(Word, frozen=True):
    """Run a file in the session's interpreter."""

    path: Annotated[str, msgspec.Meta(min_length=1)]
    time_limit: Seconds | None = None
    may_ask: bool = False
    replays: CellId | None = None


class CancelCell(Word, frozen=True):
    """Stop a cell: the running one, or the named one if it is still waiting."""

    cell: CellId | None = None


class ResetSession(Word, frozen=True):
    """Forget all variables and warm up again, in the same interpreter process if it lives."""


class HardResetSession(Word, frozen=True):
    """Kill the interpreter, whatever it is doing, and start another. Always accepted."""

    rebuild: bool = False
    """Sync the project's environment first."""


class CheckCode(Word, frozen=True):
    """Look for errors in code without running it."""

    code: str
    file: str = ""
    full: bool = False
    """All findings are told as new, not only those that this caller has not seen yet."""


class CompleteCode(Word, frozen=True):
    """Ask what could stand at the cursor (counted in Unicode code points)."""

    code: str
    cursor: Annotated[int, msgspec.Meta(ge=0)]


class InspectCode(Word, frozen=True):
    """Ask what stands at the cursor (counted in Unicode code points)."""

    code: str
    cursor: Annotated[int, msgspec.Meta(ge=0)]


class ListVariables(Word, frozen=True):
    """Ask for the names of the session's namespace with their types and sizes."""

    prefix: str = ""
    modules: bool = False
    """Imported modules are listed too."""


class ExploreModule(Word, frozen=True):
    """Ask for the public members of a module; nothing is imported for it."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]


class ExploreType(Word, frozen=True):
    """Ask for the members of a class or an object, live ones included."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]


class ReloadSources(Word, frozen=True):
    """Take these saved files into the live session, between two cells."""

    paths: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=500)]


class AnswerInput(Word, frozen=True):
    """Answer what the running cell asks with `input()`."""

    text: str
    cell: CellId | None = None


class ReplaySession(Word, frozen=True):
    """Rebuild a session's names: run its recorded cells again in a fresh interpreter."""

    source: SessionId | None = None
    """The session whose cells are run; this one itself when it is left out."""
    before: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Only what that session held before this version; 0: all of it."""


class UndoCells(Word, frozen=True):
    """Take the latest cells back: the interpreter becomes what it was before them."""

    count: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1
    cell: CellId | None = None
    """This one and all that came after it, however many they are."""


class RedoCells(Word, frozen=True):
    """Bring back what was taken back last. Nothing is run again."""


class ChooseUndo(Word, frozen=True):
    """Say whose cells can be taken back."""

    who: UndoFor


class TryVariants(Word, frozen=True):
    """Run several versions of a cell side by side, each in a copy of the interpreter."""

    variants: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=16)]
    time_limit: Seconds | None = None


class KeepVariant(Word, frozen=True):
    """Let one of the variants that were tried become the session; the others end."""

    variant: Annotated[int, msgspec.Meta(ge=0, le=16)]
    """Counted from 1; 0: none of them."""


class ForkSession(Word, frozen=True):
    """Begin another session that goes on from here, with a copy of the interpreter if it can be."""

    to: SessionId
    """The id of the new one."""
    block: BlockId = BlockId("")
    """Where its conversation branches off; empty: at the newest."""
    how: ForkHow | None = None
    """Its interpreter; left out: a copy at the newest, a replay at an older block."""
    name: Annotated[str, msgspec.Meta(max_length=200)] = ""


class ReturnTo(Word, frozen=True):
    """Go back to when something was said: the conversation, and with it what is asked for."""

    to: BlockId = BlockId("")
    """Empty: to what it was before the last time."""
    scope: RewindScope = RewindScope()
    preview: bool = False
    """Only tell what that would change."""


OfSession: TypeAlias = (
    CreateSession
    | StopSession
    | RenameSession
    | SwitchSession
    | NoteSettings
    | RunCell
    | LoadScript
    | CancelCell
    | ResetSession
    | HardResetSession
    | CheckCode
    | CompleteCode
    | InspectCode
    | ListVariables
    | ExploreModule
    | ExploreType
    | ReloadSources
    | AnswerInput
    | ReplaySession
    | UndoCells
    | RedoCells
    | ChooseUndo
    | TryVariants
    | KeepVariant
    | ForkSession
    | ReturnTo
)
"""What is asked of a session and its interpreter."""

Command: TypeAlias = OfSession | Prompt
