"""Going back to when something was said, or asking what that would change; and when not."""

import pytest
from tests.contracts.given import (
    ANNA,
    BOT,
    CREATED,
    LOST,
    READY,
    RUNNING,
    STOPPED,
    WAYS,
    Spoken,
    after,
    given,
    said,
)
from tests.contracts.taking import C2, TRYING, UNDOING
from tests.contracts.talks import ASKING

from hearth.core.rules.gone_back import Step, own_id
from hearth.core.rules.interpreter import COMMAND_OF, WAIT_FOR_RETURN
from hearth.core.rules.recovery import resume
from hearth.core.rules.state import LOOK_AT_BLOCKS, allowed
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.ids import BlockId, CellId, InputId, SessionId
from hearth.core.vocabulary.judging import ProjectRewound
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.refusals import NotAllowed, NotNow
from hearth.core.vocabulary.undoing import ForkHow, Returned, RewindScope

B2 = BlockId("b2")
REPLAY = Origin(Actor.SYSTEM, "replay")
BEN = Origin(Actor.PERSON, "ben", Door.CLI)
REPLACED: tuple[c.Command, ...] = (
    c.RunCell("x"),
    c.LoadScript("a.py"),
    c.TryVariants(("1", "2")),
    c.KeepVariant(1),
    c.UndoCells(),
    c.RedoCells(),
    c.ResetSession(),
    c.ReplaySession(),
    c.ForkSession(SessionId("fork")),
    p.SendMessage("hello"),
    p.RegenerateTurn(),
    p.ContinueTurn(),
    p.CompactConversation(),
    p.SwitchBranch(B2),
    p.EditMessage(B2, "other"),
    p.RewindFiles("b2", preview=True),
)
WAYS_OUT: tuple[c.Command, ...] = (
    c.HardResetSession(),
    c.StopSession(),
    c.CheckCode("x"),
    c.CompleteCode("x", 1),
    c.InspectCode("x", 1),
    c.ListVariables(),
    c.ReloadSources(("a.py",)),
    c.RenameSession("other"),
)
NOWHERE = BlockId("")
I3 = InputId("i3")
ALL = RewindScope(interpreter=True, files=True)
BACK = c.ReturnTo(B2, ALL)
GOING: tuple[Spoken, ...] = (*READY, BACK)
"""It is being taken back, as i3 wants it."""
CHANGED = (PathChange("a.py", ChangeKind.CHANGED, 1, 2),)
DID = Returned(was=BlockId("b5"), undone=True, files=True)
ENDED = r.ReturnEnded(
    I3,
    blocks=3,
    cells=(C2,),
    how=ForkHow.COPY,
    changes=CHANGED,
    left_out=1,
    problems=("b.py is too large",),
    did=DID,
)
RETURNED: tuple[Spoken, ...] = (*GOING, ENDED)


def effect(to: BlockId = B2, *, preview: bool = False, was: Returned | None = None) -> fx.Effect:
    """What is asked of the performer by i3, or by i5 if something is to be taken back."""
    question, scope, since = (I3, ALL, 7) if to else (InputId("i5"), RewindScope(), 9)
    return fx.ReturnSession(
        generation=1,
        question=question,
        to=to,
        scope=scope,
        preview=preview,
        origin=ANNA,
        was=was,
        since=since,
    )


