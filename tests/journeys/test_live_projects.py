"""A session in a project: its root, its Python, its modules, its start-up files, its saves."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from tests.contracts.hearth_api import status_of
from tests.journeys.live import S, T, living

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.failures import ProjectNotFound, WarmUpFailed

COG = "class Cog:\n    def teeth(self):\n        return 12\n"


def project(root: Path, **sources: str) -> Path:
    """A git repository with a package of these modules, in the src layout."""
    (root / ".git").mkdir(parents=True)
    (root / "pyproject.toml").write_text('[project]\nname = "loom"\nversion = "1"\n')
    package = root / "src" / "loom"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(sources.pop("init", ""))
    for name, source in sources.items():
        (package / f"{name}.py").write_text(source)
    return package


def config(directory: Path, **more: object) -> c.SessionConfig:
    return c.SessionConfig(directory=str(directory), **more)  # type: ignore[arg-type]  # as given


@pytest.mark.promise("SF-RES-02", "SF-RES-06", "SF-RES-09", "SF-EVAL-05", "SF-EVAL-06")
async def test_the_project_is_found_from_any_depth_and_imported_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    package = project(
        tmp_path / "loom",
        # In the order of their names, each needs a later one.
        a="import sys\nassert 'loom.b' in sys.modules, 'b comes first'\n",
        b="import sys\nassert 'loom.c' in sys.modules, 'c comes first'\n",
        c="VALUE = 7\n",
        optional="import nothing_like_it\n",
    )
    async with living(tmp_path / "home") as live:
        await live.create(config=config(package))
        status = await status_of(live.engine, S)
        assert (status.root, status.source) == (str(tmp_path / "loom"), "git")
        assert (status.name, status.projects) == ("loom", (str(tmp_path / "loom"),))
        assert await live.value("loom.c.VALUE, loom.a.__name__") == "(7, 'loom.a')"
        assert await live.value("__import__('os').getcwd()") == repr(str(tmp_path / "loom"))
        warmed = await live.seen(e.SessionWarmUpCompleted)
        assert any("nothing_like_it" in error for error in warmed.errors)
        assert not any("comes first" in error for error in warmed.errors)
        assert warmed.surroundings is not None
        assert "loom.a" in warmed.surroundings.modules


@pytest.mark.promise("SF-RES-08", "SF-EVAL-08")
async def test_nothing_found_and_nothing_wanted_are_valid_sessions(tmp_path: Path) -> None:
    project(tmp_path / "loom", init="raise AssertionError('nobody asked for it')\n")
    (tmp_path / "empty").mkdir()
    async with living(tmp_path / "home") as live:
        await live.create(S, config(tmp_path / "empty"))
        assert await live.value("1 + 1") == "2"
        await live.create(T, config(tmp_path / "loom", mode=c.SessionMode.BARE))
        assert await live.value("'loom' in dir(), 'loom' in __import__('sys').modules", T) == (
            "(False, False)"
        )
        assert (await live.seen(e.SessionWarmUpCompleted, T)).errors == ()


@pytest.mark.promise("SF-EVAL-07")
async def test_the_persons_start_up_file_runs_first_and_the_projects_overrides_it(
    tmp_path: Path,
) -> None:
    project(tmp_path / "loom")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "init.py").write_text("mine = 1\nshared = 'person'\n")
    (tmp_path / "loom" / ".hearthrc.py").write_text("theirs = mine + 1\nshared = 'project'\n1/0\n")
    async with living(tmp_path / "home") as live:
        await live.create(config=config(tmp_path / "loom"))
        assert await live.value("mine, theirs, shared") == "(1, 2, 'project')"
        (error,) = (await live.seen(e.SessionWarmUpCompleted)).errors
        assert ".hearthrc.py:3" in error
        assert "ZeroDivisionError" in error


@pytest.mark.promise("SF-EVAL-13")
async def test_the_projects_own_python_runs_its_sessions_and_sees_nothing_of_ours(
    tmp_path: Path,
) -> None:
    project(tmp_path / "loom")
    making = [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "loom" / ".venv")]
    await asyncio.to_thread(subprocess.run, making, check=True, timeout=60)
    async with living(tmp_path / "home") as live:
        await live.create(config=config(tmp_path / "loom"))
        prefix = repr(str(tmp_path / "loom" / ".venv"))
        assert await live.value("import sys; sys.prefix") == prefix
        ended = await live.run("import msgspec")
        assert isinstance(ended, e.CellFailed)  # hearth has it, the project has not
        # And all that ipykernel brings works although the project has no ipykernel.
        assert await live.value("await __import__('asyncio').sleep(0, 'awaited')") == "'awaited'"
        children = await live.run("!python -c 'import sys; print(sys.prefix)'")
        assert isinstance(children, e.CellFinished)
        assert prefix.strip("'") in await live.printed(children.outputs)


@pytest.mark.promise("SF-RES-10", "SF-RES-04")
async def test_what_cannot_be_started_says_what_to_check(tmp_path: Path) -> None:
    package = project(tmp_path / "loom")
    async with living(tmp_path / "home") as live:
        gone = await live.create(S, config(tmp_path / "gone"))
        assert gone == e.SessionFaulted(ProjectNotFound(str(tmp_path / "gone")))
        missing = await live.create(T, config(package, projects=("weaving",)))
        assert isinstance(missing, e.SessionFaulted)
        assert missing.failure == ProjectNotFound(str(tmp_path / "loom" / "weaving"))
        (tmp_path / "loom" / "hearth.jsonc").write_text('{"session": {"autoload": true}}')
        broken = await live.settle(c.HardResetSession(), T)
        assert isinstance(broken, e.SessionFaulted)
        assert isinstance(broken.failure, WarmUpFailed)
        told = await live.text(broken.failure.message)
        assert "hearth.jsonc" in told
        assert "autoload" in told
        assert live.folders() == []


@pytest.mark.promise("SF-EVAL-09", "SF-EVAL-10", "SF-EVAL-11", "SF-EPI-01", "SF-EPI-03")
async def test_a_save_changes_what_lives_and_a_broken_one_does_not(tmp_path: Path) -> None:
    package = project(tmp_path / "loom", cogs=COG)
    source = package / "cogs.py"
    async with living(tmp_path / "home") as live:
        await live.create(config=config(tmp_path / "loom"))
        await live.run("cog = loom.cogs.Cog(); kept = [cog]")
        await live.run("unrelated = 1")
        before = live.envelopes[-1].fingerprint
        source.write_text(COG.replace("12", "99"))
        taken = await live.settle(c.ReloadSources((str(source),)))
        assert isinstance(taken, e.SourcesReloaded)
        assert [one.module for one in taken.reloaded] == ["loom.cogs"]
        changed = await live.seen(e.EnvironmentChanged, where=lambda one: bool(one.stale))
        assert (changed.stale, changed.old, list(changed.changed)) == (1, before, ["loom.cogs"])
        assert await live.value("cog.teeth(), kept[0] is cog, unrelated") == "(99, True, 1)"
        source.write_text("class Cog\n")
        broken = await live.settle(c.ReloadSources((str(source),)))
        assert isinstance(broken, e.SourcesReloaded)
        assert (broken.failed[0].name, broken.failed[0].line) == ("SyntaxError", 1)
        assert await live.value("cog.teeth()") == "99"
        source.unlink()  # nothing holds it
        assert await live.value("cog.teeth()") == "99"
        assert live.envelopes[-1].fingerprint == changed.new


async def test_a_save_waits_for_the_cell_that_runs(tmp_path: Path) -> None:
    package = project(tmp_path / "loom", cogs=COG)
    source = package / "cogs.py"
    async with living(tmp_path / "home") as live:
        await live.create(config=config(tmp_path / "loom"))
        await live.run("cog = loom.cogs.Cog()")
        cell = await live.begin(
            "first = cog.teeth(); input('go on?'); first, cog.teeth()", may_ask=True
        )
        await live.seen(e.InputRequested)
        source.write_text(COG.replace("12", "99"))
        asked = await live.submit(c.ReloadSources((str(source),)))
        await live.submit(c.AnswerInput("yes"))
        ended = await live.seen(e.CellFinished, where=lambda one: one.cell == cell)
        assert ended.value == "(12, 12)"
        await live.seen(e.SourcesReloaded, after=asked)
        assert await live.value("cog.teeth()") == "99"
