"""A copy holds exactly what its session did at a version, whatever happens around it."""

from collections.abc import Sequence
from typing import cast

import pytest
from tests.contracts.given import READY, RUNNING, given
from tests.contracts.hearth_api import S, T, ran
from tests.contracts.performer import Recorded
from tests.contracts.playing_talks import folded
from tests.contracts.scenes import ANN
from tests.performers.stagecraft import Copier, Stagecraft

from hearth.api import Hearth, Shown, Viewed
from hearth.core.rules.forking import WAYS_OUT
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.views.status import status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.progress import SessionResumed
from hearth.core.vocabulary.undoing import ForkHow
from hearth.performers.fork_copies import MOST_TRIES, NOT_LEFT_ALONE, copied


@pytest.mark.parametrize(
    "meanwhile", [[c.RunCell("y = 2")], [c.RunCell("y = 2"), c.HardResetSession()]]
)
async def test_a_copy_between_whose_beginning_and_end_something_ran_is_made_again(
    meanwhile: list[c.Command],
) -> None:
    tries = len(meanwhile) + 1
    async with Stagecraft(Copier(meanwhile=list(meanwhile))) as stage:
        await ran(stage.engine, c.ForkSession(T))
        assert stage.copier.copied == [(S, T)] * tries
        assert stage.copier.dropped == [T] * (tries - 1)
        # Whoever rebuilds the copy runs what was in it: also what came after it was asked for.
        third = SessionId("session-cccccc")
        await ran(stage.engine, c.ForkSession(third, how=ForkHow.REPLAY), T)
        assert stage.given() == ["x = 1", "y = 2", "x = 1", "y = 2"]


async def test_what_runs_after_the_copy_is_not_of_it() -> None:
    async with Stagecraft() as stage:
        await ran(stage.engine, c.ForkSession(T))
        await ran(stage.engine, c.RunCell("y = 2"))
        third = SessionId("session-cccccc")
        await ran(stage.engine, c.ForkSession(third, how=ForkHow.REPLAY), T)
        assert stage.given() == ["x = 1", "y = 2", "x = 1"]


async def test_what_only_asks_does_not_matter() -> None:
    asking: list[c.Command] = [c.ListVariables(), c.CompleteCode("x", 1)]
    async with Stagecraft(Copier(meanwhile=asking)) as stage:
        done = await ran(stage.engine, c.ForkSession(T))
        assert isinstance(done.outcome.event, e.SessionForked)
        assert stage.copier.copied == [(S, T)]
        assert stage.copier.dropped == []


async def test_a_session_that_is_never_left_alone_is_told_as_what_is_in_the_way() -> None:
    busy: list[c.Command] = [c.RunCell("y = 2")] * (MOST_TRIES + 1)
    async with Stagecraft(Copier(meanwhile=busy)) as stage:
        done = await ran(stage.engine, c.ForkSession(T))
        failed = done.outcome.event
        assert isinstance(failed, e.ForkFailed)
        assert failed.obstacles == (NOT_LEFT_ALONE.format(what="run_cell"),)
        assert failed.remedy == WAYS_OUT
        assert stage.copier.dropped == [T] * MOST_TRIES
        assert T not in await stage.names()


async def test_a_cell_that_runs_when_it_would_be_copied_is_in_the_way() -> None:
    async with Stagecraft() as stage:
        await stage.engine.submit(S, c.RunCell("for ever"), ANN)
        config = c.SessionConfig(forked_from=c.ForkPoint(S, how=ForkHow.COPY, asked=9))
        told = Recorded()
        await stage.forking.perform(S, fx.BranchSession(1, InputId("i1"), T, config), told)
        [ended] = told.reports
        assert isinstance(ended, r.ForkEnded)
        assert ended.obstacles == ("the interpreter is running a cell",)
        assert stage.copier.copied == []


# -- a daemon that was just started ---------------------------------------------------------------


class Starting:
    """A hearth that has not found the interpreter of its session yet."""

    def __init__(self, *states: tuple[PhaseName, bool]) -> None:
        self._states = list(states)
        self.waited = 0

    async def view(self, name: str, session: SessionId | None = None) -> Viewed:
        state, resuming = self._states[0]
        if name == "status":
            script = given(*READY) if state is PhaseName.READY else given(*RUNNING)
            return Viewed(status(folded(script)), 1)
        del session
        row = SessionRow(session=S, name="", directory="", state=state, resuming=resuming)
        return Viewed(Sessions((row,)), 1)

    def follow(self, session: SessionId, *, after: int | None = None) -> "Starting":
        assert (session, after) == (S, None)
        return self

    async def batch(self) -> Sequence[Shown]:
        self.waited += 1
        if len(self._states) == 1:
            return ()  # the engine ends
        self._states.pop(0)
        return (Shown(S, SessionResumed(adopted=True)),)

    def close(self) -> None:
        """Nothing is held."""


R, E = PhaseName.READY, PhaseName.EVALUATING


@pytest.mark.parametrize(
    ("states", "waited", "copies"),
    [
        (((R, True), (R, True), (R, False)), 2, 1),
        (((R, True), (E, True)), 1, 0),
        (((R, True),), 1, 0),
        (((R, False),), 0, 1),
    ],
)
async def test_an_interpreter_that_is_being_looked_for_is_waited_for(
    states: tuple[tuple[PhaseName, bool], ...], waited: int, copies: int
) -> None:
    hearth, copier = Starting(*states), Copier()
    made = await copied(cast("Hearth", hearth), copier, S, T)
    assert len(copier.copied) == copies
    assert isinstance(made, int) == bool(copies)
    assert hearth.waited == waited
