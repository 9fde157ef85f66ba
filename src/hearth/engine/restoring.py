"""Brings a session back from the log: its snapshot, and what came after."""

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

import hearth.core
from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.vocabulary.codec import Unreadable, decode_fact, encode
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import CorruptRow, EventLog, Snapshot

PAGE: Final = 2000

_folds = msgspec.json.Decoder(SessionFold)


class Restored(NamedTuple):
    """A session as its log left it."""

    fold: SessionFold
    seq: int
    snapshot_version: int


def fold_name() -> str:
    """Names the present rules and views, by their source: snapshots of others are worthless."""
    digest = sha256()
    for source in sorted(Path(hearth.core.__path__[0]).rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


async def restore(
    log: EventLog, session: SessionId, name: str, known: Restored | None = None
) -> Restored:
    """Replay a session, from what is known of it. CorruptRow, IllegalEvent: its log is broken."""
    restored = known or await _from_snapshot(log, session, name)
    while rows := await log.read_session(session, restored.fold.state.version, PAGE):
        restored = _replay(restored, rows)
        await asyncio.sleep(0)  # others get their turn between pages
    return restored


def snapshot_of(current: SessionFold, seq: int, name: str) -> Snapshot:
    """The present, ready to be saved."""
    state = current.state
    return Snapshot(state.session, state.version, seq, name, encode(current))


async def _from_snapshot(log: EventLog, session: SessionId, name: str) -> Restored:
    fresh = Restored(SessionFold(SessionState(session)), 0, 0)
    snapshot = await log.load_snapshot(session)
    if snapshot is None or snapshot.fold != name:
        return fresh
    try:
        saved = _folds.decode(snapshot.data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return fresh
    # A snapshot may be ahead of a log that was brought back from a backup.
    last = await log.read_session(session, snapshot.version - 1, 1)
    if saved.state.version != snapshot.version or not last or last[0].seq != snapshot.seq:
        return fresh
    return Restored(saved, snapshot.seq, snapshot.version)


def _replay(restored: Restored, rows: Sequence[Stored]) -> Restored:
    current = restored.fold
    for row in rows:
        if row.version != current.state.version + 1:
            raise CorruptRow(f"{row.session}: version {current.state.version + 1} is missing")
        try:
            current = fold(current, decode_fact(row.data))
        except Unreadable as unreadable:
            raise CorruptRow(f"{row.session}: version {row.version}: {unreadable}") from unreadable
    return Restored(current, rows[-1].seq, restored.snapshot_version)
