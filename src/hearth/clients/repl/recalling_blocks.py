"""A block of a conversation in full, wherever in the log it is and wherever its content is kept."""

from collections.abc import Mapping
from typing import Final, assert_never

from hearth.clients.repl.host import Host
from hearth.clients.repl.marking import Markdown
from hearth.clients.repl.painting import Paint, author
from hearth.clients.repl.pieces import Piece, Words
from hearth.clients.repl.recalling import text_in_full
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.tool_telling import argument, decoded
from hearth.clients.repl.writing import NEWEST
from hearth.core.views.conversation import Conversation
from hearth.core.views.open_blocks import OpenKind
from hearth.core.vocabulary.blocks import (
    Block,
    ErrorBlock,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import BlockId, SessionId, block_place
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.core.vocabulary.turns import BlockSealed, ConversationCompacted

NO_THINKING: Final = "the agent's last answer has no thinking"


async def recalled_block(
    host: Host, session: SessionId, block: BlockId, paint: Paint
) -> list[Piece] | Refusal:
    """All of a block, with its author; a line that says so where there is none.

    Without a block, the newest that a model thought, be it still at it.
    """
    viewed = await host.view("conversation", session)
    if isinstance(viewed, Refused):
        return viewed
    said = viewed.value if isinstance(viewed.value, Conversation) else None
    thought = _being_thought(said, paint) if said is not None and not block else None
    if thought is not None:
        return [thought]
    for row in reversed(said.rows if said is not None else ()):
        if row.block == block or (not block and isinstance(row.content, ThinkingBlock)):
            return [await _shown(host, row.block, row.author, row.content, paint)]
    return await _out_of_the_log(host, session, block, paint) if block else [Words(NO_THINKING)]


def _being_thought(said: Conversation, paint: Paint) -> Words | None:
    """What a model thinks in the answer that it is writing, which is no block yet."""
    thinking = (one for one in reversed(said.open) if one.kind is OpenKind.THINKING)
    newest = next(thinking, None)
    if newest is None:
        return None
    lost = f"{paint.more} " if newest.start else ""
    text = Markdown(colour=paint.colour).lines(f"{lost}{newest.text}")
    return Words(f"{paint.rule(NEWEST)}\n{text}".rstrip("\n"))


async def _out_of_the_log(
    host: Host, session: SessionId, block: BlockId, paint: Paint
) -> list[Piece] | Refusal:
    """A block that is not among those of the conversation as it goes on now."""
    elsewhere, version = block_place(block)
    viewed = await host.view("status", elsewhere or session)
    if isinstance(viewed, Refused):
        return viewed
    found = await event_at(host, elsewhere or session, version, viewed.seq)
    event = found.event if found is not None else None
    if found is None or not isinstance(event, BlockSealed | ConversationCompacted):
        return [_absent(block)]
    content = (
        TextBlock(event.summary) if isinstance(event, ConversationCompacted) else event.content
    )
    return [await _shown(host, block, found.origin, content, paint)]


def _absent(block: str) -> Words:
    return Words(f"there is no block {clean(block, colour=False)} here; .conversation names them")


async def _shown(host: Host, block: BlockId, who: Origin, content: Block, paint: Paint) -> Words:
    head = paint.rule(f"{clean(block, colour=False)}  {author(who)}")
    return Words(f"{head}\n{await _content(host, content, paint)}".rstrip("\n"))


async def _content(host: Host, content: Block, paint: Paint) -> str:
    match content:
        case TextBlock(text=text) | ThinkingBlock(text=text):
            return Markdown(colour=paint.colour).lines(await text_in_full(host, text))
        case ToolCallBlock():
            said = await _arguments(host, content.arguments)
            return clean(f"{content.call} calls {content.name}\n{said}", colour=False)
        case ToolResultBlock():
            where = f"\n(all of it is in {content.spilled})" if content.spilled else ""
            said = await text_in_full(host, content.result)
            return clean(f"{content.call} of {content.name}\n{said}{where}", colour=False)
        case ErrorBlock():
            return clean(await text_in_full(host, content.message), colour=False)
        case NoticeBlock():
            return clean(content.text, colour=False)
        case _:
            assert_never(content)


async def _arguments(host: Host, arguments: Text) -> str:
    """What a call is made with, a line for each; as it is where it is no JSON."""
    text = await text_in_full(host, arguments)
    said = decoded(text)
    if not isinstance(said, Mapping):
        return text
    return "\n".join(f"{key}: {argument(value)}" for key, value in said.items())


async def event_at(host: Host, session: SessionId, version: int, until: int) -> Envelope | None:
    """The event of a version: streams begin at a cursor, so it is looked for from the start."""
    following = host.follow(session, after=0)
    try:
        while items := await following.batch():
            rows = [item for item in items if isinstance(item, Stored)]
            for row in rows:
                if row.version == version:
                    return envelope(row)
            if rows and (rows[-1].seq >= until or rows[-1].version > version):
                return None
    finally:
        following.close()
    return None
