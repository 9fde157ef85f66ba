"""What was run and shown, in order."""

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts import taking
from tests.contracts.any_order import Line, lines, play
from tests.contracts.given import (
    ANNA,
    BOT,
    CREATED,
    READY,
    RUNNING,
    after,
    comes_back,
    given,
    in_place,
    said,
)

from hearth.core.views.transcript import (
    MOST_LATE,
    WINDOW,
    CellStanding,
    Entry,
    Transcript,
    Tried,
    carry_on,
    transcript,
)
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import NotReloaded, Reloaded
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.ids import CellId, InputId

C1, C2, C3 = CellId("c1"), CellId("c2"), CellId("c3")
QUEUED = c.RunCell("2", if_busy="queue")
PRINTED = (StreamText("stdout", "a\n"),)
DONE = r.CellEnded(1, C1, r.Succeeded("3", "int"), 0.5, PRINTED, ("x",))
RAISED = f.CodeRaised("ZeroDivisionError", "division by zero")


def cells(view: Transcript) -> list[tuple[str, str]]:
    return [(str(one.cell), str(one.standing)) for one in view.entries if one.cell]


def notices(view: Transcript) -> list[str]:
    return [one.notice for one in view.entries if not one.cell]


class TestWhatIsTakenBack:
    def test_a_cell_that_was_taken_back_stays_and_says_so_until_it_is_brought_back(self) -> None:
        script = given(*taking.UNDONE)
        view = transcript(script.envelopes())
        assert cells(view) == [("c1", "finished"), ("c2", "finished")]
        assert [one.undone for one in view.entries if one.cell] == [False, True]
        assert notices(view)[-1] == "took back c2"
        script.happened(c.RedoCells(), taking.reverted("i9", C1, C2))
        view = transcript(script.envelopes())
        assert not any(one.undone for one in view.entries)
        assert notices(view)[-1] == "brought back c2"

    @pytest.mark.parametrize("ending", [r.Raised(RAISED), r.Stopped()])
    def test_a_cell_that_took_itself_back_says_so(self, ending: r.Ending) -> None:
        run = c.RunCell("x", on_error="undo")
        script = given(*READY, run, r.CellEnded(1, C1, ending, 0.1, undone=True))
        assert transcript(script.envelopes()).entries[-1].undone
        script = given(*READY, run, r.CellEnded(1, C1, ending, 0.1))
        assert not transcript(script.envelopes()).entries[-1].undone

    def test_what_was_in_the_way_of_a_copy_stands_with_the_cell(self) -> None:
        script = given(*taking.EVERYONE, c.RunCell("x"), r.CopyMissed(1, C1, ("a thread",)))
        assert transcript(script.envelopes()).entries[-1].obstacles == ("a thread",)

    def test_marking_costs_no_more_than_the_window(self) -> None:
        envelopes = given(*taking.UNDONE).envelopes()
        view = transcript(envelopes, window=1)
        assert notices(view) == ["took back c2"]
        assert cells(view) == []


