"""A plan says where an interpreter starts and what it prepares, or why it cannot."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.commands import SessionConfig, SessionMode
from hearth.core.vocabulary.failures import Failure, ProjectNotFound, WarmUpFailed
from hearth.performers.interpreter.planning import Plan, Planning
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.walls import Walls
from hearth.settings.roots import Root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    (made / "init.py").write_text("")
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "pack").mkdir(parents=True)
    (made / "pack" / "__init__.py").write_text("")
    (made / "pyproject.toml").write_text('[project]\nname = "pack"\nversion = "1"\n')
    return made


async def planned(home: Path, directory: Path | str, **more: Any) -> Plan | Failure:
    config = SessionConfig(directory=str(directory), **more)
    return await Planning(home).plan(config)


async def plan(home: Path, directory: Path | str, **more: Any) -> Plan:
    found = await planned(home, directory, **more)
    assert isinstance(found, Plan), found
    return found


async def test_a_folder_that_is_not_there_is_named(home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for missing in (tmp_path / "nowhere", tmp_path / "file", tmp_path / "file" / "below"):
        assert await planned(home, missing) == ProjectNotFound(str(missing))


async def test_a_project_that_is_not_there_is_named(home: Path, project: Path) -> None:
    found = await planned(home, project, projects=("pack", "other"))
    assert found == ProjectNotFound(str(project / "other"))


@pytest.mark.parametrize("directory", ["x" * 300, "~no-such-person/project", "a\0b"])
async def test_what_no_folder_can_be_called_is_told_not_raised(home: Path, directory: str) -> None:
    found = await planned(home, directory)
    assert isinstance(found, WarmUpFailed | ProjectNotFound)


async def test_a_settings_file_that_cannot_be_used_is_told_with_its_name(
    home: Path, project: Path
) -> None:
    (project / "hearth.jsonc").write_text('{"session": {"projects": 3}}')
    found = await planned(home, project)
    assert isinstance(found, WarmUpFailed)
    assert "hearth.jsonc" in str(found.message)
    assert "Traceback" not in str(found.message)


async def test_a_session_works_at_the_root_of_the_project_it_is_started_in(
    home: Path, project: Path
) -> None:
    (project / ".git").mkdir()
    (project / ".hearthrc.py").write_text("")
    found = await plan(home, project / "pack")
    assert found.directory == found.root == str(project)
    assert found.source == "git"
    assert found.profile == (str(home / "init.py"), str(project / ".hearthrc.py"))
    assert "pack" in found.modules
    assert not found.bare


@pytest.mark.promise("SF-EVAL-08")
async def test_a_bare_session_has_no_project_and_the_persons_own_profile_alone(
    home: Path, project: Path
) -> None:
    (project / ".hearthrc.py").write_text("")
    found = await plan(home, project, mode=SessionMode.BARE)
    assert found.bare
    assert found.directory == str(project)
    assert (found.root, found.modules, found.paths) == ("", (), ())
    assert found.profile == (str(home / "init.py"),)
    assert found.python == sys.executable


async def test_without_a_folder_a_session_is_bare_and_at_home(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    found = await plan(home, "")
    assert found.bare
    assert found.directory == str(home)
    assert (await plan(home, "~")).directory == str(home)


async def test_a_project_that_says_so_is_not_loaded(home: Path, project: Path) -> None:
    settings = {"session": {"autoLoad": False, "defaultArgs": ["--fast"]}}
    (project / "hearth.jsonc").write_text(json.dumps(settings))
    found = await plan(home, project)
    assert found.modules == ()
    assert found.argv == ("--fast",)
    assert found.root == str(project)


@pytest.mark.promise("SF-RES-08")
async def test_an_empty_folder_is_a_fine_place(home: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = await plan(home, tmp_path / "empty")
    assert found.directory == str(tmp_path / "empty")
    assert found.modules == ()


async def test_what_the_interpreter_is_asked_is_the_plan_in_plain_words(
    home: Path, project: Path
) -> None:
    found = await plan(home, project)
    asked = found.as_asked()
    assert json.loads(json.dumps(asked)) == asked
    assert asked["directory"] == found.directory
    assert asked["modules"] == list(found.modules)
    assert asked["profile"] == [str(home / "init.py")]
    assert asked["bare"] is False


async def test_of_a_project_that_is_not_trusted_nothing_is_used(home: Path, project: Path) -> None:
    (project / ".hearthrc.py").write_text("raise SystemExit")
    (project / "hearth.jsonc").write_text('{"session": {"sessionName": "evil", "isRoot": true}}')
    asked: list[Path] = []

    def nobody(root: Root) -> bool:
        asked.append(root.path)
        return False

    found = await Planning(home, nobody).plan(SessionConfig(directory=str(project / "pack")))
    assert isinstance(found, Plan)
    assert asked == [project]
    assert (found.directory, found.name) == (str(project), "project")
    assert (found.modules, found.paths, found.argv) == ((), (), ())
    assert found.profile == (str(home / "init.py"),)
    assert found.python == sys.executable
    assert found.bare
    assert f"`hearth trust {project}`" in found.notices[-1]


async def test_a_trusted_project_is_used_as_ever(home: Path, project: Path) -> None:
    (project / ".hearthrc.py").write_text("")
    found = await Planning(home, lambda _: True).plan(SessionConfig(directory=str(project)))
    assert isinstance(found, Plan)
    assert found.modules == ("pack",)
    assert found.profile[-1] == str(project / ".hearthrc.py")


async def test_where_nothing_would_run_nobody_is_asked(home: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    found = await Planning(home, _never_asked).plan(SessionConfig(directory=str(plain)))
    assert isinstance(found, Plan)
    assert not found.bare
    (plain / ".hearthrc.py").write_text("")
    with pytest.raises(AssertionError, match="asked"):
        await Planning(home, _never_asked).plan(SessionConfig(directory=str(plain)))


async def test_a_project_may_want_its_interpreters_run_otherwise(home: Path, project: Path) -> None:
    asked: list[Path | None] = []

    def prefers(root: Root | None) -> Preferences:
        asked.append(root.path if root else None)
        return Preferences(processes=7)

    planning = Planning(home, None, prefers)
    for config in (
        SessionConfig(directory=str(project)),
        SessionConfig(directory=str(project), mode=SessionMode.BARE),
    ):
        found = await planning.plan(config)
        assert isinstance(found, Plan)
        assert found.preferences == Preferences(processes=7)
    assert asked == [project, None]
    assert (await plan(home, project)).preferences is None


async def test_how_an_interpreter_is_kept_apart_is_asked_for_its_project(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    asked: list[str] = []
    wrapped: list[str] = []

    def walls(root: str) -> Walls:
        asked.append(root)
        return Walls(contained=root == str(project), network=True, keep=("A",))

    def wrap(command: Sequence[str], folder: str) -> Sequence[str]:
        wrapped.append(folder)
        return command

    (project / ".venv/bin").mkdir(parents=True)
    (project / ".venv/pyvenv.cfg").touch()
    (project / ".venv/bin/python").symlink_to(sys.executable)
    planning = Planning(home, None, None, walls, wrap)
    found = await planning.plan(SessionConfig(directory=str(project)))
    assert isinstance(found, Plan)
    assert found.walls == Walls(contained=True, network=True, keep=("A",))
    assert found.ground.root == str(project)
    assert wrapped == [str(project / ".venv")]
    bare = await planning.plan(SessionConfig(directory=str(project), mode=SessionMode.BARE))
    assert isinstance(bare, Plan)
    assert bare.walls == Walls(keep=("A",))
    assert bare.ground.root == str(project)
    alone = await planning.plan(SessionConfig())
    assert isinstance(alone, Plan)
    assert alone.ground.root == ""
    assert asked == [str(project), "", ""]


def _never_asked(root: Root) -> bool:
    raise AssertionError(f"asked about {root.path}")
