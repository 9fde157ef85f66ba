"""A session's whole life: as people live it, and in any order at all."""

from collections import Counter
from typing import cast, get_args

import msgspec
import pytest
from hypothesis import given as whenever
from hypothesis import settings
from hypothesis import strategies as st
from tests.contracts.any_order import Line, Played, lines, play
from tests.contracts.given import BOT, CONFIG, SESSION, assert_owed, comes_back, given, said

from hearth.core.rules.interpreter import ACCEPTS
from hearth.core.rules.session import (
    Decision,
    SessionState,
    allowed,
    decide,
    evolve,
    resume,
)
from hearth.core.rules.state import Asking
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import refusals
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CellId, cell_number
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.modelling import AgentEffect
from hearth.core.vocabulary.phases import Affordance, Evaluating, Phase, PhaseName, Ready, WarmingUp

C1, C2 = CellId("c1"), CellId("c2")
MORE = settings(max_examples=2 * settings().max_examples)
"""The rules stand and fall with these."""

CLOSERS = (e.CellFinished, e.CellFailed, e.CellCancelled)
ASKED = (
    e.CheckRequested,
    e.CompletionsRequested,
    e.InspectionRequested,
    e.VariablesRequested,
    e.ExplorationRequested,
    e.ReloadRequested,
    e.ReplayStarted,
)
ANSWERS = (
    e.DiagnosticsChecked,
    e.CompletionsReturned,
    e.InspectionReturned,
    e.VariablesReturned,
    e.ExplorationReturned,
    e.SourcesReloaded,
    e.SessionReplayed,
    e.QuestionAbandoned,
)
CELLS = (fx.ExecuteInWorker, fx.LoadInWorker)
LOST = r.WorkerLost(0, r.Exit.VANISHED, "gone with the daemon")
"""Generations are counted from the present one."""


class TestALife:
    @pytest.mark.promise("SF-STATE-01", "SF-STATE-02", "SF-STATE-10", "SF-LOG-02", "SF-LOG-03")
    def test_from_its_creation_to_its_end_every_change_is_on_record(self) -> None:
        script = given(
            c.CreateSession(CONFIG),
            r.WorkerReady(1, 0.2),
            said(c.RunCell("x = 1"), by=BOT),
            r.CellEnded(1, C1, r.Succeeded(), 0.1),
            c.RunCell("1 / 0"),
            r.CellEnded(1, C2, r.Raised(f.CodeRaised("ZeroDivisionError", "no")), 0.1),
            c.ResetSession(),
            r.WorkerReady(2, 0.2),
            r.WorkerLost(2, r.Exit.CRASH, "signal 11"),
            r.RestartDue(2),
            r.WorkerFailed(3, f.WarmUpFailed("no")),
            c.HardResetSession(),
            r.WorkerReady(4, 0.2),
            c.StopSession(),
        )
        moves = [x.event for x in script.facts if isinstance(x.event, e.StateTransitioned)]
        assert [(str(one.before), str(one.after), one.reason) for one in moves] == [
            ("uninitialized", "warming_up", "create_session"),
            ("warming_up", "ready", "worker_ready"),
            ("ready", "evaluating", "run_cell"),
            ("evaluating", "ready", "cell_ended"),
            ("ready", "evaluating", "run_cell"),
            ("evaluating", "ready", "cell_ended"),
            ("ready", "warming_up", "reset_session"),
            ("warming_up", "ready", "worker_ready"),
            ("ready", "faulted", "worker_lost"),
            ("faulted", "warming_up", "restart_due"),
            ("warming_up", "faulted", "worker_failed"),
            ("faulted", "warming_up", "hard_reset_session"),
            ("warming_up", "ready", "worker_ready"),
            ("ready", "uninitialized", "stop_session"),
        ]
        kinds = {type(fact.event) for fact in script.facts}
        assert kinds >= {
            e.SessionStarted,
            e.SessionWarmUpStarted,
            e.SessionWarmUpCompleted,
            e.SessionReady,
            e.SessionFaulted,
            e.SessionReset,
            e.SessionHardReset,
            e.SessionStopped,
        }
        assert e.CellQueued not in kinds
        assert script.state.generation == 4

    @pytest.mark.promise("SF-LOG-06", "SF-LOG-07")
    def test_a_request_and_its_outcome_share_their_cause_and_author(self) -> None:
        script = given(c.CreateSession(), r.WorkerReady(1, 0.2), said(c.RunCell("1"), by=BOT))
        script.happened(c.RunCell("2", if_busy="queue"))
        script.happened(r.CellEnded(1, C1, r.Succeeded(), 0.1))
        script.happened(r.CellEnded(1, C2, r.Succeeded(), 0.1))
        causes: dict[str, list[tuple[str, str]]] = {}
        for fact in script.facts:
            if isinstance(fact.event, (e.CellQueued, e.CellStarted, *CLOSERS)):
                owed = causes.setdefault(fact.event.cell, [])
                owed.append((fact.cause, fact.origin.name))
        assert causes == {"c1": [("i3", "bot")] * 2, "c2": [("i4", "anna")] * 3}

    @pytest.mark.promise("SF-EVAL-01")
    def test_cells_run_one_at_a_time_in_the_order_they_came(self) -> None:
        script = given(c.CreateSession(), *[c.RunCell(str(n), if_busy="queue") for n in range(4)])
        script.happened(r.WorkerReady(1, 0.2))
        for number in range(1, 5):
            assert isinstance(script.state.phase, Evaluating)
            script.happened(r.CellEnded(1, CellId(f"c{number}"), r.Succeeded(), 0.1))
        run = [one.code for one in script.effects if isinstance(one, fx.ExecuteInWorker)]
        assert run == ["0", "1", "2", "3"]
        assert isinstance(script.state.phase, Ready)

    @pytest.mark.promise("SF-STATE-05")
    def test_the_same_input_in_the_same_state_leads_to_the_same(self) -> None:
        state = given(c.CreateSession(), r.WorkerReady(1, 0.2)).state
        asked = given(c.CreateSession(), r.WorkerReady(1, 0.2)).when(c.RunCell("1")).cause
        first, second = decide(state, asked), decide(state, asked)
        assert first == second
        assert isinstance(first, Decision)
        assert state == given(c.CreateSession(), r.WorkerReady(1, 0.2)).state


class TestInAnyOrder:
    @MORE
    @pytest.mark.promise("SF-STATE-01", "SF-STATE-05", "SF-STATE-09", "SF-STATE-10")
    @whenever(lines())
    def test_every_decision_keeps_what_all_decisions_owe(self, script: list[Line]) -> None:
        generation = 0
        for before, cause, decision in play(script).steps:
            if isinstance(decision, Decision):
                assert_owed(before, cause, decision)
                assert_sound(decision.state)
                assert decision.state.generation >= generation
                generation = decision.state.generation
            else:
                assert_refused(before, cause, decision)

    @MORE
    @pytest.mark.promise("SF-EVAL-01", "SF-LOG-07")
    @whenever(lines())
    def test_cells_and_questions_are_opened_and_closed_once(self, script: list[Line]) -> None:
        played = play(script)
        assert_accounts(played.facts, played.state)

    @MORE
    @pytest.mark.promise("SF-STATE-05")
    @whenever(lines(), st.data())
    def test_a_log_folds_to_the_same_from_any_snapshot(
        self, script: list[Line], data: st.DataObject
    ) -> None:
        played = play(script)
        place = data.draw(st.integers(0, len(played.facts)))
        half = SessionState(SESSION)
        for fact in played.facts[:place]:
            half = evolve(half, fact)
        assert comes_back(half)
        whole = msgspec.json.decode(encode(half), type=SessionState)
        for fact in played.facts[place:]:
            whole = evolve(whole, fact)
        assert whole == played.state

    @MORE
    @whenever(lines())
    def test_the_interpreter_is_only_asked_for_what_is_on_record(self, script: list[Line]) -> None:
        played = play(script)
        opened = e.CellStarted | e.TrialStarted
        begun = [x.event for x in played.facts if isinstance(x.event, opened)]
        run = [x for x in played.effects if isinstance(x, (*CELLS, fx.TryInWorker))]
        assert [one.cell for one in begun] == [one.cell for one in run]
        new = e.SessionWarmUpStarted | e.VariantKept
        warmed = [x.event for x in played.facts if isinstance(x.event, new)]
        starts = fx.StartWorker | fx.ResetWorker | fx.AdoptVariant
        made = [x for x in played.effects if isinstance(x, starts)]
        assert [one.generation for one in warmed] == [one.generation for one in made]
        assert [one.generation for one in made] == list(range(1, len(made) + 1))

    @MORE
    @whenever(lines())
    def test_what_is_taken_back_kept_and_forked_is_done_once(self, script: list[Line]) -> None:
        played = play(script)
        wanted = [x.cause for x in played.facts if isinstance(x.event, e.UndoRequested)]
        reverts = [x for x in played.effects if isinstance(x, fx.RevertWorker)]
        # Asked for again after a restart, with the very same words.
        assert list(dict.fromkeys(one.question for one in reverts)) == wanted
        assert len(set(map(encode, reverts))) == len(wanted)
        done = Counter(
            x.cause
            for x in played.facts
            if isinstance(x.event, e.CellsUndone | e.CellsRedone | e.UndoFailed)
        )
        assert set(done) <= set(wanted)
        ends = Counter(
            x.event.cell
            for x in played.facts
            if isinstance(x.event, e.VariantKept | e.VariantsDropped)
        )
        assert {*done.values(), *ends.values()} <= {1}
        forks = [x.cause for x in played.facts if isinstance(x.event, e.ForkRequested)]
        ended = [
            x.cause for x in played.facts if isinstance(x.event, e.SessionForked | e.ForkFailed)
        ]
        assert len(set(ended)) == len(ended)
        assert set(forks) - set(ended) == {one.cause for one in played.state.undo.forking}

    @MORE
    @whenever(lines())
    def test_what_is_offered_to_be_taken_back_or_kept_is_taken_back_or_kept(
        self, script: list[Line]
    ) -> None:
        played = play(script)
        offered, undo = allowed(played.state), played.state.undo
        words: list[c.Command] = []
        if Affordance.UNDO_CODE in offered:
            words.append(c.UndoCells(cell=undo.kept.cells[0]))
        if Affordance.REDO_CODE in offered:
            words.append(c.RedoCells())
        if Affordance.KEEP_VARIANT in offered:
            assert undo.trial is not None
            every = range(1, undo.trial.variants + 1)
            words += [c.KeepVariant(one) for one in every if one not in undo.trial.gone]
            assert len(words) > 0
        for word in words:
            after = play([Line(word, by_bot=False, pause=0)], played)
            assert isinstance(after.state.phase, WarmingUp)

    @MORE
    @pytest.mark.promise("SF-STATE-04")
    @whenever(lines())
    def test_a_hard_reset_is_always_a_way_out(self, script: list[Line]) -> None:
        played = play(script)
        if played.state.config is None:
            return
        out = play([Line(c.HardResetSession(), by_bot=False, pause=0)], played)
        assert isinstance(out.state.phase, WarmingUp)
        assert_accounts(out.facts, out.state)
        ready = play([Line(r.WorkerReady(0, 0.1), by_bot=False, pause=0)], out)
        assert isinstance(ready.state.phase, Ready)

    @MORE
    @whenever(lines(), st.integers(0, 60), st.sampled_from(["vanished", "alive", "impossible"]))
    def test_after_a_crash_at_any_point_work_goes_on_and_nothing_stays_open(
        self, script: list[Line], place: int, found: str
    ) -> None:
        crashed = play(script[:place])
        settled = settle(crashed, found)
        assert_sound(settled.state)
        assert_accounts(settled.facts, settled.state)
        if settled.state.config is not None:
            assert settled.state.phase_name not in {PhaseName.WARMING_UP, PhaseName.EVALUATING}
            assert (settled.state.queue, settled.state.questions) == ((), ())
            undo = settled.state.undo
            assert (undo.doing, undo.adopting, undo.forking, undo.returning) == (
                None,
                None,
                (),
                None,
            )
            command = c.RunCell if isinstance(settled.state.phase, Ready) else c.HardResetSession
            assert settled.state.phase_name in ACCEPTS[command]
        run = {x.cell for x in settled.effects[len(crashed.effects) :] if isinstance(x, CELLS)}
        assert run <= {cell.cell for cell in crashed.state.queue}, "run again, or out of nowhere"


