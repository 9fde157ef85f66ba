"""What follows from each command that is taken."""

from typing import Literal

import msgspec
import pytest
from tests.contracts.given import (
    ANNA,
    BOT,
    CONFIG,
    CREATED,
    LOST,
    READY,
    RUNNING,
    SESSION,
    STOPPED,
    SYSTEM,
    Spoken,
    given,
    said,
    turned,
)

from hearth.core.rules.asked import BUSY, HEALTHY
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary.answers import ExploredKind
from hearth.core.vocabulary.ids import DAEMON_STREAM, CellId, InputId, SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import NotNow
from hearth.core.vocabulary.reports import CellEnded, Exit, Succeeded, WorkerLost, WorkerReady

U, W, R, E, F = PhaseName
C1, C2, C3 = CellId("c1"), CellId("c2"), CellId("c3")
QUEUED = c.RunCell("2", if_busy="queue")
ELSEWHERE = SessionId("elsewhere")
NOBODY = InputId("")
QUESTIONS: dict[c.Command, tuple[e.Event, fx.Effect]] = {
    c.InspectCode("xs.ap", 5): (
        e.InspectionRequested("xs.ap", 5),
        fx.InspectInWorker(1, NOBODY, "xs.ap", 5),
    ),
    c.ListVariables("x", modules=True): (
        e.VariablesRequested("x", modules=True),
        fx.ListInWorker(1, NOBODY, "x", modules=True),
    ),
    c.ExploreModule("json"): (
        e.ExplorationRequested(ExploredKind.MODULE, "json"),
        fx.ExploreInWorker(1, NOBODY, ExploredKind.MODULE, "json"),
    ),
    c.ExploreType("xs"): (
        e.ExplorationRequested(ExploredKind.TYPE, "xs"),
        fx.ExploreInWorker(1, NOBODY, ExploredKind.TYPE, "xs"),
    ),
    c.ReloadSources(("/a.py",)): (
        e.ReloadRequested(("/a.py",)),
        fx.ReloadInWorker(1, NOBODY, ("/a.py",)),
    ),
}


class TestCreating:
    @pytest.mark.promise("SF-LOG-02", "SF-STATE-02", "SF-STATE-10")
    def test_a_session_begins_and_warms_up(self) -> None:
        given().when(c.CreateSession(CONFIG), by=BOT).then(
            e.SessionStarted(CONFIG),
            e.SessionWarmUpStarted(1, ("loom",)),
            turned(U, W, "create_session"),
            effects=(fx.StartWorker(1, CONFIG),),
        ).owed_to(("i1", BOT), ("i1", BOT), ("i1", BOT))

    def test_a_session_that_asks_for_nothing_gets_the_defaults(self) -> None:
        outcome = given().when(c.CreateSession())
        assert outcome.facts[0].event == e.SessionStarted(c.SessionConfig())

    def test_a_new_name(self) -> None:
        given(*RUNNING).when(c.RenameSession("loom two"), by=BOT).then(
            e.SessionRenamed("loom two")
        ).owed_to(("i4", BOT))

    @pytest.mark.promise("SF-LOG-05")
    def test_the_daemons_own_stream_records_switches(self) -> None:
        script = given(session=DAEMON_STREAM)
        script.when(c.SwitchSession(SessionId("s2")), by=BOT).then(
            e.SessionSwitched(SessionId("s2"))
        ).owed_to(("i1", BOT))
        assert script.state.default_session == "s2"

    @pytest.mark.promise("DP-CONF-16")
    def test_the_daemons_own_stream_records_what_became_of_the_settings(self) -> None:
        script = given(session=DAEMON_STREAM)
        noted = c.NoteSettings(("/a",), ("model",), ("/b:3: modle: is no key",))
        script.when(noted, by=SYSTEM).then(
            e.SettingsReloaded(("/a",), ("model",), ("/b:3: modle: is no key",))
        ).owed_to(("i1", SYSTEM))
        assert script.state.version == 1


