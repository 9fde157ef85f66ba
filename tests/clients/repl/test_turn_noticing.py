"""What happens around an answer is told in one line, with what helps."""

import pytest
from tests.clients.repl.telling_of import MINE, THEIRS, told

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.turn_noticing import count, notice_of, one_line, turn_noticed, used
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeBlock, NoticeKind, Usage
from hearth.core.vocabulary.ids import ApprovalId, BlockId, SessionId, TurnId
from hearth.core.vocabulary.lines import Line
from hearth.core.vocabulary.prompting import ApprovalAnswer, Effort

T = TurnId("t1")


def noticed(event: t.TurnEvent, *, is_mine: bool = True) -> str:
    envelope = told(event, MINE if is_mine else THEIRS)
    return turn_noticed(envelope, Paint(), is_mine=is_mine)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (t.ModelChanged("gpt-9"), "the model is gpt-9 from the next step on"),
        (t.ModelChanged(effort=Effort.LOW), "the effort is low from the next step on"),
        (
            t.ServersChosen(("docs", "git\x1b[2J")),
            "the MCP servers of this session are docs, git from the next turn on",
        ),
        (t.ServersChosen(()), "the MCP servers of this session are none from the next turn on"),
        (
            t.ServersChosen(),
            "the MCP servers of this session are those of the settings from the next turn on",
        ),
        (
            t.BranchSwitched(Line(leaf=BlockId("b5")), "branch"),
            "b5 is where the conversation goes on from",
        ),
        (t.BranchSwitched(Line(leaf=BlockId("b5")), "regenerate"), "b5 is answered anew"),
        (t.BranchSwitched(Line(), "edit"), ""),
        (
            t.LookupFailed(BlockId("b99"), "there is no such block"),
            "b99 cannot be gone on from: there is no such block",
        ),
        (
            t.ConversationForked(SessionId("session-a"), BlockId("b5"), Line()),
            "the conversation goes on from b5 of session-a",
        ),
        (t.CompactionStarted(T, "it is long"), "making the conversation shorter: it is long"),
        (
            t.ConversationCompacted(T, BlockId("b7"), "x", BlockId(""), Line(), (), 12_345),
            "a summary stands for what was said before (12.3k tokens); .show b7 shows it",
        ),
        (t.CompactionFailed(T, "no model"), ""),
        (t.PrefixStarted(1, "first", "m", "", ""), ""),
        (
            t.PrefixStarted(2, "model changed", "m", "", ""),
            "the provider reads everything anew: model changed",
        ),
        (t.TurnCancelRequested(T), ""),
        (t.ApprovalAnswered(ApprovalId("a1"), ApprovalAnswer.ONCE), ""),
    ],
)
def test_what_one_did_oneself_is_told_shortly(event: t.TurnEvent, line: str) -> None:
    assert noticed(event) == line


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (t.TurnCancelRequested(T), "bot (agent, mcp) asks the agent to stop"),
        (t.ModelChanged("x"), "the model is x from the next step on (bot (agent, mcp))"),
    ],
)
def test_what_others_did_is_told_with_their_name(event: t.TurnEvent, line: str) -> None:
    assert noticed(event, is_mine=False) == line


def test_notices_that_need_care_stand_out() -> None:
    paint = Paint(colour=True)
    assert notice_of(NoticeBlock(NoticeKind.LIMIT, "stopped"), paint) == "\x1b[33mstopped\x1b[0m"
    assert notice_of(NoticeBlock(NoticeKind.NOTICE, "fyi"), paint) == "\x1b[2mfyi\x1b[0m"
    cut = NoticeBlock(NoticeKind.LIMIT, "it was cut off; continue_turn goes on with it")
    assert notice_of(cut, Paint()) == "it was cut off; .continue goes on with it"


def test_tokens_are_short_numbers() -> None:
    assert [count(n) for n in (0, 999, 1000, 12_345, 123_456)] == [
        "0",
        "999",
        "1.0k",
        "12.3k",
        "123k",
    ]
    assert used(Usage()) == []
    assert used(Usage(fresh=10, output=2)) == ["10 tokens in", "2 out"]


def test_a_text_is_told_by_its_beginning() -> None:
    assert one_line("a\n  b") == "a b"
    assert len(one_line("x" * 999)) == 100


def test_a_fork_of_a_session_in_which_nothing_was_said_lacks_nothing() -> None:
    missing = t.LookupFailed(BlockId(""), "nothing was said yet")
    assert turn_noticed(told(missing), Paint(), is_mine=True) == ""