def settle(played: Played, found: str) -> Played:
    """Take a session up as after a crash, and answer everything it then has done."""
    waiting = list(resume(played.state, played.steps[-1][1].at)) if played.steps else []
    answered = 0
    while waiting:
        answered += 1
        assert answered < 500, "it never comes to rest"
        known = len(played.effects)
        played = play(answers(played.state, waiting.pop(0), found), played)
        waiting += played.effects[known:]
    return played


def answers(state: SessionState, effect: fx.Effect, found: str) -> list[Line]:
    """What a performer reports; the first time it depends on what the crash left."""
    assert type(effect) not in get_args(AgentEffect)
    present = cast("fx.OfInterpreter", effect).generation - state.generation
    match effect:
        case fx.AttachWorker() | fx.AdoptVariant() if found == "vanished":
            said_now: list[r.Report] = [LOST]
        case fx.AttachWorker() | fx.AdoptVariant() | fx.RevertWorker() if found == "impossible":
            said_now = [r.EffectFailed(msgspec.structs.replace(effect, generation=present), "no")]
        case fx.AttachWorker():
            said_now = [
                r.WorkerReady(present, 0.1, unanswered=effect.unanswered),
                *found_in(effect),
            ]
        case fx.StartWorker() | fx.ResetWorker() | fx.AdoptVariant():
            said_now = [r.WorkerReady(present, 0.1)]
        case fx.ExecuteInWorker() | fx.LoadInWorker():
            said_now = [r.CellEnded(present, effect.cell, r.Succeeded(), 0.1)]
        case fx.WaitThenRestart():
            said_now = [r.RestartDue(present)]
        case fx.RevertWorker() | fx.BranchSession() | fx.ReturnSession():
            said_now = [done(effect, present)]
        case _:
            said_now = []
    return [Line(one, by_bot=False, pause=1) for one in said_now]


