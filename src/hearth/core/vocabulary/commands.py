"""What someone asks. Never stored; accepted or refused before anything happens."""

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary.ids import BlockId, CellId, SessionId
from hearth.core.vocabulary.prompting import Prompt
from hearth.core.vocabulary.wire import Part, Word

Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]


class SessionMode(StrEnum):
    """How much of its surroundings a session loads."""

    PROJECT = "project"
    BARE = "bare"


class ForkPoint(Part, frozen=True):
    """Where a conversation branched off from that of another session."""

    session: SessionId
    block: BlockId = BlockId("")
    """Empty: its newest one."""


class SessionConfig(Part, frozen=True):
    """What a session is made of. Fixed at creation, apart from its name."""

    directory: str = ""
    name: str = ""
    projects: tuple[str, ...] = ()
    interpreter: str = "python"
    mode: SessionMode = SessionMode.PROJECT
    forked_from: ForkPoint | None = None
    """Its conversation goes on from there; its interpreter is a new one."""


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
)
"""What is asked of a session and its interpreter."""

Command: TypeAlias = OfSession | Prompt
