"""Which blocks a conversation consists of right now, and what it is held with."""

from enum import StrEnum
from typing import Literal

from hearth.core.vocabulary.ids import BlockId, SessionId
from hearth.core.vocabulary.prompting import Effort
from hearth.core.vocabulary.wire import Part


class Segment(Part, frozen=True):
    """The blocks of one session from one version to another, both included."""

    first: int
    last: int
    session: SessionId = SessionId("")
    """Empty: the session itself. Otherwise the one it was forked from."""


class Line(Part, frozen=True):
    """The path from the root of a conversation to its newest block.

    It consists of the blocks in `segments`, then of all the session's own from version `since` on.
    """

    segments: tuple[Segment, ...] = ()
    since: int = 1
    leaf: BlockId = BlockId("")
    """The newest block; empty while there is none."""
    prompt: BlockId = BlockId("")
    """The newest message of a person."""


class Dialect(StrEnum):
    """The protocols that providers speak."""

    ANTHROPIC = "anthropic"
    RESPONSES = "responses"
    CHAT = "chat"
    SCRIPTED = "scripted"


class ModelChoice(Part, frozen=True):
    """A model and what must be known of it to hold a conversation with it."""

    provider: str
    model: str
    dialect: Dialect
    window: int
    """Tokens that fit into a request together with its answer."""
    max_output: int
    effort: Effort = Effort.MAX

    @property
    def name(self) -> str:
        """How people and settings call it."""
        return f"{self.provider}:{self.model}"


class TurnLimits(Part, frozen=True):
    """What a turn may cost before someone is asked, or it ends."""

    max_steps: int = 200
    max_retries: int = 5
    compaction: bool = True
    reserve_tokens: int = 16_000
    keep_recent_tokens: int = 20_000
    result_chars: int = 20_000
    """A longer result of a tool is shown by its head and tail, and kept whole in a file."""
    spill_folder: str = ""
    nudge_interval: int = 0
    """After so many turns the agent is reminded to note what it learned; 0: never."""


class Instruction(Part, frozen=True):
    """A file whose text is part of the system prompt."""

    path: str
    sha256: str
    size: int
    truncated: bool = False


class Prefix(Part, frozen=True):
    """What stands before all messages of a request, the same in each until an epoch ends."""

    system: str
    tools: str
    """The declarations as JSON: a list of objects with name, description, input_schema."""
    read_only: tuple[str, ...] = ()
    """The names of the tools that change nothing."""
    digest: str = ""
    instructions: tuple[Instruction, ...] = ()
    switched_off: tuple[str, ...] = ()
    """The names of the session's own tools that are not offered."""


Purpose = Literal["answer", "summary"]
"""What a model is asked for."""
