"""Why a command is not taken: always typed, always with a way on, and nothing happens."""

from collections.abc import Callable
from functools import partial

import pytest
from tests.contracts.given import ANNA, CREATED, NOON, READY, RUNNING, STOPPED, given

from hearth.core.rules.interpreter import ALWAYS, REMEDIES
from hearth.core.rules.refusing import (
    LONGEST_QUEUE,
    MOST_QUESTIONS,
    too_many_sessions,
    unknown_session,
)
from hearth.core.rules.session import Decision, SessionState, allowed, decide
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import MAX_COMMAND_BYTES, MAX_PAYLOAD_BYTES
from hearth.core.vocabulary.ids import DAEMON_STREAM, CellId, InputId, SessionId
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import (
    Malformed,
    NotNow,
    SessionExists,
    TooLarge,
    TooManySessions,
    UnknownSession,
)
from hearth.core.vocabulary.reports import InputAsked, ReplayEnded, WorkerReady

EVERY = (
    c.StopSession(),
    c.RenameSession("loom"),
    c.RunCell("1"),
    c.LoadScript("a.py"),
    c.CancelCell(),
    c.ResetSession(),
    c.HardResetSession(),
    c.CheckCode("1"),
    c.CompleteCode("1", 0),
    c.InspectCode("1", 0),
    c.ListVariables(),
    c.ExploreModule("json"),
    c.ExploreType("int"),
    c.ReloadSources(("/a.py",)),
    c.AnswerInput("42"),
    c.ReplaySession(),
)
QUEUED = c.RunCell("2", if_busy="queue")


@pytest.mark.promise("SF-AFF-05", "SF-AFF-06", "SF-STATE-07")
@pytest.mark.parametrize("command", EVERY, ids=lambda one: type(one).__name__)
def test_nothing_can_be_asked_of_a_session_that_was_never_begun(command: c.Command) -> None:
    script = given()
    refusal = script.when(command).refused(UnknownSession, session="session-a1b2c3")
    assert refusal.available == ALWAYS
    assert refusal.remedy == ("list_sessions", "create_session")
    assert script.state.version == 0


def test_a_session_exists_from_its_creation_on_also_when_it_was_stopped() -> None:
    for way in (CREATED, READY, STOPPED):
        script = given(*way)
        refusal = script.when(c.CreateSession()).refused(SessionExists)
        assert refusal.available == allowed(script.state)


@pytest.mark.promise("SF-AFF-05")
class TestBusy:
    def test_a_cell_is_refused_while_another_runs(self) -> None:
        script = given(*RUNNING)
        refusal = script.when(c.RunCell("2")).refused(
            NotNow, command="run_cell", state="evaluating"
        )
        assert refusal.remedy == ("cancel_eval", "hard_reset_session")
        assert "running a cell" in refusal.why
        assert script.state.queue == ()

    def test_a_hundred_cells_may_wait_and_no_more(self) -> None:
        script = given(*RUNNING, *[QUEUED] * LONGEST_QUEUE)
        assert LONGEST_QUEUE == len(script.state.queue) == 100
        refusal = script.when(QUEUED).refused(NotNow)
        assert "100 cells" in refusal.why
        assert len(script.state.queue) == 100

    def test_a_place_in_the_queue_that_became_free_can_be_taken(self) -> None:
        script = given(*RUNNING, *[QUEUED] * LONGEST_QUEUE, c.CancelCell(CellId("c7")))
        assert isinstance(script.when(QUEUED).decision, Decision)

    def test_so_many_questions_may_be_open_and_no_more(self) -> None:
        script = given(*READY, *[c.CheckCode("1")] * MOST_QUESTIONS)
        for command in (
            c.CheckCode("1"),
            c.CompleteCode("1", 0),
            c.InspectCode("1", 0),
            c.ListVariables(),
            c.ExploreModule("json"),
            c.ExploreType("int"),
            c.ReloadSources(("/a.py",)),
            c.ReplaySession(),
        ):
            refusal = script.when(command).refused(NotNow)
            assert "256 questions" in refusal.why
        assert isinstance(script.when(c.RunCell("1")).decision, Decision)


class TestAnswering:
    def test_nobody_is_answered_who_does_not_ask(self) -> None:
        refusal = given(*RUNNING).when(c.AnswerInput("42")).refused(NotNow, state="evaluating")
        assert "does not ask" in refusal.why

    def test_the_answer_is_for_the_cell_that_asks(self) -> None:
        script = given(*RUNNING, InputAsked(1, CellId("c1"), "?"))
        refusal = script.when(c.AnswerInput("42", CellId("c2"))).refused(NotNow)
        assert "c1" in refusal.why
        assert isinstance(script.when(c.AnswerInput("42", CellId("c1"))).decision, Decision)

    def test_each_question_is_answered_once(self) -> None:
        script = given(*RUNNING, InputAsked(1, CellId("c1"), "?"), c.AnswerInput("42"))
        script.when(c.AnswerInput("43")).refused(NotNow)


