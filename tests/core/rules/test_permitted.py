"""What rules and people say to calls: refused, asked, run; once each, in order, across restarts."""

import pytest
from tests.contracts.given import ANNA, BOT, CONFIG, Outcome, Script, given, said
from tests.contracts.talks import ASKING, answered, call, due, events, names, returned, sealed

from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.doing import LONGEST_SAID
from hearth.core.rules.recovery import resume_talk
from hearth.core.rules.state import allowed
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import TextBlock, ToolResultBlock
from hearth.core.vocabulary.commands import StopSession
from hearth.core.vocabulary.ids import ApprovalId, CallId, RequestId, TurnId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall, StoreGrant
from hearth.core.vocabulary.permitting import Grant, Judged, Kept, Need, Verdict
from hearth.core.vocabulary.prompting import ApprovalAnswer
from hearth.core.vocabulary.refusals import Malformed, NotAllowed, NotNow

K1, K2, K3 = CallId("k1"), CallId("k2"), CallId("k3")
A1, A2, A3 = ApprovalId("a1"), ApprovalId("a2"), ApprovalId("a3")
SWITCH = Need("execute", "git switch main", pattern="git switch <words>", why="it changes files")
MAKE = Need("execute", "make", pattern="make")
OPAQUE = Need("execute", "$x", least=Verdict.ASK, why="what it runs cannot be told")
KEPT = Kept("/home/anna/loom", "tree1")
SHELL = call("run_shell", '{"command":"git switch main"}')


def asks(*needs: Need) -> tuple[Judged, ...]:
    return tuple(Judged(need, Verdict.ASK, "usual") for need in needs)


def allows(*needs: Need) -> tuple[Judged, ...]:
    return tuple(Judged(need, Verdict.ALLOW, "a rule") for need in needs)


def calling(*calls: m.Written) -> Script:
    return given(*ASKING, answered(1, *calls), judging=False)


def answer(approval: ApprovalId, how: ApprovalAnswer, *patterns: str) -> p.AnswerApproval:
    return p.AnswerApproval(approval, how, patterns=patterns)


def judged_calls(outcome: Outcome) -> list[tuple[str, bool]]:
    return [(one.call, one.keep) for one in outcome.effects if isinstance(one, JudgeCall)]


def run(outcome: Outcome) -> list[m.RunTool]:
    return [one for one in outcome.effects if isinstance(one, m.RunTool)]


def results(outcome: Outcome) -> list[ToolResultBlock]:
    return [one for one in sealed(outcome.facts) if isinstance(one, ToolResultBlock)]


def test_a_call_is_judged_before_anything_of_it_happens() -> None:
    outcome = given(*ASKING, judging=False).when(answered(1, SHELL))
    assert outcome.effects == (
        JudgeCall(
            K1,
            "run_shell",
            '{"command":"git switch main"}',
            CONFIG,
            "anthropic:claude-test",
            none_granted=True,
        ),
    )
    assert "ToolStarted" not in names(outcome.facts)


def test_what_is_allowed_is_run_with_what_was_allowed_and_the_log_says_by_what() -> None:
    outcome = calling(SHELL).when(CallJudged(K1, allows(SWITCH), KEPT))
    assert names(outcome.facts) == ["FilesKept", "ToolStarted"]
    kept, started = (fact.event for fact in outcome.facts)
    assert isinstance(kept, d.FilesKept)
    assert kept.kept == KEPT
    assert isinstance(started, t.ToolStarted)
    assert started.by == "a rule"
    assert [one.needs for one in run(outcome)] == [(SWITCH,)]


def test_what_is_denied_is_refused_in_the_log_and_told_to_the_agent_who_goes_on() -> None:
    denied = Judged(SWITCH, Verdict.DENY, "execute git switch <words> is denied (hearth.jsonc:4)")
    outcome = calling(SHELL).when(CallJudged(K1, (denied, *asks(MAKE)), KEPT))
    assert names(outcome.facts) == ["ToolRefused", "BlockSealed", "ModelAsked"]
    assert events(outcome.facts, d.ToolRefused) == [
        d.ToolRefused(K1, run_turn(), "run_shell", (denied,))
    ]
    (result,) = results(outcome)
    assert result.is_error
    assert "hearth.jsonc:4" in str(result.result)
    assert run(outcome) == []


def run_turn() -> TurnId:
    return calling(SHELL).state.talk.open.turn  # type: ignore[union-attr]  # it runs


@pytest.mark.promise("DL-APPR-01", "DP-PERM-10")
def test_a_person_is_asked_and_sees_what_with_what_for_and_what_could_be_allowed() -> None:
    script = calling(SHELL)
    outcome = script.when(CallJudged(K1, asks(SWITCH), KEPT))
    (asked,) = events(outcome.facts, t.ApprovalRequested)
    assert isinstance(asked, t.ApprovalRequested)
    assert asked.name == "run_shell"
    assert asked.details == "$ git switch main"
    assert asked.why == "execute git switch main (it changes files)"
    assert asked.judged == asks(SWITCH)
    assert asked.offers == (Grant("execute", "git switch <words>"),)
    assert outcome.facts[0].origin.name == "anthropic:claude-test"
    assert outcome.effects == ()
    assert script.state.talk.phase is TurnPhase.WAITING


@pytest.mark.promise("DL-APPR-02")
def test_what_a_person_allows_once_is_judged_again_and_then_run() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)))
    yes = script.when(answer(A1, ApprovalAnswer.ONCE))
    assert judged_calls(yes) == [("k1", True)]
    outcome = script.when(CallJudged(K1, asks(SWITCH)))
    assert [one.call for one in run(outcome)] == ["k1"]
    (started,) = events(outcome.facts, t.ToolStarted)
    assert isinstance(started, t.ToolStarted)
    assert started.by == "a person allowed it"
    assert script.state.talk.grants == ()


def test_what_a_person_says_with_their_yes_is_heard_behind_the_result() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)))
    yes = script.when(p.AnswerApproval(A1, ApprovalAnswer.ONCE, "but tidy up"))
    assert names(yes.facts) == ["ApprovalAnswered", "MessageQueued"]
    script.happened(CallJudged(K1, asks(SWITCH)))
    outcome = script.when(returned(1, "switched"))
    assert names(outcome.facts) == ["BlockSealed", "BlockSealed", "MessageDelivered", "ModelAsked"]
    result, told = sealed(outcome.facts)
    assert isinstance(result, ToolResultBlock)
    assert told == TextBlock("but tidy up")
    assert outcome.facts[1].origin == ANNA


@pytest.mark.promise("DP-PERM-13")
def test_no_agent_lets_itself_do_what_a_person_was_asked_for() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)))
    for how in (ApprovalAnswer.ONCE, ApprovalAnswer.REJECT):
        refused = script.when(answer(A1, how), by=BOT).decision
        assert isinstance(refused, NotAllowed)
        assert refused.available == allowed(script.state)
        assert script.state.talk.phase is TurnPhase.WAITING


def test_what_became_something_else_meanwhile_is_asked_for_again() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)), answer(A1, ApprovalAnswer.ONCE))
    outcome = script.when(CallJudged(K1, asks(SWITCH, OPAQUE)))
    (asked,) = events(outcome.facts, t.ApprovalRequested)
    assert isinstance(asked, t.ApprovalRequested)
    assert asked.judged == asks(OPAQUE)
    assert run(outcome) == []


def test_what_is_denied_meanwhile_is_not_run_whoever_allowed_it() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)), answer(A1, ApprovalAnswer.ONCE))
    outcome = script.when(CallJudged(K1, (Judged(SWITCH, Verdict.DENY, "a new rule"),)))
    assert run(outcome) == []
    assert results(outcome)[0].is_error


def test_for_the_session_covers_its_like_and_nothing_more() -> None:
    script = calling(SHELL).happened(
        CallJudged(K1, asks(SWITCH)), answer(A1, ApprovalAnswer.SESSION, "git switch <words>")
    )
    assert script.state.talk.grants == (Grant("execute", "git switch <words>"),)
    script.happened(CallJudged(K1, asks(SWITCH)), returned(1), answered(2, SHELL))
    other = Need("execute", "git switch fork", pattern="git switch <words>")
    outcome = script.when(CallJudged(K2, asks(other)))
    assert [one.call for one in run(outcome)] == ["k2"]
    script.happened(returned(2), answered(3, SHELL))
    assert run(script.when(CallJudged(K3, asks(MAKE)))) == []


