"""What was decided about an agent, kept and shown."""

import pytest
from tests.contracts.facts import ANNA
from tests.contracts.given import given
from tests.contracts.talks import ASKING, answered, call

from hearth.core.rules.state import SessionState
from hearth.core.views.approvals import approvals, permissions
from hearth.core.views.decisions import MOST
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.views.tasks import tasks
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import ApprovalId, CallId
from hearth.core.vocabulary.judging import CallJudged
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.core.vocabulary.prompting import AnswerApproval, ApprovalAnswer

PUSH = Need("execute", "git fetch", pattern="git fetch")
K1, K2 = CallId("k1"), CallId("k2")
ASKED = (Judged(PUSH, Verdict.ASK, "usual"),)
SHELL = call("run_shell", '{"command":"git fetch"}')


def folded(facts: list[Fact], session: str) -> SessionFold:
    view = SessionFold(SessionState(session))  # type: ignore[arg-type]  # a session's id
    for fact in facts:
        view = fold(view, fact)
    return view


@pytest.mark.promise("DP-PERM-14")
def test_grants_and_denials_are_listed_with_who_decided() -> None:
    script = given(*ASKING, answered(1, SHELL), judging=False)
    script.happened(CallJudged(K1, ASKED))
    script.happened(
        AnswerApproval(ApprovalId("a1"), ApprovalAnswer.SESSION, patterns=("git fetch",))
    )
    denied = Judged(Need("write", ".git/config"), Verdict.DENY, "protected")
    script.happened(CallJudged(K1, (denied,)))
    shown = permissions(folded(script.facts, script.state.session))
    assert [(one.answer, one.what, one.by.name) for one in shown.decided] == [
        ("session", "run_shell: execute git fetch", ANNA.name),
        ("denied", "run_shell: write .git/config (protected)", "anthropic:claude-test"),
    ]
    assert shown.grants == (Grant("execute", "git fetch"),)
    assert shown.asked == ()


def test_what_waits_is_shown_until_it_is_answered_or_the_turn_ends() -> None:
    script = given(*ASKING, answered(1, SHELL), judging=False).happened(CallJudged(K1, ASKED))
    view = folded(script.facts, script.state.session)
    (row,) = approvals([view]).rows
    assert (row.session, row.name, row.approval.details) == (
        script.state.session,
        "loom",
        "$ git fetch",
    )
    assert row.approval.agent == "anthropic:claude-test"
    script.happened(p.CancelTurn())
    ended = folded(script.facts, script.state.session)
    assert approvals([ended]).rows == ()
    assert permissions(ended).asked == ()
    assert ended.decisions.asked == ()


def test_only_the_latest_are_kept() -> None:
    script = given(*ASKING, judging=False)
    denied = (Judged(PUSH, Verdict.DENY, "no"),)
    for n in range(MOST + 5):
        script.happened(answered(n + 1, call("w", f'{{"n":{n}}}')))
        script.happened(CallJudged(CallId(f"k{n + 1}"), denied))
    shown = permissions(folded(script.facts, script.state.session))
    assert len(shown.decided) == MOST


@pytest.mark.promise("DP-TOOL-08")
def test_the_tasks_of_a_session_are_a_view_of_their_own() -> None:
    add = '{"op":"add","title":"x","state":"done"}'
    script = given(
        *ASKING, answered(1, call("tasks", add), call("tasks", '{"op":"add","title":"y"}'))
    )
    view = tasks(script.state)
    assert ([one.title for one in view.rows], view.done) == (["x", "y"], 1)