@pytest.mark.promise("SF-REPLAY-01")
class TestReplaying:
    def test_what_ran_cells_already_is_not_fresh(self) -> None:
        script = given(*RUNNING, e.CellFinished(CellId("c1"), 0.1))
        refusal = script.when(c.ReplaySession()).refused(NotNow, state="ready")
        assert refusal.remedy == ("hard_reset_session",)
        assert "replay_session" not in refusal.available

    def test_a_new_interpreter_is(self) -> None:
        script = given(*RUNNING, c.HardResetSession(), WorkerReady(2, 0.1))
        assert "replay_session" in allowed(script.state)
        assert isinstance(script.when(c.ReplaySession()).decision, Decision)

    @pytest.mark.parametrize(
        "command",
        [
            c.RunCell("1", replays=CellId("c1")),
            c.RunCell("1", if_busy="queue", replays=CellId("c1")),
            c.LoadScript("a.py", replays=CellId("c1")),
        ],
        ids=repr,
    )
    def test_no_cell_is_run_again_but_by_a_replay_that_is_under_way(
        self, command: c.Command
    ) -> None:
        script = given(*READY)
        assert "no replay" in script.when(command).refused(NotNow).why
        script.happened(c.ReplaySession())
        assert isinstance(script.when(command).decision, Decision)
        # One that goes on after a reset would run the old life in the new interpreter.
        cut = given(*READY, c.ReplaySession(), c.HardResetSession(), WorkerReady(2, 0.1))
        cut.when(command).refused(NotNow)

    def test_one_replay_at_a_time(self) -> None:
        script = given(*READY, c.ReplaySession())
        assert "replay_session" not in allowed(script.state)
        refusal = script.when(c.ReplaySession()).refused(NotNow)
        assert "under way" in refusal.why
        script.happened(ReplayEnded(InputId("i3")))
        assert "replay_session" in allowed(script.state)


class TestCancelling:
    @pytest.mark.parametrize("way", [CREATED, READY, STOPPED])
    def test_nothing_runs_so_nothing_is_cancelled(self, way: tuple[c.Command, ...]) -> None:
        given(*way).when(c.CancelCell()).refused(NotNow, command="cancel_cell")

    @pytest.mark.parametrize("way", [CREATED, READY, RUNNING, STOPPED])
    def test_a_cell_that_is_neither_running_nor_waiting(self, way: tuple[c.Command, ...]) -> None:
        refusal = given(*way).when(c.CancelCell(CellId("c9"))).refused(NotNow)
        assert refusal.why == "cell c9 is neither running nor waiting"

    def test_a_cell_that_ended_cannot_be_cancelled(self) -> None:
        script = given(*RUNNING, e.CellFinished(CellId("c1"), 0.1))
        script.when(c.CancelCell(CellId("c1"))).refused(NotNow, state=PhaseName.READY)


class TestStreams:
    @pytest.mark.promise("SF-LOG-05", "SF-AFF-06")
    @pytest.mark.parametrize(
        "command", [*EVERY, c.CreateSession()], ids=lambda one: type(one).__name__
    )
    def test_the_daemons_stream_takes_switches_alone(self, command: c.Command) -> None:
        script = given(session=DAEMON_STREAM)
        refusal = script.when(command).refused(NotNow, state=PhaseName.UNINITIALIZED)
        assert "switch_session" in refusal.why
        # A reset would be refused just the same, so it is no help.
        assert refusal.remedy == ("list_sessions", "send it to a session")
        assert script.state == SessionState(DAEMON_STREAM)

    @pytest.mark.promise("SF-LOG-05")
    @pytest.mark.parametrize("way", [(), CREATED, RUNNING])
    def test_a_session_takes_no_switches(self, way: tuple[c.Command, ...]) -> None:
        refusal = given(*way).when(c.SwitchSession(SessionId("s"))).refused(NotNow)
        assert refusal.remedy == ("send it to 'daemon-sessions'",)

    @pytest.mark.parametrize("way", [(), CREATED, RUNNING])
    def test_a_session_notes_no_settings(self, way: tuple[c.Command, ...]) -> None:
        refusal = given(*way).when(c.NoteSettings()).refused(NotNow)
        assert refusal.why == "note_settings is sent to 'daemon-sessions'"


