"""Whatever a performer brings back fits into an event, and can be read again."""

from math import inf, nan

import pytest
from hypothesis import given as whenever
from tests.contracts.words import strategy_for

from hearth.core.rules.bounding import (
    LONGEST_DOC,
    LONGEST_LINE,
    LONGEST_PART,
    LONGEST_PATH,
    MOST_ITEMS,
    MOST_PARTS,
    MOST_USES,
    bounded,
)
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import (
    Difference,
    Exploration,
    Inspection,
    Member,
    NotReloaded,
    Reloaded,
    Surroundings,
    Variable,
)
from hearth.core.vocabulary.codec import MAX_EVENT_BYTES, MAX_PAYLOAD_BYTES, encode
from hearth.core.vocabulary.content import Blob, Completion, Diagnostic, Severity, StreamText
from hearth.core.vocabulary.deeds import ChangeKind, FileChange
from hearth.core.vocabulary.effects import StopWorker
from hearth.core.vocabulary.ids import CallId, CellId, InputId
from hearth.core.vocabulary.modelling import ToolReturned

ASKED = InputId("i1")
CELL = CellId("c1")
GONE = r.Exit.CRASH
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
        (r.WorkerLost(1, GONE, "m", names=(LONG,)), r.WorkerLost(1, GONE, "m", names=(CUT,))),
        (r.InputAsked(1, CELL, LONG), r.InputAsked(1, CELL, CUT)),
        (
            r.VariablesFound(ASKED, (Variable(LONG, preview=LONG),), 1),
            r.VariablesFound(ASKED, (Variable(CUT, preview=CUT),), 1),
        ),
        (
            r.SourcesTaken(ASKED, (Reloaded(LONG, LONG),), (NotReloaded(LONG, message=LONG),)),
            r.SourcesTaken(ASKED, (Reloaded(CUT, CUT),), (NotReloaded(CUT, message=CUT),)),
        ),
        (
            r.ReplayEnded(ASKED, differing=(Difference("c1", LONG, LONG),), problem=LONG),
            r.ReplayEnded(ASKED, differing=(Difference("c1", CUT, CUT),), problem=CUT),
        ),
        (
            r.WorkerReady(1, 0.1, surroundings=Surroundings(root=LONG, notices=(LONG,))),
            r.WorkerReady(1, 0.1, surroundings=Surroundings(root=CUT, notices=(CUT,))),
        ),
    ]
    for report, cut in pairs:
        assert bounded(report) == cut


def test_a_documentation_may_be_longer_than_a_line_and_a_parts_name_is_shorter() -> None:
    doc = "y" * (LONGEST_DOC - 1) + "…"
    inspected = bounded(r.CodeInspected(ASKED, Inspection(name=LONG, doc=LONG)))
    assert inspected == r.CodeInspected(ASKED, Inspection(name=CUT, doc=doc))
    explored = bounded(r.MembersFound(ASKED, Exploration(name=LONG, doc=LONG, bases=(LONG,))))
    assert explored == r.MembersFound(ASKED, Exploration(name=CUT, doc=doc, bases=(CUT,)))
    part = "y" * (LONGEST_PART - 1) + "…"
    seen = bounded(r.EnvironmentSeen(1, LONG, {LONG: LONG}))
    assert seen == r.EnvironmentSeen(1, CUT, {part: part})


def test_of_the_parts_so_many_are_kept_the_first_by_name() -> None:
    many = {f"part{n:04}": "1" for n in range(3000)}
    seen = bounded(r.EnvironmentSeen(1, "f", dict(reversed(many.items()))))
    assert isinstance(seen, r.EnvironmentSeen)
    assert list(seen.parts) == list(many)[:MOST_PARTS]
    cell = bounded(r.CellEnded(1, CELL, r.Stopped(), 0.1, uses=many))
    assert isinstance(cell, r.CellEnded)
    assert list(cell.uses) == list(many)[:MOST_USES]


def test_a_line_that_just_fits_is_not_cut() -> None:
    fits = "y" * LONGEST_LINE
    assert bounded(r.WorkerReady(1, 0.1, (fits,))) == r.WorkerReady(1, 0.1, (fits,))


