"""What people ask of a session's agent. Each is also found in `commands`, with all the others."""

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary.ids import ApprovalId, BlockId, MessageId, TurnId
from hearth.core.vocabulary.wire import Word

ModelName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
ServerName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]


class Effort(StrEnum):
    """How much a model should think, where it can be told."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    MAX = "max"


class ApprovalAnswer(StrEnum):
    """What a person says to what an agent wants."""

    ONCE = "once"
    SESSION = "session"
    """And whatever else is like it, as long as the session lives."""
    ALWAYS = "always"
    """And whatever else is like it, in every session of this project."""
    REJECT = "reject"
    """Nor anything else that this session asks for at the moment."""


class SendMessage(Word, frozen=True):
    """Say something to the agent: begins a turn, or reaches the one that runs at its next step."""

    text: Annotated[str, msgspec.Meta(min_length=1)]
    model: Annotated[str, msgspec.Meta(max_length=300)] = ""
    """For the turn that this begins, instead of the one that is set."""
    if_busy: Literal["queue", "refuse"] = "queue"


class WithdrawMessage(Word, frozen=True):
    """Take a message back that the agent has not been given yet."""

    message: MessageId


class CancelTurn(Word, frozen=True):
    """Stop the agent: the model's answer, the tools it runs, and the turn."""

    turn: TurnId | None = None
    """Only if it is this one that runs."""


class SetModel(Word, frozen=True):
    """Speak with another model from the next step on; what was said so far is kept."""

    model: ModelName | None = None
    effort: Effort | None = None


class SetServers(Word, frozen=True):
    """Choose which MCP servers the agent of this session has. Only a person can."""

    servers: Annotated[tuple[ServerName, ...], msgspec.Meta(max_length=100)] | None
    """Those of these names, and no others; null: as the settings say."""


class RegenerateTurn(Word, frozen=True):
    """Answer the latest prompt of this branch anew, as a branch of its own."""

    model: Annotated[str, msgspec.Meta(max_length=300)] = ""


class ContinueTurn(Word, frozen=True):
    """Have the agent go on where its last answer ended."""


class CompactConversation(Word, frozen=True):
    """Put a summary in the place of what was said long ago, for the model; the log keeps all."""

    focus: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    """What the summary should dwell on."""


class SwitchBranch(Word, frozen=True):
    """Go on from another block of this conversation."""

    to: BlockId


class EditMessage(Word, frozen=True):
    """Go on from a branch in which a block says something else; the old one stays as it was."""

    block: BlockId
    text: str
    rest: Literal["cut", "keep"] = "cut"
    """Whether what came after it is part of the new branch."""


class AnswerApproval(Word, frozen=True):
    """Let an agent do what it asks for, or not. Only a person can."""

    approval: ApprovalId
    answer: ApprovalAnswer
    text: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    """What the agent is told: with a no in the result, with a yes as a message behind it."""
    patterns: tuple[Annotated[str, msgspec.Meta(max_length=4000)], ...] = ()
    """Of `session` and `always`: exactly what is allowed by it, as it was shown to the person."""


class RewindFiles(Word, frozen=True):
    """Make the files of the project what they were when something was said. Only a person can."""

    to: Annotated[str, msgspec.Meta(max_length=300)] = ""
    """The block; empty: what they were before the last rewind."""
    preview: bool = False
    """Only tell what that would change."""


Prompt: TypeAlias = (
    SendMessage
    | WithdrawMessage
    | CancelTurn
    | SetModel
    | SetServers
    | RegenerateTurn
    | ContinueTurn
    | CompactConversation
    | SwitchBranch
    | EditMessage
    | AnswerApproval
    | RewindFiles
)
