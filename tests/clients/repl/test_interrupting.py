"""Ctrl-C stops what is one's own at once, and what is somebody else's at the second time."""

from tests.clients.repl.telling_of import ME, MINE, NOON, THEIRS, S
from tests.contracts.scenes import BOT

from hearth.clients.repl.interrupting import Interrupting
from hearth.clients.repl.now import Now, Running, RunningTurn
from hearth.core.vocabulary.commands import CancelCell
from hearth.core.vocabulary.ids import CellId, TurnId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.prompting import CancelTurn

C, T = CellId("c1"), TurnId("t1")
IDLE = Now(S, "loom", PhaseName.READY)
MY_CELL, BOTS_CELL = Running(C, MINE, ME, NOON), Running(C, THEIRS, BOT, NOON)
AGENTS_CELL = Running(C, THEIRS, Origin(Actor.AGENT, "scripted:weaver"), NOON)
MY_TURN, BOTS_TURN = RunningTurn(T, MINE, ME, NOON), RunningTurn(T, THEIRS, BOT, NOON)


def interrupting() -> Interrupting:
    return Interrupting({MINE})


def test_where_nothing_runs_there_is_nothing_to_stop() -> None:
    assert interrupting().stops(IDLE, is_empty=True) is None


def test_ones_own_cell_is_stopped_before_the_agent_whatever_is_typed() -> None:
    both = IDLE._replace(running=MY_CELL, turn=MY_TURN)
    assert interrupting().stops(both, is_empty=False) == CancelCell(C)


def test_the_agent_is_stopped_before_the_cell_of_somebody_else() -> None:
    both = IDLE._replace(running=BOTS_CELL, turn=MY_TURN)
    assert interrupting().stops(both, is_empty=True) == CancelTurn(T)


def test_the_agent_is_left_alone_while_something_is_typed() -> None:
    keys = interrupting()
    for turn in (MY_TURN, BOTS_TURN):
        assert keys.stops(IDLE._replace(turn=turn), is_empty=False) is None
    assert isinstance(keys.stops(IDLE._replace(turn=BOTS_TURN), is_empty=True), str)


def test_what_is_somebody_elses_is_warned_of_once_each() -> None:
    keys = interrupting()
    turn, cell = IDLE._replace(turn=BOTS_TURN), IDLE._replace(running=BOTS_CELL)
    assert keys.stops(turn, is_empty=True) == "t1 is bot's: Ctrl-C once more stops it"
    assert keys.stops(turn, is_empty=True) == CancelTurn(T)
    assert keys.stops(cell, is_empty=False) == "c1 is bot's: Ctrl-C once more stops it"
    assert keys.stops(cell, is_empty=False) == CancelCell(C)


def test_a_turn_that_was_asked_to_stop_and_does_not_has_its_cell_stopped() -> None:
    stopping = IDLE._replace(running=AGENTS_CELL, turn=MY_TURN._replace(is_stopping=True))
    assert interrupting().stops(stopping, is_empty=True) == CancelCell(C)
    bots = stopping._replace(running=None)
    assert interrupting().stops(bots, is_empty=True) == CancelTurn(T)