class TestGoing:
    def test_what_is_asked_for_goes_along_in_the_name_of_whoever_asked(self) -> None:
        given(*READY).when(BACK).then(e.ReturnRequested(B2, ALL), effects=(effect(),)).owed_to(
            ("i3", ANNA)
        )

    def test_what_came_of_it_is_told_as_a_whole(self) -> None:
        script = given(*GOING)
        script.when(ENDED).then(
            e.SessionReturned(
                to=B2,
                scope=ALL,
                cells=(C2,),
                how=ForkHow.COPY,
                changes=CHANGED,
                left_out=1,
                problems=("b.py is too large",),
                did=DID,
            )
        ).owed_to(("i3", ANNA))
        assert script.state.undo.returned == DID
        script.when(ENDED).ignored()

    def test_a_preview_changes_nothing(self) -> None:
        script = given(*READY)
        script.when(c.ReturnTo(B2, ALL, preview=True)).then(
            e.ReturnRequested(B2, ALL, preview=True), effects=(effect(preview=True),)
        )
        script.when(ENDED).then(
            e.ReturnPreviewed(
                blocks=3,
                cells=(C2,),
                how=ForkHow.COPY,
                changes=CHANGED,
                left_out=1,
                problems=("b.py is too large",),
            )
        )
        assert script.state.undo.returned is None, "there is nothing to take back"

    def test_that_it_failed_is_told(self) -> None:
        script = given(*RETURNED, BACK)
        script.when(r.ReturnEnded(InputId("i5"), failed="no")).then(e.ReturnFailed("no"))
        assert script.state.undo.returned == DID, "what was done before is still what was done last"
        script = given(*GOING)
        failed = r.EffectFailed(script.effects[-1], "no performer")
        assert script.when(failed).facts[0].event == e.ReturnFailed("no performer")

    def test_what_is_told_of_another_changes_nothing(self) -> None:
        given(*GOING).when(r.ReturnEnded(InputId("i2"))).ignored()
        given(*READY).when(r.ReturnEnded(I3)).ignored()


class TestTakenBackItself:
    def test_the_last_one_is_taken_back_by_what_it_did(self) -> None:
        script = given(*RETURNED)
        script.when(c.ReturnTo()).then(
            e.ReturnRequested(NOWHERE), effects=(effect(NOWHERE, was=DID),)
        )
        script.happened(r.ReturnEnded(InputId("i5")))
        assert script.state.undo.returned is None
        refusal = script.when(c.ReturnTo()).refused(NotNow)
        assert "was undone already" in refusal.why

    def test_what_that_would_change_can_be_asked_for_first(self) -> None:
        script = given(*RETURNED)
        outcome = script.when(c.ReturnTo(preview=True))
        assert outcome.effects == (effect(NOWHERE, preview=True, was=DID),)
        script.happened(r.ReturnEnded(InputId("i5")))
        assert script.state.undo.returned == DID

    def test_where_nothing_was_taken_back_there_is_nothing_to_do(self) -> None:
        refusal = given(*READY).when(c.ReturnTo()).refused(NotNow, command="return_to")
        assert "was not taken back yet" in refusal.why
        assert refusal.remedy == ("say to which block it is to go back", LOOK_AT_BLOCKS)

    @pytest.mark.parametrize("did", [DID, Returned(version=7)])
    def test_an_interpreter_that_it_needs_must_be_idle(self, did: Returned) -> None:
        went = (*GOING, r.ReturnEnded(I3, did=did))
        refusal = given(*went, c.RunCell("x")).when(c.ReturnTo()).refused(NotNow)
        assert refusal.remedy == ("cancel_eval",), "it cannot be left out"
        talk = (*GOING, r.ReturnEnded(I3, did=Returned(was=B2)))
        assert given(*talk, c.RunCell("x")).when(c.ReturnTo()).facts, "it is not touched"


