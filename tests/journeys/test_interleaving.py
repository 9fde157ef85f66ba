"""Two clients in any order, a crash at any point: what remains is what a clean run leaves."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st
from tests.contracts.event_log import PATIENCE
from tests.contracts.manual_clock import ManualClock
from tests.contracts.scenes import ANN, BOT, SCENES
from tests.journeys.accounts import account_of, folded, open_cells, open_questions

from hearth.api import Accepted, Viewed
from hearth.core.views.session_fold import SessionFold
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import status
from hearth.core.views.transcript import CellStanding, Entry, Transcript, transcript
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.phases import Ready
from hearth.core.vocabulary.refusals import DuplicateCommand, Refusal
from hearth.engine.engine import Engine
from hearth.log.listeners import Listeners
from hearth.log.memory import MemoryLog, MemoryStore
from hearth.performers.interpreter.scripted import Backstage, ScriptedInterpreter

SESSIONS: Final = (SessionId("session-one"), SessionId("session-two"))
CLIENTS: Final = (ANN, BOT)

COMMANDS: Final[tuple[c.Command, ...]] = (
    c.RunCell("1+1", if_busy="queue"),
    c.RunCell("x = 1", if_busy="queue"),
    c.RunCell("1/0", if_busy="queue"),
    c.RunCell("big", if_busy="queue"),
    c.CheckCode("undefined"),
    c.RenameSession("another name"),
)

Answer = Accepted | Refusal


class Step(NamedTuple):
    """One client asks for something, and then so many turns of the loop pass."""

    client: int
    session: SessionId
    command: c.Command
    turns: int


class Recorder(ScriptedInterpreter):
    """Knows in which session it ran a cell."""

    def __init__(self, executed: list[tuple[SessionId, CellId]], backstage: Backstage) -> None:
        super().__init__(SCENES, backstage=backstage)
        self._executed = executed

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        if isinstance(effect, fx.ExecuteInWorker):
            self._executed.append((session, effect.cell))
        await super().perform(session, effect, stage)


class World:
    """What outlives a daemon: the store, the interpreters, and what they did."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.executed: list[tuple[SessionId, CellId]] = []
        self._backstage = Backstage()
        self._clock = ManualClock()

    async def engine(self) -> Engine:
        """A daemon is started."""
        log = MemoryLog(self.store)
        await log.open()
        engine = Engine(log, [Recorder(self.executed, self._backstage)], clock=self._clock)
        await engine.open()
        return engine

    async def crash(self, engine: Engine) -> None:
        """All that the daemon was about to do is not done; the store keeps what it had."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        log = engine._around.log
        assert isinstance(log, MemoryLog)
        log._listeners = Listeners()
        await log.close()

    def folds(self) -> dict[SessionId, SessionFold]:
        """Every session, from its first event on."""
        return {one: folded(one, self.store.stored(one)) for one in SESSIONS}


class Ended(NamedTuple):
    """How a play ended."""

    world: World
    views: Mapping[SessionId, tuple[Entry, ...]]
    folds: Mapping[SessionId, SessionFold]
    cut_off: frozenset[str]
    """The causes of cells that ran, and of questions that were open, when it crashed."""


async def play(steps: Sequence[Step], crash_after: int | None) -> Ended:
    """Have the clients take their steps. Who has no answer when it crashes asks again."""
    world = World()
    engine = await world.engine()
    for session in SESSIONS:
        await engine.submit(session, c.CreateSession(), ANN)
    await quiet(engine)
    asked: dict[InputId, asyncio.Task[Answer]] = {}
    cut_off: frozenset[str] = frozenset()
    for place, step in enumerate(steps):
        asked[InputId(f"step-{place}")] = ask(engine, steps, place)
        for _ in range(step.turns):
            await asyncio.sleep(0)
        if place == crash_after:
            unanswered = [n for n, task in enumerate(asked.values()) if not task.done()]
            await world.crash(engine)
            cut_off = under_way(world)
            engine = await world.engine()
            for number in unanswered:
                asked[InputId(f"step-{number}")] = ask(engine, steps, number)
    for answer in await asyncio.gather(*asked.values()):
        assert isinstance(answer, Accepted | DuplicateCommand), answer
    await quiet(engine)
    views = {session: await entries_of(engine, world, session) for session in SESSIONS}
    await engine.close()
    await account_of(engine._around.log)
    await engine._around.log.close()
    return Ended(world, views, world.folds(), cut_off)


def ask(engine: Engine, steps: Sequence[Step], place: int) -> "asyncio.Task[Answer]":
    """A client's request, which goes on while others ask."""
    step, cause = steps[place], InputId(f"step-{place}")
    author = CLIENTS[step.client]
    return asyncio.create_task(
        engine.submit(step.session, step.command, author, input_id=cause), name=cause
    )


async def quiet(engine: Engine) -> None:
    """Return when every session waits for someone to ask."""
    following = engine.follow(after=0)
    async with asyncio.timeout(PATIENCE):
        for session in SESSIONS:
            while not await _is_quiet(engine, session):
                await following.batch()
    following.close()


async def _is_quiet(engine: Engine, session: SessionId) -> bool:
    loop = engine._loops[session]
    await loop.drained()
    state = loop.fold.state
    return isinstance(state.phase, Ready) and not state.queue and not state.questions


def under_way(world: World) -> frozenset[str]:
    """What a crash at this moment cuts off; cells that only wait are run later."""
    rows = [row for session in SESSIONS for row in world.store.stored(session)]
    events = [envelope(row) for row in rows]
    running = {one.cause for one in open_cells(events).values() if "Started" in repr(one.event)}
    return frozenset(running | {cause for _, cause in open_questions(events)})


async def entries_of(engine: Engine, world: World, session: SessionId) -> tuple[Entry, ...]:
    """The transcript as it is shown; every view is what the log alone would give."""
    rows = world.store.stored(session)
    viewed = await engine.view("transcript", session)
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Transcript)
    assert viewed == Viewed(transcript(map(envelope, rows)), rows[-1].seq)
    from_zero = folded(session, rows)
    assert await engine.view("status", session) == Viewed(status(from_zero), rows[-1].seq)
    found = await engine.view("diagnostics", session)
    assert found == Viewed(from_zero.diagnostics, rows[-1].seq)
    listed = await engine.view("sessions")
    assert isinstance(listed, Viewed)
    assert isinstance(listed.value, Sessions)
    assert {row.session for row in listed.value.rows} == set(SESSIONS)
    assert not any(row.trouble for row in listed.value.rows)
    return viewed.value.entries


def plain(entry: Entry) -> tuple[object, ...]:
    """An entry without its places in the log, which depend on what waited for what."""
    return (entry.cell, entry.author, entry.code, entry.value, entry.outputs, entry.notice)


def assert_same_but_interrupted(clean: Ended, crashed: Ended, session: SessionId) -> None:
    """The same entries in the same order; at most the cell that ran has another end."""
    hers, its = clean.views[session], crashed.views[session]
    assert [(one.cell, one.author, one.code) for one in hers] == [
        (one.cell, one.author, one.code) for one in its
    ]
    for one, other in zip(hers, its, strict=True):
        if isinstance(other.failure, Interrupted):
            assert other.standing is CellStanding.FAILED
            assert crashed.cut_off
        else:
            assert (plain(one), one.standing, one.failure) == (
                plain(other),
                other.standing,
                other.failure,
            )
    before, after = clean.folds[session], crashed.folds[session]
    assert before.state.config == after.state.config
    assert before.tally.evals + before.tally.errors == after.tally.evals + after.tally.errors
    if not crashed.cut_off:
        assert before.tally.evals == after.tally.evals
        assert set(before.tally.authors) == set(after.tally.authors)
        assert before.diagnostics == after.diagnostics


steps_of_two_clients = st.lists(
    st.builds(
        Step,
        client=st.sampled_from([0, 1]),
        session=st.sampled_from(SESSIONS),
        command=st.sampled_from(COMMANDS),
        turns=st.integers(0, 12),
    ),
    min_size=1,
    max_size=10,
)

RUN: Final = Step(0, SESSIONS[0], COMMANDS[0], 0)


@pytest.mark.promise("SF-LOG-01", "SF-LOG-10", "SF-PROJ-04")
@given(steps=steps_of_two_clients, where=st.integers(min_value=0))
@example(steps=[RUN, RUN._replace(client=1), RUN], where=1)
@example(steps=[RUN._replace(turns=3), RUN._replace(turns=3)], where=0)
async def test_any_interleaving_and_crash_ends_as_a_clean_run(
    steps: list[Step], where: int
) -> None:
    clean = await play(steps, None)
    crashed = await play(steps, where % len(steps))
    event(f"cut off: {len(crashed.cut_off)}")
    for session in SESSIONS:
        assert_same_but_interrupted(clean, crashed, session)
    for ended in (clean, crashed):
        assert max(Counter(ended.world.executed).values(), default=1) == 1
    assert not clean.cut_off
    assert not any(one.failure for one in _interrupted(clean))


@pytest.mark.promise("SF-LOG-01")
async def test_a_crash_between_two_commands_leaves_no_trace() -> None:
    """When nothing is under way, the log after a crash is the log of a clean run, to the byte."""
    busy = [RUN._replace(turns=200), RUN._replace(client=1, turns=200)]
    clean, crashed = await play(busy, None), await play(busy, 0)
    assert not crashed.cut_off
    for session in SESSIONS:
        assert clean.folds[session] == crashed.folds[session]
        assert [plain(one) for one in clean.views[session]] == [
            plain(one) for one in crashed.views[session]
        ]
    assert clean.world.executed == crashed.world.executed


@pytest.mark.promise("SF-LOG-03")
async def test_a_crash_before_the_interpreter_heard_says_so() -> None:
    """Somewhere between two turns of the loop a cell is in the log and not yet run."""
    interrupted = 0
    for turns in range(12):
        ended = await play([RUN._replace(turns=turns)], 0)
        interrupted += len(_interrupted(ended))
        assert len(_interrupted(ended)) == len(ended.cut_off)
    assert 0 < interrupted < 12


def _interrupted(ended: Ended) -> list[Entry]:
    return [
        entry
        for entries in ended.views.values()
        for entry in entries
        if isinstance(entry.failure, Interrupted)
    ]
