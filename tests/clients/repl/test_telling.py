"""What happens is told once, in order, one's own and others' apart."""

import pytest
from msgspec.structs import replace
from tests.clients.repl.telling_of import MINE, NOON, THEIRS, S, text, told
from tests.contracts.scenes import BOT

from hearth.clients.repl.now import Now, Running
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.telling import Teller
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role, ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.content import RichData, StreamText
from hearth.core.vocabulary.failures import CodeRaised, TimedOut
from hearth.core.vocabulary.ids import BlockId, CallId, CellId, InputId, TurnId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.undoing import VariantResult

C = CellId("c1")
CODE = "def f():\n\tif x:\n\t    return 1"


@pytest.fixture
def teller() -> Teller:
    return Teller(Paint(), lambda cause: cause == MINE)


def started(teller: Teller, cause: str = MINE, code: str = "code") -> str:
    return text(teller.tell(told(e.CellStarted(C, code), THEIRS if cause == THEIRS else MINE)))


def chunk(teller: Teller, said: str, stream: str = "stdout") -> str:
    return text(teller.show(p.OutputChunk(C, "stderr" if stream == "stderr" else "stdout", said)))


def test_ones_own_cell_shows_its_output_and_its_value(teller: Teller) -> None:
    assert started(teller) == ""
    assert chunk(teller, "one\ntw") == "one"
    assert teller.live == "tw"
    assert chunk(teller, "o\n") == "two"
    assert teller.live == ""
    outputs = (StreamText("stdout", "one\ntwo\n"), RichData({"text/plain": "2"}, is_result=True))
    ended = e.CellFinished(C, 0.1, "2", "int", outputs)
    assert text(teller.tell(told(ended))) == "2  # int"


def test_a_cell_of_somebody_else_is_set_apart_with_its_code_as_it_is(teller: Teller) -> None:
    assert started(teller, THEIRS, CODE) == f"── c1  bot (agent, mcp) ──\n{CODE}"
    assert chunk(teller, "one\n") == "──\none"
    assert chunk(teller, "two\n") == "two"
    ended = e.CellFinished(C, 2.0, "2", "int", (StreamText("stdout", "one\ntwo\n"),))
    assert text(teller.tell(told(ended, THEIRS))) == "2  # int\n── c1 finished in 2.0 s ──"


def test_a_script_of_somebody_else_is_told_by_its_file(teller: Teller) -> None:
    event = e.CellStarted(C, "x" * 9000, script="/loom/weave.py")
    assert (
        text(teller.tell(told(event, THEIRS))) == "── c1  bot (agent, mcp) runs /loom/weave.py ──"
    )


def test_very_long_code_is_bounded(teller: Teller) -> None:
    shown = started(teller, THEIRS, "\n".join(f"x = {n}" for n in range(300)))
    assert "x = 199\n" in shown
    assert "x = 200" not in shown
    assert "100 more lines; .show c1 shows all" in shown


def test_what_a_cell_shows_and_takes_back_is_told_as_it_comes(teller: Teller) -> None:
    started(teller)
    chunk(teller, "10 %")
    assert teller.show(p.OutputCleared(C)) == []
    assert teller.live == ""
    display = RichData({"text/plain": "table"})
    assert text(teller.show(p.DisplayShown(C, display))) == "table"
    assert text(teller.tell(told(e.CellFinished(C, 0.1, outputs=(display,))))) == ""


def test_failures_and_cancels_are_told(teller: Teller) -> None:
    started(teller)
    assert text(teller.tell(told(e.CellFailed(C, TimedOut(2, 2.1))))) == (
        "stopped: it ran longer than 2.0 s"
    )
    started(teller)
    assert text(teller.tell(told(e.CellCancelled(C, 3.0)))) == "cancelled after 3.0 s"
    started(teller, THEIRS)
    shown = text(teller.tell(told(e.CellFailed(C, CodeRaised("E", "no"), 1.0), THEIRS)))
    assert shown == "──\nE: no\n── c1 failed after 1.0 s ──"


def test_output_after_the_end_is_told_once(teller: Teller) -> None:
    started(teller)
    teller.tell(told(e.CellFinished(C, 0.1)))
    assert chunk(teller, "late\n") == "late"
    late = e.CellOutputAdded(C, (StreamText("stdout", "late\n"),))
    assert text(teller.tell(told(late))) == ""
    never_heard = Teller(Paint(), lambda _: True)
    assert text(never_heard.tell(told(late))) == "late"


def test_an_event_that_waited_for_the_store_is_told_once(teller: Teller) -> None:
    started(teller)
    ended = told(e.CellFinished(C, 0.1, "2", "int"), seq=9)
    unsaved = p.EventUnsaved(encode(ended).decode())
    assert text(teller.show(unsaved)) == "2  # int"
    assert teller.show(unsaved) == []
    assert teller.tell(ended) == []


def test_who_comes_in_the_middle_is_told_what_runs(teller: Teller) -> None:
    running = Running(C, THEIRS, BOT, NOON)
    now = Now(S, "loom", PhaseName.EVALUATING, running=running)
    assert text(teller.attach(now, "hang")) == "── c1  bot (agent, mcp) ──\nhang"
    outputs = (StreamText("stdout", "from the beginning\n"),)
    shown = text(teller.tell(told(e.CellFinished(C, 1.0, outputs=outputs), THEIRS)))
    assert shown == "──\nfrom the beginning\n── c1 finished in 1.0 s ──"


