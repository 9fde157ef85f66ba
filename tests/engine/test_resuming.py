import logging

import pytest
from tests.contracts.scenes import ANN
from tests.samples.examples import NOON

from hearth.core.rules.resuming import SUPERSEDED
from hearth.core.rules.session import SessionState
from hearth.core.vocabulary.commands import Command, RunCell, StopSession
from hearth.core.vocabulary.failures import WarmUpFailed
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.inputs import Asked, Input, Told
from hearth.core.vocabulary.phases import Faulted, Phase, Ready, WarmingUp
from hearth.core.vocabulary.progress import Progress, SessionResumed
from hearth.core.vocabulary.reports import (
    Exit,
    Report,
    RevertFailed,
    VariantGone,
    WorkerLost,
    WorkerReady,
    WorkerReverted,
)
from hearth.engine.resuming import Resuming

S = SessionId("session-a")
WARMING = WarmingUp(NOON, InputId("i"), ANN)


class Watched:
    """A session on its way back, with what came of it."""

    def __init__(self, phase: Phase, *, superseded: bool = False) -> None:
        self.shown: list[Progress] = []
        self.asked: list[Command] = []
        self.resuming = Resuming(
            state(phase), superseded=superseded, show=self.shown.append, ask=self.asked.append
        )


def state(phase: Phase, generation: int = 1, *, stopped: bool = False) -> SessionState:
    return SessionState(S, phase=phase, generation=generation, stopped=stopped)


def told(report: Report) -> list[Input]:
    return [Told(InputId("t"), NOON, report)]


@pytest.mark.promise("SF-ISO-11", "SF-ISO-12")
def test_an_interpreter_that_lived_on_is_announced_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    watched = Watched(Ready())
    somebody = Asked(InputId("a"), NOON, ANN, RunCell("1"))
    assert not watched.resuming.heard([somebody], state(Ready()))
    assert watched.shown == []
    assert watched.resuming.heard(told(WorkerReady(1, 0.0)), state(Ready()))
    assert watched.shown == [SessionResumed(adopted=True)]
    assert "session-a is up again, its interpreter had lived on" in caplog.text


@pytest.mark.promise("SF-ISO-12")
def test_one_that_needs_a_new_interpreter_is_announced_when_that_is_ready() -> None:
    watched = Watched(Ready())
    lost = told(WorkerLost(1, Exit.VANISHED, "it did not outlive the daemon"))
    assert not watched.resuming.heard(lost, state(WARMING, 2))
    assert watched.shown == []
    assert watched.resuming.heard(told(WorkerReady(2, 0.1)), state(Ready(), 2))
    assert watched.shown == [SessionResumed(adopted=False)]
    assert watched.asked == []


@pytest.mark.parametrize(
    "end",
    [
        WorkerReverted(1, InputId("i")),
        RevertFailed(1, InputId("i"), "no"),
        VariantGone(1, CellId("c1"), "no"),
    ],
)
def test_one_in_which_cells_were_being_taken_back_is_announced_behind_that(end: Report) -> None:
    watched = Watched(WARMING)
    assert not watched.resuming.heard(told(WorkerReady(1, 0.0)), state(WARMING))
    assert watched.shown == []
    assert watched.resuming.heard(told(end), state(Ready()))
    assert watched.shown == [SessionResumed(adopted=True)]


@pytest.mark.promise("SF-ISO-12")
def test_one_that_fails_is_never_announced() -> None:
    watched = Watched(Ready())
    faulted = state(Faulted(WarmUpFailed("broken")), 2)
    assert not watched.resuming.heard(told(WorkerReady(1, 0.0)), faulted)
    assert watched.resuming.heard(told(WorkerReady(1, 0.0)), state(Ready(), stopped=True))
    assert watched.shown == []


@pytest.mark.promise("SF-ISO-13")
def test_a_twin_is_stopped_unless_its_interpreter_lived_on() -> None:
    lost = Watched(Ready(), superseded=True)
    gone = told(WorkerLost(1, Exit.VANISHED, "gone"))
    assert lost.resuming.heard(gone, state(Faulted(WarmUpFailed("gone"))))
    assert (lost.asked, lost.shown) == ([StopSession(SUPERSEDED)], [])
    assert Watched(Faulted(WarmUpFailed("x")), superseded=True).asked == [StopSession(SUPERSEDED)]
    lives = Watched(Ready(), superseded=True)
    assert lives.resuming.heard(told(WorkerReady(1, 0.0)), state(Ready()))
    assert (lives.asked, lives.shown) == ([], [SessionResumed(adopted=True)])
