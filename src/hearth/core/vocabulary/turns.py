"""The events of a conversation: turns, steps, blocks, the queue, branches and prefixes.

Each is also found in `events`, with all the others.
"""

from enum import StrEnum
from typing import TypeAlias

from hearth.core.vocabulary.blocks import Block, Role, StopReason, Usage, WireNote
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.deeds import DeedEvent
from hearth.core.vocabulary.ids import (
    ApprovalId,
    BlockId,
    CallId,
    CellId,
    MessageId,
    RequestId,
    SessionId,
    TurnId,
)
from hearth.core.vocabulary.lines import Instruction, Line, ModelChoice, Purpose, TurnLimits
from hearth.core.vocabulary.permitting import Grant, Judged
from hearth.core.vocabulary.prompting import ApprovalAnswer, Effort
from hearth.core.vocabulary.wire import Word


class TurnEnd(StrEnum):
    """How a turn came to its end."""

    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"
    REFUSED = "refused"
    """The model would not answer."""
    LIMIT = "limit"
    """It took as many steps as it may."""
    CUT_OFF = "cut_off"
    """The answer became too long."""


class MessageQueued(Word, frozen=True):
    """A message was admitted and waits for the agent's next step, or for its next turn."""

    message: MessageId
    text: Text
    model: str = ""
    """For the turn that it begins, if it begins one."""


class MessageDelivered(Word, frozen=True):
    """A message that waited is part of a turn now, as this block."""

    message: MessageId
    turn: TurnId
    block: BlockId


class MessageWithdrawn(Word, frozen=True):
    """A message was taken back before the agent was given it."""

    message: MessageId
    reason: str = ""


class TurnStarted(Word, frozen=True):
    """A turn began; what was said to begin it follows as blocks."""

    turn: TurnId
    model: str = ""
    """For this turn alone, where one was asked for."""
    purpose: Purpose = "answer"
    """`summary`: it only makes the conversation shorter."""
    focus: str = ""
    """What such a summary should dwell on."""


class PrefixStarted(Word, frozen=True):
    """From here on requests begin with these bytes; the provider's cache begins anew."""

    epoch: int
    reason: str
    model: str
    system: Text
    tools: Text
    read_only: tuple[str, ...] = ()
    digest: str = ""
    instructions: tuple[Instruction, ...] = ()
    switched_off: tuple[str, ...] = ()


class TurnPrepared(Word, frozen=True):
    """The turn knows its model and its limits."""

    turn: TurnId
    choice: ModelChoice
    limits: TurnLimits


class ModelAsked(Word, frozen=True):
    """A model is asked. Written before the request is sent."""

    request: RequestId
    turn: TurnId
    step: int
    attempt: int = 1
    purpose: Purpose = "answer"


class RetryScheduled(Word, frozen=True):
    """The attempt failed and left nothing; it is made again after a pause."""

    request: RequestId
    turn: TurnId
    step: int
    attempt: int
    """Of the next one."""
    delay: float
    why: str
    status: int | None = None


class BlockSealed(Word, frozen=True):
    """A block is complete, for ever."""

    block: BlockId
    turn: TurnId
    step: int
    role: Role
    content: Block
    parent: BlockId = BlockId("")
    replaces: BlockId | None = None
    """The block of another branch that it stands in the place of."""
    partial: bool = False
    """It was cut off by a cancel."""


class StepFinished(Word, frozen=True):
    """The model's answer is complete; its blocks stand before this."""

    turn: TurnId
    step: int
    request: RequestId
    model: str
    stop: StopReason
    usage: Usage = Usage()
    wire: WireNote = WireNote()
    duration: float = 0.0


class ToolStarted(Word, frozen=True):
    """A tool is about to be run. Written before it hears of it."""

    call: CallId
    turn: TurnId
    step: int
    name: str
    cell: CellId | None = None
    """The cell that is run for it."""
    shares: CallId | None = None
    """An equal call of this step, whose result is its result too."""
    by: str = ""
    """What allowed it, in words."""


