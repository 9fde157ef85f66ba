"""What is asked is shown with one word for how grave it is, and with what can be answered."""

from datetime import UTC, datetime, timedelta

import pytest

from hearth.core.views.approvals import Pending
from hearth.core.views.talk import Approval
from hearth.core.vocabulary.ids import ApprovalId, CallId, SessionId
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.core.vocabulary.prompting import ApprovalAnswer
from hearth.servers.http.agents.shapes import approval_shown, gravest

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tool", "needs", "word"),
    [
        ("read_file", ("read",), "read"),
        ("read_file", ("read", "external_directory"), "read"),
        ("grep", ("external_directory",), "read"),
        ("edit_file", ("external_directory",), "write"),
        ("write_file", ("write",), "write"),
        ("run_shell", ("read", "write"), "write"),
        ("run_shell", ("external_directory",), "execute"),
        ("run_shell", ("write", "execute"), "execute"),
        ("fetch_url", ("network",), "execute"),
        ("theirs", ("theirs",), "execute"),
        ("", (), "execute"),
    ],
)
@pytest.mark.promise("DL-APPR-01")
def test_one_word_says_how_grave_it_is(tool: str, needs: tuple[str, ...], word: str) -> None:
    assert gravest(tool, tuple(Judged(Need(one, "x"), Verdict.ASK) for one in needs)) == word


def pending(*offers: Grant, at: datetime | None = NOON) -> Pending:
    asked = Approval(ApprovalId("a1"), (CallId("k1"),), "why", "run_shell", offers=offers, at=at)
    return Pending(SessionId("s"), "loom", "/loom", asked)


def test_what_can_be_answered_follows_from_what_can_be_allowed() -> None:
    once = approval_shown(pending(), NOON)
    assert once.answers == (ApprovalAnswer.ONCE, ApprovalAnswer.REJECT)
    longer = approval_shown(pending(Grant("execute", "make *")), NOON)
    assert set(longer.answers) == set(ApprovalAnswer)
    assert longer.patterns == ("make *",)


def test_its_age_is_never_less_than_nothing() -> None:
    assert approval_shown(pending(), NOON + timedelta(seconds=90)).age == 90
    assert approval_shown(pending(), NOON - timedelta(seconds=90)).age == 0
    assert approval_shown(pending(at=None), NOON).age == 0
