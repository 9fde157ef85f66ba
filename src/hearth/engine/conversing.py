"""Reads conversations and their branches out of the log."""

import asyncio
from typing import Final

from hearth.api import Viewed
from hearth.core.views.branches import Tree
from hearth.core.views.conversation import WINDOW, Conversation
from hearth.core.views.looking_back import head_of, newest
from hearth.core.views.open_blocks import OpenBlock
from hearth.core.views.talking import talking
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.restoring import Restored
from hearth.log.event_log import EventLog
from hearth.log.looking import found

PAGE: Final = 256
"""Blocks that are read at once for a tree: few enough that decoding them keeps nobody waiting."""

_OF_A_TREE: Final = tuple(str(word.__struct_config__.tag) for word in Tree.words)


async def conversation_of(
    log: EventLog, restored: Restored, opened: tuple[OpenBlock, ...] = (), window: int = WINDOW
) -> Viewed:
    """The newest blocks of a session's branch, and what is being written. StoreDown, Unreadable."""
    state, talk = restored.fold.state, restored.fold.talk
    if not talk.version:
        return Viewed(Conversation(talk), restored.seq)
    through, seq = await _durable(log, state.session, state.version)
    looking = newest(state.session, talk.shown, through, window)
    rows, calls, compactions, older = await found(looking, log.read_session)
    view = Conversation(
        talk,
        rows,
        older=older,
        calls=calls,
        compactions=compactions,
        open=talking(talk, opened).open,
        version=min(through, talk.version),
    )
    return Viewed(view, seq)


async def branches_of(log: EventLog, restored: Restored) -> Viewed:
    """The branches of a session's conversation. StoreDown, Unreadable."""
    session, present = restored.fold.state.session, restored.fold.talk.shown
    tree, after = Tree(), 0
    while rows := await log.read(after, limit=PAGE, session=session, types=_OF_A_TREE):
        for row in rows:
            tree.take(envelope(row))
        after = rows[-1].seq
        await asyncio.sleep(0)  # others get their turn between pages
    return Viewed(tree.branches(present), restored.seq)


async def _durable(log: EventLog, session: SessionId, version: int) -> tuple[int, int]:
    """How far the log has what we know, and the cursor there; the newest may wait on disk."""
    last = await log.read_session(session, version - 1, 1)
    while not last and version:
        version = await found(head_of(session), log.read_session)
        last = await log.read_session(session, version - 1, 1)
    return (last[0].version, last[0].seq) if last else (0, 0)
