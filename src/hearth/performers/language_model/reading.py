"""Reads a conversation out of the log, nothing left out: along its line, a page at a time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from msgspec.structs import replace

from hearth.core.vocabulary import codec
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
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.lines import Segment
from hearth.core.vocabulary.messages import Picture
from hearth.core.vocabulary.turns import (
    BlockSealed,
    ConversationCompacted,
    ModelAsked,
    PrefixStarted,
)
from hearth.log.event_log import CorruptRow
from hearth.performers.language_model.pictures import LARGEST, LOST, TOO_LARGE, picture_from

Read: TypeAlias = Callable[[SessionId, int, int], Awaitable[Sequence[Stored]]]
"""Rows of a session behind a version, at most so many."""
Fetch: TypeAlias = Callable[[str], Awaitable[bytes]]
"""Content that is kept as a blob, by its hash."""

PAGE: Final = 256
"""So many rows are read at once: few enough that decoding them keeps nobody waiting."""

# Most rows of a log are about cells. A word that concerns us has its name in its bytes; looking
# for it costs a hundredth of decoding the row.
_NAMES: Final = (b'"block_sealed', b'"conversation_compacted', b'"model_asked')


class LogUnreadable(Exception):
    """The log cannot be read at the moment, or not as far as it must be."""


class LogDamaged(LogUnreadable):
    """What stands there cannot be read, however long one waits."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What stands before all messages, and why it does since then."""

    system: str
    tools: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """One event along a line, and where it was found."""

    event: BlockSealed | ConversationCompacted | ModelAsked
    session: SessionId
    """Empty: the session that asks."""
    version: int
    pictures: tuple[Picture, ...] = ()
    """What a result has beside its text."""


class Reading:
    """Reads logs. Every method may raise LogUnreadable, and nothing else."""

    def __init__(self, read: Read, fetch: Fetch) -> None:
        self._read = read
        self._fetch = fetch

    async def beginning(self, session: SessionId, version: int) -> Beginning:
        """The prefix that was started with this event."""
        rows = await self._rows(session, version - 1, 1)
        event = _event(rows[0])
        if not isinstance(event, PrefixStarted):
            raise LogDamaged(f"event {version} of {session} starts no prefix")
        system, tools = await self._text(event.system), await self._text(event.tools)
        return Beginning(system, tools, event.reason)

    async def along(self, session: SessionId, segments: Sequence[Segment]) -> AsyncIterator[Found]:
        """All blocks and summaries in these ranges, and each time that a model was asked."""
        for segment in segments:
            after = segment.first - 1
            while after < segment.last:
                limit = min(PAGE, segment.last - after)
                for row in await self._rows(segment.session or session, after, limit):
                    after = row.version
                    if any(name in row.data for name in _NAMES):
                        event = await self._whole(_event(row))
                        if event is not None:
                            pictures = await self._pictures(event)
                            yield Found(event, segment.session, row.version, pictures)

    async def _rows(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        try:
            rows = await self._read(session, after, limit)
        except CorruptRow as error:
            raise LogDamaged(f"the log of {session} is damaged: {error}") from error
        except Exception as error:
            raise LogUnreadable(f"the log of {session} cannot be read now: {error}") from error
        if not rows:
            raise LogUnreadable(f"the log of {session} cannot be read behind event {after} yet")
        return rows

    async def _whole(self, event: Event) -> BlockSealed | ConversationCompacted | ModelAsked | None:
        match event:
            case BlockSealed():
                content = await self._content(event.content)
                return event if content is event.content else replace(event, content=content)
            case ConversationCompacted(summary=Blob() as summary):
                return replace(event, summary=await self._text(summary))
            case ConversationCompacted() | ModelAsked():
                return event
            case _:
                return None

    async def _content(self, content: Block) -> Block:
        match content:
            case TextBlock(text=Blob() as text):
                return replace(content, text=await self._text(text))
            case ThinkingBlock(text=text, native=native):
                if not isinstance(text, Blob) and not isinstance(native, Blob):
                    return content
                fetched = await self._text(text), await self._text(native)
                return replace(content, text=fetched[0], native=fetched[1])
            case ToolCallBlock(arguments=Blob() as arguments):
                return replace(content, arguments=await self._text(arguments))
            case ToolResultBlock(result=Blob() as result):
                return replace(content, result=await self._text(result))
            case TextBlock() | ToolCallBlock() | ToolResultBlock() | ErrorBlock() | NoticeBlock():
                return content  # it is whole, or no model is ever sent it

    async def _pictures(
        self, event: BlockSealed | ConversationCompacted | ModelAsked
    ) -> tuple[Picture, ...]:
        if not isinstance(event, BlockSealed) or not isinstance(event.content, ToolResultBlock):
            return ()
        return tuple([await self._picture(blob) for blob in event.content.pictures])

    async def _picture(self, blob: Blob) -> Picture:
        if blob.size > LARGEST:
            return Picture(blob.media_type, 0, 0, why=TOO_LARGE)
        try:
            content = await self._fetch(blob.sha256)
        except (KeyError, CorruptRow):
            # The text of the result stays; a conversation does not end for a picture of it.
            return Picture(blob.media_type, 0, 0, why=LOST)
        except Exception as error:
            raise LogUnreadable(
                f"a picture of {blob.size} bytes cannot be fetched now: {error}"
            ) from error
        return await asyncio.to_thread(picture_from, content, blob.media_type)

    async def _text(self, text: Text) -> str:
        if not isinstance(text, Blob):
            return text
        try:
            return (await self._fetch(text.sha256)).decode()
        except (KeyError, CorruptRow, UnicodeDecodeError) as error:
            raise LogDamaged(f"a text of {text.size} bytes is lost: {error}") from error
        except Exception as error:
            raise LogUnreadable(
                f"a text of {text.size} bytes cannot be fetched now: {error}"
            ) from error


def _event(row: Stored) -> Event:
    try:
        return codec.decode_fact(row.data).event
    except codec.Unreadable as error:
        raise LogDamaged(f"event {row.version} of {row.session}: {error}") from error
