"""A project gets its `.hearth/` when somebody who trusts it works in it, and not before."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.contracts.scenes import ANN
from tests.journeys.live import comes_true

from hearth.api import Settled, settle
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.commands import CreateSession, HardResetSession, SessionConfig
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.serving.project_folders import ProjectFolders

S = SessionId("session-a")


class Placed:
    """An interpreter that says where it is."""

    effects: frozenset[type[fx.Effect]] = frozenset({fx.StartWorker, fx.StopWorker})

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        del session
        if isinstance(effect, fx.StartWorker):
            directory = effect.config.directory
            source = "directory" if directory.endswith("loose") else "git"
            found = Surroundings(root=directory, source=source)
            stage.report(r.WorkerReady(effect.generation, 0.0, surroundings=found))

    async def close(self) -> None:
        """Nothing is held."""


@asynccontextmanager
async def looked_after(trusted: set[Path]) -> AsyncIterator[Engine]:
    log = MemoryLog()
    await log.open()
    engine = Engine(log, [Placed()])
    await engine.open()
    folders = ProjectFolders(engine, lambda root: root.path in trusted)
    folders.open()
    try:
        yield engine
    finally:
        await folders.close()
        await engine.close()
        await log.close()


async def begin(engine: Engine, directory: Path, session: SessionId = S) -> None:
    config = SessionConfig(directory=str(directory))
    assert isinstance(await settle(engine, session, CreateSession(config), ANN), Settled)


def project(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.mark.promise("DL-DIR-01", "DL-DIR-02")
async def test_a_project_that_is_trusted_gets_its_folder_at_its_first_session(
    tmp_path: Path,
) -> None:
    place = project(tmp_path / "shop")
    async with looked_after({place}) as engine:
        await begin(engine, place)
        await comes_true((place / ".hearth" / ".gitignore").exists)
    assert {one.name for one in (place / ".hearth").iterdir()} == {
        ".gitignore",
        "knowledge",
        "sessions",
        "skills",
    }


async def test_one_that_is_not_trusted_or_is_no_project_stays_as_it_is(tmp_path: Path) -> None:
    stranger, loose = project(tmp_path / "stranger"), tmp_path / "loose"
    loose.mkdir()
    last = project(tmp_path / "last")
    trusted = {last, loose}
    async with looked_after(trusted) as engine:
        await begin(engine, stranger)
        await begin(engine, loose, SessionId("session-b"))
        await begin(engine, last, SessionId("session-c"))
        await comes_true((last / ".hearth" / ".gitignore").exists)
        assert not (stranger / ".hearth").exists()
        assert not (loose / ".hearth").exists()
        # Trusted meanwhile: the next start makes up for it.
        trusted.add(stranger)
        await settle(engine, S, HardResetSession(), ANN)
        await comes_true((stranger / ".hearth" / ".gitignore").exists)


async def test_where_nothing_can_be_written_sessions_go_on(tmp_path: Path) -> None:
    place, other = project(tmp_path / "shop"), project(tmp_path / "other")
    (place / ".hearth").write_text("somebody's file")
    async with looked_after({place, other}) as engine:
        await begin(engine, place)
        await begin(engine, other, SessionId("session-b"))
        await comes_true((other / ".hearth" / ".gitignore").exists)
    assert (place / ".hearth").read_text() == "somebody's file"