class ApprovalRequested(Word, frozen=True):
    """The turn waits for a person."""

    approval: ApprovalId
    turn: TurnId
    calls: tuple[CallId, ...]
    why: str
    name: str = ""
    """The tool that is to be run; empty: it is not about what a call needs."""
    details: Text = ""
    """What it is to be run with: `$ command`, code, or the arguments."""
    judged: tuple[Judged, ...] = ()
    """What a person must allow for it."""
    offers: tuple[Grant, ...] = ()
    """What can be allowed for longer than once; none: nothing can."""
    inside: str = ""
    """It is for a tool that the code of its call calls, and names that; empty: for the call."""


class ApprovalAnswered(Word, frozen=True):
    """A person answered; or nobody needs to any more, which is a no of hearth itself."""

    approval: ApprovalId
    answer: ApprovalAnswer
    text: str = ""
    grants: tuple[Grant, ...] = ()
    """What is allowed from now on."""
    because: ApprovalId = ApprovalId("")
    """It was settled by the answer to this one."""


class TurnCancelRequested(Word, frozen=True):
    """Someone asked the agent to stop."""

    turn: TurnId


class TurnFinished(Word, frozen=True):
    """The turn is over and everything of it is stored."""

    turn: TurnId
    end: TurnEnd
    steps: int = 0
    usage: Usage = Usage()
    why: str = ""


class ModelChanged(Word, frozen=True):
    """From the next step on another model, or more or less thinking."""

    model: str = ""
    """Empty: the one that the settings name."""
    effort: Effort | None = None


class ServersChosen(Word, frozen=True):
    """From the next turn on these MCP servers, in this session."""

    servers: tuple[str, ...] | None = None
    """None: as the settings say."""


class BranchRequested(Word, frozen=True):
    """Someone wants to go on from another block."""

    to: BlockId


class EditRequested(Word, frozen=True):
    """Someone wants a block to say something else, on a branch of its own."""

    block: BlockId
    text: Text
    rest: str = "cut"


class BranchSwitched(Word, frozen=True):
    """The conversation goes on from another block."""

    line: Line
    reason: str
    model: str = ""
    """The model that was set on this branch; empty: the one that the settings name."""
    effort: Effort | None = None


class LookupFailed(Word, frozen=True):
    """The block that someone wants to go on from cannot be found."""

    block: BlockId
    why: str


class ConversationForked(Word, frozen=True):
    """The conversation goes on from a block of another session; nothing is copied."""

    source: SessionId
    block: BlockId
    line: Line
    model: str = ""
    effort: Effort | None = None


class CompactionStarted(Word, frozen=True):
    """A summary is being made of what was said long ago."""

    turn: TurnId
    reason: str
    focus: str = ""


class ConversationCompacted(Word, frozen=True):
    """For the model a summary stands in the place of what came before `keeps`."""

    turn: TurnId
    block: BlockId
    """The summary's own place in the line."""
    summary: Text
    keeps: BlockId
    """The first block that stays as it is; empty: none does."""
    line: Line
    """What is kept: the summary, then everything from `keeps` on."""
    files: tuple[str, ...] = ()
    """What was read or changed so far, also before earlier summaries."""
    tokens_before: int = 0
    usage: Usage = Usage()
    notes: tuple[Text, ...] = ()
    """What was noted beyond this conversation on the occasion."""


class CompactionFailed(Word, frozen=True):
    """No summary could be made; everything stays as it was."""

    turn: TurnId
    why: str


TurnEvent: TypeAlias = (
    MessageQueued
    | MessageDelivered
    | MessageWithdrawn
    | TurnStarted
    | PrefixStarted
    | TurnPrepared
    | ModelAsked
    | RetryScheduled
    | BlockSealed
    | StepFinished
    | ToolStarted
    | ApprovalRequested
    | ApprovalAnswered
    | TurnCancelRequested
    | TurnFinished
    | ModelChanged
    | ServersChosen
    | BranchRequested
    | EditRequested
    | BranchSwitched
    | LookupFailed
    | ConversationForked
    | CompactionStarted
    | ConversationCompacted
    | CompactionFailed
    | DeedEvent
)