def test_what_is_not_proven_is_covered_by_no_grant() -> None:
    script = calling(SHELL).happened(
        CallJudged(K1, asks(SWITCH)), answer(A1, ApprovalAnswer.SESSION, "git switch <words>")
    )
    sly = Need("execute", "git switch $x", least=Verdict.ASK, pattern="git switch <words>")
    outcome = script.when(CallJudged(K1, asks(sly)))
    (asked,) = events(outcome.facts, t.ApprovalRequested)
    assert isinstance(asked, t.ApprovalRequested)
    assert asked.offers == ()
    script.when(answer(A2, ApprovalAnswer.SESSION)).refused(Malformed, path="$.answer")


@pytest.mark.promise("DP-PERM-11")
def test_for_always_must_be_said_word_for_word_and_is_stored_before_it_is_judged_again() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)))
    script.when(answer(A1, ApprovalAnswer.ALWAYS)).refused(Malformed, path="$.patterns")
    wider = answer(A1, ApprovalAnswer.ALWAYS, "git *")
    refusal = script.when(wider).refused(Malformed, path="$.patterns")
    assert "git switch <words>" in refusal.why
    outcome = script.when(answer(A1, ApprovalAnswer.ALWAYS, "git switch <words>"))
    stored, judging = outcome.effects
    assert isinstance(stored, StoreGrant)
    assert stored.grants == (Grant("execute", "git switch <words>"),)
    assert (stored.by, stored.why) == ("anna", asked_for())
    assert isinstance(judging, JudgeCall)
    assert script.state.talk.grants == ()  # the book is asked, where it can be taken back


def asked_for() -> str:
    return "execute git switch main (it changes files)"


@pytest.mark.promise("DP-PERM-07")
def test_whoever_says_no_says_it_to_all_that_is_asked() -> None:
    script = calling(SHELL, call("write", "{}"), call("look", "{}")).happened(
        CallJudged(K1, asks(SWITCH)), CallJudged(K2, asks(MAKE)), CallJudged(K3, asks(OPAQUE))
    )
    assert len(script.state.talk.open.approvals) == 3  # type: ignore[union-attr]  # it runs
    no = script.when(p.AnswerApproval(A2, ApprovalAnswer.REJECT, "not today"))
    answers = events(no.facts, t.ApprovalAnswered)
    assert [(one.approval, one.because) for one in answers] == [  # type: ignore[union-attr]  # answers
        (A2, ""),
        (A1, A2),
        (A3, A2),
    ]
    assert all("not today" in str(one.result) for one in results(no))
    assert [type(one) for one in no.effects] == [m.AskModel]


def test_a_grant_settles_what_else_waits_and_is_covered_by_it() -> None:
    script = calling(SHELL, call("write", "{}"), call("more", "{}")).happened(
        CallJudged(K1, asks(SWITCH)),
        CallJudged(K2, asks(SWITCH)),
        CallJudged(K3, asks(SWITCH, MAKE)),
    )
    outcome = script.when(answer(A1, ApprovalAnswer.SESSION, "git switch <words>"))
    answers = events(outcome.facts, t.ApprovalAnswered)
    assert [(one.approval, one.because) for one in answers] == [(A1, ""), (A2, A1)]  # type: ignore[union-attr]  # answers
    assert script.state.talk.phase is TurnPhase.WAITING  # the third
    # Those in front are judged to be run, those behind them need not keep files yet.
    assert judged_calls(outcome) == [("k1", True), ("k2", False)]


@pytest.mark.promise("DP-PERM-13")
def test_an_approval_is_answered_once_and_outlives_everything() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)))
    assert resume_talk(script.state, script.facts[-1].at) == (m.WaitThenAsk(RequestId("r1"), 0.0),)
    again = script.when(due(1))
    assert (again.facts, again.effects) == ((), ())
    assert script.state.talk.phase is TurnPhase.WAITING
    script.happened(answer(A1, ApprovalAnswer.ONCE))
    script.when(answer(A1, ApprovalAnswer.ONCE)).refused(NotNow)