class TestRunning:
    @pytest.mark.promise("SF-LOG-03", "SF-LOG-06", "SF-LOG-07", "SF-STATE-02", "SF-STATE-10")
    def test_a_ready_session_begins_a_cell_before_the_interpreter_hears_of_it(self) -> None:
        run = c.RunCell("x = 1", background=True, time_limit=2.5)
        given(*READY).when(run, by=BOT).then(
            e.CellStarted(C1, "x = 1", background=True, time_limit=2.5, copy=True),
            turned(R, E, "run_cell"),
            effects=(fx.ExecuteInWorker(1, C1, "x = 1", 2.5, copy=True),),
        ).owed_to(("i3", BOT), ("i3", BOT))

    @pytest.mark.parametrize("if_busy", ["refuse", "queue"])
    def test_waiting_is_not_needed_where_nothing_runs(
        self, if_busy: Literal["refuse", "queue"]
    ) -> None:
        outcome = given(*READY).when(c.RunCell("1", if_busy=if_busy))
        assert outcome.facts[0].event == e.CellStarted(C1, "1", read_only=True)

    @pytest.mark.promise("SF-EVAL-01")
    @pytest.mark.parametrize(("way", "cell"), [(CREATED, C1), (RUNNING, C2)])
    def test_a_cell_that_may_wait_waits_and_nothing_is_done(
        self, way: tuple[Spoken, ...], cell: CellId
    ) -> None:
        run = c.RunCell("2", background=True, time_limit=1.5, if_busy="queue")
        script = given(*way)
        script.when(run).then(e.CellQueued(cell, "2", background=True, time_limit=1.5))
        assert [waiting.cell for waiting in script.state.queue] == [cell]

    def test_cells_are_numbered_in_the_order_they_came_also_when_they_never_ran(self) -> None:
        script = given(*RUNNING, QUEUED, QUEUED, c.CancelCell(C2))
        script.when(QUEUED).then(e.CellQueued(CellId("c4"), "2"))
        assert [waiting.cell for waiting in script.state.queue] == ["c3", "c4"]

    def test_a_refused_cell_uses_up_no_number(self) -> None:
        script = given(*RUNNING)
        script.when(c.RunCell("2")).refused(NotNow)
        script.when(QUEUED).then(e.CellQueued(C2, "2"))

    @pytest.mark.promise("SF-EVAL-12")
    def test_who_may_be_asked_and_what_is_reloaded_goes_to_the_interpreter(self) -> None:
        run = c.RunCell("x = 1", may_ask=True, reload=False, replays=CellId("c7"))
        given(*READY, c.ReplaySession()).when(run).then(
            e.CellStarted(C1, "x = 1", may_ask=True, reload=False, replays=CellId("c7")),
            turned(R, E, "run_cell"),
            effects=(fx.ExecuteInWorker(1, C1, "x = 1", may_ask=True, reload=False),),
        )

    @pytest.mark.promise("SF-EVAL-12")
    def test_the_same_goes_for_a_cell_that_waited(self) -> None:
        run = c.RunCell("y = 1", if_busy="queue", may_ask=True, reload=False, replays=CellId("c7"))
        script = given(*READY, c.ReplaySession(), c.RunCell("x = 1"))
        script.when(run).then(
            e.CellQueued(C2, "y = 1", may_ask=True, reload=False, replays=CellId("c7"))
        )
        outcome = script.when(CellEnded(1, C1, Succeeded(), 0.1))
        assert outcome.facts[-1].event == e.CellStarted(
            C2, "y = 1", may_ask=True, reload=False, replays=CellId("c7")
        )
        assert script.effects[-1] == fx.ExecuteInWorker(1, C2, "y = 1", may_ask=True, reload=False)

    @pytest.mark.promise("SF-REPLAY-02")
    @pytest.mark.parametrize(
        ("interpreter", "code", "looks"),
        [("python", "x.y", True), ("python", "x()", False), ("bash", "x.y", False)],
    )
    def test_a_cell_is_marked_when_it_is_proven_to_only_look(
        self, interpreter: str, code: str, *, looks: bool
    ) -> None:
        config = c.SessionConfig(interpreter=interpreter)
        script = given(c.CreateSession(config), c.RunCell(code, if_busy="queue"))
        begun = script.when(WorkerReady(1, 0.1)).facts[2].event
        assert begun == e.CellStarted(C1, code, read_only=looks)
        script.happened(CellEnded(1, C1, Succeeded(), 0.1))
        begun = script.when(c.RunCell(code)).facts[0].event
        assert begun == e.CellStarted(C2, code, read_only=looks)

    @pytest.mark.promise("SF-LOG-04")
    def test_a_script_is_a_cell_that_is_read_from_a_file(self) -> None:
        load = c.LoadScript("setup.py", 2.5, may_ask=True, replays=CellId("c7"))
        given(*READY, c.ReplaySession()).when(load).then(
            e.CellStarted(
                C1,
                "",
                script="setup.py",
                time_limit=2.5,
                may_ask=True,
                replays=CellId("c7"),
            ),
            turned(R, E, "load_script"),
            effects=(fx.LoadInWorker(1, C1, "setup.py", 2.5, may_ask=True),),
        )


