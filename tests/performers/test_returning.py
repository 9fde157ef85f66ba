"""A session goes back to when something was said; what is asked for goes along, and comes back."""

import asyncio
from collections.abc import Sequence
from typing import Self

import pytest
from tests.contracts.hearth_api import PATIENCE, S, begin, ran, status_of, until
from tests.contracts.performer import Recorded
from tests.contracts.quick_agent import QuickAgent
from tests.contracts.scenes import ANN, BOT

from hearth import api
from hearth.api import Accepted, Hearth, Settled, Viewed
from hearth.core.views.conversation import Conversation
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import BlockId, CellId, InputId, SessionId
from hearth.core.vocabulary.judging import ProjectRewound, RewindProject
from hearth.core.vocabulary.modelling import FindBranch
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.performing import Performer, Stage
from hearth.core.vocabulary.permitting import Kept
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.prompting import RewindFiles, SwitchBranch
from hearth.core.vocabulary.refusals import NotAllowed, NotNow, Refusal, ShuttingDown
from hearth.core.vocabulary.undoing import ForkHow, Returned, RewindScope, UndoFor
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog, MemoryStore
from hearth.performers import returning
from hearth.performers.branches import Branches
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import Backstage, ScriptedInterpreter
from hearth.performers.replaying import Replaying
from hearth.performers.returning import NOBODY, Returning

SCENES = {f"{name} = {value}": Scene(names=(name,)) for value, name in enumerate("xyz", 1)}
CHANGED = (PathChange("a.py", ChangeKind.CHANGED, 1, 2),)
BEFORE = Kept("now", "/project")
ALL = RewindScope(interpreter=True, files=True)


class Files:
    """Rewinds the files of a project, or says why not."""

    effects: frozenset[type[fx.Effect]] = frozenset({RewindProject})

    def __init__(self) -> None:
        self.asked: list[RewindProject] = []
        self.problem = ""
        self.is_kept = True

    async def perform(self, _: SessionId, effect: fx.Effect, stage: Stage) -> None:
        assert isinstance(effect, RewindProject)
        self.asked.append(effect)
        if not self.is_kept:
            stage.report(ProjectRewound(effect.question))
            return
        kept = effect.kept or Kept("then", "/project")
        before = None if self.problem else BEFORE
        stage.report(
            ProjectRewound(effect.question, CHANGED, kept=kept, before=before, problem=self.problem)
        )

    async def close(self) -> None:
        """Nothing is held."""


class Holding:
    """Cuts a return off: what comes next of this kind never comes to its end."""

    def __init__(self, *held: type[fx.Effect] | type[c.Command] | type[r.ReturnEnded]) -> None:
        self._held = held
        self.reached = asyncio.Event()

    async def pass_on(self, word: object) -> None:
        """Wait for ever, if this is it."""
        if isinstance(word, self._held):
            self.reached.set()
            await asyncio.get_running_loop().create_future()

    def performer(self, performer: Performer) -> Performer:
        return HeldPerformer(self, performer)

    def hearth(self, hearth: Hearth) -> Hearth:
        return HeldHearth(self, hearth)

    def is_held(self, word: object) -> bool:
        if isinstance(word, self._held):
            self.reached.set()
            return True
        return False


class HeldPerformer:
    """Never carries out what is held, and never tells what is."""

    def __init__(self, holding: Holding, performer: Performer) -> None:
        self.effects = performer.effects
        self._holding = holding
        self._performer = performer

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        await self._holding.pass_on(effect)
        await self._performer.perform(session, effect, HeldStage(self._holding, stage))

    async def close(self) -> None:
        await self._performer.close()


class HeldStage:
    """Keeps to itself what is held."""

    def __init__(self, holding: Holding, stage: Stage) -> None:
        self._holding = holding
        self._stage = stage

    def report(self, report: r.Report) -> None:
        if not self._holding.is_held(report):
            self._stage.report(report)

    def show(self, progress: Progress) -> None:
        self._stage.show(progress)


