"""Removes old sessions when a person asks for it, and only after archiving them."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from hearth.core.vocabulary.codec import Unreadable, decode_fact
from hearth.core.vocabulary.events import SessionStarted
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.log.archive import export_session
from hearth.log.archive_format import Archive, BadArchive
from hearth.log.event_log import EventLog, Head, Lease, LogError, NotOwner


class Archived(NamedTuple):
    """A session that is in a file and no longer in the log."""

    session: SessionId
    path: Path
    events: int


class Kept(NamedTuple):
    """A session that was old enough and is still in the log, and why."""

    session: SessionId
    why: str


class Pruned(NamedTuple):
    """What became of the old sessions."""

    archived: tuple[Archived, ...]
    kept: tuple[Kept, ...]


async def prune(log: EventLog, older_than: timedelta, archive_dir: Path, now: datetime) -> Pruned:
    """Archive each session whose last event is older than this, then delete it from the log.

    Its file is read back and verified before anything is deleted. Sessions that another process
    runs, that another session goes on from, or that cannot be archived whole, are left as they are
    and named. Give it a log object of its own, not an engine's: what the same object has claimed
    counts as nobody else's. StoreDown.
    """
    archived: list[Archived] = []
    kept: list[Kept] = []
    heads = [head for head in await log.heads() if head.session != DAEMON_STREAM]
    forks = await _forks(log, heads)
    # A fork before what it goes on from: if both are old, both can go.
    for head in sorted(heads, key=lambda one: len(_descendants(forks, one.session))):
        try:
            if not await _is_older(log, head, now - older_than):
                continue
            if used := forks.get(head.session):
                kept.append(Kept(head.session, f"{min(used)} goes on from it"))
                continue
            lease = await log.claim(head.session)
        except (Unreadable, NotOwner) as reason:
            kept.append(Kept(head.session, str(reason)))
            continue
        try:
            archived.append(await _move(log, lease, head, archive_dir, now))
            for used in forks.values():
                used.discard(head.session)
        except BadArchive as damaged:
            kept.append(Kept(head.session, f"it cannot be archived whole: {damaged.why}"))
        except _MovedOn as reason:
            kept.append(Kept(head.session, str(reason)))
        finally:
            await log.release(lease)
    return Pruned(tuple(archived), tuple(kept))


async def _forks(log: EventLog, heads: list[Head]) -> dict[SessionId, set[SessionId]]:
    """The sessions whose conversations go on from each: nothing was copied for them."""
    forks: dict[SessionId, set[SessionId]] = {}
    for head in heads:
        first = await log.read_session(head.session, 0, 1)
        try:
            began = decode_fact(first[0].data).event if first else None
        except Unreadable:
            continue  # nothing can be said of it; it cannot be archived whole either
        if isinstance(began, SessionStarted) and began.config.forked_from is not None:
            forks.setdefault(began.config.forked_from.session, set()).add(head.session)
    return forks


def _descendants(forks: dict[SessionId, set[SessionId]], session: SessionId) -> set[SessionId]:
    """All that go on from a session, and from those, however far."""
    found: set[SessionId] = set()
    waiting = [session]
    while waiting:
        new = forks.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


class _MovedOn(LogError):
    """Something was appended while it was being archived."""


async def _is_older(log: EventLog, head: Head, than: datetime) -> bool:
    """Whether its last event is; Unreadable if that event does not say."""
    last = await log.read_session(head.session, head.version - 1, 1)
    return bool(last) and decode_fact(last[0].data).at < than


async def _move(
    log: EventLog, lease: Lease, head: Head, archive_dir: Path, now: datetime
) -> Archived:
    session = lease.session
    target = archive_dir / f"{quote(session, safe='')[:150]}-{now:%Y%m%dT%H%M%S%fZ}.jsonl"
    await _unchanged(log, head)
    written = await export_session(log, session, target, now)
    try:
        read_back = await asyncio.to_thread(_digest_of, target)
        if read_back != written.digest:
            raise BadArchive(target, 1, "the file is not what was written")
        await _unchanged(log, head)
    except LogError:
        await asyncio.to_thread(target.unlink)
        raise
    removed = await log.remove(session)
    return Archived(session, target, removed)


async def _unchanged(log: EventLog, head: Head) -> None:
    if await log.read_session(head.session, head.version, 1):
        raise _MovedOn(f"{head.session} is in use")


def _digest_of(path: Path) -> str:
    """The SHA-256 of a whole and sound archive. BadArchive."""
    archive = Archive(path)
    for _ in archive:
        pass
    return archive.digest
