"""Whether a block is of a conversation: on any of its branches, or of what it goes on from.

Nothing here reads; as in `looking_back`, whoever may wait drives it.
"""

from typing import Final, NamedTuple

from hearth.core.views.looking_back import Looking, Page, block_at, tag_of
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.ids import BlockId, SessionId, block_place
from hearth.core.vocabulary.sessions import SessionStarted
from hearth.core.vocabulary.turns import ConversationForked

FIRST_ROWS: Final = 500
"""Among so many of its first events a fork tells what it goes on from."""
_FORKED: Final = str(ConversationForked.__struct_config__.tag)


class SaidHere(NamedTuple):
    """What there is to know of a block, as a conversation sees it."""

    is_there: bool
    source: SessionId
    """The session that the conversation goes on from, if it was forked."""


def said_here(session: SessionId, block: BlockId) -> Looking[SaidHere]:
    """Look for a block: one of its own by its id, an inherited one with its session's."""
    whose, version = block_place(block)
    beginning = yield from _forked_at(session)
    source = beginning.source if beginning is not None else SessionId("")
    if whose in {"", session}:
        is_there = (yield from block_at(session, version)) is not None
        return SaidHere(is_there, source)
    seen = {session}
    while beginning is not None:
        # A fork goes on from a block of its own source, or from one that this had inherited.
        above, last = block_place(beginning.block)
        if above in seen:
            break
        if above == whose:
            is_there = version <= last and (yield from block_at(whose, version)) is not None
            return SaidHere(is_there, source)
        seen.add(above)
        beginning = yield from _forked_at(above)
    return SaidHere(is_there=False, source=source)


def _forked_at(session: SessionId) -> Looking[ConversationForked | None]:
    """How its conversation came to go on from another; None if it began by itself."""
    for row in (yield Page(session, 0, 1)):
        event = envelope(row).event
        if not isinstance(event, SessionStarted) or event.config.forked_from is None:
            return None
    for row in (yield Page(session, 0, FIRST_ROWS)):
        if tag_of(row).type == _FORKED and isinstance(
            event := envelope(row).event, ConversationForked
        ):
            return event
    return None