def found_in(effect: fx.AttachWorker) -> list[r.Report]:
    """What the interpreter was doing did not outlive the daemon."""
    if effect.cell is None:
        return []
    if effect.trial:
        return [r.VariantsTried(0, effect.cell, problem="the daemon ended")]
    return [r.CellEnded(0, effect.cell, CUT, 0.1)]


def done(effect: fx.RevertWorker | fx.BranchSession | fx.ReturnSession, present: int) -> r.Report:
    """It was carried out."""
    match effect:
        case fx.RevertWorker():
            return r.WorkerReverted(present, effect.question)
        case fx.BranchSession():
            return r.ForkEnded(effect.question)
        case fx.ReturnSession():
            return r.ReturnEnded(effect.question)


CUT = r.Raised(f.Interrupted("the daemon ended"))


def assert_sound(state: SessionState) -> None:
    """What is true of a session at every moment."""
    assert type(state.phase) in get_args(Phase)
    if state.queue:
        assert isinstance(state.phase, WarmingUp | Evaluating)
    if state.questions:
        assert isinstance(state.phase, Ready | Evaluating)
    open_cells = [cell.cell for cell in state.queue]
    if isinstance(state.phase, Evaluating):
        open_cells.insert(0, state.phase.current.cell)
    assert len(set(open_cells)) == len(open_cells)
    assert open_cells == sorted(open_cells, key=lambda cell: int(cell[1:]))
    if state.restart_due is not None:
        assert state.phase_name is PhaseName.FAULTED
    if state.stopped:
        assert state.phase_name is PhaseName.UNINITIALIZED
    # While cells are taken back it is away for a moment, and still the same.
    lives = isinstance(state.phase, Ready | Evaluating) or state.undo.doing is not None
    assert (state.ready_since is not None) is lives
    assert len(state.restarts) <= 5
    assert set(state.loaded) <= set(state.environment)
    assert all(state.environment.values())
    assert 0 <= state.stale <= sum(one.cells for one in state.held)
    replays = [one for one in state.questions if one.asking is Asking.REPLAY]
    assert len(replays) <= 1
    if (Affordance.ANSWER_INPUT in allowed(state)) or not state.fresh:
        assert state.cells
    assert_undo_sound(state)