class TestCancelling:
    @pytest.mark.parametrize("named", [None, C1])
    def test_the_running_cell_is_asked_to_stop_and_goes_on_until_it_does(
        self, named: CellId | None
    ) -> None:
        script = given(*RUNNING, QUEUED)
        script.when(c.CancelCell(named), by=BOT).then(
            e.CellCancelRequested(C1, 1), effects=(fx.InterruptWorker(1, C1, 1),)
        ).owed_to(("i5", BOT))
        assert script.state.phase_name is E
        assert len(script.state.queue) == 1

    def test_each_time_it_is_asked_more_firmly(self) -> None:
        script = given(*RUNNING, c.CancelCell(), c.CancelCell())
        script.when(c.CancelCell()).then(
            e.CellCancelRequested(C1, 3), effects=(fx.InterruptWorker(1, C1, 3),)
        )

    @pytest.mark.parametrize(("way", "cell"), [(CREATED, C1), (RUNNING, C2)])
    def test_a_waiting_cell_leaves_and_both_who_asked_hear_of_it(
        self, way: tuple[Spoken, ...], cell: CellId
    ) -> None:
        script = given(*way, said(QUEUED, by=BOT, id_="run"), QUEUED)
        script.when(c.CancelCell(cell)).then(
            e.CellCancelRequested(cell, 1), e.CellWithdrawn(cell, "cancelled")
        ).owed_to((f"i{len(way) + 3}", ANNA), ("run", BOT))
        assert len(script.state.queue) == 1
        script.when(c.CancelCell(cell)).refused(NotNow)


class TestAsking:
    @pytest.mark.promise("SF-LOG-04", "SF-AFF-08")
    @pytest.mark.parametrize("way", [READY, RUNNING])
    def test_a_check(self, way: tuple[Spoken, ...]) -> None:
        asked = InputId(f"i{len(way) + 1}")
        given(*way).when(c.CheckCode("x", "a.py"), by=BOT).then(
            e.CheckRequested("x", "a.py"), effects=(fx.CheckInWorker(1, asked, "x", "a.py"),)
        ).owed_to((asked, BOT))

    @pytest.mark.promise("SF-LOG-04", "SF-AFF-08")
    @pytest.mark.parametrize("way", [READY, RUNNING])
    def test_a_completion(self, way: tuple[Spoken, ...]) -> None:
        asked = InputId(f"i{len(way) + 1}")
        given(*way).when(c.CompleteCode("xs.ap", 5)).then(
            e.CompletionsRequested("xs.ap", 5),
            effects=(fx.CompleteInWorker(1, asked, "xs.ap", 5),),
        ).owed_to((asked, ANNA))

    @pytest.mark.promise("SF-AFF-08", "SF-MCP-20", "SF-EVAL-11")
    @pytest.mark.parametrize("way", [READY, RUNNING])
    @pytest.mark.parametrize("command", QUESTIONS, ids=lambda one: type(one).__name__)
    def test_a_question_of_every_kind(self, way: tuple[Spoken, ...], command: c.Command) -> None:
        asked = InputId(f"i{len(way) + 1}")
        event, effect = QUESTIONS[command]
        script = given(*way)
        script.when(command, by=BOT).then(
            event, effects=(msgspec.structs.replace(effect, question=asked),)
        ).owed_to((asked, BOT))
        assert [question.cause for question in script.state.questions] == [asked]

    @pytest.mark.promise("SF-MCP-08")
    def test_a_check_may_ask_for_everything(self) -> None:
        given(*READY).when(c.CheckCode("x", "a.py", full=True)).then(
            e.CheckRequested("x", "a.py", full=True),
            effects=(fx.CheckInWorker(1, InputId("i3"), "x", "a.py"),),
        )

    @pytest.mark.promise("SF-REPLAY-01")
    @pytest.mark.parametrize(
        ("source", "meant", "before"),
        [(None, SESSION, 6), (SESSION, SESSION, 6), (ELSEWHERE, ELSEWHERE, 0)],
    )
    def test_a_replay_is_of_what_was_there_before_it_was_asked_for(
        self, source: SessionId | None, meant: SessionId, before: int
    ) -> None:
        script = given(*READY)
        script.when(c.ReplaySession(source), by=BOT).then(
            e.ReplayStarted(meant),
            effects=(fx.ReplayHistory(1, InputId("i3"), meant, before + (before and 1)),),
        ).owed_to(("i3", BOT))


RESET_AGAIN = (e.SessionReset(), e.DiagnosticsCleared(), e.SessionWarmUpStarted(2, ("loom",)))


class TestSoftReset:
    @pytest.mark.promise("SF-STATE-03", "SF-MCP-16", "SF-LOG-02", "SF-LOG-04")
    def test_a_healthy_session_is_reset_with_a_warning(self) -> None:
        given(*READY).when(c.ResetSession(), by=BOT).then(
            *RESET_AGAIN,
            turned(R, W, "reset_session"),
            effects=(fx.ResetWorker(2, CONFIG),),
            warning=HEALTHY,
        ).owed_to(*[("i3", BOT)] * 4)

    @pytest.mark.promise("SF-STATE-03", "SF-MCP-16")
    def test_a_faulted_session_is_reset_without_one(self) -> None:
        given(*LOST).when(c.ResetSession()).then(
            *RESET_AGAIN, turned(F, W, "reset_session"), effects=(fx.ResetWorker(2, CONFIG),)
        )

    @pytest.mark.promise("SF-STATE-03")
    @pytest.mark.parametrize("way", [STOPPED, CREATED, RUNNING])
    def test_elsewhere_it_is_refused(self, way: tuple[Spoken, ...]) -> None:
        given(*way).when(c.ResetSession()).refused(NotNow, command="reset_session")

    def test_who_asked_something_is_told_that_no_answer_comes(self) -> None:
        script = given(*READY, said(c.CheckCode("x"), by=BOT), c.CompleteCode("x", 1))
        script.when(c.ResetSession()).then(
            e.QuestionAbandoned("the session was reset"),
            e.QuestionAbandoned("the session was reset"),
            *RESET_AGAIN,
            turned(R, W, "reset_session"),
            effects=(fx.ResetWorker(2, CONFIG),),
            warning=HEALTHY,
        ).owed_to(("i3", BOT), ("i4", ANNA), *[("i5", ANNA)] * 4)
        assert script.state.questions == ()


def replaced(*, rebuild: bool = False) -> tuple[e.Event, ...]:
    return (
        e.SessionHardReset(rebuild),
        e.DiagnosticsCleared(),
        e.SessionWarmUpStarted(2, ("loom",)),
    )


ANOTHER = (fx.StopWorker(1), fx.StartWorker(2, CONFIG))


@pytest.mark.promise("SF-STATE-04")
class TestHardReset:
    @pytest.mark.promise("SF-MCP-16")
    @pytest.mark.parametrize(("way", "warning"), [(READY, HEALTHY), (LOST, "")])
    def test_the_interpreter_is_replaced(self, way: tuple[Spoken, ...], warning: str) -> None:
        before = given(*way).state.phase_name
        given(*way).when(c.HardResetSession()).then(
            *replaced(), turned(before, W, "hard_reset_session"), effects=ANOTHER, warning=warning
        )

    def test_a_stopped_session_comes_back_and_nothing_is_stopped_for_it(self) -> None:
        given(*STOPPED).when(c.HardResetSession()).then(
            *replaced(),
            turned(U, W, "hard_reset_session"),
            effects=(fx.StartWorker(2, CONFIG),),
        )

    def test_in_the_middle_of_a_warm_up(self) -> None:
        script = given(*CREATED, said(QUEUED, by=BOT))
        script.when(c.HardResetSession()).then(
            e.CellWithdrawn(C1, "the session was reset"),
            e.SessionWarmUpAbandoned("the session was reset"),
            *replaced(),
            effects=ANOTHER,
            warning=BUSY,
        ).owed_to(("i2", BOT), ("i1", ANNA), *[("i3", ANNA)] * 3)
        script.when(WorkerReady(1, 0.1)).ignored()
        assert script.state.phase_name is W

    @pytest.mark.promise("SF-LOG-03")
    def test_in_the_middle_of_a_cell(self) -> None:
        script = given(*READY, said(c.RunCell("x = 1"), by=BOT, at=3), QUEUED, c.CheckCode("x"))
        script.when(c.HardResetSession(), at=10).then(
            e.CellCancelled(C1, 7.0),
            e.CellWithdrawn(C2, "the session was reset"),
            e.QuestionAbandoned("the session was reset"),
            *replaced(),
            turned(E, W, "hard_reset_session"),
            effects=ANOTHER,
            warning=BUSY,
        ).owed_to(("i3", BOT), ("i4", ANNA), ("i5", ANNA), *[("i6", ANNA)] * 4)
        script.when(CellEnded(1, C1, Succeeded(), 8.0)).ignored()

    def test_in_the_middle_of_a_script_its_loading_failed(self) -> None:
        given(*READY, said(c.LoadScript("a.py"), at=3)).when(c.HardResetSession(), at=4).then(
            e.ScriptLoadFailed("a.py", f.Interrupted("the session was reset")),
            e.CellCancelled(C1, 1.0),
            *replaced(),
            turned(E, W, "hard_reset_session"),
            effects=ANOTHER,
            warning=BUSY,
        ).owed_to(("i3", ANNA), ("i3", ANNA), *[("i4", ANNA)] * 4)

    def test_the_environment_is_synced_on_request(self) -> None:
        given(*LOST).when(c.HardResetSession(rebuild=True)).then(
            *replaced(rebuild=True),
            turned(F, W, "hard_reset_session"),
            effects=(fx.StopWorker(1), fx.StartWorker(2, CONFIG, rebuild=True)),
        )

    def test_a_clock_that_went_back_makes_no_negative_time(self) -> None:
        script = given(*READY, said(c.RunCell("1"), at=50))
        outcome = script.when(c.HardResetSession(), at=10)
        assert outcome.facts[0].event == e.CellCancelled(C1, 0.0)


@pytest.mark.promise("SF-LOG-02")
class TestStopping:
    def test_whoever_waited_for_the_interpreter_is_told(self) -> None:
        script = given(*CREATED)
        script.when(c.StopSession("enough")).then(
            e.SessionWarmUpAbandoned("the session was stopped"),
            e.SessionStopped("enough"),
            turned(W, U, "stop_session"),
            effects=(fx.StopWorker(1),),
        ).owed_to(("i1", ANNA), ("i2", ANNA), ("i2", ANNA))

    @pytest.mark.parametrize("way", [READY, LOST])
    def test_the_interpreter_is_ended_and_the_log_stays(self, way: tuple[Spoken, ...]) -> None:
        before = given(*way).state.phase_name
        script = given(*way)
        script.when(c.StopSession("enough")).then(
            e.SessionStopped("enough"),
            turned(before, U, "stop_session"),
            effects=(fx.StopWorker(1),),
        )
        assert script.state.stopped
        assert script.state.config == CONFIG

    def test_what_ran_waited_or_was_asked_is_closed_first(self) -> None:
        script = given(*RUNNING, said(QUEUED, by=BOT), c.CheckCode("x"))
        script.when(c.StopSession(), at=9).then(
            e.CellCancelled(C1, 6.0),
            e.CellWithdrawn(C2, "the session was stopped"),
            e.QuestionAbandoned("the session was stopped"),
            e.SessionStopped(),
            turned(E, U, "stop_session"),
            effects=(fx.StopWorker(1),),
        ).owed_to(("i3", ANNA), ("i4", BOT), ("i5", ANNA), ("i6", ANNA), ("i6", ANNA))

    def test_twice_is_not_wrong_but_there_is_nothing_to_end(self) -> None:
        given(*STOPPED).when(c.StopSession()).then(e.SessionStopped())

    def test_no_restart_comes_after_it(self) -> None:
        script = given(*READY, WorkerLost(1, Exit.CRASH, ""), c.StopSession())
        assert script.state.restart_due is None