class TestRefused:
    def test_what_was_said_before_it_branched_off_says_where(self) -> None:
        refusal = given(*READY).when(c.ReturnTo(BlockId("b2@other"))).refused(NotNow)
        assert "was said in other" in refusal.why
        assert refusal.remedy == ("branch off from other at b2",)

    @pytest.mark.parametrize(
        ("way", "why", "helps"),
        [
            (RUNNING, "running a cell", "cancel_eval"),
            (CREATED, "warming up", "wait for it"),
            (UNDOING, "being taken back", "wait for it"),
        ],
    )
    def test_an_interpreter_that_is_not_idle_says_what_helps_there(
        self, way: tuple[Spoken, ...], why: str, helps: str
    ) -> None:
        refusal = given(*way).when(BACK).refused(NotNow)
        assert why in refusal.why
        assert refusal.remedy == (helps, "go back without the interpreter")
        assert given(*way).when(c.ReturnTo(B2)).facts, "which it can"

    @pytest.mark.parametrize("to", ["17", "b999", "b2@other"])
    def test_what_was_not_said_here(self, to: str) -> None:
        refusal = given(*READY).when(c.ReturnTo(BlockId(to))).refused(NotNow)
        assert repr(to) in refusal.why

    def test_a_second_one_meanwhile(self) -> None:
        for command in (BACK, c.ReturnTo(B2, preview=True)):
            refusal = given(*GOING).when(command).refused(NotNow)
            assert refusal.remedy == ("wait for it",)

    def test_while_its_agent_is_at_work(self) -> None:
        refusal = given(*ASKING).when(c.ReturnTo(B2)).refused(NotNow)
        assert refusal.remedy == ("cancel_turn",)

    @pytest.mark.parametrize("way", [CREATED, RUNNING, TRYING, UNDOING])
    def test_the_interpreter_while_it_is_busy_but_the_conversation_alone(
        self, way: tuple[Spoken, ...]
    ) -> None:
        script = given(*way)
        given(*way).when(BACK).refused(NotNow, command="return_to")
        assert script.when(c.ReturnTo(B2)).facts

    @pytest.mark.parametrize("way", [READY, LOST, STOPPED])
    def test_an_interpreter_that_is_gone_is_no_obstacle(self, way: tuple[Spoken, ...]) -> None:
        assert given(*way).when(BACK).facts

    def test_an_agent_does_not_take_a_persons_work_back(self) -> None:
        given(*READY).when(BACK, by=BOT).refused(NotAllowed, command="return_to")


def own(step: Step, number: int = 1) -> str:
    return own_id(I3, step, number)