def assert_undo_sound(state: SessionState) -> None:
    """What is true at every moment of what can be taken back, tried and forked."""
    undo = state.undo
    cells = [cell_number(one.cell) for one in undo.ran]
    assert cells == sorted(set(cells))
    assert not undo.ran or undo.ran[0].kept, "nothing goes back further than the oldest copy"
    busy = [one for one in (undo.doing, undo.adopting) if one is not None]
    assert len(busy) <= isinstance(state.phase, WarmingUp), "one at a time, and only meanwhile"
    if undo.trial is not None:
        assert isinstance(state.phase, Ready)
        assert len(undo.trial.gone) < undo.trial.variants
    if undo.doing is not None:
        assert undo.doing.cause == getattr(state.phase, "cause", None)
        assert undo.redo or not undo.doing.redo
    elif not isinstance(state.phase, Ready | Evaluating) and undo.adopting is None:
        assert (undo.ran, undo.redo, undo.size) == ((), (), 0), "it is gone with the interpreter"
    for one in undo.redo:
        assert one.ran
        assert not {each.cell for each in one.ran} & {each.cell for each in undo.ran}
    if isinstance(state.phase, Evaluating):
        assert undo.redo == ()
    names = [one.to for one in undo.forking]
    assert len(set(names)) == len(names)


def assert_refused(before: SessionState, cause: object, refusal: refusals.Refusal) -> None:
    """A refusal is typed, comes only upon a command, and offers what there is."""
    assert isinstance(refusal, get_args(refusals.Refusal))
    assert isinstance(cause, Asked)
    assert refusal.why
    assert refusal.remedy
    if before.config is not None:
        assert refusal.available == allowed(before)


def assert_accounts(facts: tuple[Fact, ...], state: SessionState) -> None:
    """Every cell and question is opened once and closed at most once; what is not, is open now."""
    queued: Counter[str] = Counter()
    started: Counter[str] = Counter()
    closed: Counter[str] = Counter()
    withdrawn: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    running = ""
    for fact in facts:
        match fact.event:
            case e.CellQueued(cell=cell):
                queued[cell] += 1
            case e.CellStarted(cell=cell):
                assert not running
                running = cell
                started[cell] += 1
            case e.TrialStarted(cell=cell):
                assert not running
                running = cell
                started[cell] += 1
            case e.CellFinished() | e.CellFailed() | e.CellCancelled() | e.TrialEnded():
                assert running == fact.event.cell
                running = ""
                closed[fact.event.cell] += 1
            case e.CellWithdrawn(cell=cell):
                withdrawn[cell] += 1
            case event if isinstance(event, ASKED):
                asked[fact.cause] += 1
            case event if isinstance(event, ANSWERS):
                answered[fact.cause] += 1
            case _:
                pass
    for counted in (queued, started, closed, withdrawn, asked, answered):
        assert set(counted.values()) <= {1}
    now = {state.phase.current.cell} if isinstance(state.phase, Evaluating) else set()
    assert set(started) - set(closed) == now
    assert not set(started) & set(withdrawn)
    assert set(queued) - set(started) - set(withdrawn) == {cell.cell for cell in state.queue}
    assert set(withdrawn) <= set(queued)
    assert set(asked) - set(answered) == {question.cause for question in state.questions}
    assert set(answered) <= set(asked)


@whenever(lines())
def test_whoever_was_accepted_is_answered_or_still_waited_for(script: list[Line]) -> None:
    played = play(script)
    state = played.state
    open_causes = {question.cause for question in state.questions}
    open_causes |= {cell.cause for cell in state.queue}
    if isinstance(state.phase, Evaluating):
        open_causes.add(state.phase.current.cause)
    if isinstance(state.phase, WarmingUp):
        open_causes.add(state.phase.cause)
    open_causes |= {one.cause for one in state.undo.forking}
    if state.undo.returning is not None:
        open_causes.add(state.undo.returning.cause)
    settled = {fact.cause for fact in played.facts if type(fact.event) in e.SETTLING}
    for _, asked, decision in played.steps:
        if isinstance(asked, Asked) and isinstance(decision, Decision):
            assert asked.id in settled | open_causes
