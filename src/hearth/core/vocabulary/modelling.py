"""What an agent needs of the outside, and what comes back: models, tools, prefixes, branches.

Each effect is also found in `effects`, each report in `reports`, with all the others.
"""

from enum import StrEnum
from typing import TypeAlias

from hearth.core.vocabulary.blocks import StopReason, Usage, WireNote
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.deeds import FileChange
from hearth.core.vocabulary.ids import BlockId, CallId, InputId, RequestId, SessionId, TurnId
from hearth.core.vocabulary.judging import JudgingEffect, JudgingReport
from hearth.core.vocabulary.lines import Line, ModelChoice, Prefix, Purpose, Segment, TurnLimits
from hearth.core.vocabulary.permitting import Need
from hearth.core.vocabulary.prompting import Effort
from hearth.core.vocabulary.turns import BlockSealed
from hearth.core.vocabulary.wire import Part, Word


class PreparePrefix(Word, frozen=True):
    """Find the model, read instructions, declare tools. Answer: PrefixPrepared or PrefixFailed."""

    turn: TurnId
    config: SessionConfig
    model: str = ""
    """`provider:model` or a model's name; empty: the one that the settings name."""
    effort: Effort | None = None
    with_names: bool = False
    """The live names of the interpreter are part of the system text."""


class AskModel(Word, frozen=True):
    """Send a request. Progress: TextDelta, ThinkingDelta, ToolCallForming.

    Answer: ModelAnswered (SummaryMade for a summary), ModelFailed, or ModelStopped after
    StopAsking. The messages are read from the log, up to and including version `through`.
    """

    request: RequestId
    turn: TurnId
    step: int
    choice: ModelChoice
    prefix: int
    """The version of the PrefixStarted that it begins with."""
    line: Line
    through: int
    purpose: Purpose = "answer"
    keep_recent_tokens: int = 0
    """Of a summary: so much of the newest is not part of it."""
    focus: str = ""


class StopAsking(Word, frozen=True):
    """Give a request up. Answer: ModelStopped, with what was written by then."""

    request: RequestId


class WaitThenAsk(Word, frozen=True):
    """Wait `delay` seconds. Answer: AskDue."""

    request: RequestId
    delay: float


class RunTool(Word, frozen=True):
    """Run a tool. Progress: ToolOutput. Answer: ToolReturned."""

    call: CallId
    name: str
    arguments: Text
    config: SessionConfig
    result_chars: int
    spill_folder: str = ""
    needs: tuple[Need, ...] = ()
    """What was allowed for it."""
    agent: str = ""


class StopTool(Word, frozen=True):
    """Stop a tool that runs. No answer of its own: nobody waits for it any more."""

    call: CallId


class SpillResult(Word, frozen=True):
    """Write a long result of a tool to a file. No answer."""

    path: str
    text: Text


class FindBranch(Word, frozen=True):
    """Find a block and the line that leads to it. Answer: BranchFound or BranchMissing."""

    question: InputId
    block: BlockId
    """Empty: the newest of the session it is looked for in."""
    line: Line
    """Of the session that asks, as it is now."""
    through: int
    """The version of the session that asks."""
    source: SessionId = SessionId("")
    """The session that it is in; empty: the one that asks."""


AgentEffect: TypeAlias = (
    PreparePrefix
    | AskModel
    | StopAsking
    | WaitThenAsk
    | RunTool
    | StopTool
    | SpillResult
    | FindBranch
    | JudgingEffect
)


class Written(Part, frozen=True):
    """A piece of a model's answer: text, thinking, or a call (then `name` is not empty)."""

    text: Text = ""
    """Of a call: its arguments."""
    thinking: bool = False
    native: Text = ""
    """Of thinking: the provider's own item, to be sent back as it is."""
    name: str = ""
    wire_id: str = ""
    """Of a call: what the provider calls it."""


class Trouble(StrEnum):
    """Why a model did not answer."""

    OVERLOADED = "overloaded"
    RATE_LIMITED = "rate_limited"
    SERVER = "server"
    NETWORK = "network"
    """No connection, or one that broke."""
    SILENT = "silent"
    """Nothing came for too long."""
    MALFORMED = "malformed"
    """What came is not what the provider's protocol says."""
    RESTARTED = "restarted"
    """The daemon ended before the answer came."""
    UNREADABLE = "unreadable"
    """The log cannot be read at the moment."""
    OVERFLOW = "overflow"
    """The conversation is longer than the model can read."""
    CREDENTIALS = "credentials"
    REJECTED = "rejected"
    """The provider does not accept the request."""
    UNKNOWN_MODEL = "unknown_model"


class PrefixPrepared(Word, frozen=True):
    """Everything a request needs beside its messages."""

    turn: TurnId
    choice: ModelChoice
    prefix: Prefix
    limits: TurnLimits
    warnings: tuple[str, ...] = ()


class PrefixFailed(Word, frozen=True):
    """The turn cannot begin."""

    turn: TurnId
    why: str


class ModelAnswered(Word, frozen=True):
    """The answer is complete."""

    request: RequestId
    written: tuple[Written, ...]
    stop: StopReason
    usage: Usage = Usage()
    wire: WireNote = WireNote()
    duration: float = 0.0


class SummaryMade(Word, frozen=True):
    """The summary is complete."""

    request: RequestId
    summary: Text
    keeps: BlockId
    """The first block that is not part of it; empty: all are."""
    usage: Usage = Usage()
    notes: tuple[Text, ...] = ()
    """What is to be remembered beyond this conversation: arguments of add_knowledge."""


class ModelFailed(Word, frozen=True):
    """There will be no answer to this request, and nothing of it is kept."""

    request: RequestId
    trouble: Trouble
    message: str
    status: int | None = None
    retry_after: float | None = None
    """The provider asks to wait so many seconds."""


class ModelStopped(Word, frozen=True):
    """The request was given up; this was written by then."""

    request: RequestId
    written: tuple[Written, ...] = ()


class AskDue(Word, frozen=True):
    """The pause before the next attempt is over."""

    request: RequestId


class ToolReturned(Word, frozen=True):
    """A tool came to its end."""

    call: CallId
    result: Text
    is_error: bool = False
    spilled: str = ""
    files: tuple[str, ...] = ()
    changes: tuple[FileChange, ...] = ()
    pictures: tuple[Blob, ...] = ()


class BranchFound(Word, frozen=True):
    """The block that was looked for."""

    question: InputId
    sealed: BlockSealed
    line: Line
    """That ends with it, as seen from the session that asks."""
    before: Line
    """That ends just before it."""
    after: tuple[Segment, ...] = ()
    """What stands behind it, if it is part of the present line."""
    model: str = ""
    effort: Effort | None = None


class BranchMissing(Word, frozen=True):
    """There is no such block, or it cannot be read."""

    question: InputId
    why: str


AgentReport: TypeAlias = (
    PrefixPrepared
    | PrefixFailed
    | ModelAnswered
    | SummaryMade
    | ModelFailed
    | ModelStopped
    | AskDue
    | ToolReturned
    | BranchFound
    | BranchMissing
    | JudgingReport
)
