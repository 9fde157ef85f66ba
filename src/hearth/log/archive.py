"""A session as a file, and a file as a session."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Final, NamedTuple

import msgspec

from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import DAEMON_STREAM, EventId, SessionId
from hearth.log.archive_format import (
    Archive,
    Content,
    Exported,
    blob_line,
    event_line,
    header_line,
)
from hearth.log.blobs import references, sync_directory
from hearth.log.event_log import CorruptRow, EventLog, Lease, LogError, StoreDown

PAGE: Final = 500
"""Events that are read, or appended, at once."""

BUFFER: Final = 1024 * 1024
"""Bytes of an export that are written at once."""


class Written(NamedTuple):
    """An export that is on the disk."""

    path: Path
    events: int
    digest: str
    """The SHA-256 of the file."""


async def export_session(
    log: EventLog, session: SessionId, target: Path, exported_at: datetime
) -> Written:
    """Write a session as it stands now into the new file `target`, with the blobs it names.

    The file has its name only when it is complete and durable; its directory is made. What is
    damaged in the log does not stop it. LogError if there is no such session or a file already.
    """
    heads = {head.session: head.version for head in await log.heads()}
    if session not in heads:
        raise LogError(f"there is no session {session!r} to export")
    lines = _lines(log, session, heads[session], exported_at)
    try:
        digest = await write_new(lines, target)
    except OSError as error:
        raise StoreDown(f"{target} cannot be written: {error.strerror}") from error
    return Written(target, heads[session], digest)


async def import_session(log: EventLog, source: Path, new_id: SessionId) -> int:
    """Append the events of an exported file as the new session `new_id`; how many there were.

    Everything but the events' own ids is kept. The whole file is verified first: a BadArchive
    means that nothing was appended. If the store fails in the middle, the same call finishes
    later what it began.
    """
    if not new_id or new_id == DAEMON_STREAM:
        raise LogError(f"{new_id!r} cannot be the id of a session")
    archive = Archive(source)
    events = await asyncio.to_thread(_verified, archive)
    lease = await log.claim(new_id)
    try:
        done = await imported_before(log, new_id, archive.digest, events)
        entries = iter(archive)
        while part := await asyncio.to_thread(_part, entries):
            done = await _append(log, archive, lease, part, done)
    finally:
        await log.release(lease)
    return events


async def imported_before(log: EventLog, session: SessionId, digest: str, events: int) -> int:
    """How many of a file's events are there already, because an import of it was cut off.

    LogError if the session is another one, or was gone on with.
    """
    version = {head.session: head.version for head in await log.heads()}.get(session, 0)
    # The last event must be ours: nobody may have gone on with the part that was there.
    ours = await log.find(imported_id(session, digest, version)) if version else None
    if version and (ours is None or version >= events):
        raise LogError(f"a session {session!r} exists already; import it under another id")
    return version


def imported_id(session: SessionId, digest: str, version: int) -> EventId:
    """The same whenever this file is imported as this session; no input's id has a colon."""
    return EventId(f"import:{session}:{digest[:16]}.{version}")


async def _lines(
    log: EventLog, session: SessionId, last: int, exported_at: datetime
) -> AsyncIterator[bytes]:
    """The lines of an export. Rows that come while it is written are left out."""
    yield header_line(session, exported_at, last)
    given: set[str] = set()
    done = 0
    while done < last:
        rows = await log.read_session(session, done, min(PAGE, last - done))
        if not rows:
            raise CorruptRow(f"{session} ends at version {done}, not at {last}")
        for row in rows:
            for digest in references(row.data):
                if digest not in given:
                    given.add(digest)
                    yield blob_line(digest, await _content(log, digest))
            yield event_line(row)
        done = rows[-1].version


async def _content(log: EventLog, digest: str) -> bytes | None:
    try:
        return await log.blobs.get(digest)
    except (KeyError, CorruptRow):
        return None


async def write_new(lines: AsyncIterator[bytes], target: Path) -> str:
    """Write a file that is not there yet, whole or not at all; its SHA-256. LogError, OSError."""
    file = await asyncio.to_thread(_begin, target)
    digest, waiting = sha256(), 0
    try:
        with file:
            async for line in lines:
                digest.update(line)
                waiting += len(line)
                if waiting < BUFFER:
                    file.write(line)  # into memory; only now and then a thread waits for the disk
                else:
                    await asyncio.to_thread(_write_through, file, line)
                    waiting = 0
            await asyncio.to_thread(_finish, file, target)
    except BaseException:
        # At once, in this thread: nothing half written is left even by a cancelled export.
        _forget(file)
        raise
    return digest.hexdigest()


def _begin(target: Path) -> IO[bytes]:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        raise LogError(f"{target} is there already; an export needs a new name")
    name = f".{target.name[:100]}."
    # Closed, renamed or removed by `write_new`.
    return NamedTemporaryFile(dir=target.parent, prefix=name, delete=False, buffering=2 * BUFFER)


def _write_through(file: IO[bytes], line: bytes) -> None:
    file.write(line)
    file.flush()


def _finish(file: IO[bytes], target: Path) -> None:
    file.flush()
    os.fsync(file.fileno())
    Path(file.name).rename(target)
    sync_directory(target.parent)


def _forget(file: IO[bytes]) -> None:
    Path(file.name).unlink(missing_ok=True)


def _verified(archive: Archive) -> int:
    """Read to the end; how many events there are. BadArchive."""
    return sum(isinstance(entry, Exported) for entry in archive)


def _part(entries: Iterator[Exported | Content]) -> list[Exported | Content]:
    return list(islice(entries, PAGE))


async def _append(
    log: EventLog, archive: Archive, lease: Lease, part: list[Exported | Content], done: int
) -> int:
    """Put the blobs, then the events that are not there yet; where the session stands then."""
    drafts = []
    for entry in part:
        if isinstance(entry, Content):
            if entry.content is not None:
                await log.blobs.put(entry.content)
        elif entry.version > done:
            new_id = imported_id(lease.session, archive.digest, entry.version)
            drafts.append(_renamed(entry, new_id))
    if drafts:
        await log.append(lease.session, done, drafts, lease)
    return done + len(drafts)


def _renamed(entry: Exported, id_: EventId) -> Draft:
    fact = {**entry.fact, "id": msgspec.Raw(msgspec.json.encode(id_))}
    return Draft(id_, entry.tag, msgspec.json.encode(fact))
