"""What is sent to the routes and answered by them, beyond the words themselves."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from hearth.core.views.differences import Differing
from hearth.core.views.session_tree import Branch
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary.commands import ForkPoint, SessionMode
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.undoing import UndoFor
from hearth.core.vocabulary.wire import Part
from hearth.credentials.standing import Standing
from hearth.servers.http.agents.oversight import SandboxShown, ServerShown

ID_PATTERN: Final = "^[A-Za-z0-9_-]{1,64}$"
Id: TypeAlias = Annotated[str, msgspec.Meta(pattern=ID_PATTERN)]
Path: TypeAlias = Annotated[str, msgspec.Meta(pattern="^$|^/[^\\x00]*$", max_length=4096)]


class Health(Part, frozen=True):
    """The daemon lives."""

    status: str
    version: str


class Info(Part, frozen=True, kw_only=True, rename="camel"):
    """Which daemon this is, and what it does."""

    pid: int
    port: int
    socket: str
    started_at: datetime
    version: str
    home: str
    store: str
    """Where sessions are kept, in words."""
    sessions: int
    """So many live."""
    resumed: int
    """So many of them an earlier daemon had begun."""
    connections: dict[str, int]
    approvals: int
    """So many questions of agents wait for a person, in all sessions."""
    permission_mode: Literal["ask", "auto"]
    """Whether people are asked, or what would be asked is allowed unseen."""
    sandbox: SandboxShown
    language_servers: tuple[ServerShown, ...]


class NewSession(Part, frozen=True, kw_only=True):
    """What a session is made of. With `reuse`: the live one of the directory, if there is one."""

    directory: Path = ""
    name: Annotated[str, msgspec.Meta(max_length=200)] = ""
    projects: tuple[str, ...] = ()
    interpreter: str = "python"
    mode: SessionMode = SessionMode.PROJECT
    id: Id | None = None
    reuse: bool = False
    forked_from: ForkPoint | None = None
    """Its conversation goes on from there: a session by id or name, a block or its newest one."""
    undo: UndoFor = UndoFor.AGENTS
    """Whose cells can be taken back."""


class Created(Part, frozen=True, kw_only=True):
    """The session is being made, or was found."""

    session: SessionId
    id: str = ""
    seq: int = 0
    warning: str = ""


class Up(Part, frozen=True):
    """The session, and how it stands."""

    session: SessionId
    status: Status


class SeenSessions(Part, frozen=True):
    """All sessions, with the cursor to follow from."""

    value: Sessions
    seq: int


class SeenStatus(Part, frozen=True):
    """A session at a glance, who is connected to it, and the cursor to follow from."""

    value: Status
    seq: int
    connections: dict[str, int]


class AnyView(Part, frozen=True):
    """A view by its name, with the cursor to follow from."""

    value: Any
    seq: int


class BlocksSeen(Part, frozen=True):
    """Some blocks of a conversation as they are in the log, in its order."""

    rows: tuple[Envelope, ...]
    total: int
    """So many there are in all."""
    oldest: int
    """The version of the first of these, to ask for those before it; 0 if there are none."""


class TreeSeen(Part, frozen=True):
    """The forks around a session, each behind the one it came from; with a cursor."""

    branches: tuple[Branch, ...]
    left_out: int
    """So many more belong to it."""
    seq: int


class Compare(Part, frozen=True):
    """What a session is compared with."""

    other: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    """An id, a name, or the unique beginning of either."""
    modules: bool = False
    """Imported modules too."""


class Compared(Part, frozen=True, kw_only=True):
    """The names that two sessions hold otherwise, sorted; `here` is the one that was asked."""

    here: SessionId
    there: SessionId
    differing: tuple[Differing, ...]
    not_listed: int
    """So many names of one side were too many to be listed: they look as if they were missing."""


class TrustGranted(Part, frozen=True):
    """Trust this content of the project with this root."""

    root: Annotated[str, msgspec.Meta(pattern="^/[^\\x00]*$", max_length=4096)]
    digest: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class CodeMade(Part, frozen=True, rename="camel"):
    """A code that can be redeemed once, and the address that redeems it."""

    code: str
    url: str
    expires_at: datetime


class NewToken(Part, frozen=True):
    """A name and a standing for a token."""

    name: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    standing: Literal["agent", "read-only"]
    """A person has one token; it is rotated, not given out."""


class TokenMade(Part, frozen=True):
    """A token, shown this once."""

    name: str
    standing: Standing
    token: str


class TokenListed(Part, frozen=True, rename="camel"):
    """A token that was given out."""

    name: str
    standing: Standing
    created_at: datetime


class TokensListed(Part, frozen=True):
    """All tokens that were given out, without the person's own."""

    tokens: tuple[TokenListed, ...]


class Shutdown(Part, frozen=True):
    """How to end. Interpreters that are not ended go on, for the next daemon to take up."""

    end_sessions: bool = True
