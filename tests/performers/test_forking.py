"""A session goes on in another: with a live copy, rebuilt, or with nothing; never half."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.contracts.hearth_api import PATIENCE, S, T, begin, ran, status_of
from tests.contracts.performer import Recorded
from tests.contracts.scenes import ANN
from tests.performers.stagecraft import Copier, Stagecraft

from hearth.api import each
from hearth.core.rules.forking import WAYS_OUT
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import BlockId, InputId, SessionId
from hearth.core.vocabulary.modelling import BranchMissing, FindBranch
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import ForkHow
from hearth.performers.forking import ANOTHER, COPY_LOST, NOBODY, REPLAY_LOST, TAKEN, Forking


async def test_at_the_newest_its_interpreter_is_copied_and_the_answer_says_so() -> None:
    async with Stagecraft() as stage:
        done = await ran(stage.engine, c.ForkSession(T, name="second try"))
        assert done.outcome.event == e.SessionForked(T, ForkHow.COPY, name="second try")
        assert stage.copier.copied == [(S, T)]
        there = await status_of(stage.engine, T)
        assert (there.state, there.name) == (PhaseName.READY, "second try")
        assert stage.given() == ["x = 1"]  # nothing is run again
        assert stage.point().how is ForkHow.COPY
        assert stage.point().version > stage.point().asked > 0


async def test_what_is_in_the_way_is_said_and_no_session_is_left_behind() -> None:
    async with Stagecraft(Copier(("a thread runs: 'poller'",))) as stage:
        done = await ran(stage.engine, c.ForkSession(T))
        failed = done.outcome.event
        assert isinstance(failed, e.ForkFailed)
        assert failed.obstacles == ("a thread runs: 'poller'",)
        assert failed.why == "its interpreter cannot be copied: a thread runs: 'poller'"
        assert failed.remedy == WAYS_OUT
        assert isinstance(await stage.engine.view("status", T), Refused)
        assert (await status_of(stage.engine, S)).state is PhaseName.READY


async def test_a_replay_runs_the_cells_of_before_in_a_new_interpreter() -> None:
    async with Stagecraft() as stage:
        await ran(stage.engine, c.RunCell("y = 2"))
        done = await ran(stage.engine, c.ForkSession(T, how=ForkHow.REPLAY))
        assert done.outcome.event == e.SessionForked(T, ForkHow.REPLAY, name="loom-2")
        assert stage.copier.copied == []
        assert stage.given() == ["x = 1", "y = 2", "x = 1", "y = 2"]


async def test_a_new_one_holds_nothing() -> None:
    async with Stagecraft() as stage:
        done = await ran(stage.engine, c.ForkSession(T, how=ForkHow.NEW))
        assert done.outcome.event == e.SessionForked(T, ForkHow.NEW, name="loom-2")
        assert stage.given() == ["x = 1"]


async def test_a_fork_of_a_copy_is_rebuilt_from_what_the_first_one_held() -> None:
    async with Stagecraft() as stage:
        await ran(stage.engine, c.ForkSession(T))
        await ran(stage.engine, c.RunCell("y = 2"), T)
        third = SessionId("session-cccccc")
        await ran(stage.engine, c.ForkSession(third, how=ForkHow.REPLAY), T)
        assert stage.given() == ["x = 1", "y = 2", "x = 1", "y = 2"]


async def test_one_session_too_many_is_refused_in_its_words_and_the_copy_ends() -> None:
    async with Stagecraft(most_sessions=1) as stage:
        done = await ran(stage.engine, c.ForkSession(T))
        assert isinstance(done.outcome.event, e.ForkFailed)
        assert "the limit is 1" in done.outcome.event.why
        assert "stop_session" in done.outcome.event.remedy
        assert stage.copier.dropped == [T]


async def test_an_id_that_is_taken_is_not_forked_to() -> None:
    async with Stagecraft() as stage:
        await begin(stage.engine, T)
        done = await ran(stage.engine, c.ForkSession(T))
        assert done.outcome.event == e.ForkFailed(T, TAKEN, remedy=ANOTHER)
        assert stage.copier.copied == []


@pytest.mark.parametrize("how", ForkHow)
async def test_nor_to_an_earlier_fork_of_the_same_session(how: ForkHow) -> None:
    async with Stagecraft() as stage:
        await ran(stage.engine, c.ForkSession(T, how=how))
        done = await ran(stage.engine, c.ForkSession(T, how=how))
        assert done.outcome.event == e.ForkFailed(T, TAKEN, remedy=ANOTHER)
        assert len(stage.copier.copied) == (how is ForkHow.COPY)


async def test_an_id_to_which_another_session_is_being_forked_is_taken() -> None:
    other = SessionId("session-cccccc")
    async with Stagecraft() as stage:
        await begin(stage.engine, other, "other")
        stage.copier.may_end.clear()
        first = asyncio.create_task(ran(stage.engine, c.ForkSession(T)))
        await asyncio.wait_for(stage.copier.begun.wait(), PATIENCE)
        refused = await ran(stage.engine, c.ForkSession(T), other)
        assert refused.outcome.event == e.ForkFailed(T, TAKEN, remedy=ANOTHER)
        stage.copier.may_end.set()
        assert isinstance((await first).outcome.event, e.SessionForked)
        assert (stage.copier.copied, stage.copier.dropped) == ([(S, T)], [])
        assert stage.point().session == S


async def test_one_that_is_asked_for_again_while_it_is_made_is_made_once() -> None:
    async with Stagecraft() as stage:
        stage.copier.may_end.clear()
        config = c.SessionConfig(forked_from=c.ForkPoint(S, how=ForkHow.COPY, asked=1))
        effect, told = fx.BranchSession(1, InputId("i1"), T, config), Recorded()
        first = asyncio.create_task(stage.forking.perform(S, effect, told))
        await asyncio.wait_for(stage.copier.begun.wait(), PATIENCE)
        await asyncio.wait_for(stage.forking.perform(S, effect, told), PATIENCE)
        stage.copier.may_end.set()
        await first
        assert [type(one) for one in told.reports] == [r.ForkEnded]
        assert stage.copier.copied == [(S, T)]


async def test_one_that_was_begun_before_the_daemon_ended_is_not_begun_twice() -> None:
    async with Stagecraft() as stage:
        await ran(stage.engine, c.ForkSession(T))
        told, config = Recorded(), stage.engine.config_of(T)
        assert config is not None
        await stage.forking.perform(S, fx.BranchSession(1, InputId("i1"), T, config), told)
        assert told.reports == [r.ForkEnded(InputId("i1"), ForkHow.COPY, name="loom-2")]
        assert stage.copier.copied == [(S, T)]


@pytest.mark.parametrize("begun", [True, False])
async def test_one_that_was_being_made_when_the_daemon_ended_is_answered_once_by_the_next(
    begun: bool,  # noqa: FBT001 - a case of the table
) -> None:
    async with Stagecraft() as stage:
        await ran(stage.engine, c.ForkSession(SessionId("earlier"), name="loom-2"))
        stage.copier.begun.clear()
        stage.copier.may_end.clear()
        await stage.engine.submit(S, c.ForkSession(T), ANN)
        await asyncio.wait_for(stage.copier.begun.wait(), PATIENCE)
        if begun:  # as the performer would, at the last moment
            [asked] = [
                row.version for row in await stage.read(S, 0, 1000) if T.encode() in row.data
            ]
            point = c.ForkPoint(S, how=ForkHow.COPY, version=asked, asked=asked - 1)
            await ran(stage.engine, c.CreateSession(c.SessionConfig(forked_from=point)), T)
    async with Stagecraft(before=stage) as stage:
        following = stage.engine.follow(S, after=0)
        answers: list[e.Event] = []
        async with asyncio.timeout(PATIENCE):
            async for item in each(following):
                event = codec.envelope(item).event if isinstance(item, Stored) else None
                if isinstance(event, e.SessionForked | e.ForkFailed) and event.to == T:
                    answers.append(event)
                    break
        following.close()
        assert isinstance(answers[0], e.SessionForked), answers
        assert len(stage.copier.copied) == (not begun)
        assert T in await stage.names()


async def test_a_copy_that_ended_with_the_daemon_is_not_told_as_one() -> None:
    async with Stagecraft() as stage:
        await ran(stage.engine, c.ForkSession(T))
        await ran(stage.engine, c.HardResetSession(), T)  # another interpreter took its place
        told, config = Recorded(), stage.engine.config_of(T)
        assert config is not None
        await stage.forking.perform(S, fx.BranchSession(1, InputId("i1"), T, config), told)
        assert told.reports == [r.ForkEnded(InputId("i1"), ForkHow.NEW, COPY_LOST, name="loom-2")]


async def test_a_replay_that_was_cut_off_by_the_end_of_the_daemon_is_told() -> None:
    async with Stagecraft() as stage:
        config = c.SessionConfig(forked_from=c.ForkPoint(session=S, how=ForkHow.REPLAY))
        await ran(stage.engine, c.CreateSession(config), T)
        effect = fx.BranchSession(1, InputId("i1"), T, config)
        told = Recorded()
        await stage.forking.perform(S, effect, told)
        assert told.reports == [r.ForkEnded(InputId("i1"), ForkHow.REPLAY, REPLAY_LOST)]
        await ran(stage.engine, c.ReplaySession(S), T)
        await stage.forking.perform(S, effect, told)
        assert told.reports[1:] == [r.ForkEnded(InputId("i1"), ForkHow.REPLAY)]


# -- what it is called, and where it begins -------------------------------------------------------


async def test_one_without_a_name_gets_one_that_nobody_has() -> None:
    forks = [SessionId(f"fork-{number}") for number in range(3)]
    async with Stagecraft() as stage:
        await begin(stage.engine, SessionId("session-dddddd"), "Loom-3")
        async with asyncio.TaskGroup() as all_at_once:
            for one in forks:
                all_at_once.create_task(ran(stage.engine, c.ForkSession(one)))
        names = await stage.names()
        assert {names[one] for one in forks} == {"loom-2", "loom-4", "loom-5"}
        again = await ran(stage.engine, c.ForkSession(T), forks[0])
        assert isinstance(again.outcome.event, e.SessionForked)
        assert again.outcome.event.name == f"{names[forks[0]]}-2"


class Searching:
    """Finds nothing, and takes its time."""

    effects: frozenset[type[fx.Effect]] = frozenset({FindBranch})

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        del session
        assert isinstance(effect, FindBranch)
        self.begun.set()
        await self.may_end.wait()
        stage.report(BranchMissing(effect.question, "nothing was said"))

    async def close(self) -> None:
        """Nothing is held."""


async def test_it_is_there_once_its_conversation_is() -> None:
    searching = Searching()
    async with Stagecraft(more=[searching]) as stage:
        made = asyncio.create_task(ran(stage.engine, c.ForkSession(T)))
        await asyncio.wait_for(searching.begun.wait(), PATIENCE)
        while (await status_of(stage.engine, T)).state is not PhaseName.READY:
            await stage.engine.follow(T).batch()
        await ran(stage.engine, c.RunCell("y = 2"))  # what is asked later is answered before
        assert not made.done()
        searching.may_end.set()
        assert isinstance((await made).outcome.event, e.SessionForked)


@pytest.mark.parametrize("how", [ForkHow.REPLAY, ForkHow.NEW])
@pytest.mark.parametrize("block", ["b2", "b2@session-aaaaaa"])
async def test_at_what_is_no_block_none_is_begun(how: ForkHow, block: str) -> None:
    async with Stagecraft() as stage:
        done = await ran(stage.engine, c.ForkSession(T, BlockId(block), how))
        failed = done.outcome.event
        assert isinstance(failed, e.ForkFailed)
        assert failed.why == f"there is no block {block} in its conversation"
        assert failed.remedy
        assert T not in await stage.names()


async def nothing(*_: object) -> Sequence[Stored]:
    return ()


@pytest.mark.parametrize("bound", [True, False])
async def test_what_it_cannot_do_it_says(bound: bool) -> None:  # noqa: FBT001 - a case of the table
    forking, stage = Forking(Copier(), nothing), Recorded()
    effect: fx.Effect = fx.StopWorker(1)
    if not bound:
        effect = fx.BranchSession(1, InputId("i1"), T, c.SessionConfig())
    await forking.perform(S, effect, stage)
    assert stage.reports == [r.EffectFailed(effect, NOBODY)]
