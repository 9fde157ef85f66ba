"""Conversations to files and back, for `hearth log`."""

import asyncio
import re
from pathlib import Path
from typing import Final

from hearth.core.vocabulary.envelope import Draft, Fact
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.engine.spilling import bounded
from hearth.log.archive import imported_before
from hearth.log.conversation_file import export_conversation
from hearth.log.conversation_format import read_conversation
from hearth.log.conversation_taking import taken
from hearth.log.event_log import EventLog
from hearth.offline.answering import Answer

AT_ONCE: Final = 200
"""Events that are appended together."""

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def is_id(said: str) -> bool:
    """Whether a session can have this id."""
    return _ID.fullmatch(said) is not None and said != DAEMON_STREAM


async def free_id(log: EventLog, own: str) -> SessionId:
    """A session's own id, if nothing has it here; otherwise one with a number behind it."""
    taken_ids = {head.session for head in await log.heads()}
    base = own if is_id(own) else "imported"
    for number in range(1, len(taken_ids) + 3):
        candidate = SessionId(base if number == 1 else f"{base[:58]}-{number}")
        if candidate not in taken_ids:
            return candidate
    raise AssertionError("more ids are taken than there are sessions")


async def export(log: EventLog, session: SessionId, target: Path | None) -> Answer:
    """Write a conversation into a new file. LogError."""
    here = await asyncio.to_thread(Path.cwd)
    written = await export_conversation(log, session, target, here)
    return Answer(
        (f"{session}: {written.entries} entries are in {written.path}",),
        {
            "session": session,
            "id": written.id,
            "file": str(written.path),
            "entries": written.entries,
            "sha256": written.digest,
        },
    )


async def bring_in(log: EventLog, source: Path, wanted: SessionId | None) -> Answer:
    """Append a conversation's file as a new session. BadConversation, LogError.

    The whole file is verified first. If the store fails in the middle, the same file under the
    same id goes on where it stopped.
    """
    read = await asyncio.to_thread(read_conversation, source)
    own = str(read.header.hearth.get("session", read.header.id))
    session = wanted or await free_id(log, own)
    facts, notes = await asyncio.to_thread(taken, source, read, session)
    lease = await log.claim(session)
    try:
        done = await imported_before(log, session, read.digest, len(facts))
        while done < len(facts):
            drafts = [await _draft(log, fact) for fact in facts[done : done + AT_ONCE]]
            await log.append(session, done, drafts, lease)
            done += len(drafts)
    finally:
        await log.release(lease)
    said = (
        f"{session}: {len(read.entries)} entries were imported; `hearth ask -s {session}` goes on"
    )
    return Answer(
        (*(f"note: {note}" for note in notes), said),
        {
            "session": session,
            "entries": len(read.entries),
            "events": len(facts),
            "notes": list(notes),
        },
    )


async def _draft(log: EventLog, fact: Fact) -> Draft:
    _, draft = await bounded(fact, log.blobs)
    return draft
