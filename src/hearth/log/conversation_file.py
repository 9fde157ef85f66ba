"""A conversation out of the log, as a file in the shape that `conversation_format` says."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import SessionId
from hearth.log.archive import write_new
from hearth.log.conversation_format import VERSION, Header, file_id
from hearth.log.conversation_telling import Telling
from hearth.log.event_log import CorruptRow, EventLog, LogError, StoreDown


class WrittenConversation(NamedTuple):
    """A conversation that is on the disk."""

    path: Path
    id: str
    entries: int
    digest: str


async def export_conversation(
    log: EventLog, session: SessionId, target: Path | None, folder: Path
) -> WrittenConversation:
    """Write a session's conversation, all its branches, into a new file; LogError if it cannot be.

    Without a `target` it is named after its id, in `folder`. What a fork went on from is part of
    its file.
    """
    header = await _header(log, session)
    path = target or folder / f"{header.id}.jsonl"
    telling = Telling(log, session)
    try:
        digest = await write_new(telling.lines(header), path)
    except OSError as error:
        raise StoreDown(f"{path} cannot be written: {error.strerror}") from error
    except Unreadable as error:
        raise CorruptRow(f"{session} cannot be read: {error}") from error
    return WrittenConversation(path, header.id, telling.entries, digest)


async def _header(log: EventLog, session: SessionId) -> Header:
    began = await _began(log, session)
    if began is None:
        raise LogError(f"there is no session {session!r} to export")
    config = began.event.config if isinstance(began.event, e.SessionStarted) else SessionConfig()
    parent = None
    if config.forked_from is not None:
        source = await _began(log, config.forked_from.session)
        parent = file_id(config.forked_from.session, source.at) if source is not None else None
    return Header(
        version=VERSION,
        id=file_id(session, began.at),
        timestamp=began.at,
        cwd=config.directory,
        parent_session=parent,
        hearth={"session": session, "config": msgspec.to_builtins(config)},
    )


async def _began(log: EventLog, session: SessionId) -> Envelope | None:
    rows = await log.read_session(session, 0, 1)
    return envelope(rows[0]) if rows else None
