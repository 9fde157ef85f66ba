"""What was run and shown in a session, in order: a window of the newest entries.

The same function makes it from a page of the log and carries it on event by event, so what a
client folded live equals what it loads later. A window that begins in the middle of a cell shows
what it has of it.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from msgspec.structs import replace

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Outputs, Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.wire import Part

WINDOW = 200
MOST_LATE = 20


class CellStanding(StrEnum):
    """How far a cell has come."""

    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    WITHDRAWN = "withdrawn"


class Entry(Part, frozen=True, kw_only=True):
    """One cell, or one notice about the session (then `cell` is empty)."""

    version: int
    """Of the event that opened it: what it is known by within its session."""
    seq: int
    at: datetime
    author: Origin
    cell: CellId = CellId("")
    standing: CellStanding | None = None
    code: Text = ""
    outputs: Outputs = ()
    value: Text = ""
    value_type: str = ""
    failure: Failure | None = None
    duration: float | None = None
    notice: str = ""
    dropped: int = 0
    """Bytes of output that were too many to be kept."""
    late: tuple[Outputs, ...] = ()
    """What came after it had ended, from something it left running."""
    question: str | None = None
    """What it asks, while it waits for a person's answer."""


class Transcript(Part, frozen=True):
    """The newest entries, oldest first."""

    entries: tuple[Entry, ...] = ()


Closer: TypeAlias = e.CellFinished | e.CellFailed | e.CellCancelled

_NOTICES: dict[type[e.Event], str] = {
    e.SessionStarted: "session started",
    e.SessionReset: "variables dropped",
    e.SessionHardReset: "interpreter replaced",
    e.SessionStopped: "session stopped",
    e.SessionReady: "interpreter ready",
}


def transcript(envelopes: Iterable[Envelope], window: int = WINDOW) -> Transcript:
    """The transcript of a run of events."""
    view = Transcript()
    for envelope in envelopes:
        view = carry_on(view, envelope, window)
    return view


def carry_on(view: Transcript, envelope: Envelope, window: int = WINDOW) -> Transcript:
    """The transcript with one more event."""
    event = envelope.event
    match event:
        case e.CellQueued():
            return _with(view, _opened(envelope, event, CellStanding.WAITING), window)
        case e.CellStarted():
            running = replace(
                _find(view, event.cell) or _opened(envelope, event, CellStanding.RUNNING),
                standing=CellStanding.RUNNING,
                at=envelope.at,
            )
            return _with(view, running, window)
        case e.CellFinished() | e.CellFailed() | e.CellCancelled():
            return _with(view, _closed(view, envelope, event), window)
        case e.CellOutputAdded():
            known = _find(view, event.cell) or _orphan(envelope, event.cell)
            late = (*known.late, event.outputs)[-MOST_LATE:]
            added = replace(known, late=late, dropped=known.dropped + event.dropped)
            return _with(view, added, window)
        case e.CellCancelRequested():
            asking = _find(view, event.cell)
            if asking is None or asking.question is None:
                return view
            return _with(view, replace(asking, question=None), window)
        case e.InputRequested() | e.InputAnswered():
            known = _find(view, event.cell) or _orphan(envelope, event.cell)
            asks = event.prompt if isinstance(event, e.InputRequested) else None
            return _with(view, replace(known, question=asks), window)
        case e.SourcesReloaded():
            return _with(view, _notice(envelope, _reloaded(event)), window)
        case e.SessionReplayed():
            return _with(view, _notice(envelope, _replayed(event)), window)
        case e.CellWithdrawn():
            entry = _find(view, event.cell) or _orphan(envelope, event.cell)
            gone = replace(entry, standing=CellStanding.WITHDRAWN, notice=event.reason)
            return _with(view, gone, window)
        case e.SessionFaulted():
            notice = _notice(envelope, "interpreter lost")
            return _with(view, replace(notice, failure=event.failure), window)
        case e.SessionRenamed():
            return _with(view, _notice(envelope, f"renamed to {event.name}"), window)
        case _ if type(event) in _NOTICES:
            return _with(view, _notice(envelope, _NOTICES[type(event)]), window)
        case _:
            return view


def _with(view: Transcript, entry: Entry, window: int) -> Transcript:
    entries = view.entries
    for place in range(len(entries) - 1, -1, -1):
        if entries[place].version == entry.version:
            return Transcript((*entries[:place], entry, *entries[place + 1 :]))
    return Transcript((*entries, entry)[-window:])


def _find(view: Transcript, cell: CellId) -> Entry | None:
    return next((entry for entry in reversed(view.entries) if entry.cell == cell), None)


def _opened(
    envelope: Envelope, event: e.CellQueued | e.CellStarted, standing: CellStanding
) -> Entry:
    script = event.script if isinstance(event, e.CellStarted) else ""
    return Entry(
        version=envelope.version,
        seq=envelope.seq,
        at=envelope.at,
        author=envelope.origin,
        cell=event.cell,
        standing=standing,
        code=event.code,
        notice=f"script {script}" if script else "",
    )


def _orphan(envelope: Envelope, cell: CellId) -> Entry:
    """A cell whose beginning lies before the window."""
    return Entry(
        version=envelope.version,
        seq=envelope.seq,
        at=envelope.at,
        author=envelope.origin,
        cell=cell,
    )


def _closed(view: Transcript, envelope: Envelope, event: Closer) -> Entry:
    entry = replace(
        _find(view, event.cell) or _orphan(envelope, event.cell),
        outputs=event.outputs,
        duration=event.duration,
        dropped=event.dropped,
        question=None,
    )
    match event:
        case e.CellFinished():
            return replace(
                entry,
                standing=CellStanding.FINISHED,
                value=event.value,
                value_type=event.value_type,
            )
        case e.CellFailed():
            return replace(entry, standing=CellStanding.FAILED, failure=event.failure)
        case e.CellCancelled():
            return replace(entry, standing=CellStanding.CANCELLED)


def _notice(envelope: Envelope, text: str) -> Entry:
    return Entry(
        version=envelope.version,
        seq=envelope.seq,
        at=envelope.at,
        author=envelope.origin,
        notice=text,
    )


def _reloaded(event: e.SourcesReloaded) -> str:
    taken = ", ".join(one.module for one in event.reloaded)
    kept = ", ".join(f"{one.file}:{one.line}: {one.message}" for one in event.failed)
    parts = (f"reloaded {taken}" if taken else "", f"kept the old version: {kept}" if kept else "")
    return "; ".join(part for part in parts if part) or "nothing to reload"


def _replayed(event: e.SessionReplayed) -> str:
    counts = {
        "run again": len(event.ran),
        "left out": len(event.skipped),
        "failed": len(event.failed),
        "different": len(event.differing),
        "missing": len(event.missing),
    }
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f"replayed: {said or 'nothing to run'}" + (event.problem and f" ({event.problem})")
