"""What is remembered of a session: plain data that cannot say anything impossible."""

import msgspec
import pytest
from hypothesis import given as whenever
from tests.contracts.given import ANNA, CONFIG, RUNNING, WAYS, comes_back, given
from tests.contracts.words import strategy_for

from hearth.core.rules.interpreter import ADVERTISED
from hearth.core.rules.state import Asking, Question, SessionState, allowed
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import phases as p
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.ids import InputId, SessionId


def decoded(raw: bytes) -> SessionState:
    return msgspec.json.decode(raw, type=SessionState)


@pytest.mark.promise("SF-STATE-05")
@pytest.mark.parametrize("phase", p.PhaseName)
def test_a_session_in_any_state_comes_back_from_json(phase: p.PhaseName) -> None:
    state = given(*WAYS[phase]).state
    assert comes_back(state)
    back = decoded(encode(state))
    assert back.phase_name is phase
    assert type(back.phase) is type(state.phase)


@pytest.mark.promise("SF-STATE-05")
@whenever(strategy_for(SessionState))
def test_whatever_can_be_remembered_comes_back_from_json(state: SessionState) -> None:
    assert comes_back(state)


@pytest.mark.promise("SF-STATE-09")
@pytest.mark.parametrize(
    ("phase", "problem"),
    [
        (b'{"type":"evaluating"}', "current"),
        (b'{"type":"faulted"}', "failure"),
        (b'{"type":"warming_up"}', "since"),
        (b'{"type":"ready","current":{}}', "current"),
        (b'{"type":"evaluating","current":{},"failure":{}}', "cell"),
        (b'{"type":"faulted","failure":{"type":"interrupted","message":""},"current":1}', "curr"),
        (b'{"type":"asleep"}', "asleep"),
    ],
)
def test_an_impossible_state_cannot_be_written_down(phase: bytes, problem: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=problem):
        decoded(b'{"session":"s","phase":%b}' % phase)
    with pytest.raises(TypeError):
        p.Evaluating()  # type: ignore[call-arg]  # the point: it has no cell
    with pytest.raises(TypeError):
        p.Faulted()  # type: ignore[call-arg]  # the point: it has no failure


@pytest.mark.promise("SF-STATE-09")
def test_a_running_session_knows_its_cell_and_when_it_began() -> None:
    script = given(*RUNNING)
    phase = script.state.phase
    assert isinstance(phase, p.Evaluating)
    assert phase.current.code == "x = 1"
    assert phase.current.started_at == script.facts[-1].at
    assert phase.current.cancels == 0


def test_a_state_is_never_changed_in_place() -> None:
    state = given(*RUNNING).state
    with pytest.raises(AttributeError):
        state.version = 7  # type: ignore[misc]  # the point: it is frozen
    assert state == given(*RUNNING).state


def test_a_session_nobody_started_is_empty() -> None:
    state = SessionState(SessionId("new"))
    assert state.phase_name is p.PhaseName.UNINITIALIZED
    assert state.config is None
    assert (state.version, state.generation, state.cells) == (0, 0, 0)
    assert (state.queue, state.questions, state.restarts) == ((), (), ())
    assert allowed(state) == ADVERTISED[p.PhaseName.UNINITIALIZED]


def test_what_a_life_leaves_is_remembered() -> None:
    state = given(*RUNNING, c.CheckCode("y", "a.py"), c.RunCell("2", if_busy="queue")).state
    assert state.config == CONFIG
    assert state.generation == 1
    assert state.cells == 2
    assert [cell.code for cell in state.queue] == ["2"]
    assert state.questions == (Question(InputId("i4"), ANNA, Asking.CHECK, "a.py", "a.py"),)
    assert not state.stopped