def test_what_was_to_be_judged_when_the_daemon_ended_is_judged_again() -> None:
    script = calling(SHELL, call("write", "{}")).happened(CallJudged(K2, asks(MAKE)))
    outcome = script.when(due(1))
    assert judged_calls(outcome) == [("k1", True)]
    assert outcome.facts == ()


def test_what_ran_when_the_daemon_ended_is_not_run_again() -> None:
    script = calling(SHELL, call("write", "{}"))
    script.happened(CallJudged(K1, allows(SWITCH)), CallJudged(K2, asks(MAKE)))
    outcome = script.when(due(1))
    assert [one.call for one in results(outcome)] == ["k1"]
    assert "effects unknown" in str(results(outcome)[0].result)
    assert run(outcome) == []


def test_calls_are_run_as_if_one_after_the_other() -> None:
    script = calling(call("write", "{}"), call("look", "{}"), call("write", '{"n":2}'))
    assert judged_calls(script.when(CallJudged(K2))) == []  # behind the first
    assert run(script.when(CallJudged(K3))) == []
    assert [one.call for one in run(script.when(CallJudged(K1)))] == ["k1"]
    freed = script.when(returned(1))
    assert judged_calls(freed) == [("k2", True)]
    assert [one.call for one in run(script.when(CallJudged(K2)))] == ["k2"]
    assert judged_calls(script.when(returned(2))) == [("k3", True)]


def test_what_only_reads_does_not_wait_for_its_like() -> None:
    script = calling(call("look", "{}"), call("look", '{"at":2}'))
    assert [one.call for one in run(script.when(CallJudged(K2)))] == ["k2"]
    assert [one.call for one in run(script.when(CallJudged(K1)))] == ["k1"]


def test_a_call_that_is_judged_twice_is_run_once_and_asked_for_once() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)))
    script.when(CallJudged(K1, asks(SWITCH))).ignored()
    script.when(CallJudged(K1)).ignored()
    script.happened(answer(A1, ApprovalAnswer.ONCE), CallJudged(K1, asks(SWITCH)))
    script.when(CallJudged(K1, asks(SWITCH))).ignored()
    assert len(events(script.facts, t.ApprovalRequested)) == 1
    assert len(events(script.facts, t.ToolStarted)) == 1


def test_what_would_be_too_wide_is_offered_once_only() -> None:
    wide = Need("execute", "rm -rf dist", pattern="rm *")
    outcome = calling(SHELL).when(CallJudged(K1, asks(wide)))
    (asked,) = events(outcome.facts, t.ApprovalRequested)
    assert isinstance(asked, t.ApprovalRequested)
    assert asked.offers == ()


def test_what_cannot_be_run_at_all_is_told_and_people_get_notices() -> None:
    outcome = calling(SHELL).when(CallJudged(K1, problem="There is no tool run_shell here."))
    assert results(outcome)[0].result == "There is no tool run_shell here."
    noticed = calling(SHELL).when(CallJudged(K1, notice="the files are not kept"))
    assert "the files are not kept" in str(sealed(noticed.facts)[0])
    assert run(noticed)


def test_a_verdict_that_comes_after_the_cancel_runs_nothing() -> None:
    script = calling(SHELL).happened(p.CancelTurn())
    script.when(CallJudged(K1, allows(SWITCH))).ignored()
    waiting = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)), StopSession())
    assert waiting.state.talk.open is None


@pytest.mark.promise("DP-PERM-06")
def test_what_was_allowed_for_the_session_ends_with_it() -> None:
    script = calling(SHELL).happened(
        CallJudged(K1, asks(SWITCH)), answer(A1, ApprovalAnswer.SESSION, "git switch <words>")
    )
    assert script.state.talk.grants
    script.happened(StopSession())
    assert script.state.talk.grants == ()


def test_files_are_not_kept_for_a_question_unless_something_was_allowed() -> None:
    script = calling(SHELL)
    judge = [one for one in script.effects if isinstance(one, JudgeCall)]
    assert [one.none_granted for one in judge] == [True]
    script.happened(CallJudged(K1, asks(SWITCH), keep=False))
    (again,) = script.when(answer(A1, ApprovalAnswer.ONCE)).effects
    assert isinstance(again, JudgeCall)
    assert (again.keep, again.none_granted) == (True, False)


def test_what_is_allowed_while_it_is_judged_is_judged_again_so_that_its_files_are_kept() -> None:
    script = calling(SHELL, SHELL).happened(
        CallJudged(K1, asks(SWITCH), keep=False),
        answer(A1, ApprovalAnswer.SESSION, "git switch <words>"),
        CallJudged(K1, asks(SWITCH), KEPT),
        returned(1),
    )
    late = script.when(CallJudged(K2, asks(SWITCH), keep=False))
    assert judged_calls(late) == [("k2", True)]
    assert run(late) == []
    outcome = script.when(CallJudged(K2, asks(SWITCH), KEPT))
    assert [one.call for one in run(outcome)] == ["k2"]
    assert "FilesKept" in names(outcome.facts)


def test_what_is_told_is_bounded_and_what_is_shown_is_whole() -> None:
    many = tuple(Need("write", f"a/{n}", pattern=f"a/{n}") for n in range(200))
    outcome = calling(call("write", '{"path":"a"}')).when(CallJudged(K1, asks(*many)))
    (asked,) = events(outcome.facts, t.ApprovalRequested)
    assert isinstance(asked, t.ApprovalRequested)
    assert len(asked.why) <= LONGEST_SAID
    assert len(asked.judged) == 200
    assert asked.details == '{"path":"a"}'


def test_what_is_too_much_to_be_shown_is_not_run() -> None:
    many = tuple(Need("write", f"a/{n}" * 50) for n in range(2_000))
    outcome = calling(SHELL).when(CallJudged(K1, asks(*many)))
    assert "more permissions than can be shown" in str(results(outcome)[0].result)
    assert events(outcome.facts, t.ApprovalRequested) == []


@pytest.mark.parametrize(
    ("name", "arguments", "shown"),
    [
        ("run_shell", '{"command":"make","cwd":"docs"}', '{"cwd":"docs"}\n$ make'),
        ("run_shell", '{"command":"a\\n{}","background":true}', '{"background":true}\n$ a\n{}'),
        ("run_code", '{"code":"1","time_limit":5}', '{"time_limit":5}\n1'),
        ("write", '{"command":7}', '{"command":7}'),
    ],
)
def test_nothing_that_a_call_is_given_is_kept_from_a_person(
    name: str, arguments: str, shown: str
) -> None:
    outcome = calling(call(name, arguments)).when(CallJudged(K1, asks(MAKE)))
    (asked,) = events(outcome.facts, t.ApprovalRequested)
    assert isinstance(asked, t.ApprovalRequested)
    assert asked.details == shown


def test_code_is_shown_as_code_and_what_is_no_json_as_it_is() -> None:
    script = calling(call("run_code", '{"code":"import os"}'))
    outcome = script.when(CallJudged(K1, asks(MAKE)))
    (asked,) = events(outcome.facts, t.ApprovalRequested)
    assert isinstance(asked, t.ApprovalRequested)
    assert asked.details == "import os"


def test_a_cell_that_is_allowed_is_run_in_the_interpreter() -> None:
    script = calling(call("run_code", '{"code":"1"}'))
    outcome = script.when(CallJudged(K1, allows(MAKE)))
    assert names(outcome.facts)[:2] == ["ToolStarted", "CellStarted"]


def test_an_agent_that_goes_round_in_circles_is_judged_once_a_person_lets_it() -> None:
    script = calling(SHELL, SHELL, SHELL)
    assert script.state.talk.phase is TurnPhase.WAITING
    script.when(answer(A1, ApprovalAnswer.SESSION)).refused(Malformed)
    outcome = script.when(answer(A1, ApprovalAnswer.ONCE))
    assert [name for name, _ in judged_calls(outcome)] == ["k1", "k2", "k3"]


def test_only_the_one_who_answers_is_named() -> None:
    script = calling(SHELL).happened(CallJudged(K1, asks(SWITCH)))
    script.happened(said(answer(A1, ApprovalAnswer.ONCE), by=ANNA))
    assert script.facts[-1].origin == ANNA
    assert script.facts[-1].origin != BOT
