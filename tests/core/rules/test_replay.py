"""Which cells are run again: of the right life, in their order, and none that need not be."""

import pytest
from hypothesis import given as whenever
from tests.contracts.any_order import Line, lines, play
from tests.contracts.given import READY, Script, given, in_place

from hearth.core.rules.replay import Action, History, Step, plan
from hearth.core.rules.validity import Standing
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId, SessionId, cell_id

RAISED = r.Raised(f.CodeRaised("E", "m"))
LOOM = {"loom": "1"}
LOST = r.WorkerLost(1, r.Exit.CRASH, "gone")


def ran(
    script: Script,
    code: str,
    ending: r.Ending | None = None,
    *,
    names: tuple[str, ...] = (),
    uses: dict[str, str] | None = None,
    replays: str = "",
) -> Script:
    """The same with one cell more."""
    cell, generation = cell_id(script.state.cells + 1), script.state.generation
    script.happened(c.RunCell(code, replays=CellId(replays) if replays else None))
    ending = ending or r.Succeeded()
    return script.happened(r.CellEnded(generation, cell, ending, 0.5, names=names, uses=uses or {}))


def seen(script: Script, fingerprint: str = "f1", **parts: str) -> Script:
    return script.happened(r.EnvironmentSeen(script.state.generation, fingerprint, parts))


def again(script: Script) -> Script:
    """The same with another interpreter."""
    script.happened(c.HardResetSession())
    return script.happened(r.WorkerReady(script.state.generation, 0.1))


def planned(script: Script) -> tuple[Step, ...]:
    return plan(script.envelopes(), script.state.environment, script.state.fingerprint)


def actions(script: Script) -> list[tuple[str, str]]:
    return [(step.cell, str(step.action)) for step in planned(script)]


def cells(script: Script) -> list[str]:
    return [step.cell for step in planned(script)]


@pytest.mark.promise("SF-REPLAY-02", "SF-REPLAY-03")
class TestWhatBecomesOfACell:
    def test_one_that_only_looked_and_still_holds_is_not_run(self) -> None:
        script = ran(ran(seen(given(*READY), loom="1"), "x = 1"), "x", uses=LOOM)
        assert actions(script) == [("c1", "run"), ("c2", "skip")]

    def test_one_that_might_have_changed_something_is_run_although_it_holds(self) -> None:
        script = ran(seen(given(*READY), loom="1"), "x.append(1)", uses=LOOM)
        (step,) = planned(script)
        assert (step.action, step.standing) == (Action.RUN, Standing.VALID)

    def test_one_that_only_looked_at_what_is_another_now_is_run(self) -> None:
        script = seen(ran(seen(given(*READY), loom="1"), "x", uses=LOOM), "f2", loom="2")
        (step,) = planned(script)
        assert (step.action, step.standing, step.missing) == (Action.RUN, Standing.STALE, ())

    @pytest.mark.parametrize("code", ["x", "x = 1"])
    def test_one_that_used_what_is_gone_is_reported_with_it(self, code: str) -> None:
        script = seen(ran(seen(given(*READY), loom="1"), code, uses=LOOM), "f2")
        (step,) = planned(script)
        assert (step.action, step.missing) == (Action.REPORT, ("loom",))

    def test_where_nobody_looked_at_the_environment_everything_is_run(self) -> None:
        script = ran(given(*READY), "x")
        (step,) = planned(script)
        assert (step.action, step.standing) == (Action.RUN, Standing.UNKNOWN)

    @pytest.mark.parametrize("ending", [RAISED, r.Stopped()], ids=repr)
    def test_one_that_was_cut_short_is_run_if_it_had_bound_something(
        self, ending: r.Ending
    ) -> None:
        script = ran(given(*READY), "x = 1; 1 / 0", ending, names=("x",))
        (step,) = planned(ran(script, "1 / 0", ending))[:1]
        assert (step.action, step.partial) == (Action.RUN, True)
        assert actions(script) == [("c1", "run"), ("c2", "skip")]

    def test_one_that_took_its_interpreter_along_is_not(self) -> None:
        script = ran(given(*READY), "x = 1").happened(c.RunCell("os._exit(1)"), LOST)
        assert actions(script) == [("c1", "run"), ("c2", "skip")]

    def test_one_that_was_cancelled_gets_as_long_as_it_had(self) -> None:
        script = given(*READY, c.RunCell("x = 1; forever()"))
        script.happened(r.CellEnded(1, CellId("c1"), r.Stopped(), 7.5, names=("x",)))
        script.happened(c.RunCell("y = 1; forever()"))
        script.happened(r.CellEnded(1, CellId("c2"), r.Stopped(), 0.1, names=("y",)))
        script.happened(c.RunCell("z = 1", time_limit=3.0))
        script.happened(r.CellEnded(1, CellId("c3"), r.Succeeded(), 0.1))
        assert [step.time_limit for step in planned(script)] == [7.5, 1.0, 3.0]

    def test_it_is_run_as_it_was(self) -> None:
        script = given(*READY, c.RunCell("x = 1", reload=False))
        script.happened(r.CellEnded(1, CellId("c1"), r.Succeeded("1"), 0.1), c.LoadScript("a.py"))
        script.happened(r.CellEnded(1, CellId("c2"), r.Succeeded(), 0.1))
        first, second = planned(script)
        assert (first.code, first.script, first.reload) == ("x = 1", "", False)
        assert first.end == e.CellFinished(CellId("c1"), 0.1, "1")
        assert not first.partial
        assert (second.code, second.script) == ("", "a.py")


