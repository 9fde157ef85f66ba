"""A conversation as any model reads it: what codecs turn into the bytes of their providers.

Never stored: made from sealed blocks, always the same from the same ones.
"""

from dataclasses import dataclass
from typing import TypeAlias

from hearth.core.vocabulary.ids import BlockId


@dataclass(frozen=True, slots=True)
class SaidText:
    """Text of a model. Never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """Thinking of a model; `native` is sent back as it is, to the model that wrote it alone."""

    text: str
    native: str
    model: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call; `arguments` is JSON as the model wrote it, or what is not JSON at all."""

    wire_id: str
    name: str
    arguments: str


SaidPart: TypeAlias = SaidText | Thought | Called


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a result, for models that can see."""

    media_type: str
    width: int
    height: int
    """Both 0 if nobody knows."""
    data: str = ""
    """What it consists of, in base64; empty: no model is sent it."""
    why: str = ""
    """Why none is, in a few words."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The result of a call."""

    wire_id: str
    name: str
    text: str
    is_error: bool = False
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class UserMessage:
    """One message of a person."""

    block: BlockId
    text: str


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """All that a model wrote in one step, in its order. Never without parts."""

    block: BlockId
    parts: tuple[SaidPart, ...]


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """All results of one step, in the order of the calls."""

    block: BlockId
    results: tuple[Returned, ...]


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage
