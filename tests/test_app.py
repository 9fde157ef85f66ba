"""The composition root: what it makes, and that it closes all of it."""

import asyncio
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from tests.contracts.hearth_api import S, begin, ran, status_of
from tests.contracts.scenes import SCENES
from tests.log.databases import database
from tests.log.postgres_server import PASSWORD

from hearth.api import Viewed, each
from hearth.app import living, running
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import CellFinished, SessionReplayed
from hearth.core.vocabulary.phases import PhaseName
from hearth.engine.engine import Engine
from hearth.log.event_log import LogError, StoreDown
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import RuntimeUnusable, runtime_folder
from hearth.performers.interpreter.scripted import ScriptedInterpreter


class Watched(ScriptedInterpreter):
    """Remembers that it was let go."""

    closed = False

    async def close(self) -> None:
        self.closed = True
        await super().close()


def files_in(home: Path) -> set[str]:
    return {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}


@pytest.mark.promise("SF-LOG-20", "SF-LOG-21")
async def test_a_fresh_home_works_and_its_data_survive(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    home = tmp_path / "new" / "home"
    performer = Watched(SCENES)
    async with running(home, performers=[performer]) as engine:
        await begin(engine, name="first")
        await ran(engine, c.RunCell("x = 1"))
        before = await status_of(engine)
        assert not performer.closed
    assert performer.closed
    assert f"the log is SQLite at {home}/data/hearth.db" in caplog.text
    async with running(home, performers=[Watched(SCENES)]) as engine:
        after = await status_of(engine)
        assert (after.name, after.evals, after.last_code) == ("first", 1, "x = 1")
        assert after.started_at == before.started_at
        # The pretended interpreter did not outlive the daemon, so it is replaced.
        await ran(engine, c.HardResetSession())
        assert isinstance((await ran(engine, c.RunCell("1+1"))).outcome.event, CellFinished)
        assert (await status_of(engine)).state is PhaseName.READY
    assert not any(name.endswith(".spool") for name in await asyncio.to_thread(files_in, home))


async def test_the_engine_is_met_before_it_takes_sessions_up(tmp_path: Path) -> None:
    async with running(tmp_path, performers=[Watched(SCENES)]) as engine:
        await begin(engine, name="first")
    known: list[object] = []

    def meet(engine: Engine) -> None:
        known.append(engine.config_of(S))

    async with running(tmp_path, performers=[Watched(SCENES)], meet=meet) as engine:
        known.append(engine.config_of(S))
    assert known == [None, c.SessionConfig(name="first")]


@pytest.mark.promise("SF-LOG-20")
async def test_a_home_belongs_to_one_daemon_at_a_time(tmp_path: Path) -> None:
    async with running(tmp_path) as engine:
        with pytest.raises(StoreDown, match="another process uses it"):
            async with running(tmp_path):
                pytest.fail("there are two")
        assert isinstance(await engine.view("sessions"), Viewed)  # the first one goes on
    async with running(tmp_path):
        pass  # what failed left nothing behind that would be in the way


async def test_what_fails_while_it_opens_is_closed_again(tmp_path: Path) -> None:
    performer = Watched(SCENES)
    blocked = tmp_path / "file"
    await asyncio.to_thread(blocked.write_text, "not a database")
    with pytest.raises(LogError, match="not a database"):
        async with running(tmp_path / "home", f"sqlite://{blocked}", [performer]):
            pytest.fail("it opened")
    await asyncio.to_thread(blocked.unlink)
    async with running(tmp_path / "home", f"sqlite://{blocked}", [performer]) as engine:
        await begin(engine)
    assert performer.closed


async def test_an_error_inside_closes_everything_and_comes_out(tmp_path: Path) -> None:
    performer = Watched(SCENES)

    async def fail() -> None:
        async with running(tmp_path, performers=[performer]) as engine:
            await begin(engine)
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        await fail()
    assert performer.closed
    async with running(tmp_path, performers=[performer]) as engine:
        assert (await status_of(engine)).session == S


@pytest.mark.promise("SF-SEC-02")
async def test_the_password_is_in_nothing_that_is_written_down(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    performers = [ScriptedInterpreter(SCENES)]
    async with database() as url, running(tmp_path, url, performers) as engine:
        await begin(engine)
        seen = repr(await engine.view("sessions"))
        rows = await engine._around.log.read_session(S)
    seen += caplog.text + "".join(str(row.data) for row in rows)

    def written() -> str:
        return "".join(path.read_text("latin-1") for path in tmp_path.rglob("*") if path.is_file())

    assert rows
    assert PASSWORD not in seen + await asyncio.to_thread(written)


async def test_what_waits_for_one_store_is_not_given_to_another(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, f"sqlite://{tmp_path}/a.db"):
        pass

    def leave_something() -> Path:
        (directory,) = (path for path in (tmp_path / "spool").iterdir() if path.is_dir())
        (directory / "00000001.spool").write_bytes(b"something\n")
        return directory

    directory = await asyncio.to_thread(leave_something)
    async with running(tmp_path, f"sqlite://{tmp_path}/b.db"):
        pass
    assert f"events wait in {directory} for another store" in caplog.text
    assert (directory / "00000001.spool") in await asyncio.to_thread(
        lambda: list(directory.iterdir())
    )


def test_importing_hearth_imports_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import hearth;"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter and words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "['hearth']"


async def test_a_living_hearth_has_real_interpreters_that_the_next_one_takes_up(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, preferences=Preferences(spares=0), watch=False) as first:
        await begin(first.engine)
        await ran(first.engine, c.RunCell("import os; x = os.getpid()"))
    async with living(tmp_path, preferences=Preferences(spares=0), watch=False) as second:
        kept = (await ran(second.engine, c.RunCell("x == os.getpid()"))).outcome.event
        assert isinstance(kept, CellFinished)
        assert kept.value == "True"
        await ran(second.engine, c.HardResetSession())
        replayed = (await ran(second.engine, c.ReplaySession())).outcome.event
        assert isinstance(replayed, SessionReplayed)
        assert replayed.ran == ("c1", "c2")
        assert replayed.differing == ()
        await second.end_all()
    assert not runtime_folder(tmp_path).exists()


async def test_two_daemons_cannot_live_in_one_home(tmp_path: Path) -> None:
    async with living(tmp_path, preferences=Preferences(spares=0), watch=False):
        with pytest.raises(RuntimeUnusable, match="another daemon"):
            async with living(tmp_path):
                pass


@pytest.mark.promise("SF-EVAL-11", "SF-EVAL-10")
async def test_a_save_reaches_objects_that_are_alive(tmp_path: Path) -> None:
    project = tmp_path / "engine"
    (project / ".git").mkdir(parents=True)
    (project / "pyproject.toml").write_text('[project]\nname = "wheels"\n')
    source = project / "wheels.py"
    source.write_text("class Cog:\n    def teeth(self):\n        return 12\n")
    async with living(tmp_path / "home", preferences=Preferences(spares=0)) as hearth:
        engine = hearth.engine
        await ran(engine, c.CreateSession(c.SessionConfig(directory=str(project))))
        await ran(engine, c.RunCell("cog = wheels.Cog()"))
        following = engine.follow(S)
        source.write_text("class Cog:\n    def teeth(self):\n        return 99\n")
        async with asyncio.timeout(30):
            async for item in each(following):
                if isinstance(item, Stored) and b'"sources_reloaded"' in item.data:
                    break
        following.close()
        told = (await ran(engine, c.RunCell("cog.teeth()"))).outcome
        assert isinstance(told.event, CellFinished)
        assert told.event.value == "99"
        await hearth.end_all()


@pytest.mark.promise("SF-EVAL-12")
async def test_a_cell_sees_what_was_saved_before_it_unless_it_says_otherwise(
    tmp_path: Path,
) -> None:
    project = tmp_path / "engine"
    (project / ".git").mkdir(parents=True)
    (project / "pyproject.toml").write_text('[project]\nname = "wheels"\n')
    source = project / "wheels.py"
    source.write_text("def teeth():\n    return 12\n")
    wanted = Preferences(spares=0)
    async with living(tmp_path / "home", preferences=wanted, watch=False) as hearth:
        engine = hearth.engine
        await ran(engine, c.CreateSession(c.SessionConfig(directory=str(project))))
        source.write_text("def teeth():\n    return 99\n")
        kept = (await ran(engine, c.RunCell("wheels.teeth()", reload=False))).outcome.event
        taken = (await ran(engine, c.RunCell("wheels.teeth()"))).outcome.event
        assert isinstance(kept, CellFinished)
        assert isinstance(taken, CellFinished)
        assert (kept.value, taken.value) == ("12", "99")
        await hearth.end_all()