class TestTrials:
    def test_a_trial_is_one_entry_with_its_variants_and_how_they_ended(self) -> None:
        script = given(*taking.TRYING)
        entry = transcript(script.envelopes()).entries[-1]
        assert (entry.cell, entry.standing, entry.kept) == (C1, CellStanding.RUNNING, 0)
        assert entry.variants == tuple(map(Tried, taking.VARIANTS))
        script.happened(r.VariantsTried(1, C1, taking.RESULTS))
        entry = transcript(script.envelopes()).entries[-1]
        assert entry.standing is CellStanding.FINISHED
        assert entry.variants == tuple(map(Tried, taking.VARIANTS, taking.RESULTS))
        assert (entry.code, entry.value, entry.kept) == ("", "", 0)

    def test_the_variant_that_was_kept_is_the_cell_from_then_on(self) -> None:
        script = given(*taking.TRIED, c.KeepVariant(1))
        entry = next(one for one in transcript(script.envelopes()).entries if one.cell)
        assert (entry.kept, entry.code, entry.value) == (1, "x = 1", "1")
        assert (entry.value_type, entry.duration) == ("int", 0.25)
        assert entry.standing is CellStanding.FINISHED
        assert len(entry.variants) == 3
        script = given(*taking.TRIED, c.KeepVariant(2))
        entry = next(one for one in transcript(script.envelopes()).entries if one.cell)
        assert (entry.kept, entry.code, entry.standing) == (2, "x = f()", CellStanding.FAILED)
        assert entry.failure == taking.BAD.failure

    def test_where_none_was_kept_it_says_why(self) -> None:
        script = given(*taking.TRIED, c.RunCell("y = 1"))
        first = next(one for one in transcript(script.envelopes()).entries if one.cell)
        assert (first.kept, first.notice) == (0, "none was kept: c2 is run")

    def test_one_that_was_to_be_kept_and_ended_is_a_trial_again(self) -> None:
        script = given(*taking.TRIED, c.KeepVariant(1), r.VariantGone(2, C1, "it has ended"))
        entry = next(one for one in transcript(script.envelopes()).entries if one.cell)
        assert (entry.kept, entry.notice) == (0, "none was kept: it has ended")
        assert (entry.code, entry.value, entry.duration) == ("", "", None)
        assert entry.standing is CellStanding.FINISHED
        assert len(entry.variants) == 3

    def test_a_trial_that_could_not_be_and_one_that_was_lost(self) -> None:
        script = given(*taking.TRYING, r.VariantsTried(1, C1, problem="memory is short"))
        entry = transcript(script.envelopes()).entries[-1]
        assert (entry.standing, entry.notice) == (CellStanding.FAILED, "memory is short")
        script = given(*taking.TRYING, r.WorkerLost(1, r.Exit.CRASH, "gone"))
        entry = next(one for one in transcript(script.envelopes()).entries if one.cell)
        assert entry.standing is CellStanding.FAILED
        assert len(entry.variants) == 3

    def test_a_page_that_begins_behind_its_beginning_shows_the_results(self) -> None:
        script = given(*taking.TRIED, c.KeepVariant(1))
        ended = [one for one in script.envelopes() if not isinstance(one.event, e.TrialStarted)]
        entry = next(one for one in transcript(ended).entries if one.cell)
        assert [one.result for one in entry.variants] == list(taking.RESULTS)
        kept = [one for one in script.envelopes() if isinstance(one.event, e.VariantKept)]
        assert transcript(kept).entries[0].kept == 1


class TestWhatCellsAskAndLeave:
    def test_a_question_is_there_until_it_is_answered(self) -> None:
        script = given(*RUNNING, r.InputAsked(1, C1, "name? "))
        assert transcript(script.envelopes()).entries[-1].question == "name? "
        script.happened(c.AnswerInput("ada"))
        assert transcript(script.envelopes()).entries[-1].question is None

    @pytest.mark.parametrize("word", [c.CancelCell(), DONE])
    def test_or_until_the_cell_is_stopped_or_over(self, word: c.Command | r.Report) -> None:
        script = given(*RUNNING, r.InputAsked(1, C1, "name? "), word)
        assert transcript(script.envelopes()).entries[-1].question is None

    def test_what_comes_late_is_kept_with_its_cell_apart_from_its_outputs(self) -> None:
        late = (StreamText("stdout", "tick\n"),)
        script = given(*RUNNING, DONE, c.RunCell("y = 2"), r.OutputCameLate(1, C1, late, 5))
        *_, first, second = transcript(script.envelopes()).entries
        assert (first.cell, first.outputs, first.late, first.dropped) == (C1, PRINTED, (late,), 5)
        assert (second.cell, second.late, second.standing) == (C2, (), CellStanding.RUNNING)

    def test_of_what_comes_late_the_last_is_kept(self) -> None:
        ticks = [(StreamText("stdout", f"{n}\n"),) for n in range(MOST_LATE + 1)]
        script = given(*RUNNING, DONE, *[r.OutputCameLate(1, C1, tick) for tick in ticks])
        assert transcript(script.envelopes()).entries[-1].late == tuple(ticks[1:])

    def test_a_reload_says_what_runs_now_and_what_does_not(self) -> None:
        taken = (Reloaded("loom.a", "/a.py"), Reloaded("loom.b", "/b.py"))
        broken = (NotReloaded("/c.py", message="'(' was never closed", line=3),)
        reload = c.ReloadSources(("/a.py",))
        script = given(*READY, reload, r.SourcesTaken(InputId("i3"), taken, broken))
        script.happened(reload, r.SourcesTaken(InputId("i5")))
        assert notices(transcript(script.envelopes()))[-2:] == [
            "reloaded loom.a, loom.b; kept the old version: /c.py:3: '(' was never closed",
            "nothing to reload",
        ]

    def test_a_replay_says_what_became_of_the_cells(self) -> None:
        ended = r.ReplayEnded(
            InputId("i3"), ("c1", "c2"), ("c3",), missing=("yarn",), problem="it was reset"
        )
        script = given(*READY, c.ReplaySession(), ended)
        script.happened(c.ReplaySession(), r.ReplayEnded(InputId("i5")))
        assert notices(transcript(script.envelopes()))[-2:] == [
            "replayed: 2 run again, 1 left out, 1 missing (it was reset)",
            "replayed: nothing to run",
        ]


