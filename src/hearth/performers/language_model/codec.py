"""What a provider's wire must offer: bytes for a conversation, and meaning for a stream of bytes.

Nothing here waits or connects. The body of a request is `opening`, the pieces of all messages
joined by commas, and `closing`; so a conversation that grew by a message is the same bytes, and
one piece more.
"""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.messages import Message
from hearth.core.vocabulary.modelling import Trouble, Written


@dataclass(frozen=True, slots=True)
class Opening:
    """What stands before the first message. Equal ones give equal bytes."""

    choice: ModelChoice
    system: str
    tools: str
    """JSON: a list of objects with name, description, input_schema, sorted by name."""
    conversation: str
    """Names the conversation to the provider, the same in all its requests."""


@dataclass(frozen=True, slots=True)
class TextHeard:
    """The model wrote this."""

    place: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingHeard:
    """The model thought this."""

    place: int
    text: str


@dataclass(frozen=True, slots=True)
class CallHeard:
    """The model begins to call this tool."""

    place: int
    name: str


Heard: TypeAlias = TextHeard | ThinkingHeard | CallHeard


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer."""

    written: tuple[Written, ...]
    stop: StopReason
    usage: Usage


class WireTrouble(Exception):
    """The provider did not answer, or not as its protocol says."""

    def __init__(
        self,
        trouble: Trouble,
        message: str,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.trouble = trouble
        self.message = message
        self.status = status
        self.retry_after = retry_after


class StreamReader(Protocol):
    """Understands one answer, as it comes in. Every method may raise WireTrouble."""

    def feed(self, data: bytes) -> list[Heard]:
        """What these bytes say; they may be cut anywhere."""

    @property
    def answer(self) -> Answer | None:
        """The answer, once the stream said that it is complete."""

    def finish(self) -> Answer:
        """The stream has ended. WireTrouble (network) if the answer was not complete."""

    def partial(self) -> tuple[Written, ...]:
        """What can be kept of an answer that was given up: its text and thinking, no calls."""


class Codec(Protocol):
    """One provider's protocol."""

    @property
    def dialect(self) -> Dialect:
        """Which one."""

    @property
    def path(self) -> str:
        """Where requests go, behind the base address: `/v1/messages`."""

    def headers(self, key: str) -> dict[str, str]:
        """Every header of a request but its length, in one place; without a key none is sent."""

    def opening(self, opening: Opening) -> bytes:
        """The bytes before the first message."""

    def piece(self, message: Message, choice: ModelChoice, *, marked: bool = False) -> bytes:
        """One message as JSON, several values joined by commas if it takes several.

        Marked: the provider should cache everything up to its end. Where the protocol has no
        marks, it is the same as unmarked.
        """

    def closing(self) -> bytes:
        """The bytes after the last message."""

    def reader(self, choice: ModelChoice) -> StreamReader:
        """Understands the answer to one request."""

    def rejected(self, status: int, body: bytes, retry_after: float | None) -> WireTrouble:
        """What an answer that is not a stream means."""
