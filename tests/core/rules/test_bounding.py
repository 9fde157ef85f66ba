"""Whatever a performer brings back fits into an event, and can be read again."""

from math import inf, nan

import pytest
from hypothesis import given as whenever
from tests.contracts.words import strategy_for

from hearth.core.rules.bounding import LONGEST_LINE, MOST_ITEMS, bounded
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.codec import MAX_EVENT_BYTES, MAX_PAYLOAD_BYTES, encode
from hearth.core.vocabulary.content import Blob, Completion, Diagnostic, Severity, StreamText
from hearth.core.vocabulary.effects import StopWorker
from hearth.core.vocabulary.ids import CellId, InputId

ASKED = InputId("i1")
LONG = "y" * 5000
CUT = "y" * (LONGEST_LINE - 1) + "…"


def finding(message: str, rule: str = "") -> Diagnostic:
    return Diagnostic(message, Severity.ERROR, 1, 0, 1, 1, rule)


def ended(ending: r.Ending, duration: float = 0.1, names: tuple[str, ...] = ()) -> r.CellEnded:
    return r.CellEnded(1, CellId("c1"), ending, duration, names=names)


def raised(failure: f.Failure) -> r.CellEnded:
    return ended(r.Raised(failure))


@whenever(strategy_for(r.Report))
def test_what_is_small_is_left_as_it_is(report: r.Report) -> None:
    assert bounded(report) == report


def test_long_lines_are_cut_where_a_blob_cannot_stand() -> None:
    assert len(CUT) == LONGEST_LINE == 300
    pairs: list[tuple[r.Report, r.Report]] = [
        (r.CodeChecked(ASKED, (finding(LONG, LONG),)), r.CodeChecked(ASKED, (finding(CUT, CUT),))),
        (
            r.CodeCompleted(ASKED, (Completion(LONG, detail=LONG),)),
            r.CodeCompleted(ASKED, (Completion(CUT, detail=CUT),)),
        ),
        (r.WorkerReady(1, 0.1, (LONG,)), r.WorkerReady(1, 0.1, (CUT,))),
        (ended(r.Succeeded("1", LONG)), ended(r.Succeeded("1", CUT))),
        (ended(r.Stopped(), names=(LONG,)), ended(r.Stopped(), names=(CUT,))),
        (raised(f.CodeRaised(LONG, "m")), raised(f.CodeRaised(CUT, "m"))),
        (raised(f.Interrupted(LONG)), raised(f.Interrupted(CUT))),
        (r.WorkerFailed(1, f.ProjectNotFound(LONG)), r.WorkerFailed(1, f.ProjectNotFound(CUT))),
        (
            r.WorkerFailed(1, f.CheckFailed((finding(LONG),))),
            r.WorkerFailed(1, f.CheckFailed((finding(CUT),))),
        ),
        (r.EffectFailed(StopWorker(1), LONG), r.EffectFailed(StopWorker(1), CUT)),
    ]
    for report, cut in pairs:
        assert bounded(report) == cut


def test_a_line_that_just_fits_is_not_cut() -> None:
    fits = "y" * LONGEST_LINE
    assert bounded(r.WorkerReady(1, 0.1, (fits,))) == r.WorkerReady(1, 0.1, (fits,))


def test_texts_that_can_become_blobs_are_left_whole() -> None:
    report = r.CellEnded(1, CellId("c1"), r.Succeeded(LONG), 0.1, (StreamText("stdout", LONG),))
    assert bounded(report) == report
    crash = r.WorkerLost(1, r.Exit.CRASH, LONG, LONG)
    assert bounded(crash) is crash
    failure = raised(f.CodeRaised("E", LONG, LONG))
    assert bounded(failure) == failure


def test_of_many_the_first_are_kept() -> None:
    labels = [f"name{n}" for n in range(2 * MOST_ITEMS)]
    completed = bounded(r.CodeCompleted(ASKED, tuple(Completion(one) for one in labels)))
    assert isinstance(completed, r.CodeCompleted)
    assert [item.label for item in completed.items] == labels[:MOST_ITEMS]
    ready = bounded(r.WorkerReady(1, 0.1, tuple(labels)))
    assert ready == r.WorkerReady(1, 0.1, tuple(labels[:MOST_ITEMS]))
    cell = bounded(ended(r.Stopped(), names=tuple(labels)))
    assert cell == ended(r.Stopped(), names=tuple(labels[:MOST_ITEMS]))


WORST = ("\0" * 2000, "\N{FIRE}" * 2000, "y" * 2000)


@pytest.mark.parametrize("text", WORST, ids=("escaped", "four bytes", "plain"))
def test_lists_fit_into_an_event_whatever_is_in_them(text: str) -> None:
    many = 2 * MOST_ITEMS
    diagnostics = (finding(text, text),) * many
    for report in (
        r.CodeChecked(ASKED, diagnostics),
        r.CodeCompleted(ASKED, (Completion(text, detail=text),) * many),
        r.WorkerReady(1, 0.1, (text,) * many),
        ended(r.Raised(f.CheckFailed(diagnostics)), names=(text,) * many),
    ):
        kept = bounded(report)
        assert len(encode(kept)) < 2 * MAX_PAYLOAD_BYTES + 1000 < MAX_EVENT_BYTES
        assert len(encode(kept)) > MAX_PAYLOAD_BYTES // 2  # as much as there is room for


@pytest.mark.parametrize("never", [nan, inf, -inf])
def test_a_time_that_json_cannot_write_is_not_stored(never: float) -> None:
    assert bounded(r.WorkerReady(1, never)) == r.WorkerReady(1, 0.0)
    assert bounded(ended(r.Stopped(), never)) == ended(r.Stopped(), 0.0)
    assert bounded(raised(f.TimedOut(never, never))) == raised(f.TimedOut(0.0, 0.0))


def test_lines_that_are_not_unicode_are_made_writable() -> None:
    half = "a\ud800é"
    assert bounded(ended(r.Stopped(), names=(half,))) == ended(r.Stopped(), names=("a?é",))
    assert bounded(r.CodeChecked(ASKED, (finding(half),))) == r.CodeChecked(
        ASKED, (finding("a?é"),)
    )
    completed = bounded(r.CodeCompleted(ASKED, (Completion(half, detail=half),)))
    assert completed == r.CodeCompleted(ASKED, (Completion("a?é", detail="a?é"),))


def test_an_output_kept_elsewhere_stays_there() -> None:
    report = r.CellEnded(1, CellId("c1"), r.Stopped(), 0.1, Blob("0" * 64, 10**9))
    assert bounded(report) == report