def test_texts_that_can_become_blobs_are_left_whole() -> None:
    report = r.CellEnded(1, CellId("c1"), r.Succeeded(LONG), 0.1, (StreamText("stdout", LONG),))
    assert bounded(report) == report
    crash = r.WorkerLost(1, r.Exit.CRASH, LONG, LONG)
    assert bounded(crash) == crash
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
        r.WorkerLost(1, GONE, "m", names=(text,) * many),
        r.VariablesFound(ASKED, (Variable(text, text, preview=text),) * many),
        r.EnvironmentSeen(1, text, {f"{n}{text}": text for n in range(many)}),
        r.SourcesTaken(ASKED, (Reloaded(text, text),) * many, (NotReloaded(text),) * many),
    ):
        kept = bounded(report)
        assert len(encode(kept)) < 2 * MAX_PAYLOAD_BYTES + 2000 < MAX_EVENT_BYTES
        assert len(encode(kept)) > MAX_PAYLOAD_BYTES // 2  # as much as there is room for


@pytest.mark.parametrize("text", WORST, ids=("escaped", "four bytes", "plain"))
def test_what_has_many_lists_fits_into_an_event_too(text: str) -> None:
    lines = (text,) * 2 * MOST_ITEMS
    member = Member(text, text, text, text)
    long = text * 3
    uses = {f"{n}{text}": text for n in range(2 * MOST_USES)}
    found = Surroundings(root=text, source=text, python=text, modules=lines, notices=lines)
    check = f.CheckFailed((finding(text, text),) * 2 * MOST_ITEMS)
    differing = (Difference(text, text, text),) * 2 * MOST_ITEMS
    for report in (
        r.MembersFound(
            ASKED,
            Exploration(
                name=text,
                doc=long,
                file=text,
                bases=lines,
                members=(member,) * 2 * MOST_ITEMS,
                suggestions=lines,
            ),
        ),
        r.CodeInspected(ASKED, Inspection(name=text, kind=text, doc=long, value=text)),
        r.ReplayEnded(ASKED, lines, lines, lines, lines, differing, lines, text),
        r.WorkerReady(1, 0.1, lines, found),
        r.CellEnded(1, CELL, r.Raised(check), 0.1, names=lines, uses=uses),
    ):
        assert len(encode(bounded(report))) < MAX_EVENT_BYTES - 2000


@pytest.mark.parametrize("never", [nan, inf, -inf])
def test_a_time_that_json_cannot_write_is_not_stored(never: float) -> None:
    assert bounded(r.WorkerReady(1, never)) == r.WorkerReady(1, 0.0)
    assert bounded(ended(r.Stopped(), never)) == ended(r.Stopped(), 0.0)
    assert bounded(raised(f.TimedOut(never, never))) == raised(f.TimedOut(0.0, 0.0))
    taken = r.SourcesTaken(ASKED, (Reloaded("a", "/a.py", never),), duration=never)
    assert bounded(taken) == r.SourcesTaken(ASKED, (Reloaded("a", "/a.py", 0.0),))


def test_lines_that_are_not_unicode_are_made_writable() -> None:
    half = "a\ud800é"
    assert bounded(ended(r.Stopped(), names=(half,))) == ended(r.Stopped(), names=("a?é",))
    assert bounded(r.CodeChecked(ASKED, (finding(half),))) == r.CodeChecked(
        ASKED, (finding("a?é"),)
    )
    completed = bounded(r.CodeCompleted(ASKED, (Completion(half, detail=half),)))
    assert completed == r.CodeCompleted(ASKED, (Completion("a?é", detail="a?é"),))
    inspected = bounded(r.CodeInspected(ASKED, Inspection(doc=half, value=half)))
    assert inspected == r.CodeInspected(ASKED, Inspection(doc="a?é", value="a?é"))
    seen = bounded(r.EnvironmentSeen(1, half, {half: half}))
    assert seen == r.EnvironmentSeen(1, "a?é", {"a?é": "a?é"})


def test_an_output_kept_elsewhere_stays_there() -> None:
    report = r.CellEnded(1, CellId("c1"), r.Stopped(), 0.1, Blob("0" * 64, 10**9))
    assert bounded(report) == report


def test_the_paths_of_changed_files_are_whole_and_fit_into_an_event_together() -> None:
    path = "/" + "x" * (LONGEST_PATH - 1)
    blob = Blob("0" * 64, 9, "text/x-diff", "y" * 500)
    change = FileChange(path, ChangeKind.CHANGED, blob, "0" * 64, blob)
    report = bounded(ToolReturned(CallId("k1"), "ok", changes=(change,) * 1000))
    assert isinstance(report, ToolReturned)
    assert {one.path for one in report.changes} == {path}
    assert len(encode(report.changes)) < MAX_EVENT_BYTES
