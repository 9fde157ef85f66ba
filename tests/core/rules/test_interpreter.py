"""The tables themselves: complete, consistent, and what decide and evolve really do."""

import itertools
from typing import get_args

import pytest
from tests.contracts import taking
from tests.contracts.facts import NOON
from tests.contracts.given import BOT, WAYS, Script, Spoken, given
from tests.samples.examples import example

from hearth.core.rules.interpreter import (
    ACCEPTS,
    ADVERTISED,
    ALWAYS,
    COMMAND_OF,
    FOLLOWS,
    QUEUES,
    REMEDIES,
    SITUATIONS,
    WHERE_THERE_IS,
)
from hearth.core.rules.session import Decision, IllegalEvent, allowed, evolve
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import BlockId, CellId, EventId, InputId, SessionId
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.refusals import NotNow, SessionExists
from hearth.core.vocabulary.undoing import ForkHow, UndoFor

COMMANDS: tuple[type[c.OfSession], ...] = get_args(c.OfSession)
EVENTS: tuple[type[e.OfInterpreter], ...] = get_args(e.OfInterpreter)
U, W, R, E, F = PhaseName

FITTING: dict[type[c.OfSession], c.OfSession] = {
    c.CreateSession: c.CreateSession(),
    c.StopSession: c.StopSession("enough"),
    c.RenameSession: c.RenameSession("loom"),
    c.SwitchSession: c.SwitchSession(SessionId("session-a1b2c3")),
    c.NoteSettings: c.NoteSettings(changed=("model",)),
    c.RunCell: c.RunCell("1"),
    c.LoadScript: c.LoadScript("setup.py"),
    c.CancelCell: c.CancelCell(),
    c.ResetSession: c.ResetSession(),
    c.HardResetSession: c.HardResetSession(),
    c.CheckCode: c.CheckCode("1"),
    c.CompleteCode: c.CompleteCode("1", 1),
    c.InspectCode: c.InspectCode("1", 1),
    c.ListVariables: c.ListVariables(),
    c.ExploreModule: c.ExploreModule("json"),
    c.ExploreType: c.ExploreType("int"),
    c.ReloadSources: c.ReloadSources(("/loom/a.py",)),
    c.AnswerInput: c.AnswerInput("42"),
    c.ReplaySession: c.ReplaySession(),
    c.UndoCells: c.UndoCells(),
    c.RedoCells: c.RedoCells(),
    c.ChooseUndo: c.ChooseUndo(UndoFor.NOBODY),
    c.TryVariants: c.TryVariants(("1", "2")),
    c.KeepVariant: c.KeepVariant(1),
    c.ForkSession: c.ForkSession(SessionId("session-d4e5f6"), how=ForkHow.NEW),
    c.ReturnTo: c.ReturnTo(BlockId("b1")),
}

DAEMON = (
    "create_session",
    "list_sessions",
    "stop_session",
    "switch_session",
    "fork_session",
    "export_session",
    "import_session",
    "get_ui_state",
)

OFFERED: dict[PhaseName, tuple[str, ...]] = {
    U: ("get_status",),
    W: ("get_status",),
    R: (
        "run_code",
        "check_code",
        "get_completions",
        "load_script",
        "get_recent_events",
        "get_status",
        "get_available_projects",
        "reset_session",
        "hard_reset_session",
        "explore_module",
        "explore_type",
        "inspect",
        "list_variables",
        "replay_session",
        "try_code",
    ),
    E: (
        "cancel_eval",
        "get_status",
        "get_recent_events",
        "check_code",
        "get_completions",
        "explore_module",
        "explore_type",
        "inspect",
        "list_variables",
    ),
    F: ("reset_session", "hard_reset_session", "get_status", "get_recent_events"),
}

TAKEN: dict[type[c.OfSession], set[PhaseName]] = {
    c.StopSession: {U, W, R, E, F},
    c.RenameSession: {U, W, R, E, F},
    c.RunCell: {R},
    c.LoadScript: {R},
    c.CancelCell: {E},
    c.ResetSession: {R, F},
    c.HardResetSession: {U, W, R, E, F},
    c.CheckCode: {R, E},
    c.CompleteCode: {R, E},
    c.InspectCode: {R, E},
    c.ListVariables: {R, E},
    c.ExploreModule: {R, E},
    c.ExploreType: {R, E},
    c.ReloadSources: {R, E},
    c.AnswerInput: {E},
    c.ReplaySession: {R},
    c.UndoCells: {R},
    c.RedoCells: {R},
    c.ChooseUndo: {U, W, R, E, F},
    c.TryVariants: {R},
    c.KeepVariant: {R},
    c.ForkSession: {U, W, R, E, F},
    c.ReturnTo: {U, W, R, E, F},
}
"""Written down a second time, so that a change of the table is a change of a test."""

LEADS: dict[type[e.OfInterpreter], dict[PhaseName, PhaseName]] = {
    e.SessionWarmUpStarted: {U: W, W: W, F: W},
    e.SessionReady: {W: R},
    e.SessionFaulted: {W: F, R: F},
    e.SessionReset: {R: W, F: W},
    e.SessionHardReset: {U: W, W: W, R: W, F: W},
    e.SessionStopped: {U: U, W: U, R: U, F: U},
    e.CellStarted: {R: E},
    e.CellFinished: {E: R},
    e.CellFailed: {E: R},
    e.CellCancelled: {E: R},
    e.UndoRequested: {R: W},
    e.CellsUndone: {W: R},
    e.CellsRedone: {W: R},
    e.UndoFailed: {W: R},
    e.TrialStarted: {R: E},
    e.TrialEnded: {E: R},
    e.VariantKept: {R: W},
    e.VariantsDropped: {R: R, W: R},
}
"""The events that may change the state; every other leaves it as it is."""


ANSWERS: set[type[e.OfInterpreter]] = {
    e.DiagnosticsChecked,
    e.CompletionsReturned,
    e.InspectionReturned,
    e.VariablesReturned,
    e.ExplorationReturned,
    e.SourcesReloaded,
    e.SessionReplayed,
    e.QuestionAbandoned,
}


BEFORE: dict[tuple[type[c.OfSession] | type[e.OfInterpreter], PhaseName], tuple[Spoken, ...]] = {
    (c.UndoCells, R): taking.TWO,
    (c.RedoCells, R): taking.UNDONE,
    (c.KeepVariant, R): taking.TRIED,
    (e.CellsUndone, W): taking.UNDOING,
    (e.CellsRedone, W): (*taking.UNDONE, c.RedoCells()),
    (e.UndoFailed, W): taking.UNDOING,
    (e.TrialEnded, E): taking.TRYING,
    (e.VariantKept, R): taking.TRIED,
    (e.VariantsDropped, R): taking.TRIED,
    (e.VariantsDropped, W): (*taking.TRIED, c.KeepVariant(1)),
}
"""What some words need to have happened, beside the state."""

ASKS: dict[type[e.OfInterpreter], c.OfSession] = {
    e.SessionForked: FITTING[c.ForkSession],
    e.ForkFailed: FITTING[c.ForkSession],
    e.ReturnPreviewed: FITTING[c.ReturnTo],
    e.SessionReturned: FITTING[c.ReturnTo],
    e.ReturnFailed: FITTING[c.ReturnTo],
}
"""What somebody must have asked for."""


def fitting_event(kind: type[e.OfInterpreter]) -> e.OfInterpreter:  # noqa: PLR0911 - one per kind
    """An event of this kind that fits a session brought there by WAYS, apart from its state."""
    match kind:
        case e.SessionWarmUpStarted:
            return e.SessionWarmUpStarted(2)
        case e.CellQueued | e.CellStarted:
            return kind(CellId("c2"), "2")
        case e.EnvironmentChanged:
            return e.EnvironmentChanged("f1", {"loom": "1"})
        case e.CellNotKept:
            return e.CellNotKept(CellId("c1"), ("a thread",))
        case e.TrialEnded | e.VariantsDropped:
            return kind(CellId("c1"))
        case e.VariantKept:
            return e.VariantKept(CellId("c1"), 1, 2)
        case _:
            event = example(kind)
            assert isinstance(event, EVENTS)
            return event


def at(phase: PhaseName, kind: type[c.OfSession] | type[e.OfInterpreter] | None = None) -> Script:
    """A session in this state, in which this can be asked for or happen if it can at all."""
    way = WAYS[phase] if kind is None else BEFORE.get((kind, phase), WAYS[phase])
    script = given(*way)
    assert script.state.phase_name is phase
    return script


def fact_of(event: e.Event, script: Script) -> Fact:
    """The event as a fact, on behalf of the open question if it answers one."""
    undo = script.state.undo
    opened = (*script.state.questions, undo.doing, *undo.forking, undo.returning)
    asked = next((one.cause for one in opened if one is not None), InputId("x"))
    return Fact(id=EventId("x.0"), at=NOON, origin=BOT, cause=asked, event=event)


class TestTotality:
    def test_every_command_and_every_event_has_its_row(self) -> None:
        assert set(ACCEPTS) == set(COMMANDS) == set(FITTING)
        assert set(FOLLOWS) == set(EVENTS)

    def test_every_state_has_its_offers_its_remedies_and_its_words(self) -> None:
        for table in (ADVERTISED, REMEDIES, SITUATIONS):
            assert set(table) == set(PhaseName)
        assert all(SITUATIONS.values())
        assert all(REMEDIES.values())
        assert len(set(SITUATIONS.values())) == 5

    def test_every_command_is_taken_somewhere_and_every_event_can_happen(self) -> None:
        assert all(ACCEPTS.values())
        assert all(FOLLOWS.values())

    @pytest.mark.promise("SF-STATE-01")
    def test_there_are_five_states_and_no_event_leads_elsewhere(self) -> None:
        assert {str(phase) for phase in PhaseName} == {
            "uninitialized",
            "warming_up",
            "ready",
            "evaluating",
            "faulted",
        }
        for row in FOLLOWS.values():
            assert set(row) | set(row.values()) <= set(PhaseName)

    @pytest.mark.promise("SF-STATE-02")
    def test_states_follow_each_other_as_is_written_here_too(self) -> None:
        for kind, row in FOLLOWS.items():
            stays = {phase: phase for phase in row}
            assert dict(row) == LEADS.get(kind, stays), kind

    def test_commands_are_taken_where_is_written_here_too(self) -> None:
        for kind, phases in TAKEN.items():
            assert ACCEPTS[kind] == phases, kind
        assert {W, E} == QUEUES

    def test_every_state_can_be_reached_and_left(self) -> None:
        pairs = {pair for row in FOLLOWS.values() for pair in row.items()}
        for phase in PhaseName:
            assert {a for a, b in pairs if b is phase} - {phase}, phase
            assert {b for a, b in pairs if a is phase} - {phase}, phase


class TestOffers:
    @pytest.mark.promise("SF-AFF-01", "SF-AFF-02", "SF-AFF-03", "SF-AFF-04")
    @pytest.mark.parametrize("phase", PhaseName)
    def test_a_state_offers_exactly_this_in_this_order(self, phase: PhaseName) -> None:
        assert allowed(at(phase).state) == (*OFFERED[phase], *DAEMON)

    @pytest.mark.promise("SF-AFF-01")
    def test_cancelling_is_offered_exactly_while_a_cell_runs_and_first(self) -> None:
        offers = {phase for phase in PhaseName if Affordance.CANCEL_EVAL in ADVERTISED[phase]}
        assert offers == {E}
        assert ADVERTISED[E][0] is Affordance.CANCEL_EVAL

    def test_code_can_be_explored_wherever_it_can_be_checked(self) -> None:
        for offers in ADVERTISED.values():
            checked = Affordance.CHECK_CODE in offers
            assert (Affordance.EXPLORE_MODULE in offers) is checked
            assert (Affordance.EXPLORE_TYPE in offers) is checked
            assert (Affordance.INSPECT in offers) is checked
            assert (Affordance.LIST_VARIABLES in offers) is checked

    @pytest.mark.promise("SF-AFF-02")
    def test_what_the_daemon_can_do_is_offered_everywhere(self) -> None:
        assert ALWAYS == DAEMON
        for offers in ADVERTISED.values():
            assert offers[-len(ALWAYS) :] == ALWAYS

    @pytest.mark.parametrize(
        ("offer", "way", "without"),
        [
            (Affordance.UNDO_CODE, taking.TWO, taking.TRIED),
            (Affordance.REDO_CODE, taking.UNDONE, taking.TWO),
            (Affordance.KEEP_VARIANT, taking.TRIED, taking.TWO),
        ],
    )
    def test_what_is_about_something_is_offered_where_that_is(
        self, offer: Affordance, way: tuple[Spoken, ...], without: tuple[Spoken, ...]
    ) -> None:
        assert offer in WHERE_THERE_IS
        assert offer in allowed(given(*way).state)
        assert offer not in allowed(given(*without).state)

    def test_nothing_is_offered_twice_and_everything_somewhere(self) -> None:
        for offers in ADVERTISED.values():
            assert len(set(offers)) == len(offers)
        # An answer is only offered while a cell asks, whatever the table of states says.
        offered = set(itertools.chain(*ADVERTISED.values()))
        assert offered == set(Affordance) - {Affordance.ANSWER_INPUT}

    def test_what_is_offered_is_also_taken(self) -> None:
        for phase, offers in ADVERTISED.items():
            for offer in set(offers) & set(COMMAND_OF):
                assert phase in ACCEPTS[COMMAND_OF[offer]], (phase, offer)

    @pytest.mark.parametrize("phase", PhaseName)
    def test_what_is_offered_is_taken_by_the_rules_themselves(self, phase: PhaseName) -> None:
        for offer in set(ADVERTISED[phase]) & set(COMMAND_OF):
            command = COMMAND_OF[offer]
            outcome = at(phase, command).when(FITTING[command])
            assert isinstance(outcome.decision, Decision), offer

    def test_an_offer_behind_which_a_command_stands_is_named_for_it(self) -> None:
        only_reads = {
            Affordance.GET_RECENT_EVENTS,
            Affordance.GET_STATUS,
            Affordance.GET_AVAILABLE_PROJECTS,
            Affordance.LIST_SESSIONS,
            Affordance.EXPORT_SESSION,
            Affordance.GET_UI_STATE,
        }
        elsewhere = {  # sent to another id, to the daemon's stream, or not a command at all
            Affordance.CREATE_SESSION,
            Affordance.SWITCH_SESSION,
            Affordance.IMPORT_SESSION,
        }
        assert set(Affordance) - set(COMMAND_OF) == only_reads | elsewhere

    @pytest.mark.promise("SF-AFF-06")
    @pytest.mark.parametrize("phase", PhaseName)
    def test_what_would_help_in_a_state_is_taken_there(self, phase: PhaseName) -> None:
        for remedy in REMEDIES[phase]:
            if remedy in COMMAND_OF:
                outcome = at(phase).when(FITTING[COMMAND_OF[remedy]])
                assert isinstance(outcome.decision, Decision), remedy
            else:
                assert remedy in ADVERTISED[phase]


class TestEveryPair:
    @pytest.mark.promise("SF-STATE-03", "SF-STATE-04", "SF-AFF-05", "SF-AFF-06")
    @pytest.mark.parametrize("phase", PhaseName)
    @pytest.mark.parametrize("kind", TAKEN)
    def test_a_command_is_taken_exactly_where_the_table_says(
        self, kind: type[c.OfSession], phase: PhaseName
    ) -> None:
        script = at(phase, kind)
        if kind is c.AnswerInput and phase is E:
            script.happened(r.InputAsked(1, CellId("c1"), "?"))
        before = script.state
        command = FITTING[kind]
        outcome = script.when(command)
        if phase in ACCEPTS[kind]:
            assert isinstance(outcome.decision, Decision)
            assert outcome.facts
            return
        assert outcome.decision == NotNow(
            command=str(command.__struct_config__.tag),
            state=phase,
            why=SITUATIONS[phase],
            available=allowed(before),
            remedy=REMEDIES[phase],
        )
        assert script.state is before

    @pytest.mark.promise("SF-AFF-05")
    @pytest.mark.parametrize("phase", PhaseName)
    def test_a_session_is_not_created_twice(self, phase: PhaseName) -> None:
        script = at(phase)
        refusal = script.when(c.CreateSession()).refused(SessionExists, session="session-a1b2c3")
        assert refusal.available == allowed(script.state)

    @pytest.mark.parametrize("phase", PhaseName)
    def test_a_cell_that_may_wait_is_taken_where_cells_run_or_will(self, phase: PhaseName) -> None:
        outcome = at(phase).when(c.RunCell("1", if_busy="queue"))
        taken = isinstance(outcome.decision, Decision)
        assert taken is (phase in ACCEPTS[c.RunCell] | QUEUES)
        queued = any(isinstance(fact.event, e.CellQueued) for fact in outcome.facts)
        assert queued is (phase in QUEUES)

    @pytest.mark.promise("SF-STATE-02", "SF-STATE-05")
    @pytest.mark.parametrize("phase", PhaseName)
    @pytest.mark.parametrize("kind", EVENTS)
    def test_an_event_leads_where_the_table_says_or_nowhere(
        self, kind: type[e.OfInterpreter], phase: PhaseName
    ) -> None:
        script = at(phase, kind)
        if kind in ASKS:
            script.happened(ASKS[kind])
        if kind in {e.CellWithdrawn, e.CellCancelRequested} and phase in QUEUES:
            script.happened(c.RunCell("2", if_busy="queue"))
        if kind in ANSWERS:
            script.happened(*([c.CheckCode("1")] if phase in ACCEPTS[c.CheckCode] else []))
        before = script.state
        event = fitting_event(kind)
        if kind is e.StateTransitioned:
            event = e.StateTransitioned(before=R, after=phase)
        if kind is e.CellWithdrawn:
            event = e.CellWithdrawn(CellId("c2") if phase is E else CellId("c1"), "why not")
        fact = fact_of(event, script)
        leads_to = FOLLOWS[kind].get(phase)
        # What the table allows may still not fit: nobody waits, or it began long ago.
        unfit = (
            kind is e.SessionStarted
            or (kind is e.CellWithdrawn and phase not in QUEUES)
            or (kind is e.CellOutputAdded and phase is R)
        )
        if leads_to is None or unfit:
            with pytest.raises(IllegalEvent):
                evolve(before, fact)
        else:
            changed = evolve(before, fact)
            assert changed.phase_name is leads_to
            assert changed.version == before.version + 1
        assert script.state == before

    @pytest.mark.promise("SF-STATE-02")
    def test_an_event_that_the_table_forbids_says_what_it_met(self) -> None:
        script = at(F)
        with pytest.raises(IllegalEvent, match=r"cell_started cannot happen .* faulted"):
            evolve(script.state, fact_of(e.CellStarted(CellId("c9"), "1"), script))
        with pytest.raises(IllegalEvent, match="session_ready"):
            evolve(script.state, fact_of(e.SessionReady(), script))
        failed = e.SessionFaulted(f.WarmUpFailed("again"))
        with pytest.raises(IllegalEvent, match="session_faulted"):
            evolve(script.state, fact_of(failed, script))
