"""Keeps what performers bring back small enough for an event.

Texts and outputs of any size are kept whole, as blobs; what is only of use in small numbers
(completions, diagnostics, names) is cut here, and so is every line that cannot become a blob.
"""

from collections.abc import Iterable
from math import isfinite
from typing import TypeVar

from msgspec.structs import replace

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.codec import MAX_PAYLOAD_BYTES, encode
from hearth.core.vocabulary.content import Completion, Diagnostic
from hearth.core.vocabulary.failures import (
    CheckFailed,
    CodeRaised,
    Failure,
    Interrupted,
    ProjectNotFound,
    TimedOut,
)

MOST_ITEMS = 500
LONGEST_LINE = 300

_Item = TypeVar("_Item", str, Completion, Diagnostic)


def bounded(report: r.Report) -> r.Report:
    """The report with its lists and lines cut to what an event can hold."""
    match report:
        case r.CodeChecked():
            return replace(report, diagnostics=_diagnostics(report.diagnostics))
        case r.CodeCompleted():
            items = report.items[:MOST_ITEMS]
            kept = (replace(i, label=_line(i.label), detail=_line(i.detail)) for i in items)
            return replace(report, items=_fitting(kept))
        case r.WorkerReady():
            duration = _seconds(report.duration)
            return replace(report, duration=duration, errors=_lines(report.errors))
        case r.WorkerFailed():
            return replace(report, failure=_failure(report.failure))
        case r.CellEnded():
            return replace(
                report,
                ending=_ending(report.ending),
                duration=_seconds(report.duration),
                names=_lines(report.names),
            )
        case r.EffectFailed():
            return replace(report, message=_line(report.message))
        case r.WorkerLost() | r.RestartDue():
            return report


def _line(text: str) -> str:
    line = text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"
    # Half a surrogate pair cannot be written, and its size not be told.
    return line if line.isascii() else line.encode(errors="replace").decode()


def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    return _fitting(_line(text) for text in texts[:MOST_ITEMS])


def _fitting(items: Iterable[_Item]) -> tuple[_Item, ...]:
    """The first items that together are no larger than a payload may be."""
    kept: list[_Item] = []
    room = MAX_PAYLOAD_BYTES
    for item in items:
        room -= len(encode(item)) + 1
        if room < 0:
            break
        kept.append(item)
    return tuple(kept)


def _seconds(duration: float) -> float:
    """JSON has no infinity: a stored one could never be read again."""
    return duration if isfinite(duration) else 0.0


def _diagnostics(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    return _fitting(
        replace(one, message=_line(one.message), rule=_line(one.rule)) for one in found[:MOST_ITEMS]
    )


def _ending(ending: r.Ending) -> r.Ending:
    match ending:
        case r.Succeeded():
            return replace(ending, value_type=_line(ending.value_type))
        case r.Raised():
            return r.Raised(_failure(ending.failure))
        case r.Stopped():
            return ending


def _failure(failure: Failure) -> Failure:
    match failure:
        case CheckFailed():
            return CheckFailed(_diagnostics(failure.diagnostics))
        case CodeRaised():
            return replace(failure, name=_line(failure.name))
        case Interrupted():
            return Interrupted(_line(failure.message))
        case ProjectNotFound():
            return ProjectNotFound(_line(failure.path))
        case TimedOut():
            return TimedOut(_seconds(failure.limit), _seconds(failure.elapsed))
        case _:
            return failure