def test_somebody_elses_replay_is_announced(teller: Teller) -> None:
    begun = e.ReplayStarted(S)
    assert text(teller.tell(told(begun, THEIRS))) == f"bot (agent, mcp) replays the cells of {S}"
    assert teller.tell(told(begun)) == []
    assert teller.tell(told(e.SessionWarmUpStarted(1), THEIRS)) == []


def test_what_a_replay_runs_is_not_told_unless_it_fails(teller: Teller) -> None:
    teller.show(p.ReplayStep(CellId("c3"), 2, 5))
    assert teller.doing == "replaying c3, 2 of 5"
    again = told(e.CellStarted(C, "x = 1", replays=CellId("c3")), THEIRS)
    assert teller.tell(again) == []
    assert teller.tell(told(e.CellFinished(C, 0.1, "1", "int"), THEIRS)) == []
    teller.tell(again)
    assert "E: no" in text(teller.tell(told(e.CellFailed(C, CodeRaised("E", "no")), THEIRS)))
    teller.tell(told(e.SessionReplayed(ran=("c1",))))
    assert teller.doing == ""


def test_others_are_passed_over_where_nobody_wants_to_see_them() -> None:
    teller = Teller(Paint(), lambda cause: cause == MINE, tells_others=False)
    assert started(teller, THEIRS) == ""
    assert chunk(teller, "one\n") == ""
    assert teller.tell(told(e.CellFinished(C, 2.0, "2", "int"), THEIRS)) == []
    assert started(teller) == ""
    assert chunk(teller, "mine\n") == "mine"
    assert text(teller.tell(told(e.CellFinished(C, 0.0, "2", "int")))) == "2  # int"


def test_somebody_elses_question_is_only_told(teller: Teller) -> None:
    started(teller, THEIRS)
    asked = teller.tell(told(e.InputRequested(C, "name? "), THEIRS))
    assert text(asked) == "c1 waits for an answer: name? "
    assert "c1 was answered by" in text(teller.tell(told(e.InputAnswered(C, "x"), THEIRS)))
    started(teller)
    assert teller.tell(told(e.InputRequested(C, "name? "))) == []


def test_what_a_follower_missed_is_made_up_for(teller: Teller) -> None:
    started(teller)
    chunk(teller, "one\n")
    assert teller.show(p.ProgressDropped(3)) == []
    outputs = (StreamText("stdout", "one\ntwo\nthree\n"),)
    assert text(teller.tell(told(e.CellFinished(C, 0.1, outputs=outputs)))) == "two\nthree"


AGENT = Origin(Actor.AGENT, "scripted:weaver")


def agents(teller: Teller, code: str, arguments: str) -> str:
    """What is told of a cell that an agent runs."""
    turn, call = TurnId("t1"), CallId("k1")
    block = t.BlockSealed(
        BlockId("b1"), turn, 0, Role.ASSISTANT, ToolCallBlock(call, "run_code", arguments)
    )
    ran = t.ToolStarted(call, turn, 0, "run_code", C)
    pieces = [*teller.tell(told(block)), *teller.tell(told(ran))]
    begun = replace(told(e.CellStarted(C, code), THEIRS), origin=AGENT)
    pieces += teller.tell(begun)
    pieces += teller.tell(told(e.CellFinished(C, 0.1, value="42", value_type="int"), THEIRS))
    result = t.BlockSealed(
        BlockId("b2"), turn, 0, Role.TOOL, ToolResultBlock(call, "run_code", "42")
    )
    return text([*pieces, *teller.tell(told(result))])


def test_a_cell_of_an_agent_is_told_under_its_call(teller: Teller) -> None:
    assert agents(teller, "6 * 7", '{"code": "6 * 7"}') == (
        "▸ run_code  6 * 7\n── c1  scripted:weaver (agent) ──\n42  # int\n"
        "── c1 finished in 0.1 s ──"
    )


def test_longer_code_of_an_agent_is_told_whole(teller: Teller) -> None:
    assert agents(teller, "x = 6\nx * 7", '{"code": "x = 6\\nx * 7"}') == (
        "▸ run_code  (2 lines)\n── c1  scripted:weaver (agent) ──\nx = 6\nx * 7\n──\n42  # int\n"
        "── c1 finished in 0.1 s ──"
    )


def test_what_a_model_writes_is_live_like_what_a_cell_prints(teller: Teller) -> None:
    assert text(teller.show(p.TextDelta(TurnId("t1"), 0, 0, 0, "one\ntw"))) == (
        "── the agent ──\none"
    )
    assert teller.live == "tw"


def test_a_trial_is_told_from_its_beginning_to_what_it_came_to(teller: Teller) -> None:
    begun = text(teller.tell(told(e.TrialStarted(CellId("c9"), ("x", "y")), MINE)))
    assert begun == "c9 tries 2 variants, each in a copy; Ctrl-C stops it"
    results = (VariantResult(0.1, "1", "int"), VariantResult(0.1, "2", "int"))
    shown = text(teller.tell(told(e.TrialEnded(CellId("c9"), results), MINE, 2)))
    assert shown.startswith("── c9 tried ──\n1  ok in 0.1 s ")
    assert "| 2  ok in 0.1 s" in shown


def test_what_drops_ones_variants_is_told_as_ones_own_or_as_somebody_elses(teller: Teller) -> None:
    dropped = e.VariantsDropped(CellId("c9"), "c10 is run")
    said = "no variant of c9 was kept: c10 is run"
    assert text(teller.tell(told(dropped, InputId(f"{MINE}.trial")))) == said
    theirs = text(teller.tell(told(dropped, InputId(f"{THEIRS}.trial"), 2)))
    assert theirs == f"{said} (bot (agent, mcp))"