class TestMeanwhile:
    """While a session is being taken back, nobody else changes what is being replaced."""

    @pytest.mark.parametrize("command", REPLACED, ids=lambda one: type(one).__name__)
    def test_what_goes_on_from_it_must_wait(self, command: c.Command) -> None:
        for going in (GOING, (*READY, c.ReturnTo(B2)), (*RETURNED, c.ReturnTo())):
            refusal = given(*going).when(command).refused(NotNow)
            assert refusal.why == "the session is being taken back"
            assert refusal.remedy == ("wait for it",)

    def test_each_of_it_is_tried_here(self) -> None:
        assert {type(one) for one in REPLACED} == WAIT_FOR_RETURN

    @pytest.mark.parametrize("command", WAYS_OUT, ids=lambda one: type(one).__name__)
    def test_questions_and_the_ways_out_need_not(self, command: c.Command) -> None:
        assert given(*GOING).when(command).facts

    def test_a_cell_that_is_run_again_can_be_cancelled_and_answered(self) -> None:
        again = said(c.RunCell("x", replays=C2, may_ask=True), by=REPLAY)
        replayed = said(c.ReplaySession(before=3), id_=own(Step.REPLAY))
        script = given(*GOING, replayed, again)
        assert script.when(r.InputAsked(1, CellId("c1"), "?")).facts
        assert script.when(c.AnswerInput("y")).facts
        assert script.when(c.CancelCell()).facts

    def test_what_it_asks_for_itself_need_not(self) -> None:
        script = given(*GOING)
        script.happened(
            said(p.RewindFiles("b2"), id_=own(Step.FILES)),
            ProjectRewound(InputId(own(Step.FILES))),
            said(c.HardResetSession(), id_=own(Step.RESET)),
            r.WorkerReady(2, 0.1),
            said(c.ReplaySession(before=3), id_=own(Step.REPLAY)),
            said(c.RunCell("x", replays=C2), by=REPLAY),
        )
        assert script.state.phase_name is PhaseName.EVALUATING

    def test_nobody_else_acts_in_its_name(self) -> None:
        script = given(*GOING)
        for one in (
            said(p.RewindFiles("b2"), by=BEN, id_=own(Step.FILES)),
            said(c.RunCell("x"), by=BOT, id_=own(Step.UNDO)),
            said(c.RunCell("x", replays=C2), by=REPLAY),
            said(p.RewindFiles("b2"), id_=own_id(InputId("i2"), Step.FILES, 1)),
        ):
            with pytest.raises(AssertionError, match="the session is being taken back"):
                script.happened(one)

    def test_what_is_run_again_is_not_run_by_others(self) -> None:
        script = given(*GOING, said(c.ReplaySession(before=3), id_=own(Step.REPLAY)))
        script.when(c.RunCell("x", replays=C2)).refused(NotNow)
        assert script.when(c.RunCell("x", replays=C2), by=REPLAY).facts

    def test_only_what_can_be_done_is_offered(self) -> None:
        offered = allowed(given(*GOING).state)
        assert {COMMAND_OF.get(one) for one in offered}.isdisjoint(WAIT_FOR_RETURN)
        assert Affordance.HARD_RESET_SESSION in offered
        assert Affordance.LIST_VARIABLES in offered
        assert Affordance.RUN_CODE in allowed(given(*RETURNED).state)

    def test_a_preview_keeps_nobody_from_anything(self) -> None:
        looking = (*READY, c.ReturnTo(B2, ALL, preview=True))
        for command in (c.RunCell("x"), p.SendMessage("hello"), c.ResetSession()):
            assert given(*looking).when(command).facts
        assert Affordance.RUN_CODE in allowed(given(*looking).state)

    def test_it_ends_with_the_return_however_that_ends(self) -> None:
        for end in (ENDED, r.ReturnEnded(I3, failed="no")):
            assert given(*GOING, end).when(c.RunCell("x")).facts
        script = given(*GOING)
        failed = r.EffectFailed(script.effects[-1], "no performer")
        assert script.happened(failed).when(c.RunCell("x")).facts

    def test_a_message_that_waits_begins_no_turn_by_it(self) -> None:
        waiting = (*ASKING, p.SendMessage("and then?"), c.StopSession(), c.HardResetSession())
        script = given(*waiting)
        assert script.state.talk.queue
        script.happened(
            said(c.ReturnTo(B2), id_=I3),
            said(p.RewindFiles("b2"), id_=own(Step.FILES)),
            ProjectRewound(InputId(own(Step.FILES))),
        )
        script.happened(r.ReturnEnded(I3))
        assert script.state.talk.open is None, "it was said to what was taken back"
        script.happened(p.SendMessage("go on"))
        assert script.state.talk.open is not None
        assert not script.state.talk.queue, "whoever speaks next brings it along"


class TestRestart:
    @pytest.mark.parametrize("phase", PhaseName)
    def test_it_is_asked_for_again_wherever_the_session_is(self, phase: PhaseName) -> None:
        script = given(*WAYS[phase], c.ReturnTo(B2))
        assert resume(script.state, after(60))[-1] == script.effects[-1]

    def test_also_what_is_taken_back_of_it(self) -> None:
        script = given(*RETURNED, c.ReturnTo())
        assert resume(script.state, after(60))[-1] == effect(NOWHERE, was=DID)

    def test_one_that_has_ended_is_not(self) -> None:
        found = resume(given(*RETURNED).state, after(60))
        assert [type(one) for one in found] == [fx.AttachWorker]

    @pytest.mark.parametrize("word", [c.StopSession(), c.HardResetSession()])
    def test_it_ends_whatever_happens_meanwhile(self, word: c.Command) -> None:
        script = given(*GOING, word)
        assert script.when(ENDED).facts
        assert script.state.undo.returning is None
