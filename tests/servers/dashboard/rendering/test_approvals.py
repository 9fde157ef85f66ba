import html as markup
import re

import msgspec
import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import NOON, SESSION, approval

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.permitting import Grant
from hearth.core.vocabulary.prompting import AnswerApproval, ApprovalAnswer
from hearth.servers.dashboard.rendering.approvals import ONLY_ONCE, approval_card, can_be_offered


def _answers(html: str) -> list[AnswerApproval]:
    made = []
    for raw in re.findall(r'data-command="([^"]*)"', html):
        command = codec.decode_command(markup.unescape(raw).encode())
        assert isinstance(command, AnswerApproval)
        made.append(command)
    return made


def test_a_card_tells_exactly_what_is_asked_for_and_why() -> None:
    html = approval_card(SESSION, approval(), context_line="engine", now=NOON)
    seen = looked_at(html).text
    for words in (
        "claude wants to use run_shell",
        "$ rm -rf build",
        "it removes, by a rule",
        "engine",
    ):
        assert words in seen
    assert " id=" not in html


def test_longer_means_exactly_what_was_shown() -> None:
    html = approval_card(SESSION, approval())
    once, session, always, reject, because = _answers(html)
    assert (once.answer, once.patterns) == (ApprovalAnswer.ONCE, ())
    for one, answer in ((session, ApprovalAnswer.SESSION), (always, ApprovalAnswer.ALWAYS)):
        assert (one.answer, one.patterns) == (answer, ("rm -rf build", "rm *"))
    assert reject.answer is because.answer is ApprovalAnswer.REJECT
    assert all(f"<code>{pattern}</code>" in html for pattern in session.patterns)
    assert 'data-fills="text"' in html


@pytest.mark.parametrize(
    "offers",
    [
        (),
        (Grant("execute", "\ud800"),),
        (Grant("execute", "x" * 5000),),
        (Grant("read", "x"),) * 51,
    ],
)
def test_what_cannot_be_allowed_for_longer_says_why(offers: tuple[Grant, ...]) -> None:
    html = approval_card(SESSION, approval(offers=offers))
    assert not can_be_offered(approval(offers=offers))
    assert html.count(" disabled") == 2
    assert ONLY_ONCE in markup.unescape(html)
    assert {one.answer for one in _answers(html)} == {ApprovalAnswer.ONCE, ApprovalAnswer.REJECT}


def test_to_go_on_or_not_is_all_there_is_where_no_tool_is_asked_for() -> None:
    html = approval_card(SESSION, approval(name="", why="it took 50 steps", judged=(), offers=()))
    assert "it took 50 steps" in html
    assert "Go on" in html
    assert "Always" not in html


def test_what_would_hide_in_a_pattern_is_seen() -> None:
    html = approval_card(SESSION, approval(offers=(Grant("execute", "rm\u200b *"),)))
    assert "rm⟨U+200B⟩ *" in html
    assert _answers(html)[1].patterns == ("rm\u200b *",)
    assert msgspec.json.encode("rm\u200b *")
