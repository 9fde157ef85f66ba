"""The toolbar says which session, what it does, and who is here."""

from datetime import timedelta

from tests.clients.repl.telling_of import MINE, NOON, S
from tests.contracts.scenes import BOT

from hearth.clients.repl.host import Present
from hearth.clients.repl.now import Now, Running, RunningTurn
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.standing import Standing, toolbar
from hearth.core.views.talk import Approval, Queued, Retry, Talk
from hearth.core.vocabulary.ids import ApprovalId, CellId, MessageId, TurnId
from hearth.core.vocabulary.phases import PhaseName

READY = Now(S, "loom", PhaseName.READY)
RUNNING = READY._replace(state=PhaseName.EVALUATING, running=Running(CellId("c5"), MINE, BOT, NOON))
LATER = NOON + timedelta(seconds=3.2)


def shown(standing: Standing) -> str:
    return toolbar(standing, LATER, Paint())


def test_before_there_is_a_session_one_can_type() -> None:
    assert shown(Standing()) == "connecting … you can type already"
    assert shown(Standing(sent=2)).endswith(" · 2 waiting")


def test_the_session_and_its_state_are_shown() -> None:
    assert shown(Standing(READY)) == "loom · ready · .help"
    others = (Present("mcp", "bot"), Present("mcp", "bot"), Present("browser", ""))
    assert shown(Standing(READY, others=others)) == "loom · ready · with bot, browser · .help"
    full = READY._replace(stale=3, waiting=(CellId("c6"),), more_waiting=1)
    assert shown(Standing(full)) == "loom · ready · 2 waiting · 3 stale · .help"
    assert "stopped" in shown(Standing(READY._replace(stopped=True)))


def test_a_running_cell_is_shown_with_its_time_and_whose_it_is() -> None:
    assert (
        shown(Standing(RUNNING, is_mine=True)) == "loom · c5 runs 3.2 s (Ctrl-C stops it) · .help"
    )
    assert shown(Standing(RUNNING)) == "loom · c5 runs 3.2 s (bot) · .help"


def test_what_a_warm_up_does_and_a_daemon_that_is_away_are_shown() -> None:
    warming = READY._replace(state=PhaseName.WARMING_UP)
    assert shown(Standing(warming, doing="importing loom")) == (
        "loom · warming up: importing loom · .help"
    )
    assert shown(Standing(READY, is_reachable=False)) == "loom · the daemon is away · .help"


def test_nothing_in_it_reaches_the_terminal() -> None:
    evil = READY._replace(name="a\x1b[2Jb")
    assert "\x1b" not in shown(Standing(evil, others=(Present("mcp", "\x1b[2J"),)))


TURN = RunningTurn(TurnId("t2"), MINE, BOT, NOON)


def test_what_the_agent_does_is_shown_with_its_time_and_whose_it_is() -> None:
    busy = READY._replace(turn=TURN, talk=Talk(turn=TurnId("t2")))
    assert shown(Standing(busy, is_my_turn=True)) == (
        "loom · t2 runs 3.2 s (Ctrl-C stops it) · .help"
    )
    assert shown(Standing(busy)) == "loom · t2 runs 3.2 s (bot) · .help"
    later = RUNNING._replace(turn=TURN._replace(since=None), talk=Talk(step=2))
    assert shown(Standing(later)) == "loom · t2 runs, step 3: c5 (bot) · .help"


def test_what_the_agent_waits_for_is_shown() -> None:
    approval = Approval(ApprovalId("a1"), (), "x")
    asks = READY._replace(turn=TURN, talk=Talk(approvals=(approval,)))
    assert shown(Standing(asks)) == "loom · t2 waits for you: .approve or .reject · .help"
    retry = READY._replace(turn=TURN, talk=Talk(retry=Retry(3, 1.0, "overloaded", NOON)))
    assert shown(Standing(retry)) == "loom · t2 asks again, attempt 3 · .help"
    stopping = RUNNING._replace(turn=TURN._replace(is_stopping=True))
    assert shown(Standing(stopping)) == "loom · t2 is stopping: c5 · .help"
    queued = READY._replace(talk=Talk(queue=(Queued(MessageId("m1"), "x", NOON, BOT),)))
    assert shown(Standing(queued)) == "loom · ready · 1 queued · .help"
