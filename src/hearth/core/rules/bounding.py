"""Keeps what performers bring back small enough for an event.

Texts and outputs of any size are kept whole, as blobs; what is only of use in small numbers
(completions, diagnostics, names) is cut here, and so is every line that cannot become a blob.
"""

from collections.abc import Iterable
from math import isfinite
from typing import TypeVar

import msgspec
from msgspec.structs import fields, replace

from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Exploration, Inspection, Surroundings
from hearth.core.vocabulary.codec import MAX_PAYLOAD_BYTES, encode
from hearth.core.vocabulary.content import Diagnostic
from hearth.core.vocabulary.deeds import FileChange
from hearth.core.vocabulary.failures import (
    CheckFailed,
    CodeRaised,
    Failure,
    Interrupted,
    ProjectNotFound,
    TimedOut,
)
from hearth.core.vocabulary.judging import CallJudged, GrantStored, ProjectRewound
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.core.vocabulary.undoing import VariantResult

MOST_ITEMS = 500
LONGEST_LINE = 300

MOST_USES = 50
MOST_PARTS = 1000
LONGEST_DOC = 4000
LONGEST_REASON = 2000
LONGEST_PART = 80
MOST_PICTURES = 20
MOST_CHANGES = 40
MOST_CELLS = 5000
MOST_VARIANT_NAMES = 30
"""Of each: sixteen of them are told in one event."""
LONGEST_PATH = 4096
"""As long as a system lets one be."""
TOO_MUCH = "Not run: it needs more permissions than can be shown to a person. Do less at once."

_Item = TypeVar("_Item", bound=str | tuple[str, str] | msgspec.Struct)
_Listed = TypeVar("_Listed", bound=msgspec.Struct)


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
            found = report.surroundings and _surroundings(report.surroundings)
            errors = _lines(report.errors)
            return replace(report, duration=duration, errors=errors, surroundings=found)
        case r.WorkerFailed():
            return replace(report, failure=_failure(report.failure))
        case r.CellEnded():
            return replace(
                report,
                ending=_ending(report.ending),
                duration=_seconds(report.duration),
                names=_lines(report.names),
                uses=_parts(report.uses, MOST_USES),
            )
        case r.EffectFailed():
            return replace(report, message=_line(report.message))
        case r.WorkerLost():
            names, duration = _lines(report.names), _seconds(report.duration)
            return replace(report, names=names, duration=duration)
        case r.InputAsked():
            return replace(report, prompt=_line(report.prompt))
        case r.ToolAsked():
            return _asked(report)
        case r.ToolUsed():
            return replace(
                _flat(report),
                arguments=_text(report.arguments, LONGEST_REASON),
                error=_text(report.error, LONGEST_REASON),
            )
        case r.EnvironmentSeen():
            fingerprint = _line(report.fingerprint)
            return replace(report, fingerprint=fingerprint, parts=_parts(report.parts, MOST_PARTS))
        case r.CodeInspected():
            return replace(report, inspection=_inspection(report.inspection))
        case r.VariablesFound():
            return replace(report, variables=_each(report.variables))
        case r.MembersFound():
            return replace(report, exploration=_exploration(report.exploration))
        case r.SourcesTaken():
            return replace(
                report,
                reloaded=_each(report.reloaded),
                failed=_each(report.failed),
                duration=_seconds(report.duration),
            )
        case r.ReplayEnded():
            return _replayed(report)
        case r.CopyMissed():
            return replace(report, obstacles=_lines(report.obstacles))
        case r.CopiesGone() | r.RevertFailed() | r.VariantGone():
            return replace(report, why=_text(report.why, LONGEST_REASON))
        case r.VariantsTried():
            problem = _text(report.problem, LONGEST_REASON)
            return replace(report, results=tuple(map(_variant, report.results)), problem=problem)
        case r.ForkEnded():
            problem, notice = (
                _text(one, LONGEST_REASON) for one in (report.problem, report.notice)
            )
            return replace(
                report,
                problem=problem,
                notice=notice,
                obstacles=_lines(report.obstacles),
                remedy=_lines(report.remedy),
                name=_line(report.name),
            )
        case r.ReturnEnded():
            return replace(
                report,
                cells=report.cells[-MOST_CELLS:],
                changes=report.changes[:MOST_CHANGES],
                left_out=report.left_out + max(0, len(report.changes) - MOST_CHANGES),
                problems=_lines(report.problems),
                failed=_text(report.failed, LONGEST_REASON),
            )
        case r.RestartDue() | r.StopTried() | r.OutputCameLate() | r.WorkerReverted():
            return report
        case _:
            return _of_agent(report)


def _variant(result: VariantResult) -> VariantResult:
    return replace(
        result,
        duration=_seconds(result.duration),
        value_type=_line(result.value_type),
        names=_lines(result.names)[:MOST_VARIANT_NAMES],
        failure=result.failure and _failure(result.failure),
    )


