"""A conversation as any model reads it: what codecs turn into the bytes of their providers.

Never stored: made from sealed blocks, always the same from the same ones.
"""

from typing import TypeAlias

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.wire import Part


class SaidText(Part, frozen=True):
    """Text of a model. Never empty."""

    text: str


class Thought(Part, frozen=True):
    """Thinking of a model; `native` is sent back as it is, to the model that wrote it alone."""

    text: str
    native: str
    model: str


class Called(Part, frozen=True):
    """A call; `arguments` is JSON as the model wrote it, or what is not JSON at all."""

    wire_id: str
    name: str
    arguments: str


SaidPart: TypeAlias = SaidText | Thought | Called


class Returned(Part, frozen=True):
    """The result of a call."""

    wire_id: str
    name: str
    text: str
    is_error: bool = False


class UserMessage(Part, frozen=True):
    """One message of a person."""

    block: BlockId
    text: str


class AssistantMessage(Part, frozen=True):
    """All that a model wrote in one step, in its order. Never without parts."""

    block: BlockId
    parts: tuple[SaidPart, ...]


class ToolMessage(Part, frozen=True):
    """All results of one step, in the order of the calls."""

    block: BlockId
    results: tuple[Returned, ...]


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage
