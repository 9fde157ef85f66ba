"""What is done about a session whose daemon ended."""

import pytest
from tests.contracts.given import (
    CONFIG,
    CREATED,
    LOST,
    READY,
    RUNNING,
    STOPPED,
    Spoken,
    after,
    given,
    said,
    turned,
)
from tests.contracts.talks import (
    ASKING,
    CALLING,
    COMPACTING,
    IDLE,
    PREPARING,
    RETRYING,
    STOPPING,
    WAITING,
)

from hearth.core.rules.recovery import resume, resume_talk
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import (
    DAEMON_STREAM,
    BlockId,
    CellId,
    RequestId,
    SessionId,
    TurnId,
)
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.undoing import VariantResult

C1, C2 = CellId("c1"), CellId("c2")
QUEUED = c.RunCell("2", if_busy="queue")
CRASH = said(r.WorkerLost(1, r.Exit.CRASH, "signal 11"), at=10)
VANISHED = r.WorkerLost(1, r.Exit.VANISHED, "gone with the daemon")
GONE = f.WorkerCrashed("gone with the daemon")
W, R, E, F = list(PhaseName)[1:]


@pytest.mark.parametrize("way", [(), STOPPED, LOST], ids=("never begun", "stopped", "given up"))
def test_where_nothing_lives_nothing_is_looked_for(way: tuple[Spoken, ...]) -> None:
    assert resume(given(*way).state, after(99)) == ()


def test_the_daemons_own_stream_needs_nothing() -> None:
    switched = c.SwitchSession(SessionId("s"))
    assert resume(given(switched, session=DAEMON_STREAM).state, after(99)) == ()


@pytest.mark.parametrize(("way", "cell"), [(CREATED, None), (READY, None), (RUNNING, C1)])
def test_the_interpreter_that_should_be_there_is_looked_for(
    way: tuple[Spoken, ...], cell: CellId | None
) -> None:
    assert resume(given(*way).state, after(99)) == (fx.AttachWorker(1, CONFIG, cell),)


@pytest.mark.parametrize(("now", "left"), [(10, 1.0), (10.25, 0.75), (11, 0.0), (500, 0.0)])
def test_a_pause_is_kept_as_far_as_it_is_not_over(now: float, left: float) -> None:
    state = given(*READY, CRASH).state
    assert resume(state, after(now)) == (fx.WaitThenRestart(1, left),)


def test_variants_that_wait_to_be_kept_stay_and_no_others() -> None:
    tried = (*READY, c.TryVariants(("1", "2")), r.VariantsTried(1, C1, (VariantResult(),) * 2))
    assert resume(given(*tried).state, after(99)) == (fx.AttachWorker(1, CONFIG, tried=C1),)
    dropped = (*tried, c.KeepVariant(0))
    assert resume(given(*dropped).state, after(99)) == (fx.AttachWorker(1, CONFIG),)
    kept = (*tried, c.KeepVariant(2), r.WorkerReady(2, 0.1))
    assert resume(given(*kept).state, after(99)) == (fx.AttachWorker(2, CONFIG),)


def test_nothing_is_ever_run_again() -> None:
    for way in (CREATED, READY, RUNNING, (*RUNNING, QUEUED), (*READY, c.LoadScript("a.py"))):
        found = resume(given(*way).state, after(99))
        assert {type(effect) for effect in found} == {fx.AttachWorker}


class TestWhatIsFound:
    def test_a_running_cell_goes_on_and_so_does_the_queue(self) -> None:
        script = given(*RUNNING, QUEUED)
        script.when(r.WorkerReady(1, 0.0)).ignored()
        script.when(r.CellEnded(1, C1, r.Succeeded("1"), 9.0)).then(
            e.CellFinished(C1, 9.0, "1"),
            e.CellStarted(C2, "2", read_only=True),
            effects=(fx.ExecuteInWorker(1, C2, "2"),),
        )

    def test_a_cell_the_interpreter_never_heard_of_is_closed_not_run(self) -> None:
        cut = r.Raised(f.Interrupted("never heard of it"))
        given(*RUNNING).when(r.CellEnded(1, C1, cut, 0.0)).then(
            e.CellFailed(C1, f.Interrupted("never heard of it")),
            turned(E, R, "cell_ended"),
        )

    def test_a_vanished_interpreter_closes_its_cell_and_is_replaced_at_once(self) -> None:
        script = given(*RUNNING)
        script.when(VANISHED).then(
            e.CellFailed(C1, GONE),
            e.SessionFaulted(GONE),
            e.RestartScheduled(0, 0.0),
            turned(E, F, "worker_lost"),
            effects=(fx.WaitThenRestart(1, 0.0),),
        )
        assert script.state.restarts == ()
        script.happened(r.RestartDue(1), r.WorkerReady(2, 0.1))
        assert script.state.phase_name is R

    def test_a_warm_up_that_vanished_is_begun_again(self) -> None:
        script = given(*CREATED, VANISHED, r.RestartDue(1))
        assert script.state.phase_name is W
        assert script.effects[-1] == fx.StartWorker(2, CONFIG)


def test_a_cell_that_goes_on_has_what_is_left_of_its_time() -> None:
    started = c.RunCell("x", time_limit=30.0)
    state = given(*READY, said(started, at=100.0)).state
    (early,) = resume(state, after(110))
    (late,) = resume(state, after(500))
    assert isinstance(early, fx.AttachWorker)
    assert isinstance(late, fx.AttachWorker)
    assert (early.time_limit, early.time_left) == (30.0, 20.0)
    assert (late.time_limit, late.time_left) == (30.0, 0.0)


class TestAConversation:
    @pytest.mark.parametrize("way", [READY, IDLE], ids=("new", "idle"))
    def test_where_nobody_is_waited_for_nothing_is_done(self, way: tuple[Spoken, ...]) -> None:
        assert resume_talk(given(*way).state, after(99)) == ()

    def test_a_turn_that_was_about_to_begin_is_prepared_again(self) -> None:
        script = given(*PREPARING)
        assert resume_talk(script.state, after(99)) == (m.PreparePrefix(TurnId("t1"), CONFIG),)

    @pytest.mark.parametrize("way", [ASKING, CALLING, STOPPING])
    def test_a_turn_in_the_middle_goes_on_at_once(self, way: tuple[Spoken, ...]) -> None:
        state = given(*way).state
        assert resume_talk(state, after(99)) == (m.WaitThenAsk(RequestId("r1"), 0.0),)

    def test_so_does_a_summary(self) -> None:
        state = given(*COMPACTING).state
        assert resume_talk(state, after(99)) == (m.WaitThenAsk(RequestId("r2"), 0.0),)

    def test_a_pause_is_kept_as_far_as_it_is_not_over(self) -> None:
        state = given(*RETRYING).state
        assert resume_talk(state, after(5.25)) == (m.WaitThenAsk(RequestId("r1"), 0.75),)
        assert resume_talk(state, after(99)) == (m.WaitThenAsk(RequestId("r1"), 0.0),)

    def test_a_branch_is_looked_for_again(self) -> None:
        script = given(*IDLE, p.SwitchBranch(BlockId("b8")))
        assert resume_talk(script.state, after(99)) == (script.effects[-1],)

    def test_nothing_of_it_runs_a_tool_again(self) -> None:
        for way in (ASKING, CALLING, RETRYING, WAITING, COMPACTING, STOPPING):
            found = resume_talk(given(*way).state, after(99))
            assert not any(isinstance(one, m.RunTool | m.AskModel) for one in found)