class TestEntries:
    def test_a_cell_from_its_beginning_to_its_end(self) -> None:
        script = given(*READY, said(c.RunCell("x = 3"), by=BOT, at=5), DONE)
        entry = transcript(script.envelopes()).entries[-1]
        assert entry == Entry(
            version=7,
            seq=17,
            at=after(5),
            author=BOT,
            cell=C1,
            standing=CellStanding.FINISHED,
            code="x = 3",
            outputs=PRINTED,
            value="3",
            value_type="int",
            duration=0.5,
        )

    @pytest.mark.parametrize(
        ("ending", "standing", "failure"),
        [
            (r.Succeeded(), CellStanding.FINISHED, None),
            (r.Raised(RAISED), CellStanding.FAILED, RAISED),
            (r.Stopped(), CellStanding.CANCELLED, None),
        ],
    )
    def test_how_a_cell_ended(
        self, ending: r.Ending, standing: CellStanding, failure: f.Failure | None
    ) -> None:
        ended = r.CellEnded(1, C1, ending, 0.5, PRINTED)
        entry = transcript(given(*RUNNING, ended).envelopes()).entries[-1]
        assert (entry.standing, entry.failure, entry.outputs) == (standing, failure, PRINTED)

    def test_a_running_cell_has_no_end_yet(self) -> None:
        entry = transcript(given(*RUNNING).envelopes()).entries[-1]
        assert entry.standing is CellStanding.RUNNING
        assert entry.duration is None
        assert entry.outputs == ()

    def test_waiting_cells_keep_the_place_where_they_came(self) -> None:
        script = given(*RUNNING, said(QUEUED, by=BOT), QUEUED, c.RenameSession("loom"))
        waits = [("c1", "running"), ("c2", "waiting"), ("c3", "waiting")]
        assert cells(transcript(script.envelopes())) == waits
        script.happened(DONE, c.CancelCell(C3))
        view = transcript(script.envelopes())
        assert cells(view) == [("c1", "finished"), ("c2", "running"), ("c3", "withdrawn")]
        assert view.entries[-1].notice == "renamed to loom"
        assert view.entries[-3].author == BOT
        assert view.entries[-3].at == script.facts[-4].at
        assert view.entries[-2].notice == "cancelled"

    def test_a_script_is_shown_by_its_path(self) -> None:
        entry = transcript(given(*READY, c.LoadScript("a.py")).envelopes()).entries[-1]
        assert (entry.cell, entry.code, entry.notice) == (C1, "", "script a.py")

    def test_what_happened_to_the_session_stands_between_the_cells(self) -> None:
        script = given(*READY, c.ResetSession(), r.WorkerReady(2, 0.1), c.HardResetSession())
        script.happened(r.WorkerFailed(3, f.WarmUpFailed("no")), c.StopSession())
        view = transcript(script.envelopes())
        assert notices(view) == [
            "session started",
            "interpreter ready",
            "variables dropped",
            "interpreter ready",
            "interpreter replaced",
            "interpreter lost",
            "session stopped",
        ]
        assert [one.failure for one in view.entries if one.failure] == [f.WarmUpFailed("no")]

    def test_questions_and_records_leave_no_entry(self) -> None:
        script = given(*READY)
        before = transcript(script.envelopes())
        script.happened(c.CheckCode("x"), c.CompleteCode("x", 1), r.CodeChecked(InputId("i3")))
        assert transcript(script.envelopes()) == before

    def test_asking_a_cell_to_stop_does_not_stop_it(self) -> None:
        script = given(*RUNNING, c.CancelCell())
        assert cells(transcript(script.envelopes())) == [("c1", "running")]