class TestSizes:
    @pytest.mark.promise("SF-AFF-05")
    @pytest.mark.parametrize("kind", [c.RunCell, c.CheckCode, partial(c.InspectCode, cursor=0)])
    def test_code_over_the_limit(self, kind: Callable[[str], c.Command]) -> None:
        script = given(*READY)
        size = MAX_COMMAND_BYTES + 1
        command = kind("x" * size)
        refusal = script.when(command).refused(TooLarge, size=size, limit=MAX_COMMAND_BYTES)
        assert refusal.remedy == ("load_script",)
        assert refusal.available == allowed(script.state)
        assert isinstance(script.when(kind("x" * MAX_COMMAND_BYTES)).decision, Decision)

    def test_bytes_count_not_characters(self) -> None:
        half = MAX_COMMAND_BYTES // 2
        given(*READY).when(c.CompleteCode("é" * (half + 1), 0)).refused(TooLarge, size=2 * half + 2)
        assert isinstance(given(*READY).when(c.CompleteCode("é" * half, 0)).decision, Decision)

    @pytest.mark.parametrize(
        "command",
        [
            c.CheckCode("1", file="x" * (MAX_PAYLOAD_BYTES + 1)),
            c.RenameSession("x" * MAX_PAYLOAD_BYTES),
            c.LoadScript("x" * MAX_PAYLOAD_BYTES),
            c.StopSession("x" * MAX_PAYLOAD_BYTES),
            c.CancelCell(CellId("x" * MAX_PAYLOAD_BYTES)),
            c.ListVariables("x" * MAX_PAYLOAD_BYTES),
            c.ReloadSources(("x" * MAX_PAYLOAD_BYTES,)),
            c.AnswerInput("x" * MAX_PAYLOAD_BYTES),
            c.ReplaySession(SessionId("x" * MAX_PAYLOAD_BYTES)),
        ],
        ids=lambda one: type(one).__name__,
    )
    def test_what_an_event_could_not_hold(self, command: c.Command) -> None:
        script = given(*READY)
        before = script.state
        script.when(command).refused(TooLarge, limit=MAX_PAYLOAD_BYTES, remedy=("send less",))
        assert script.state is before

    def test_a_configuration_an_event_could_not_hold(self) -> None:
        config = c.SessionConfig(projects=tuple("project" * 10 for _ in range(1000)))
        given().when(c.CreateSession(config)).refused(TooLarge, limit=MAX_PAYLOAD_BYTES)

    def test_a_switch_an_event_could_not_hold(self) -> None:
        switch = c.SwitchSession(SessionId("s" * MAX_PAYLOAD_BYTES))
        given(session=DAEMON_STREAM).when(switch).refused(TooLarge, limit=MAX_PAYLOAD_BYTES)

    @pytest.mark.parametrize(
        "command",
        [
            c.LoadScript("caf\udce9.py"),
            c.RunCell("\ud800"),
            c.RunCell("\ud800" * (MAX_COMMAND_BYTES // 2)),
            c.CheckCode("\ud800", "\ud800"),
            c.RenameSession("\ud800"),
            c.StopSession("\ud800"),
        ],
        ids=lambda one: type(one).__name__,
    )
    def test_text_that_is_not_unicode_breaks_nothing(self, command: c.Command) -> None:
        # Not by a script, which writes everything down: the engine makes it writable first.
        asked = Asked(InputId("i9"), NOON, ANNA, command)
        decision = decide(given(*READY).state, asked)
        assert isinstance(decision, Decision | TooLarge)


class TestLimits:
    def test_one_session_more_than_the_limit(self) -> None:
        assert too_many_sessions(9, 10) is None
        refusal = too_many_sessions(10, 10)
        assert isinstance(refusal, TooManySessions)
        assert refusal.limit == 10
        assert refusal.available == ALWAYS
        assert refusal.remedy[0] == "stop_session"
        assert "10" in refusal.why

    def test_an_unknown_session_is_named(self) -> None:
        refusal = unknown_session(SessionId("s9"))
        assert refusal.session == "s9"
        assert "'s9'" in refusal.why

    def test_every_state_that_refuses_says_what_helps(self) -> None:
        for way in (CREATED, READY, RUNNING, STOPPED):
            script = given(*way)
            refusal = script.when(c.CancelCell(CellId("c9"))).refused(NotNow)
            assert refusal.remedy == REMEDIES[script.state.phase_name]


@pytest.mark.parametrize("limit", [float("inf"), float("nan"), 0.0, -1.0])
def test_a_limit_that_is_none_is_refused(limit: float) -> None:
    for command in (c.RunCell("1", time_limit=limit), c.LoadScript("a.py", time_limit=limit)):
        refusal = given(*READY).when(command).refused(Malformed, path="$.time_limit")
        assert refusal.remedy
    assert isinstance(given(*READY).when(c.RunCell("1", time_limit=0.5)).decision, Decision)
