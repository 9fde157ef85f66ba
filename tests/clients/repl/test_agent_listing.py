"""Lists about the agent say what people want to know, and nothing in them is obeyed."""

from datetime import timedelta

from tests.clients.repl.telling_of import ME, NOON, S

from hearth.clients.repl.agent_listing import (
    branch_lines,
    info_lines,
    model_line,
    queue_lines,
    said_line,
    usage_lines,
)
from hearth.clients.repl.now import Now, RunningTurn
from hearth.clients.repl.painting import Paint
from hearth.core.views.branches import Branch, Branches
from hearth.core.views.spending import Miss
from hearth.core.views.talk import Approval, Queued, Talk
from hearth.core.views.usage import Sums, Usage, UsedByTurn
from hearth.core.vocabulary.blocks import Role
from hearth.core.vocabulary.ids import ApprovalId, BlockId, InputId, MessageId, TurnId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.prompting import Effort

T = TurnId("t3")
NOW = Now(S, "loom", PhaseName.READY, directory="/loom")
SUMS = Sums(requests=2, input=2000, cache_read=1800, cached=0.9, output=62, cost=0.0123)


def test_a_session_and_its_agent_are_told_in_a_few_lines() -> None:
    talk = Talk(model="scripted:weaver", effort=Effort.HIGH, messages=3, window=200_000, used=5000)
    assert info_lines(NOW, talk, Usage(total=SUMS), Paint()) == (
        "session   loom · session-aaaaaa · /loom\n"
        "state     ready\n"
        "model     scripted:weaver, effort high\n"
        "messages  3\n"
        "context   5.0k of 200k tokens (2%)\n"
        "usage     2.0k tokens in, 90% of them cached; 62 out; .usage shows more\n"
        "cost      $0.0123"
    )


def test_what_is_not_known_is_said_to_be() -> None:
    shown = info_lines(NOW, Talk(), None, Paint())
    assert "the one of the settings" in shown
    assert "not known until the agent was asked" in shown
    assert "cost" not in shown
    assert "not known, of 200k tokens" in info_lines(NOW, Talk(window=200_000), None, Paint())
    assert model_line(Talk(model="m")) == "m"


def test_a_turn_its_queue_and_what_it_waits_for_are_told() -> None:
    waiting = Queued(MessageId("m1"), "and more", NOON, ME)
    approval = Approval(ApprovalId("a1"), (), "it calls look again")
    talk = Talk(turn=T, step=1, queue=(waiting,), approvals=(approval,))
    busy = NOW._replace(turn=RunningTurn(T, InputId("x"), ME, NOON), stopped=True)
    shown = info_lines(busy, talk, None, Paint())
    assert "state     stopped" in shown
    assert "turn      t3, step 2" in shown
    assert "queue     1 waiting; .queue shows them" in shown
    assert "waits     it calls look again: .approve or .reject" in shown


def test_what_waits_is_listed() -> None:
    assert queue_lines((), NOON) == "nothing waits for the agent"
    waiting = (
        Queued(MessageId("m1"), "and\nmore", NOON, ME),
        Queued(MessageId("m12"), "\x1b[2Jevil", NOON - timedelta(minutes=5), ME),
    )
    assert queue_lines(waiting, NOON) == (
        "m1   ann (repl)  just now       and more\nm12  ann (repl)  5 minutes ago  evil"
    )


def branch(leaf: str, *, parts_at: str = "", current: bool = False) -> Branch:
    return Branch(
        leaf=BlockId(leaf),
        turn=T,
        at=NOON,
        preview="hello",
        role=Role.ASSISTANT,
        model="m",
        blocks=4,
        parts_at=BlockId(parts_at),
        current=current,
    )


def test_branches_are_listed_with_the_present_one_marked() -> None:
    assert branch_lines(Branches(), NOON) == "nothing was said yet"
    both = Branches((branch("b9", current=True), branch("b4", parts_at="b2")), 3)
    assert branch_lines(both, NOON) == (
        "*  b9  4 blocks           m  just now  hello\n"
        "   b4  4 blocks  from b2  m  just now  hello\n"
        "(1 more)\n"
        ".switch BLOCK goes on from there"
    )


def test_usage_is_listed_by_turn_with_what_was_missed() -> None:
    assert usage_lines(Usage(), Paint()) == "nothing was asked yet"
    miss = Miss(T, 0, 900, 0, "system", "model changed")
    partly = Sums(requests=3, input=3000, cached=0.6, output=93, cost=0.01, unpriced=1)
    usage = Usage(
        total=partly, turns=(UsedByTurn(turn=T, at=NOON, sums=SUMS),), missed=1, misses=(miss,)
    )
    assert usage_lines(usage, Paint()) == (
        "turn  requests  in    cached  out  cost\n"
        "t3    2         2.0k  90%     62   $0.0123\n"
        "all   3         3.0k  60%     93   $0.0100 and 1 requests of unknown price\n"
        "t3 step 1 read 0 of 900 cached tokens at system: model changed"
    )


def test_that_something_was_said_is_told() -> None:
    assert said_line(Talk()) == ""
    assert said_line(Talk(messages=1)) == "1 message; .conversation shows them"
    assert said_line(Talk(messages=3, model="m")) == "3 messages with m; .conversation shows them"