class TestWindow:
    def test_only_the_newest_entries_are_kept(self) -> None:
        names = [c.RenameSession(f"name {n}") for n in range(WINDOW + 5)]
        view = transcript(given(*READY, *names).envelopes())
        assert len(view.entries) == WINDOW == 200
        assert view.entries[-1].notice == f"renamed to name {WINDOW + 4}"
        assert view.entries[0].notice == "renamed to name 5"

    @pytest.mark.parametrize(
        ("ending", "standing"),
        [(r.Succeeded("3"), "finished"), (r.Raised(RAISED), "failed"), (r.Stopped(), "cancelled")],
    )
    def test_a_page_that_begins_in_the_middle_of_a_cell_shows_what_it_has(
        self, ending: r.Ending, standing: str
    ) -> None:
        script = given(*RUNNING, r.CellEnded(1, C1, ending, 0.5, PRINTED))
        begun = next(x for x in script.envelopes() if isinstance(x.event, e.CellStarted))
        page = [one for one in script.envelopes() if one.version > begun.version]
        view = transcript(page)
        assert cells(view) == [("c1", standing)]
        assert view.entries[0].outputs == PRINTED
        assert view.entries[0].code == ""
        assert view.entries[0].author == ANNA

    def test_a_page_that_begins_after_a_cell_was_queued(self) -> None:
        script = given(*CREATED, QUEUED, r.WorkerReady(1, 0.1))
        page = [one for one in script.envelopes() if one.version > 4]
        assert cells(transcript(page)) == [("c1", "running")]
        assert transcript(page).entries[-1].code == "2"
        withdrawn = given(*CREATED, QUEUED, c.StopSession())
        page = [one for one in withdrawn.envelopes() if one.version > 4]
        assert cells(transcript(page)) == [("c1", "withdrawn")]

    def test_a_cell_pushed_out_of_the_window_comes_back_when_it_ends(self) -> None:
        script = given(*RUNNING, *[c.RenameSession(f"name {n}") for n in range(5)], DONE)
        view = transcript(script.envelopes(), window=3)
        assert len(view.entries) == 3
        assert cells(view) == [("c1", "finished")]

    def test_of_an_empty_log_there_is_nothing_to_show(self) -> None:
        assert transcript([]) == Transcript()


@pytest.mark.promise("SF-PROJ-04")
@whenever(lines(), st.data(), st.sampled_from([1, 3, WINDOW]))
def test_what_is_carried_on_live_equals_what_is_loaded_later(
    script: list[Line], data: st.DataObject, window: int
) -> None:
    envelopes = in_place(play(script).facts)
    place = data.draw(st.integers(0, len(envelopes)))
    live = transcript(envelopes[:place], window)
    for envelope in envelopes[place:]:
        live = carry_on(live, envelope, window)
    assert live == transcript(envelopes, window)
    assert comes_back(live)
    assert len(live.entries) <= window


@pytest.mark.promise("SF-PROJ-04")
@whenever(lines())
def test_every_cell_is_shown_once_where_it_came_and_as_it_stands(script: list[Line]) -> None:
    played = play(script)
    view = transcript(in_place(played.facts))
    shown = [one.cell for one in view.entries if one.cell]
    opens = e.CellQueued | e.CellStarted | e.TrialStarted
    came = [x.event.cell for x in played.facts if isinstance(x.event, opens)]
    assert shown == list(dict.fromkeys(came))
    assert [one.version for one in view.entries] == sorted({one.version for one in view.entries})
    waiting = [one.cell for one in view.entries if one.standing is CellStanding.WAITING]
    assert waiting == [cell.cell for cell in played.state.queue]
    running = [one.cell for one in view.entries if one.standing is CellStanding.RUNNING]
    current = getattr(played.state.phase, "current", None)
    assert running == ([current.cell] if current else [])
