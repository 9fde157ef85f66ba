"""A person is asked about a tool that an agent's code calls, while its cell waits."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import ANNA, BOT, SYSTEM, Script, given, said
from tests.contracts.talks import ASKING, answered, call, code, events, names

from hearth.core.rules.cell_asking import ENDED, LEFT, NOBODY, OVER, asking_call
from hearth.core.rules.cell_calls import caller_of
from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.ids import ApprovalId, CallId, CellId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall, StoreGrant
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.core.vocabulary.prompting import ApprovalAnswer
from hearth.core.vocabulary.refusals import NotNow
from hearth.core.vocabulary.undoing import VariantResult

C1, K1, K2 = CellId("c1"), CallId("k1"), CallId("k2")
A1, A2 = ApprovalId("a1"), ApprovalId("a2")
TURN = Need("mcp", "mill__turn", pattern="mill__turn", why="turn of mill")
WRITE = Need("write", "a", pattern="a")
JUDGED = Judged(TURN, Verdict.ASK, "usual")
ASKED = r.ToolAsked(1, C1, "q1", "mill__turn", '{"wheels":3}', (JUDGED,))
YES, NO = ApprovalAnswer.ONCE, ApprovalAnswer.REJECT


def running(*more: m.Written) -> Script:
    """A turn whose `run_code` runs, and what else it called."""
    script = given(*ASKING, answered(1, code("turn()"), *more), judging=False)
    return script.happened(CallJudged(K1))


def waiting() -> Script:
    return running().happened(ASKED)


def told(allowed: bool, why: str = "", ask: str = "q1") -> fx.AnswerToolInWorker:  # noqa: FBT001 - as the effect
    return fx.AnswerToolInWorker(1, ask, allowed, why)


def test_a_person_is_asked_in_the_turn_whose_code_it_is() -> None:
    outcome = running().when(ASKED)
    (asked,) = events(outcome.facts, t.ApprovalRequested)
    assert isinstance(asked, t.ApprovalRequested)
    assert (asked.approval, asked.calls, asked.inside) == (A1, (K1,), "q1")
    assert (asked.name, asked.details) == ("mill__turn", '{"wheels":3}')
    assert asked.judged == (JUDGED,)
    assert asked.offers == (Grant("mcp", "mill__turn"),)
    assert outcome.effects == ()


def test_code_of_a_variant_that_is_tried_asks_as_any_other_does() -> None:
    tries = call("try_code", '{"variants":["turn()","turn(2)"]}')
    script = given(*ASKING, answered(1, tries), judging=False).happened(CallJudged(K1))
    assert caller_of(script.state, C1).can_ask
    for ask, approval in (("q1", A1), ("q2", A2)):
        (asked,) = events(script.when(replace(ASKED, ask=ask)).facts, t.ApprovalRequested)
        assert isinstance(asked, t.ApprovalRequested)
        assert (asked.approval, asked.calls, asked.inside) == (approval, (K1,), ask)
    assert told(allowed=True) in script.when(p.AnswerApproval(A1, YES)).effects
    ended = script.when(r.VariantsTried(1, C1, (VariantResult(), VariantResult())))
    assert told(allowed=False, why=ENDED, ask="q2") in ended.effects


def test_the_turn_waits_for_them_and_the_cell_goes_on_to_run() -> None:
    script = waiting()
    assert script.state.talk.phase is TurnPhase.WAITING
    assert asking_call(script.state, C1) is not None
    assert caller_of(script.state, C1).can_ask


@pytest.mark.parametrize("how", [YES, ApprovalAnswer.SESSION, ApprovalAnswer.ALWAYS])
def test_a_yes_lets_the_code_go_on_and_nothing_is_judged_or_run_by_it(how: ApprovalAnswer) -> None:
    script = waiting()
    patterns = () if how is YES else ("mill__turn",)
    outcome = script.when(p.AnswerApproval(A1, how, patterns=patterns))
    assert told(allowed=True) in outcome.effects
    assert not [one for one in outcome.effects if isinstance(one, JudgeCall | m.RunTool)]
    assert names(outcome.facts) == ["ApprovalAnswered"]
    stored = [one for one in outcome.effects if isinstance(one, StoreGrant)]
    assert bool(stored) is (how is ApprovalAnswer.ALWAYS)
    assert script.state.talk.phase is TurnPhase.CALLING
    assert (script.state.talk.grants == (Grant("mcp", "mill__turn"),)) is (
        how is ApprovalAnswer.SESSION
    )


def test_once_is_for_one_call_and_for_the_session_for_all_that_are_alike() -> None:
    script = waiting().happened(p.AnswerApproval(A1, YES))
    again = replace(ASKED, ask="q2")
    assert names(script.when(again).facts) == ["ApprovalRequested"]
    script.happened(p.AnswerApproval(A2, ApprovalAnswer.SESSION, patterns=("mill__turn",)))
    third = script.when(replace(ASKED, ask="q3"))
    assert (third.facts, third.effects) == ((), (told(allowed=True, ask="q3"),))


def test_what_is_allowed_for_long_answers_those_that_wait_beside_it() -> None:
    script = waiting().happened(replace(ASKED, ask="q2"))
    outcome = script.when(p.AnswerApproval(A1, ApprovalAnswer.SESSION, patterns=("mill__turn",)))
    assert outcome.effects == (told(allowed=True), told(allowed=True, ask="q2"))
    assert script.state.talk.phase is TurnPhase.CALLING


def test_a_no_reaches_the_code_and_not_the_call_that_runs_it() -> None:
    script = waiting()
    outcome = script.when(p.AnswerApproval(A1, NO, "not today"))
    assert outcome.effects == (told(allowed=False, why="the person said no. They say: not today"),)
    assert names(outcome.facts) == ["ApprovalAnswered"]
    assert script.state.talk.phase is TurnPhase.CALLING


def test_a_no_is_one_to_all_that_is_asked_in_the_session() -> None:
    script = running(call("write", "{}")).happened(ASKED)
    script.happened(CallJudged(K2, (Judged(WRITE, Verdict.ASK),)))
    outcome = script.when(p.AnswerApproval(A2, NO))
    assert told(allowed=False, why="the person said no.") in outcome.effects
    assert names(outcome.facts).count("ApprovalAnswered") == 2
    assert names(outcome.facts).count("BlockSealed") == 1


def test_it_is_answered_once() -> None:
    script = waiting().happened(p.AnswerApproval(A1, YES))
    script.when(p.AnswerApproval(A1, YES)).refused(NotNow)
    assert script.when(r.ToolUsed(1, "mill__turn", Verdict.ALLOW, C1, ask="q1")).effects == ()


def test_the_same_question_is_asked_once() -> None:
    assert waiting().when(ASKED).effects == ()


@pytest.mark.parametrize(
    "end",
    [
        r.CellEnded(1, C1, r.Succeeded(), 0.1),
        r.CellEnded(1, C1, r.Stopped(), 0.1),
        r.WorkerLost(1, r.Exit.CRASH, "gone"),
        c.HardResetSession(),
    ],
    ids=lambda one: type(one).__name__,
)
def test_it_is_over_with_the_cell_and_the_agent_goes_on(end: r.Report | c.Command) -> None:
    script = waiting()
    outcome = script.when(end)
    (gone,) = [one for one in outcome.facts if isinstance(one.event, t.ApprovalAnswered)]
    assert isinstance(gone.event, t.ApprovalAnswered)
    assert (gone.event.answer, gone.event.text, gone.origin) == (NO, ENDED, SYSTEM)
    # Whoever waits for what brought it about is not answered by this.
    assert gone.cause not in {"i1", f"i{script._count}"}
    assert names(outcome.facts)[-2:] in (
        ["ModelAsked", "StateTransitioned"],
        ["ApprovalAnswered", "ModelAsked"],
    )
    script.when(p.AnswerApproval(A1, YES)).refused(NotNow)


def test_it_is_over_when_the_code_stops_waiting() -> None:
    script = waiting()
    outcome = script.when(r.ToolUsed(1, "mill__turn", Verdict.ASK, C1, ask="q1"))
    assert names(outcome.facts) == ["ApprovalAnswered", "CellToolCalled"]
    (gone,) = events(outcome.facts, t.ApprovalAnswered)
    assert isinstance(gone, t.ApprovalAnswered)
    assert gone.text == LEFT
    assert script.state.talk.phase is TurnPhase.CALLING


def test_it_is_over_when_another_daemon_takes_the_interpreter_up() -> None:
    script = waiting()
    outcome = script.when(r.WorkerReady(1, 0.0))
    assert names(outcome.facts) == ["ApprovalAnswered"]
    assert script.state.talk.phase is TurnPhase.CALLING


def test_who_cancels_the_turn_takes_the_question_along() -> None:
    script = waiting()
    outcome = script.when(p.CancelTurn())
    assert any(isinstance(one, fx.InterruptWorker) for one in outcome.effects)
    # A thread of the cell is not interrupted: it must hear of it.
    assert told(allowed=False, why=OVER) in outcome.effects
    assert "TurnFinished" in names(outcome.facts)
    script.when(p.AnswerApproval(A1, YES)).refused(NotNow)
    assert script.when(r.CellEnded(1, C1, r.Stopped(), 0.1)).effects == ()
    assert script.when(ASKED).effects == (told(allowed=False, why=NOBODY),)


def test_where_no_turn_waits_for_the_cell_nobody_is_asked() -> None:
    for by in (BOT, ANNA):
        script = given(*ASKING, said(c.RunCell("1"), by=by))
        assert not caller_of(script.state, C1).can_ask
        assert script.when(ASKED).effects == (told(allowed=False, why=NOBODY),)


@pytest.mark.parametrize(
    "asked", [replace(ASKED, cell=CellId("c2")), replace(ASKED, judged=()), replace(ASKED, ask="")]
)
def test_what_is_not_of_the_running_cell_or_asks_nothing_is_not_allowed(asked: r.ToolAsked) -> None:
    outcome = running().when(asked)
    assert [one.allowed for one in outcome.effects if isinstance(one, fx.AnswerToolInWorker)] in (
        [False],
        [],
    )


def test_of_another_interpreter_nothing_is_heard() -> None:
    running().when(replace(ASKED, generation=2)).ignored()


def test_what_is_denied_or_cannot_be_shown_whole_is_not_asked() -> None:
    denied = replace(ASKED, judged=(JUDGED, Judged(TURN, Verdict.DENY, "a rule")))
    (answer,) = running().when(denied).effects
    assert isinstance(answer, fx.AnswerToolInWorker)
    assert not answer.allowed
    much = tuple(Judged(replace(TURN, target=f"{n}" * 500), Verdict.ASK) for n in range(300))
    (answer,) = running().when(replace(ASKED, judged=much)).effects
    assert isinstance(answer, fx.AnswerToolInWorker)
    assert not answer.allowed
