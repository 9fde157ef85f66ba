"""Keeps what performers bring back small enough for an event.

Texts and outputs of any size are kept whole, as blobs; what is only of use in small numbers
(completions, diagnostics, names) is cut here.
"""

from msgspec.structs import replace

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import Diagnostic
from hearth.core.vocabulary.failures import CheckFailed, Failure

MOST_ITEMS = 500
LONGEST_LINE = 300


def bounded(report: r.Report) -> r.Report:
    """The report with its lists and lines cut to what an event can hold."""
    match report:
        case r.CodeChecked():
            return replace(report, diagnostics=_diagnostics(report.diagnostics))
        case r.CodeCompleted():
            items = report.items[:MOST_ITEMS]
            kept = (replace(i, label=_line(i.label), detail=_line(i.detail)) for i in items)
            return replace(report, items=tuple(kept))
        case r.WorkerReady():
            return replace(report, errors=_lines(report.errors))
        case r.WorkerFailed():
            return replace(report, failure=_failure(report.failure))
        case r.CellEnded():
            ending = report.ending
            if isinstance(ending, r.Raised):
                ending = r.Raised(_failure(ending.failure))
            return replace(report, ending=ending, names=_lines(report.names))
        case r.EffectFailed():
            return replace(report, message=_line(report.message))
        case r.WorkerLost() | r.RestartDue():
            return report


def _line(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"


def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_line(text) for text in texts[:MOST_ITEMS])


def _diagnostics(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    return tuple(replace(one, message=_line(one.message)) for one in found[:MOST_ITEMS])


def _failure(failure: Failure) -> Failure:
    if isinstance(failure, CheckFailed):
        return CheckFailed(_diagnostics(failure.diagnostics))
    return failure
