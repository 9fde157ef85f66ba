"""What must be remembered of a conversation to decide what may happen next. It does not grow."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final

from hearth.core.vocabulary.blocks import Usage
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.deeds import Task
from hearth.core.vocabulary.ids import (
    ApprovalId,
    BlockId,
    CallId,
    CellId,
    InputId,
    MessageId,
    RequestId,
    SessionId,
    TurnId,
)
from hearth.core.vocabulary.lines import Line, ModelChoice, Purpose, TurnLimits
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.permitting import Grant, Judged, Kept
from hearth.core.vocabulary.prompting import Effort
from hearth.core.vocabulary.wire import Part

FIRST = "first request"
"""Why the first prefix of a conversation starts."""
COMPACTED = "compaction"
"""Why one starts behind a summary."""
OVERFLOW = "a request was longer than the model can read"
"""Why a summary was needed."""

MOST_REPEATS: Final = 3
"""So many calls of the same in a row, in one step or in as many, then a person is asked."""


class TurnPhase(StrEnum):
    """What an agent is doing."""

    IDLE = "idle"
    PREPARING = "preparing"
    """The model is found, instructions are read."""
    ASKING = "asking"
    """The model writes."""
    CALLING = "calling"
    """Tools run."""
    RETRYING = "retrying"
    WAITING = "waiting_user"
    COMPACTING = "compacting"
    STOPPING = "stopping"


class OpenCall(Part, frozen=True):
    """A tool call of the present step."""

    call: CallId
    name: str
    arguments: Text
    is_started: bool = False
    is_done: bool = False
    """It has its result."""
    cell: CellId | None = None
    shares: CallId | None = None
    granted: tuple[str, ...] = ()
    """The keys of what a person allowed for this one call."""


class OpenApproval(Part, frozen=True):
    """What a person is asked."""

    approval: ApprovalId
    calls: tuple[CallId, ...]
    judged: tuple[Judged, ...] = ()
    """What must be allowed; none: whether the agent may go on at all."""
    offers: tuple[Grant, ...] = ()
    inside: str = ""
    """The tool that the code of its call calls, and that waits; empty: the call itself does."""


class Unrecorded(Part, frozen=True):
    """What a person allowed for always, until it is known to be kept."""

    approval: ApprovalId
    grants: tuple[Grant, ...]
    why: str = ""
    by: str = ""


class OpenTurn(Part, frozen=True):
    """The turn that runs."""

    turn: TurnId
    cause: InputId
    origin: Origin
    phase: TurnPhase = TurnPhase.PREPARING
    purpose: Purpose = "answer"
    model: str = ""
    """Asked for by whoever began it, for this turn alone."""
    steps: int = 0
    """Counts the answers that were asked for; the present step is one less."""
    request: RequestId | None = None
    asks_for: Purpose = "answer"
    """What the latest request is to bring."""
    attempt: int = 0
    retry_due: datetime | None = None
    calls: tuple[OpenCall, ...] = ()
    approvals: tuple[OpenApproval, ...] = ()
    unrecorded: tuple[Unrecorded, ...] = ()
    usage: Usage = Usage()
    told: int = 0
    """Characters that tools told since it began, or since the last summary."""
    shorter_at: int = -1
    """The step before which the conversation was last made shorter, or that was tried; -1: none."""
    wants_shorter: bool = False
    """The agent asked for it."""
    overflowed: bool = False
    """It is made shorter because a request was too long."""
    focus: str = ""

    @property
    def step(self) -> int:
        """The present step, counted from 0."""
        return max(0, self.steps - 1)

    def cause_of(self, call: CallId) -> InputId:
        """The cause that what a call sets off carries: its own, and that of this turn."""
        return InputId(f"{self.cause}.{call}")


class Waiting(Part, frozen=True):
    """A message that the agent has not been given yet."""

    message: MessageId
    text: Text
    cause: InputId
    origin: Origin
    model: str = ""
    """For the turn that it begins, if it begins one."""


class Lookup(Part, frozen=True):
    """A block that is being looked for, to go on from it."""

    cause: InputId
    origin: Origin
    block: BlockId
    text: Text | None = None
    """What it is to say instead; None: nothing else."""
    keep_rest: bool = False
    source: SessionId = SessionId("")
    """The session that this one is forked from, if that is why."""


class Rewind(Part, frozen=True):
    """The files of the project are being made what they were, or compared with that."""

    cause: InputId
    origin: Origin
    to: str
    preview: bool = False


class Conversation(Part, frozen=True):
    """A conversation as its events left it."""

    line: Line = Line()
    turns: int = 0
    calls: int = 0
    requests: int = 0
    messages: int = 0
    approvals: int = 0
    epoch: int = 0
    prefix: int = 0
    """The version of the event that the present prefix started with; 0: there is none yet."""
    digest: str = ""
    prefix_model: str = ""
    renew: str = FIRST
    """Why the next request needs a prefix of its own; empty: it does not."""
    read_only: tuple[str, ...] = ()
    switched_off: tuple[str, ...] = ()
    model: str = ""
    """The one that was set here; empty: the settings say."""
    effort: Effort | None = None
    servers: tuple[str, ...] | None = None
    """The MCP servers that a person chose for this session; None: the settings say."""
    choice: ModelChoice | None = None
    limits: TurnLimits = TurnLimits()
    queue: tuple[Waiting, ...] = ()
    open: OpenTurn | None = None
    lookups: tuple[Lookup, ...] = ()
    repeats: str = ""
    """A digest of what the last step called."""
    repeated: int = 0
    """How often in a row."""
    tokens: int = 0
    """Of the last request that the provider counted, and its answer."""
    fresh_chars: int = 0
    """What was sealed since."""
    summary: BlockId = BlockId("")
    """The newest that was made; it may be on another branch."""
    files: tuple[str, ...] = ()
    """What tools read or changed, the latest last."""
    grants: tuple[Grant, ...] = ()
    """What people allowed for as long as this session lives."""
    tasks: tuple[Task, ...] = ()
    rewind: Rewind | None = None
    before_rewind: Kept | None = None
    """The files as they were before the last rewind."""

    @property
    def phase(self) -> TurnPhase:
        """What the agent is doing."""
        return self.open.phase if self.open is not None else TurnPhase.IDLE

    @property
    def is_elsewhere(self) -> bool:
        """Whether a turn must wait: a branch is looked for, or files are being changed back."""
        return bool(self.lookups) or self.rewind is not None

    @property
    def agent(self) -> Origin:
        """In whose name the model's words and deeds are recorded."""
        return Origin(Actor.AGENT, self.choice.name if self.choice is not None else "")


def call_key(call: OpenCall) -> str:
    """The same for calls of the same tool with the same arguments."""
    said = call.arguments
    return f"{call.name} {said.sha256 if isinstance(said, Blob) else said}"


def calls_digest(calls: Iterable[OpenCall]) -> str:
    """The same for steps that call the same; empty for one that calls nothing."""
    keys = "\n".join(call_key(one) for one in calls)
    return sha256(keys.encode(errors="replace")).hexdigest()[:16] if keys else ""