class HeldHearth:
    """Never hears of what is held."""

    def __init__(self, holding: Holding, hearth: Hearth) -> None:
        self._holding = holding
        self._hearth = hearth
        self.view, self.follow = hearth.view, hearth.follow

    async def submit(
        self,
        session: SessionId,
        command: c.Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        await self._holding.pass_on(command)
        return await self._hearth.submit(session, command, origin, input_id=input_id)


class World:
    """What outlives a daemon."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.backstage = Backstage()
        self.files = Files()
        self.performed: list[fx.Effect] = []


class Stagecraft:
    """A session in which something was said, and run before and after it."""

    def __init__(
        self,
        who: UndoFor = UndoFor.NOBODY,
        world: World | None = None,
        holding: Holding | None = None,
    ) -> None:
        self._who = who
        self._is_first = world is None
        self.world = world or World()
        self._holding = holding or Holding()
        self.log = MemoryLog(self.world.store)
        self.files = self.world.files
        self.warm_up = ""
        self.interpreter = ScriptedInterpreter(
            SCENES, backstage=self.world.backstage, warm_up=lambda _: self.warm_up
        )
        self.interpreter.performed = self.world.performed
        self.replaying = Replaying(self.log.blobs.get)
        self.returning = Returning(self._read)
        performers: tuple[Performer, ...] = (
            self.interpreter,
            self.replaying,
            self.returning,
            self.files,
            QuickAgent(),
            Branches(self._read),
        )
        self.engine = Engine(self.log, [self._holding.performer(one) for one in performers])
        self.returning.bind(self._holding.hearth(self.engine))
        self.replaying.bind(self.engine)
        self.said = BlockId("")
        self.leaf = BlockId("")

    async def _read(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        return await self.engine.rows(session, after, limit)

    async def __aenter__(self) -> Self:
        await self.log.open()
        await self.engine.open()
        if self._is_first:
            await begin(self.engine, S)
            await ran(self.engine, c.ChooseUndo(self._who))
            await ran(self.engine, c.RunCell("x = 1"))
            await ran(self.engine, p.SendMessage("hello"))
            self.said = (await self.blocks())[0]
            await ran(self.engine, c.RunCell("y = 2"))
            await ran(self.engine, p.SendMessage("and now?"))
            self.leaf = (await self.blocks())[-1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.close()

    async def blocks(self) -> list[BlockId]:
        viewed = await self.engine.view("conversation", S)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Conversation)
        return [row.block for row in viewed.value.rows]

    async def returned(
        self, to: BlockId, scope: RewindScope = ALL, *, preview: bool = False
    ) -> e.Event:
        return (await ran(self.engine, c.ReturnTo(to, scope, preview))).outcome.event

    async def events(self) -> list[e.Event]:
        return [envelope(row).event for row in await self._read(S, 0, 1000)]

    async def version(self) -> int:
        return (await self._read(S, 0, 1000))[-1].version

    def given(self) -> list[str]:
        performed = self.interpreter.performed
        return [str(one.code) for one in performed if isinstance(one, fx.ExecuteInWorker)]

    def reverts(self) -> int:
        return sum(isinstance(one, fx.RevertWorker) for one in self.interpreter.performed)


async def test_a_preview_tells_what_each_part_would_change_and_changes_nothing() -> None:
    async with Stagecraft() as stage:
        blocks = await stage.blocks()
        found = await stage.returned(stage.said, preview=True)
        assert found == e.ReturnPreviewed(
            blocks=len(blocks) - 1,
            cells=(CellId("c2"),),
            how=ForkHow.REPLAY,
            changes=CHANGED,
        )
        assert await stage.blocks() == blocks
        assert stage.given() == ["x = 1", "y = 2"]
        assert [one.preview for one in stage.files.asked] == [True]


async def test_the_conversation_alone_leaves_interpreter_and_files_as_they_are() -> None:
    async with Stagecraft() as stage:
        done = await stage.returned(stage.said, RewindScope())
        assert isinstance(done, e.SessionReturned)
        assert done.did == Returned(was=stage.leaf, since=done.did.since)
        assert await stage.blocks() == [stage.said]
        assert stage.given() == ["x = 1", "y = 2"]
        assert stage.files.asked == []


async def test_all_three_go_back_and_come_back() -> None:
    async with Stagecraft() as stage:
        blocks = await stage.blocks()
        done = await stage.returned(stage.said)
        assert isinstance(done, e.SessionReturned)
        assert (done.how, done.cells, done.changes) == (ForkHow.REPLAY, ("c2",), CHANGED)
        assert done.problems == ()
        assert await stage.blocks() == [stage.said]
        assert stage.given() == ["x = 1", "y = 2", "x = 1"]  # what it held then, and no more
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        assert back.problems == ()
        assert await stage.blocks() == blocks
        assert stage.given() == ["x = 1", "y = 2", "x = 1", "x = 1", "y = 2"]
        assert [one.since for one in stage.files.asked][-1] == 0  # as they were before


async def test_what_cannot_go_along_is_told_and_the_rest_goes() -> None:
    async with Stagecraft() as stage:
        stage.files.problem = "the disk is full"
        done = await stage.returned(stage.said)
        assert isinstance(done, e.SessionReturned)
        assert [one for one in done.problems if "the disk is full" in one]
        assert not done.did.files
        assert await stage.blocks() == [stage.said]


@pytest.mark.parametrize("preview", [True, False])
async def test_files_that_were_not_kept_before_something_wrote_are_told(
    preview: bool,  # noqa: FBT001 - a case of the table
) -> None:
    async with Stagecraft() as stage:
        stage.files.is_kept = False
        done = await stage.returned(stage.said, RewindScope(files=True), preview=preview)
        assert isinstance(done, e.ReturnPreviewed | e.SessionReturned)
        assert len(done.problems) == 1
        assert done.problems[0].startswith(f"the files: no files were kept since {stage.said}")
        assert "what c2 wrote stays" in done.problems[0]
        done = await stage.returned(stage.leaf, RewindScope(files=True), preview=preview)
        assert isinstance(done, e.ReturnPreviewed | e.SessionReturned)
        assert done.problems == (), "nothing was run since"


async def test_where_nothing_came_since_nothing_is_done() -> None:
    async with Stagecraft() as stage:
        done = await stage.returned(stage.leaf, RewindScope(interpreter=True))
        assert isinstance(done, e.SessionReturned)
        assert (done.how, done.cells) == (None, ())
        assert done.did == Returned(since=done.did.since)
        assert stage.given() == ["x = 1", "y = 2"]


async def test_what_was_not_rebuilt_is_not_rebuilt_to_undo_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def settle(
        hearth: Hearth, session: SessionId, command: c.Command, origin: Origin, *, input_id: InputId
    ) -> Settled | Refusal:
        if isinstance(command, c.HardResetSession):
            return NotAllowed(why="not now", command="hard_reset_session")
        return await api.settle(hearth, session, command, origin, input_id=input_id)

    async with Stagecraft() as stage:
        monkeypatch.setattr(returning, "settle", settle)
        event = await stage.returned(stage.said, RewindScope(interpreter=True))
        assert isinstance(event, e.SessionReturned)
        assert event.problems == ("the interpreter: not now",)
        assert event.did.version == 0
        assert event.did.was, "the conversation went all the same"


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize("scope", [ALL, RewindScope(interpreter=True), RewindScope()])
async def test_what_is_no_block_is_told_before_anything_is_changed(
    scope: RewindScope,
    preview: bool,  # noqa: FBT001 - a case of the table
) -> None:
    async with Stagecraft() as stage:
        blocks = await stage.blocks()
        events = await stage.events()
        place = next(at for at, one in enumerate(events, 1) if isinstance(one, e.CellStarted))
        failed = await stage.returned(BlockId(f"b{place}"), scope, preview=preview)
        assert isinstance(failed, e.ReturnFailed)
        assert failed.why.startswith(f"b{place} is no block of this conversation")
        assert "`conversation`" in failed.why
        assert (await stage.events())[len(events) + 1 :] == [failed], "and nothing else happened"
        assert await stage.blocks() == blocks
        assert stage.given() == ["x = 1", "y = 2"]
        assert stage.files.asked == []


async def test_where_nothing_was_said_no_interpreter_is_rebuilt() -> None:
    async with Stagecraft(world=World()) as stage:
        await begin(stage.engine, S)
        await ran(stage.engine, c.RunCell("x = 1"))
        assert isinstance(await stage.returned(BlockId("b3")), e.ReturnFailed)
        assert not any(isinstance(one, e.SessionHardReset) for one in await stage.events())


async def test_a_block_of_another_branch_is_one_of_the_conversation() -> None:
    async with Stagecraft() as stage:
        blocks = await stage.blocks()
        await ran(stage.engine, p.SwitchBranch(stage.said))
        preview = await stage.returned(stage.leaf, preview=True)
        assert isinstance(preview, e.ReturnPreviewed)
        done = await stage.returned(stage.leaf, RewindScope())
        assert isinstance(done, e.SessionReturned)
        assert await stage.blocks() == blocks
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        assert await stage.blocks() == [stage.said]


Held = type[fx.Effect] | type[c.Command] | type[r.ReturnEnded]
EITHER_WAY: tuple[Held, ...] = (
    RewindFiles,
    RewindProject,
    SwitchBranch,
    FindBranch,
    r.ReturnEnded,
)
BY_COPY: tuple[Held, ...] = (c.UndoCells, fx.RevertWorker)
BY_REPLAY: tuple[Held, ...] = (
    c.HardResetSession,
    fx.StartWorker,
    c.ReplaySession,
    fx.ReplayHistory,
    fx.ExecuteInWorker,
)
"""Where a return may be cut off: before it asks for something, while that is done, at its end."""


async def until_back(stage: Stagecraft) -> e.SessionReturned:
    """The end of the return that was taken up."""
    following = stage.engine.follow(S, after=0)
    try:
        seen = await until(following, e.SessionReturned)
    finally:
        following.close()
    last = seen[-1]
    assert isinstance(last, Stored)
    event = envelope(last).event
    assert isinstance(event, e.SessionReturned)
    return event


@pytest.mark.parametrize(
    ("who", "held"),
    [
        *((UndoFor.EVERYONE, held) for held in (*EITHER_WAY, *BY_COPY)),
        *((UndoFor.NOBODY, held) for held in (*EITHER_WAY, *BY_REPLAY)),
    ],
)
async def test_one_that_was_cut_off_is_finished_and_can_be_taken_back_as_a_whole(
    who: UndoFor, held: Held
) -> None:
    is_copy = who is UndoFor.EVERYONE
    async with Stagecraft(who) as stage:
        world, said, blocks = stage.world, stage.said, await stage.blocks()
        await stage.engine.close()
        since = await stage.version() + 1
    holding = Holding(held)
    async with Stagecraft(world=world, holding=holding) as cut:
        assert isinstance(await cut.engine.submit(S, c.ReturnTo(said, ALL), ANN), Accepted)
        async with asyncio.timeout(PATIENCE):
            await holding.reached.wait()
        refused = await cut.engine.submit(S, c.RunCell("x = 1"), ANN)
        assert isinstance(refused, NotNow)
    async with Stagecraft(world=world) as stage:
        done = await until_back(stage)
        assert done.problems == ()
        assert (done.cells, done.changes) == ((CellId("c2"),), CHANGED)
        assert done.did == Returned(
            was=blocks[-1],
            undone=is_copy,
            version=0 if is_copy else since,
            files=True,
            cells=(CellId("c2"),) if is_copy else (),
            since=since,
        )
        assert done.how is (ForkHow.COPY if is_copy else ForkHow.REPLAY)
        assert await stage.blocks() == [said]
        events = await stage.events()
        for once in (e.FilesRewound, t.BranchSwitched, e.CellsUndone, e.SessionReplayed):
            times = {e.CellsUndone: is_copy, e.SessionReplayed: not is_copy}.get(once, True)
            assert sum(isinstance(one, once) for one in events) == times, once
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        assert back.problems == ()
        assert await stage.blocks() == blocks
        assert [one.kept for one in stage.files.asked][-1] == BEFORE
        assert stage.given()[-1] == "y = 2", "which was never taken back, or is run again"
        assert isinstance((await ran(stage.engine, c.RunCell("x = 1"))).outcome.event, e.Event)


@pytest.mark.parametrize(
    ("who", "held"),
    [
        (UndoFor.NOBODY, SwitchBranch),
        (UndoFor.EVERYONE, c.UndoCells),
        (UndoFor.EVERYONE, fx.RevertWorker),
    ],
)
async def test_an_interpreter_that_was_lost_with_the_daemon_is_rebuilt(
    who: UndoFor, held: Held
) -> None:
    async with Stagecraft(who) as stage:
        world, said = stage.world, stage.said
    holding = Holding(held)
    async with Stagecraft(world=world, holding=holding) as cut:
        await cut.engine.submit(S, c.ReturnTo(said, ALL), ANN)
        async with asyncio.timeout(PATIENCE):
            await holding.reached.wait()
    world.backstage.workers.clear()
    async with Stagecraft(world=world) as stage:
        done = await until_back(stage)
        assert (done.how, done.cells) == (ForkHow.REPLAY, (CellId("c2"),))
        assert (done.did.undone, done.did.version) == (False, done.did.since)
        assert stage.given()[-1] == "x = 1"


async def test_one_whose_interpreter_was_lost_since_is_taken_back_by_rebuilding_it() -> None:
    async with Stagecraft(UndoFor.EVERYONE) as stage:
        world = stage.world
        await stage.returned(stage.said, RewindScope(interpreter=True))
    world.backstage.workers.clear()
    async with Stagecraft(world=world) as stage:
        following = stage.engine.follow(S, after=0)
        await until(following, e.SessionReady, times=2)
        following.close()
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        assert (back.how, back.problems) == (ForkHow.REPLAY, ())
        assert stage.given()[2:] == ["x = 1", "y = 2"]


async def test_one_that_a_daemon_leaves_as_it_stops_is_not_told_as_over() -> None:
    class Stopping(Holding):
        def hearth(self, hearth: Hearth) -> Hearth:
            return StoppingHearth(self, hearth)

    class StoppingHearth(HeldHearth):
        async def submit(
            self,
            session: SessionId,
            command: c.Command,
            origin: Origin,
            *,
            input_id: InputId | None = None,
        ) -> Accepted | Refusal:
            if isinstance(command, SwitchBranch):
                holding.reached.set()
                return ShuttingDown(why="the daemon is shutting down")
            return await super().submit(session, command, origin, input_id=input_id)

    async with Stagecraft() as stage:
        world, said = stage.world, stage.said
    holding = Stopping()
    async with Stagecraft(world=world, holding=holding) as cut:
        await cut.engine.submit(S, c.ReturnTo(said, ALL), ANN)
        async with asyncio.timeout(PATIENCE):
            await holding.reached.wait()
        await ran(cut.engine, c.ListVariables())
        assert not any(isinstance(one, e.SessionReturned) for one in await cut.events())
    async with Stagecraft(world=world) as stage:
        done = await until_back(stage)
        assert done.problems == ()
        assert await stage.blocks() == [said]


async def test_what_was_undone_since_is_brought_back_as_well_and_nothing_more() -> None:
    async with Stagecraft(UndoFor.EVERYONE) as stage:
        done = await stage.returned(stage.said, RewindScope(interpreter=True))
        assert isinstance(done, e.SessionReturned)
        await ran(stage.engine, c.UndoCells())
        preview = await stage.returned(BlockId(""), preview=True)
        assert isinstance(preview, e.ReturnPreviewed)
        assert preview.how is ForkHow.COPY
        assert stage.reverts() == 2, "nothing was brought back to find out"
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        assert (back.how, back.problems) == (ForkHow.COPY, ())
        redone = [one.cells for one in await stage.events() if isinstance(one, e.CellsRedone)]
        assert redone == [("c1",), ("c2",)]
        assert (await status_of(stage.engine)).kept.cells == ("c1", "c2")


async def test_what_was_undone_before_is_left_as_it_was() -> None:
    async with Stagecraft(UndoFor.EVERYONE) as stage:
        await ran(stage.engine, c.RunCell("x = 1"))
        await ran(stage.engine, c.UndoCells())
        await stage.returned(stage.said, RewindScope(interpreter=True))
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        redone = [one.cells for one in await stage.events() if isinstance(one, e.CellsRedone)]
        assert redone == [("c2",)], "c3 had been taken back before, by somebody"


async def test_what_somebody_brought_back_meanwhile_is_not_brought_back_again() -> None:
    async with Stagecraft(UndoFor.EVERYONE) as stage:
        await ran(stage.engine, c.RunCell("x = 1"))
        await ran(stage.engine, c.UndoCells())
        await stage.returned(stage.said, RewindScope(interpreter=True))
        await ran(stage.engine, c.RedoCells())
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        assert (back.how, back.problems) == (None, ())
        redone = [one.cells for one in await stage.events() if isinstance(one, e.CellsRedone)]
        assert redone == [("c2",)]
        assert await stage.blocks() != [stage.said], "the rest came back"


async def test_where_a_new_cell_has_ended_that_it_is_rebuilt() -> None:
    async with Stagecraft(UndoFor.EVERYONE) as stage:
        await stage.returned(stage.said, RewindScope(interpreter=True))
        await ran(stage.engine, c.RunCell("z = 3"))
        preview = await stage.returned(BlockId(""), preview=True)
        assert isinstance(preview, e.ReturnPreviewed)
        assert preview.how is ForkHow.REPLAY
        assert stage.given() == ["x = 1", "y = 2", "z = 3"]
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        assert (back.how, back.problems) == (ForkHow.REPLAY, ())
        assert stage.given() == ["x = 1", "y = 2", "z = 3", "x = 1", "y = 2"]


async def test_where_it_cannot_be_rebuilt_either_that_is_told() -> None:
    async with Stagecraft(UndoFor.EVERYONE) as stage:
        await stage.returned(stage.said, RewindScope(interpreter=True))
        await ran(stage.engine, c.RunCell("z = 3"))
        stage.warm_up = "no room"
        back = await stage.returned(BlockId(""))
        assert isinstance(back, e.SessionReturned)
        assert [one for one in back.problems if one.startswith("the interpreter: ")]


async def test_it_is_for_a_person_alone() -> None:
    async with Stagecraft() as stage:
        refused = await stage.engine.submit(S, c.ReturnTo(stage.said), BOT)
        assert isinstance(refused, NotAllowed)


@pytest.mark.parametrize("bound", [True, False])
async def test_what_it_cannot_do_it_says(bound: bool) -> None:  # noqa: FBT001 - a case of the table
    async def read(*_: object) -> Sequence[Stored]:
        return ()

    going, stage = Returning(read), Recorded()
    effect: fx.Effect = fx.StopWorker(1)
    if not bound:
        effect = fx.ReturnSession(
            generation=1,
            question=InputId("i1"),
            to=BlockId("b1"),
            scope=ALL,
            preview=False,
            origin=ANN,
        )
    await going.perform(S, effect, stage)
    assert stage.reports == [r.EffectFailed(effect, NOBODY)]
