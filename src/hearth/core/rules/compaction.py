"""When and where a long conversation is cut, and how the summary is asked for."""

from collections.abc import Sequence
from typing import Final, assert_never

from hearth.core.vocabulary.blocks import (
    Block,
    ErrorBlock,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.lines import ModelChoice, TurnLimits
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Message,
    SaidText,
    Thought,
    ToolMessage,
    UserMessage,
)

CHARS_PER_TOKEN: Final = 4
CHARS_OF_PICTURE: Final = 1_600 * CHARS_PER_TOKEN
"""What a picture takes, about: providers scale larger ones down."""
_ASKED: Final = """\
The conversation is about to become too long. Write a summary of everything above that lets you go \
on without it. Say, in this order: what the person wants, and every decision and constraint they \
gave; what was done and found, with exact names, paths, commands, figures and error messages; what \
is under way and what comes next. Leave out nothing that is still needed. Call no tools, except \
add_knowledge if you have it, for what later sessions should know."""


def is_due(tokens: int, fresh_chars: int, choice: ModelChoice, limits: TurnLimits) -> bool:
    """Whether the next request would leave the answer too little room.

    By what the provider counted last, if it counts, and an estimate of what came since.
    """
    estimate = tokens + fresh_chars // CHARS_PER_TOKEN
    room = choice.window - min(limits.reserve_tokens, choice.window // 2)
    return limits.compaction and estimate > room


def cut(messages: Sequence[Message], keep_recent_tokens: int) -> int:
    """The place of the first message that is kept as it is; all before it are summed up.

    Results stay with their calls. Something is always summed up, if there is anything at all: of
    what would fit, all but the last that a person said and what followed.
    """
    if sum(map(chars, messages)) <= keep_recent_tokens * CHARS_PER_TOKEN:
        said = [at for at, one in enumerate(messages) if isinstance(one, UserMessage)]
        return said[-1] if said and said[-1] > 1 else len(messages)
    kept, place = 0, len(messages)
    for index in range(len(messages) - 1, 0, -1):
        kept += chars(messages[index])
        if kept > keep_recent_tokens * CHARS_PER_TOKEN:
            break
        if not isinstance(messages[index], ToolMessage):
            place = index
    return place


def request_text(focus: str, files: Sequence[str] = ()) -> str:
    """What a model is told when a summary is wanted."""
    parts = [_ASKED]
    if focus:
        parts.append(f"Dwell on this: {focus}")
    if files:
        parts.append("Files read or changed so far are listed beside your summary.")
    return "\n\n".join(parts)


def chars(message: Message) -> int:
    """How much a message takes, about."""
    match message:
        case UserMessage():
            return len(message.text)
        case ToolMessage():
            return sum(
                len(one.text)
                + CHARS_OF_PICTURE * sum(bool(picture.data) for picture in one.pictures)
                for one in message.results
            )
        case AssistantMessage():
            return sum(_chars(part) for part in message.parts)


def _chars(part: SaidText | Thought | Called) -> int:
    match part:
        case SaidText():
            return len(part.text)
        case Thought():
            return len(part.native)
        case Called():
            return len(part.name) + len(part.arguments)


def chars_of(content: Block) -> int:
    """How much of a block a model is sent, about."""
    match content:
        case ToolResultBlock():
            return _length(content.result) + CHARS_OF_PICTURE * len(content.pictures)
        case TextBlock():
            return _length(content.text)
        case ThinkingBlock():
            return _length(content.native)
        case ToolCallBlock():
            return _length(content.arguments)
        case ErrorBlock() | NoticeBlock():
            return 0
        case _:
            assert_never(content)


def _length(text: Text) -> int:
    return text.size if isinstance(text, Blob) else len(text)