def _of_agent(report: m.AgentReport) -> m.AgentReport:
    """What a model wrote may be long, for it is kept as a blob; names and reasons are lines."""
    match report:
        case m.ModelAnswered():
            written = tuple(map(_written, report.written[:MOST_ITEMS]))
            note = _flat(report.wire)
            duration = _seconds(report.duration)
            return replace(report, written=written, wire=note, duration=duration)
        case m.ModelStopped():
            return replace(report, written=tuple(map(_written, report.written[:MOST_ITEMS])))
        case m.ModelFailed():
            wait = report.retry_after
            return replace(
                report,
                message=_text(report.message, LONGEST_REASON),
                retry_after=_seconds(wait) if wait is not None else None,
            )
        case m.PrefixPrepared():
            prefix = replace(
                report.prefix,
                read_only=_lines(report.prefix.read_only),
                instructions=_each(report.prefix.instructions),
            )
            return replace(report, prefix=prefix, warnings=_lines(report.warnings))
        case m.PrefixFailed():
            return replace(report, why=_text(report.why, LONGEST_REASON))
        case m.ToolReturned():
            return replace(
                report,
                spilled=_line(report.spilled),
                files=_lines(report.files),
                changes=_changes(report.changes),
                pictures=report.pictures[:MOST_PICTURES],
            )
        case CallJudged():
            return _judged(report)
        case ProjectRewound():
            changes = _each(report.changes)
            left = report.left_out + len(report.changes) - len(changes)
            problem = _text(report.problem, LONGEST_REASON)
            return replace(report, changes=changes, left_out=left, problem=problem)
        case GrantStored():
            return replace(report, problem=_text(report.problem, LONGEST_REASON))
        case m.BranchMissing():
            return replace(report, why=_line(report.why))
        case m.SummaryMade() | m.AskDue() | m.BranchFound():
            return report


def _judged(report: CallJudged) -> CallJudged:
    """Nothing of it may be cut: what is not shown would be allowed unseen."""
    small = replace(
        report,
        problem=_text(report.problem, LONGEST_REASON),
        notice=_text(report.notice, LONGEST_REASON),
    )
    if len(encode(report.judged)) <= MAX_PAYLOAD_BYTES // 2:
        return small
    return replace(small, judged=(), kept=None, problem=TOO_MUCH)


def _asked(report: r.ToolAsked) -> r.ToolAsked:
    """As above: what cannot be shown whole is not asked, and so not allowed."""
    need = Need(_line(report.name), TOO_MUCH, least=Verdict.ASK)
    shown = len(encode(report.judged)) <= MAX_PAYLOAD_BYTES // 2
    judged = report.judged if shown else (Judged(need, Verdict.DENY),)
    return replace(report, name=_line(report.name), ask=_line(report.ask), judged=judged)


def _changes(changes: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """A path is not cut where it could be one: half of one names another file."""
    return tuple(replace(one, path=_text(one.path, LONGEST_PATH)) for one in changes[:MOST_CHANGES])


def _written(one: m.Written) -> m.Written:
    return replace(one, name=_line(one.name), wire_id=_line(one.wire_id))


def _line(text: str) -> str:
    return _text(text, LONGEST_LINE)


def _text(text: str, longest: int) -> str:
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    # Half a surrogate pair cannot be written, and its size not be told.
    return cut if cut.isascii() else cut.encode(errors="replace").decode()


def _flat(part: _Listed) -> _Listed:
    """The part with each of its texts as a line, and its numbers as JSON can hold them."""
    changed: dict[str, str | float] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, str):
            changed[field.name] = _line(value)
        elif isinstance(value, float):
            changed[field.name] = _seconds(value)
    return replace(part, **changed)


def _each(parts: tuple[_Listed, ...], room: int = MAX_PAYLOAD_BYTES) -> tuple[_Listed, ...]:
    return _fitting((_flat(one) for one in parts[:MOST_ITEMS]), room)


def _parts(parts: dict[str, str], most: int) -> dict[str, str]:
    named = sorted(parts.items())[:most]
    short = ((_text(name, LONGEST_PART), _text(digest, LONGEST_PART)) for name, digest in named)
    return dict(_fitting(short))


def _replayed(report: r.ReplayEnded) -> r.ReplayEnded:
    room = MAX_PAYLOAD_BYTES // 2  # six lists stand in one event
    return replace(
        report,
        ran=_lines(report.ran, room),
        skipped=_lines(report.skipped, room),
        partial=_lines(report.partial, room),
        failed=_lines(report.failed, room),
        differing=_each(report.differing, room),
        missing=_lines(report.missing, room),
        problem=_line(report.problem),
    )


def _surroundings(found: Surroundings) -> Surroundings:
    return replace(
        _flat(found),
        projects=_lines(found.projects),
        modules=_lines(found.modules),
        notices=_lines(found.notices),
    )


def _inspection(inspection: Inspection) -> Inspection:
    return replace(_flat(inspection), doc=_text(inspection.doc, LONGEST_DOC))


def _exploration(exploration: Exploration) -> Exploration:
    return replace(
        _flat(exploration),
        doc=_text(exploration.doc, LONGEST_DOC),
        bases=_lines(exploration.bases),
        members=_each(exploration.members),
        suggestions=_lines(exploration.suggestions),
    )


def _lines(texts: tuple[str, ...], room: int = MAX_PAYLOAD_BYTES) -> tuple[str, ...]:
    return _fitting((_line(text) for text in texts[:MOST_ITEMS]), room)


def _fitting(items: Iterable[_Item], room: int = MAX_PAYLOAD_BYTES) -> tuple[_Item, ...]:
    """The first items that together take no more bytes than there is room for."""
    kept: list[_Item] = []
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
