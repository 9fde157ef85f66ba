"""A session goes back to when something was said, in each scope, and that is taken back itself.

A real interpreter, real files and real tools; only the model is scripted.
"""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.contracts.scenes import ANN
from tests.journeys.live import PLAIN, Live, S, marked
from tests.journeys.whole import whole

from hearth import app
from hearth.api import Hearth, Settled, Viewed, settle
from hearth.core.views.conversation import Conversation
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.ids import BlockId, InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.refusals import Refusal
from hearth.core.vocabulary.undoing import ForkHow, RewindScope
from hearth.performers import returning
from hearth.settings.agents import AgentSettings
from hearth.settings.permissions import PermissionSettings

FORK: Final = SessionId("fork")
PATIENCE: Final = 60.0
AFTER: Final = 5
"""Blocks behind the second wish: two calls, what came of them, and a word."""
SCOPES: Final = {
    "the conversation": RewindScope(),
    "the interpreter": RewindScope(interpreter=True),
    "the files": RewindScope(files=True),
    "all three": RewindScope(interpreter=True, files=True),
}


def step(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"calls": [{"name": name, "arguments": said} for name, said in calls]}


class Stand(NamedTuple):
    """How things are: the last of the conversation, what is held, what is written."""

    last: BlockId
    blocks: int
    held: dict[str, int | None]
    written: str


