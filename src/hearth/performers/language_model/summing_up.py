"""The request for a summary of what was said long ago."""

from dataclasses import dataclass

from hearth.core.rules.compaction import cut, request_text
from hearth.core.rules.conversation import Composer
from hearth.core.rules.lines import segments_of
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.ids import BlockId, SessionId
from hearth.core.vocabulary.messages import Message, UserMessage
from hearth.core.vocabulary.modelling import AskModel
from hearth.core.vocabulary.turns import BlockSealed, ConversationCompacted, ModelAsked
from hearth.performers.language_model.codec import Opening
from hearth.performers.language_model.reading import Reading
from hearth.performers.language_model.tape import Encoding, NothingToSay, encoder, opening_of


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A request for a summary, ready to be sent."""

    opening: Opening
    body: bytes
    messages: tuple[Message, ...]
    """All of them; the last one asks for the summary."""
    keeps: BlockId
    """The first block that is not part of it; empty: all are."""


async def summary_draft(
    reading: Reading, session: SessionId, ask: AskModel, encoding: Encoding
) -> SummaryDraft:
    """The request that is asked for. LogUnreadable, NothingToSay.

    It begins as the requests before it, so that the provider has most of it cached.
    """
    beginning = await reading.beginning(session, ask.prefix)
    messages, files = await _all(reading, session, ask)
    place = cut(messages, ask.keep_recent_tokens)
    if not place:
        raise NothingToSay("there is nothing that could be summed up")
    keeps = messages[place].block if place < len(messages) else BlockId("")
    asked = UserMessage(BlockId(""), request_text(ask.focus, tuple(files)))
    wanted, encode = (*messages[:place], asked), encoder(encoding, ask)
    pieces = [encode(message, index == place - 1) for index, message in enumerate(wanted)]
    opening = opening_of(session, ask.choice, beginning)
    body = (encoding.opening(opening), b",".join(filter(None, pieces)), encoding.closing())
    return SummaryDraft(opening, b"".join(body), wanted, keeps)


async def _all(
    reading: Reading, session: SessionId, ask: AskModel
) -> tuple[list[Message], dict[str, None]]:
    composer, messages = Composer(), list[Message]()
    files: dict[str, None] = {}
    async for found in reading.along(session, segments_of(ask.line, ask.through)):
        if isinstance(found.event, ModelAsked):
            continue
        files |= dict.fromkeys(_files(found.event))
        composer.take(found.event, found.session, found.pictures)
        messages += composer.closed()
    return messages + composer.messages(), files


def _files(event: BlockSealed | ConversationCompacted) -> tuple[str, ...]:
    if isinstance(event, ConversationCompacted):
        return event.files
    return event.content.files if isinstance(event.content, ToolResultBlock) else ()
