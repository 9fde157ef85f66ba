"""The pieces of a conversation: what was written, thought, called and answered, each sealed once.

Each block is carried by one BlockSealed; what is being written right now is progress.
"""

from enum import StrEnum
from typing import TypeAlias

from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import CallId
from hearth.core.vocabulary.wire import Part, Word


class Role(StrEnum):
    """Whose words a block is."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    """For people; no model is ever sent these."""


class NoticeKind(StrEnum):
    """What a notice is about."""

    NOTICE = "notice"
    MODEL_CHANGED = "model_changed"
    CONFIG_RELOAD = "config_reload"
    CANCELLED = "cancelled"
    LIMIT = "limit"


class TextBlock(Word, frozen=True):
    """Text of a person, or of a model."""

    text: Text


class ThinkingBlock(Word, frozen=True):
    """What a model thought, as far as it is shown."""

    text: Text = ""
    native: Text = ""
    """The provider's own item as JSON, signature included: sent back exactly so, to `model`."""
    model: str = ""
    """`provider:model` that wrote it; others are not sent `native`."""


class ToolCallBlock(Word, frozen=True):
    """A model asks for a tool."""

    call: CallId
    name: str
    arguments: Text
    """JSON, exactly as the model wrote it; not necessarily valid."""
    wire_id: str = ""
    """What the call is named on the wire, in call and result alike."""


class ToolResultBlock(Word, frozen=True):
    """The one result of a tool call."""

    call: CallId
    name: str
    result: Text
    is_error: bool = False
    spilled: str = ""
    """The file that holds the whole result, when only head and tail are shown."""
    files: tuple[str, ...] = ()
    """What the tool read or changed."""
    pictures: tuple[Blob, ...] = ()
    """For models that can see."""


class ErrorBlock(Word, frozen=True):
    """A turn ended in an error. Never sent to a model."""

    message: Text
    status: int | None = None
    """Of the provider's answer, if there was one."""


class NoticeBlock(Word, frozen=True):
    """Something people should know. Never sent to a model."""

    kind: NoticeKind
    text: str


Block: TypeAlias = (
    TextBlock | ThinkingBlock | ToolCallBlock | ToolResultBlock | ErrorBlock | NoticeBlock
)


class Usage(Part, frozen=True):
    """Tokens of one request, as the provider counted them; all input is the sum of three."""

    fresh: int = 0
    """Input that was neither read from nor written to the provider's cache."""
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def input(self) -> int:
        """All tokens that were sent."""
        return self.fresh + self.cache_read + self.cache_write

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.fresh + other.fresh,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.output + other.output,
        )


class WireNote(Part, frozen=True):
    """How a request was like the one before it, in bytes of tools, system and messages."""

    size: int = 0
    shared: int = 0
    """So many of its first bytes were sent before, and can be read from the provider's cache."""
    differs_at: str = ""
    """What was sent otherwise than before: `tools`, `system`, or the id of a block."""
    why: str = ""


class StopReason(StrEnum):
    """Why a model stopped writing."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"
    """Its answer became too long."""
    PAUSE = "pause"
    """The provider wants the same request again, with what it wrote so far."""
    REFUSAL = "refusal"
    OTHER = "other"
