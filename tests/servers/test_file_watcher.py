"""A save becomes a command of the file watcher, for every session of that root and no other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from hearth.api import Following, each
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.performing import Stage
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.servers.file_watcher import FileWatcher

S, T = SessionId("session-one"), SessionId("session-two")
ANN: Final = Origin(Actor.PERSON, "ann", Door.REPL)
PATIENCE: Final = 30.0


class Rooted:
    """An interpreter that finds a root, and takes every source."""

    effects: frozenset[type[fx.Effect]] = frozenset(
        {fx.StartWorker, fx.StopWorker, fx.AttachWorker, fx.ReloadInWorker}
    )

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        del session
        if isinstance(effect, fx.StartWorker):
            source = "directory" if effect.config.name == "bare" else "git"
            found = Surroundings(root=effect.config.directory, source=source)
            stage.report(r.WorkerReady(effect.generation, 0.0, surroundings=found))
        elif isinstance(effect, fx.AttachWorker):
            stage.report(r.WorkerReady(effect.generation, 0.0))
        elif isinstance(effect, fx.ReloadInWorker):
            stage.report(r.SourcesTaken(effect.question))

    async def close(self) -> None:
        """Nothing is held."""


@asynccontextmanager
async def engine() -> AsyncIterator[Engine]:
    log = MemoryLog()
    await log.open()
    made = Engine(log, [Rooted()])
    await made.open()
    try:
        yield made
    finally:
        await made.close()
        await log.close()


@asynccontextmanager
async def watching(hearth: Engine) -> AsyncIterator[FileWatcher]:
    watcher = FileWatcher(hearth)
    await watcher.open()
    try:
        yield watcher
    finally:
        await watcher.close()


async def begin(hearth: Engine, session: SessionId, root: Path, name: str = "") -> None:
    config = c.SessionConfig(directory=str(root), name=name)
    following = hearth.follow(session, after=0)
    await hearth.submit(session, c.CreateSession(config), ANN)
    await until(following, e.SessionReady)


async def until(following: Following, kind: type[e.Event]) -> Envelope:
    return codec.envelope(await _row(following, kind))


@pytest.mark.promise("SF-EVAL-11")
async def test_a_save_is_a_command_that_names_its_file(tmp_path: Path) -> None:
    async with engine() as hearth, watching(hearth) as watcher:
        await begin(hearth, S, tmp_path)
        await asyncio.wait_for(watcher.watched.wait(), PATIENCE)
        following = hearth.follow(S)
        path = tmp_path / "wheels.py"
        path.write_text("x = 1\n")
        asked = await until(following, e.ReloadRequested)
        assert isinstance(asked.event, e.ReloadRequested)
        assert asked.event.paths == (str(path),)
        assert asked.origin == Origin(Actor.FILE_WATCHER, str(path), Door.WATCHER)


async def test_a_save_before_the_watch_has_begun_is_not_missed(tmp_path: Path) -> None:
    async with engine() as hearth:
        following = hearth.follow(S)
        await begin(hearth, S, tmp_path)
        path = tmp_path / "wheels.py"
        path.write_text("x = 1\n")
        watcher = FileWatcher(hearth)
        # As if it had been slow to hear of the session: what it hears is the same.
        watcher._hear(await _row(following, e.SessionWarmUpCompleted))
        asked = await until(hearth.follow(S, after=0), e.ReloadRequested)
        assert asked.origin == Origin(Actor.FILE_WATCHER, str(path), Door.WATCHER)
        await watcher.close()


async def _row(following: Following, kind: type[e.Event]) -> Stored:
    async with asyncio.timeout(PATIENCE):
        async for item in each(following):
            if isinstance(item, Stored) and isinstance(codec.envelope(item).event, kind):
                return item
    raise AssertionError("the stream ended")


async def test_a_folder_that_is_made_later_is_watched_too(tmp_path: Path) -> None:
    async with engine() as hearth, watching(hearth) as watcher:
        await begin(hearth, S, tmp_path)
        await asyncio.wait_for(watcher.watched.wait(), PATIENCE)
        watcher.watched.clear()
        (tmp_path / "cogs").mkdir()
        await asyncio.wait_for(watcher.watched.wait(), PATIENCE)
        following = hearth.follow(S)
        (tmp_path / "cogs" / "teeth.py").write_text("x = 1\n")
        asked = await until(following, e.ReloadRequested)
        assert asked.origin.name.endswith("cogs/teeth.py")


async def test_sessions_of_other_roots_and_bare_ones_hear_nothing(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    async with engine() as hearth, watching(hearth) as watcher:
        await begin(hearth, S, here)
        await asyncio.wait_for(watcher.watched.wait(), PATIENCE)
        await begin(hearth, T, there)
        await begin(hearth, SessionId("session-bare"), here, "bare")
        following = hearth.follow()
        (here / "a.py").write_text("x = 1\n")
        assert (await until(following, e.SourcesReloaded)).session == S
        asked = [
            one.session
            async for one in _stored(hearth)
            if isinstance(codec.envelope(one).event, e.ReloadRequested)
        ]
        assert asked == [S]


async def test_a_stopped_session_is_left_alone_and_one_that_lived_before_is_found(
    tmp_path: Path,
) -> None:
    async with engine() as hearth:
        await begin(hearth, S, tmp_path)
        await begin(hearth, T, tmp_path)
        async with watching(hearth) as watcher:  # begun after both sessions
            await asyncio.wait_for(watcher.watched.wait(), PATIENCE)
            following = hearth.follow()
            await hearth.submit(S, c.StopSession(), ANN)
            await until(following, e.SessionStopped)
            (tmp_path / "a.py").write_text("x = 1\n")
            assert (await until(following, e.ReloadRequested)).session == T


async def _stored(hearth: Engine) -> AsyncIterator[Stored]:
    """Everything that is in the log by now."""
    following = hearth.follow(after=0)
    last = await hearth.view("sessions")
    seq = getattr(last, "seq", 0)
    async for item in each(following):
        if isinstance(item, Stored):
            yield item
            if item.seq >= seq:
                break
    following.close()
