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

from hearth.core.views.transcript_notices import notice_of
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Outputs, Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.undoing import VariantResult
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


class Tried(Part, frozen=True):
    """One variant of a trial."""

    code: str
    result: VariantResult | None = None
    """None while it runs."""


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
    undone: bool = False
    """What it did to the interpreter was taken back."""
    obstacles: tuple[str, ...] = ()
    """Why it cannot be taken back, where that was tried in vain."""
    variants: tuple[Tried, ...] = ()
    """Of a trial: what was run side by side. The one that was kept is also told as the cell."""
    kept: int = 0
    """The variant that was kept, counted from 1; 0: none, so far."""


class Transcript(Part, frozen=True):
    """The newest entries, oldest first."""

    entries: tuple[Entry, ...] = ()


Closer: TypeAlias = e.CellFinished | e.CellFailed | e.CellCancelled

OfTrial: TypeAlias = e.TrialStarted | e.TrialEnded | e.VariantKept | e.VariantsDropped


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
        case e.CellWithdrawn():
            entry = _find(view, event.cell) or _orphan(envelope, event.cell)
            gone = replace(entry, standing=CellStanding.WITHDRAWN, notice=event.reason)
            return _with(view, gone, window)
        case e.CellNotKept():
            known = _find(view, event.cell) or _orphan(envelope, event.cell)
            return _with(view, replace(known, obstacles=event.obstacles), window)
        case e.TrialStarted() | e.TrialEnded() | e.VariantKept() | e.VariantsDropped():
            return _with(view, _tried(view, envelope, event), window)
        case e.CellsUndone() | e.CellsRedone():
            marked = _marked(view, event.cells, undone=isinstance(event, e.CellsUndone))
            return _with(marked, _notice(envelope), window)
        case e.SessionFaulted():
            notice = replace(_notice(envelope), failure=event.failure)
            return _with(view, notice, window)
        case _ if notice_of(event):
            return _with(view, _notice(envelope), window)
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
            failed, undone = event.failure, event.undone
            return replace(entry, standing=CellStanding.FAILED, failure=failed, undone=undone)
        case e.CellCancelled():
            return replace(entry, standing=CellStanding.CANCELLED, undone=event.undone)


def _tried(view: Transcript, envelope: Envelope, event: OfTrial) -> Entry:
    """The entry of a trial: its cell, with what was run in its place."""
    entry = _find(view, event.cell) or _orphan(envelope, event.cell)
    match event:
        case e.TrialStarted():
            variants = tuple(map(Tried, event.variants))
            return replace(entry, standing=CellStanding.RUNNING, variants=variants)
        case e.TrialEnded(problem=problem) if problem:
            return replace(entry, standing=CellStanding.FAILED, notice=problem)
        case e.TrialEnded():
            codes = [one.code for one in entry.variants] or [""] * len(event.results)
            variants = tuple(map(Tried, codes, event.results))
            return replace(entry, standing=CellStanding.FINISHED, variants=variants)
        case e.VariantKept():
            return _kept(replace(entry, kept=event.variant))
        case e.VariantsDropped():
            return _none_kept(entry, event.reason)


def _kept(entry: Entry) -> Entry:
    """A trial as the cell that it is from now on: as if only this variant had been run."""
    chosen = next((one for one in entry.variants[entry.kept - 1 : entry.kept]), None)
    if chosen is None or chosen.result is None:
        return entry
    result = chosen.result
    return replace(
        entry,
        standing=_standing(result),
        code=chosen.code,
        outputs=result.outputs,
        value=result.value,
        value_type=result.value_type,
        failure=result.failure,
        duration=result.duration,
        dropped=result.dropped,
    )


def _none_kept(entry: Entry, why: str) -> Entry:
    """A trial again, also one of which a variant was to be kept that has ended meanwhile."""
    if entry.kept:
        entry = Entry(
            version=entry.version,
            seq=entry.seq,
            at=entry.at,
            author=entry.author,
            cell=entry.cell,
            standing=CellStanding.FINISHED,
            variants=entry.variants,
        )
    return replace(entry, notice=f"none was kept: {why}")


def _standing(result: VariantResult) -> CellStanding:
    if result.stopped:
        return CellStanding.CANCELLED
    return CellStanding.FINISHED if result.is_ok else CellStanding.FAILED


def _marked(view: Transcript, cells: tuple[CellId, ...], *, undone: bool) -> Transcript:
    among = frozenset(cells)
    return Transcript(
        tuple(replace(one, undone=undone) if one.cell in among else one for one in view.entries)
    )


def _notice(envelope: Envelope) -> Entry:
    return Entry(
        version=envelope.version,
        seq=envelope.seq,
        at=envelope.at,
        author=envelope.origin,
        notice=notice_of(envelope.event),
    )