class Project:
    """A project in which an agent has done two things, one for each time that it was asked."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "project"
        self.home.mkdir()
        self.root.mkdir()
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)  # noqa: S603, S607 - ours
        (self.root / "a.txt").write_text("none")
        self._script = folder / "script.json"
        turns = [
            step(
                ("run_code", {"code": f"xs = {[*range(number)]}; xs"}),
                ("run_shell", {"command": f"printf {number} > a.txt"}),
            )
            for number in (1, 2)
        ]
        done = {"text": "done"}
        self._script.write_text(json.dumps([turns[0], done, turns[1], done]))

    @asynccontextmanager
    async def living(self) -> AsyncIterator[tuple[Live, BlockId]]:
        """The session after both, and the block of the second wish."""
        async with whole(self.home, **self._settings) as live:
            yield live, await self._asked(live)

    @asynccontextmanager
    async def cut_off(self) -> AsyncIterator[tuple[Live, BlockId]]:
        """The same; the daemon ends with it, and its interpreter does not."""
        with marked(self.home):
            async with app.living(
                self.home, preferences=PLAIN, watch=False, **self._settings
            ) as made:
                live = Live(made.engine, self.home)
                yield live, await self._asked(live)
                await live.close()

    @asynccontextmanager
    async def again(self) -> AsyncIterator[Live]:
        """The daemon that comes after it."""
        async with whole(self.home, **self._settings) as live:
            yield live

    @property
    def _settings(self) -> dict[str, Any]:
        agents = AgentSettings(f"scripted:{self._script}", root=str(self.root), trusted=True)
        return {
            "agents": lambda _: agents,
            "permissions": lambda _directory, _agent: PermissionSettings(mode="auto"),
        }

    async def _asked(self, live: Live) -> BlockId:
        await live.create(config=c.SessionConfig(directory=str(self.root)))
        for wish in ("Begin.", "Go on."):
            async with asyncio.timeout(PATIENCE):
                done = await settle(live.engine, S, p.SendMessage(wish), ANN)
            assert isinstance(done, Settled)
        await live.catch_up()
        sealed = [one for one in live.of(t.BlockSealed) if one.role == "user"]
        wishes = [one.block for one in sealed if "Go on." in str(one.content)]
        assert (self.root / "a.txt").read_text() == "2"
        return wishes[0]

    async def stand(self, live: Live) -> Stand:
        viewed = await live.engine.view("conversation", S)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Conversation)
        rows = viewed.value.rows
        listed = await live.settle(c.ListVariables())
        assert isinstance(listed, e.VariablesReturned)
        held = {one.name: one.length for one in listed.variables}
        return Stand(rows[-1].block, len(rows), held, (self.root / "a.txt").read_text())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.timeout(180)
async def test_each_scope_is_previewed_done_and_taken_back(project: Project) -> None:
    async with project.living() as (live, wish):
        before = await project.stand(live)
        assert (before.held, before.written) == ({"xs": 2}, "2")
        for what, scope in SCOPES.items():
            preview = await live.settle(c.ReturnTo(wish, scope, preview=True))
            assert isinstance(preview, e.ReturnPreviewed), what
            assert not preview.problems, what
            assert preview.blocks == AFTER, what
            assert (preview.how is ForkHow.COPY) is scope.interpreter, what
            assert preview.cells == (("c2",) if scope.interpreter else ()), what
            assert [one.path for one in preview.changes] == ["a.txt"] * scope.files, what
            assert await project.stand(live) == before, what

            done = await live.settle(c.ReturnTo(wish, scope))

            assert isinstance(done, e.SessionReturned), what
            assert not done.problems, what
            assert (done.cells, done.how, done.changes) == (
                (preview.cells, preview.how, preview.changes)
            ), what
            now = await project.stand(live)
            assert (now.last, now.blocks) == (wish, before.blocks - AFTER), what
            assert now.held == {"xs": 1 if scope.interpreter else 2}, what
            assert now.written == ("1" if scope.files else "2"), what

            back = await live.settle(c.ReturnTo())

            assert isinstance(back, e.SessionReturned), what
            assert not back.problems, what
            assert await project.stand(live) == before, what
        # Both were in the interpreter all along: nothing was run again.
        assert len(live.of(e.CellStarted)) == 2
        assert await live.value("xs.append('after'); xs") == "[0, 1, 'after']"


@pytest.mark.timeout(180)
@pytest.mark.parametrize("before", [p.RewindFiles, c.UndoCells, p.SwitchBranch])
async def test_what_a_daemon_leaves_half_way_is_finished_and_taken_back_as_a_whole(
    project: Project, monkeypatch: pytest.MonkeyPatch, before: type[c.Command]
) -> None:
    reached = asyncio.Event()

    async def held(
        hearth: Hearth, session: SessionId, command: c.Command, origin: Origin, *, input_id: InputId
    ) -> Settled | Refusal:
        if isinstance(command, before):
            reached.set()
            await asyncio.get_running_loop().create_future()
        return await settle(hearth, session, command, origin, input_id=input_id)

    async with project.cut_off() as (live, wish):
        was = await project.stand(live)
        with monkeypatch.context() as patched:
            patched.setattr(returning, "settle", held)
            await live.engine.submit(S, c.ReturnTo(wish, SCOPES["all three"]), ANN)
            async with asyncio.timeout(PATIENCE):
                await reached.wait()
            refused = await live.engine.submit(S, c.RunCell("xs = None"), ANN)
            assert getattr(refused, "why", "") == "the session is being taken back"
    async with project.again() as live:
        done = await live.seen(e.SessionReturned)
        assert done.problems == ()
        assert (done.did.was, done.did.undone, done.did.files) == (was.last, True, True)
        now = await project.stand(live)
        assert (now.last, now.held, now.written) == (wish, {"xs": 1}, "1")
        back = await live.settle(c.ReturnTo())
        assert isinstance(back, e.SessionReturned)
        assert back.problems == ()
        assert await project.stand(live) == was


@pytest.mark.timeout(180)
async def test_files_that_a_cell_of_no_agent_wrote_are_told_as_not_kept(project: Project) -> None:
    async with project.living() as (live, _):
        last = (await project.stand(live)).last
        await live.value("open('a.txt', 'w').write('3')")
        for preview in (True, False):
            told = await live.settle(c.ReturnTo(last, SCOPES["all three"], preview=preview))
            assert isinstance(told, e.ReturnPreviewed | e.SessionReturned)
            assert [one for one in told.problems if "what c3 wrote stays" in one], told
        assert (project.root / "a.txt").read_text() == "3"


@pytest.mark.timeout(180)
async def test_without_a_copy_it_is_rebuilt_and_that_is_taken_back_too(project: Project) -> None:
    async with project.living() as (live, wish):
        await live.settle(c.HardResetSession())
        await live.settle(c.ReplaySession())
        before = await project.stand(live)
        assert before.held == {"xs": 2}
        both = RewindScope(interpreter=True)
        preview = await live.settle(c.ReturnTo(wish, both, preview=True))
        assert isinstance(preview, e.ReturnPreviewed)
        assert preview.how is ForkHow.REPLAY
        assert await project.stand(live) == before
        done = await live.settle(c.ReturnTo(wish, both))
        assert isinstance(done, e.SessionReturned)
        assert (done.how, done.problems) == (ForkHow.REPLAY, ())
        assert (await project.stand(live)).held == {"xs": 1}
        back = await live.settle(c.ReturnTo())
        assert isinstance(back, e.SessionReturned)
        assert back.problems == ()
        assert await project.stand(live) == before


@pytest.mark.timeout(180)
async def test_a_fork_from_an_older_block_is_rebuilt_and_says_so(project: Project) -> None:
    async with project.living() as (live, wish):
        before = await project.stand(live)
        copied = await settle(live.engine, S, c.ForkSession(FORK, wish, ForkHow.COPY), ANN)
        assert getattr(copied, "why", "") == (
            "the interpreter can be copied as it is now, not as it was"
        )
        forked = await live.settle(c.ForkSession(FORK, wish))
        assert isinstance(forked, e.SessionForked), forked
        assert (forked.how, forked.notice) == (ForkHow.REPLAY, "")
        assert await live.value("xs", FORK) == "[0]"
        assert await live.pid(FORK) != await live.pid()
        viewed = await live.engine.view("conversation", FORK)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Conversation)
        assert len(viewed.value.rows) == 0 or viewed.value.rows[-1].role == "user"
        assert (await project.stand(live))[:3] == before[:3]