@pytest.mark.promise("SF-REPLAY-01")
class TestWhichLife:
    def test_a_session_that_ran_nothing_has_nothing_to_run(self) -> None:
        assert cells(given()) == cells(given(*READY)) == []

    @pytest.mark.parametrize(
        "words",
        [
            (LOST, r.RestartDue(1)),
            (LOST, c.ResetSession()),
            (c.HardResetSession(),),
            (c.StopSession(), c.HardResetSession()),
            (r.WorkerLost(1, r.Exit.CLEAN, ""), c.ResetSession()),
        ],
        ids=("crash", "reset after a crash", "hard reset", "stop", "reset after exit"),
    )
    def test_what_was_lost_is_wanted_back(self, words: tuple[c.Command | r.Report, ...]) -> None:
        script = ran(ran(given(*READY), "x = 1"), "y = 2").happened(*words)
        assert cells(script.happened(r.WorkerReady(2, 0.1))) == ["c1", "c2"]

    def test_what_was_dropped_on_purpose_is_not(self) -> None:
        script = ran(given(*READY), "x = 1").happened(c.ResetSession(), r.WorkerReady(2, 0.1))
        assert cells(script) == []
        assert cells(again(ran(script, "y = 2"))) == ["c2"]

    def test_only_the_newest_life_that_had_cells(self) -> None:
        script = ran(again(ran(given(*READY), "x = 1")), "y = 2")
        assert cells(again(again(script))) == ["c2"]

    def test_a_life_that_only_repeated_an_earlier_one_counts_as_that_one(self) -> None:
        script = again(ran(ran(given(*READY), "x = 1"), "y = 2")).happened(c.ReplaySession())
        assert cells(again(ran(script, "x = 1", replays="c1"))) == ["c1", "c2"]

    def test_one_that_went_on_from_there_stands_for_itself_and_the_earlier_cells(self) -> None:
        script = again(ran(ran(given(*READY), "x = 1"), "y = 2")).happened(c.ReplaySession())
        ran(ran(script, "x = 1", replays="c1"), "y = 2", replays="c2")
        assert cells(again(ran(script, "z = 3"))) == ["c1", "c2", "c5"]

    def test_what_was_taken_from_another_session_is_this_ones_own(self) -> None:
        script = again(ran(given(*READY), "x = 1"))
        script.happened(c.ReplaySession(SessionId("elsewhere")))
        assert cells(again(ran(script, "y = 2", replays="c9"))) == ["c2"]

    def test_a_cell_that_still_runs_has_no_end_to_compare_with(self) -> None:
        assert cells(ran(given(*READY), "x = 1").happened(c.RunCell("y = 2"))) == ["c1"]

    def test_a_log_that_begins_in_the_middle_of_a_cell_is_read_from_there(self) -> None:
        script = ran(ran(given(*READY), "x = 1"), "y = 2")
        end = next(
            place
            for place, one in enumerate(script.envelopes())
            if isinstance(one.event, e.CellFinished)
        )
        history = History()
        for one in script.envelopes()[end:]:
            history.take(one)
        assert [step.cell for step in history.plan({}, "")] == ["c2"]


@whenever(lines())
def test_whatever_happened_there_is_a_plan(script: list[Line]) -> None:
    played = play(script)
    steps = plan(in_place(played.facts), played.state.environment, played.state.fingerprint)
    closed = {
        fact.event.cell
        for fact in played.facts
        if isinstance(fact.event, e.CellFinished | e.CellFailed | e.CellCancelled | e.VariantKept)
    }
    assert {step.end.cell for step in steps} <= closed
    for step in steps:
        assert bool(step.missing) is (step.standing is Standing.INVALID)
        if step.action is Action.RUN:
            assert step.code or step.script
            assert step.standing is not Standing.INVALID
