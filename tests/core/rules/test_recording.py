"""What is allowed for always is kept, also if the daemon ends first; if it is not, that is told."""

import pytest
from tests.contracts.given import CONFIG, Script, given
from tests.contracts.talks import ASKING, answered, call, names, sealed

from hearth.core.rules.recording import NOT_STORED
from hearth.core.rules.recovery import resume_talk
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.blocks import NoticeBlock
from hearth.core.vocabulary.deeds import GrantRecorded
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import ApprovalId, CallId
from hearth.core.vocabulary.judging import CallJudged, GrantStored, JudgeCall, StoreGrant
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.core.vocabulary.reports import EffectFailed

K1, A1 = CallId("k1"), ApprovalId("a1")
MAKE = Need("execute", "make", pattern="make", why="nobody knows what it does")
STORE = StoreGrant(
    A1,
    (Grant("execute", "make"),),
    CONFIG,
    "execute make (nobody knows what it does)",
    "anna",
)
ALWAYS = p.AnswerApproval(A1, p.ApprovalAnswer.ALWAYS, patterns=("make",))


def allowed_for_always() -> Script:
    judged = CallJudged(K1, (Judged(MAKE, Verdict.ASK, "usual"),))
    script = given(*ASKING, answered(1, call("run_shell", '{"command":"make"}')), judging=False)
    return script.happened(judged, ALWAYS)


def after_a_restart(script: Script) -> tuple[Effect, ...]:
    return resume_talk(script.state, script.facts[-1].at)


@pytest.mark.promise("DP-PERM-06")
def test_what_was_not_kept_when_the_daemon_ended_is_kept_when_it_is_back() -> None:
    script = allowed_for_always()
    assert [one for one in script.effects if isinstance(one, StoreGrant)] == [STORE]
    first, *rest = after_a_restart(script)
    assert first == STORE
    assert [type(one) for one in rest] == [m.WaitThenAsk]


@pytest.mark.promise("DP-PERM-06")
def test_what_is_kept_is_not_kept_again_for_it_may_have_been_revoked() -> None:
    script = allowed_for_always()
    outcome = script.when(GrantStored(A1))
    assert [fact.event for fact in outcome.facts] == [GrantRecorded(A1)]
    assert outcome.effects == ()
    assert [type(one) for one in after_a_restart(script)] == [m.WaitThenAsk]
    assert script.when(GrantStored(A1)).facts == ()


def test_people_are_told_what_could_not_be_kept_and_the_call_goes_on() -> None:
    script = allowed_for_always()
    outcome = script.when(EffectFailed(STORE, "the disk is full"))
    assert names(outcome.facts) == ["GrantRecorded", "BlockSealed"]
    (told,) = sealed(outcome.facts)
    assert isinstance(told, NoticeBlock)
    assert told.text == f"{NOT_STORED}: the disk is full"
    run = script.when(CallJudged(K1, (Judged(MAKE, Verdict.ASK, "usual"),)))
    assert [type(one) for one in run.effects] == [m.RunTool]


def test_whoever_cancelled_meanwhile_hears_nothing_of_it() -> None:
    script = allowed_for_always().happened(p.CancelTurn())
    assert script.when(GrantStored(A1, "the disk is full")).facts == ()
    assert not [one for one in after_a_restart(script) if isinstance(one, StoreGrant | JudgeCall)]
