import os
from pathlib import Path

import pytest

from hearth.settings import roots
from hearth.settings.project_file import ProjectFile, SettingsError
from hearth.settings.roots import (
    Root,
    find_projects,
    find_root,
    find_root_anyway,
    start_up_files,
)


def write(path: Path, content: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    return path


def config(folder: Path, session: str = "") -> Path:
    return write(folder / "hearth.jsonc", f'{{"session": {{{session}}}}}')


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def projects(root: Path) -> list[str]:
    return [one.relative_to(root).as_posix() for one in find_projects(find_root(root)).paths]


@pytest.mark.promise("SF-RES-02")
class TestTheOrderIsFixed:
    def test_a_local_config_comes_before_git(self, tmp_path: Path) -> None:
        folder(tmp_path / ".git")
        config(tmp_path / "a", '"isRoot": true')
        root = find_root(folder(tmp_path / "a" / "b"))
        assert (root.path, root.source) == (tmp_path / "a", "local config")

    def test_git_comes_before_a_nearer_workspace(self, tmp_path: Path) -> None:
        folder(tmp_path / ".git")
        folder(tmp_path / "a" / "b")
        write(tmp_path / "a" / "pyproject.toml", '[tool.uv.workspace]\nmembers = ["b"]')
        root = find_root(tmp_path / "a" / "b")
        assert (root.path, root.source) == (tmp_path, "git")

    def test_without_git_a_workspace_is_the_root(self, tmp_path: Path) -> None:
        folder(tmp_path / "a" / "b")
        config(tmp_path / "a")
        write(tmp_path / "pyproject.toml", '[tool.uv.workspace]\nmembers = ["a/b"]')
        root = find_root(tmp_path / "a" / "b")
        assert (root.path, root.source) == (tmp_path, "workspace")

    def test_then_comes_a_folder_with_a_config(self, tmp_path: Path) -> None:
        config(tmp_path, '"sessionName": "mine"')
        write(tmp_path / "a" / "pyproject.toml", "[project]")
        root = find_root(tmp_path / "a")
        assert (root.path, root.source, root.name) == (tmp_path, "config", "mine")

    def test_then_a_folder_with_a_project(self, tmp_path: Path) -> None:
        write(tmp_path / "pyproject.toml", "[project]")
        root = find_root(folder(tmp_path / "a" / "b"))
        assert (root.path, root.source) == (tmp_path, "discovery")

    def test_or_one_with_projects_below(self, tmp_path: Path) -> None:
        write(tmp_path / "a" / "b" / "setup.py")
        root = find_root(tmp_path)
        assert (root.path, root.source) == (tmp_path, "discovery")

    def test_and_at_last_the_folder_itself(self, tmp_path: Path) -> None:
        write(tmp_path / "notes.txt")
        write(tmp_path / ".hearthrc.py")
        root = find_root(tmp_path)
        assert root == Root(tmp_path, "directory", (), None)
        assert find_projects(root).paths == ()


@pytest.mark.promise("SF-RES-03")
class TestGit:
    def test_is_found_from_any_depth(self, tmp_path: Path) -> None:
        folder(tmp_path / ".git")
        root = find_root(folder(tmp_path / "1" / "2" / "3" / "4" / "5"))
        assert (root.path, root.source) == (tmp_path, "git")

    def test_is_also_a_file_as_in_worktrees_and_submodules(self, tmp_path: Path) -> None:
        folder(tmp_path / ".git")
        write(tmp_path / "sub" / ".git", "gitdir: ../.git/modules/sub")
        root = find_root(folder(tmp_path / "sub" / "deep"))
        assert (root.path, root.source) == (tmp_path / "sub", "git")

    def test_is_found_above_a_folder_that_is_not_there_yet(self, tmp_path: Path) -> None:
        folder(tmp_path / ".git")
        assert find_root(tmp_path / "not" / "yet").path == tmp_path

    def test_has_the_config_that_lies_at_its_root_and_no_other(self, tmp_path: Path) -> None:
        folder(tmp_path / ".git")
        config(tmp_path, '"autoLoad": false')
        config(tmp_path / "a")
        root = find_root(tmp_path / "a")
        assert root.source == "git"
        assert root.config is not None
        assert not root.config.auto_load


@pytest.mark.promise("SF-RES-05")
class TestALocalRoot:
    def test_the_nearest_one_wins_and_this_is_said(self, tmp_path: Path) -> None:
        config(tmp_path, '"isRoot": true')
        inner = config(tmp_path / "a", '"isRoot": true')
        config(tmp_path / "a" / "b")
        root = find_root(tmp_path / "a" / "b")
        assert (root.path, root.source) == (tmp_path / "a", "local config")
        assert root.notices == (f"{inner} says isRoot: the search ends there",)

    def test_nothing_above_it_is_looked_at(self, tmp_path: Path) -> None:
        write(tmp_path / "hearth.jsonc", "broken")
        config(tmp_path / "a", '"isRoot": true')
        assert find_root(tmp_path / "a").path == tmp_path / "a"

    def test_one_above_git_is_found_too(self, tmp_path: Path) -> None:
        config(tmp_path, '"isRoot": true')
        folder(tmp_path / "a" / ".git")
        assert find_root(tmp_path / "a").source == "local config"


@pytest.mark.promise("SF-RES-04")
def test_a_broken_config_on_the_way_is_refused_with_file_and_key(tmp_path: Path) -> None:
    folder(tmp_path / ".git")
    file = config(tmp_path / "a", '"isRoot": "yes"')
    with pytest.raises(SettingsError) as error:
        find_root(folder(tmp_path / "a" / "b"))
    assert error.value.file == file
    assert error.value.key == "session.isRoot"


def test_a_file_of_somebody_else_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In /tmp anybody may leave a file that would make our sessions run their code."""
    theirs = config(tmp_path, '"isRoot": true, "initScript": "evil.py"')
    mine = folder(tmp_path / "mine")
    true = roots._owner
    monkeypatch.setattr(roots, "_owner", lambda path: 4242 if path == theirs else true(path))
    root = find_root(mine)
    assert (root.path, root.source, root.config) == (mine, "directory", None)
    assert root.notices == (f"{theirs} belongs to somebody else and was passed over",)


def test_links_stay_as_people_know_them(tmp_path: Path) -> None:
    folder(tmp_path / "real" / ".git")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert find_root(tmp_path / "link" / "x" / "..").path == tmp_path / "link"


def test_a_session_is_called_like_its_folder(tmp_path: Path) -> None:
    assert Root(tmp_path / "shop", "git").name == "shop"
    assert Root(Path("/"), "directory").name == "/"


@pytest.mark.promise("SF-RES-06")
class TestProjects:
    def test_the_config_lists_them(self, tmp_path: Path) -> None:
        folder(tmp_path / "a")
        write(tmp_path / "b" / "pyproject.toml")
        config(tmp_path, '"projects": ["./a"]')
        assert projects(tmp_path) == ["a"]

    def test_else_the_workspace_does_and_its_root_may_be_one(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            write(tmp_path / "packages" / name / "pyproject.toml")
        write(tmp_path / "pyproject.toml", '[tool.uv.workspace]\nmembers = ["packages/a", "gone"]')
        assert projects(tmp_path) == ["packages/a"]
        write(tmp_path / "src" / "shop" / "__init__.py")
        assert projects(tmp_path) == [".", "packages/a"]
        (notice,) = find_projects(find_root(tmp_path)).notices
        assert "members that are not there: gone" in notice

    def test_else_they_are_discovered_at_any_depth(self, tmp_path: Path) -> None:
        write(tmp_path / "libs" / "b" / "setup.py")
        write(tmp_path / "libs" / "a" / "pyproject.toml")
        write(tmp_path / "libs" / "a" / "examples" / "x" / "pyproject.toml")
        write(tmp_path / ".venv" / "lib" / "setup.py")
        assert projects(tmp_path) == ["libs/a", "libs/b"]

    def test_loose_modules_are_a_project_too(self, tmp_path: Path) -> None:
        write(tmp_path / "tool.py")
        assert find_root(tmp_path).source == "discovery"
        assert projects(tmp_path) == ["."]


@pytest.mark.promise("SF-RES-10")
def test_a_listed_project_that_is_not_there_is_refused(tmp_path: Path) -> None:
    config(tmp_path, '"projects": ["a"]')
    with pytest.raises(SettingsError) as error:
        find_projects(find_root(tmp_path))
    assert error.value.key == "session.projects"
    assert "a is not a folder" in str(error.value)


@pytest.mark.promise("SF-RES-07")
def test_several_workspace_files_are_told_with_the_root(tmp_path: Path) -> None:
    folder(tmp_path / "a")
    write(tmp_path / "pyproject.toml", '[tool.uv.workspace]\nmembers = ["a"]')
    write(tmp_path / "hatch.toml", '[workspace]\nmembers = ["a"]')
    root = find_root(tmp_path / "a")
    assert (root.path, root.source) == (tmp_path, "workspace")
    assert "hatch.toml, pyproject.toml" in root.notices[0]


@pytest.mark.promise("SF-EVAL-07")
class TestStartUpFiles:
    def test_the_persons_own_comes_first_then_the_projects(self, tmp_path: Path) -> None:
        own = write(tmp_path / "home" / "init.py")
        rc = write(tmp_path / "shop" / ".hearthrc.py")
        script = write(tmp_path / "shop" / "start.py")
        config(tmp_path / "shop", '"initScript": "start.py"')
        root = find_root(tmp_path / "shop")
        assert start_up_files(tmp_path / "home", root) == (own, rc, script)

    def test_a_bare_session_has_the_persons_alone(self, tmp_path: Path) -> None:
        own = write(tmp_path / "init.py")
        assert start_up_files(tmp_path, None) == (own,)

    def test_files_that_are_not_there_are_left_out(self, tmp_path: Path) -> None:
        assert start_up_files(tmp_path, find_root(tmp_path)) == ()

    def test_but_a_script_that_somebody_asked_for_must_be_there(self, tmp_path: Path) -> None:
        config(tmp_path, '"initScript": "gone.py"')
        with pytest.raises(SettingsError, match=r"gone\.py is not there"):
            start_up_files(tmp_path, find_root(tmp_path))


def test_a_folder_that_is_closed_to_us_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(13, "no", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    assert find_root(tmp_path).source == "directory"


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_where_nothing_can_be_nothing_is_found_and_that_is_told(tmp_path: Path, name: str) -> None:
    root, broken = find_root_anyway(tmp_path / name)
    assert (root.path, root.source, root.config) == (tmp_path / name, "directory", None)
    assert [error.file for error in broken] == [tmp_path / name]
    assert "cannot be looked at" in broken[0].what


def test_whoever_asks_with_every_request_does_not_wait_for_what_lies_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "shop" / "api" / "pyproject.toml")
    there = find_root(tmp_path / "shop")

    def refuse(_path: object) -> None:
        raise AssertionError("it looks through a folder")

    monkeypatch.setattr(os, "scandir", refuse)
    root, broken = find_root_anyway(tmp_path / "shop")
    assert (root.path, root.config, broken) == (there.path, there.config, ())


def test_whoever_can_go_on_without_a_broken_file_is_told_of_it(tmp_path: Path) -> None:
    folder(tmp_path / ".git")
    write(tmp_path / "hearth.jsonc", "{")
    write(tmp_path / "a" / "hearth.jsonc", '{"session": {"isRoot": 5}}')
    folder(tmp_path / "a" / "b")
    root, broken = find_root_anyway(tmp_path / "a" / "b")
    assert (root.path, root.source) == (tmp_path, "git")
    assert root.config == ProjectFile()
    assert [error.file for error in broken] == [
        tmp_path / "a" / "hearth.jsonc",
        tmp_path / "hearth.jsonc",
    ]
    with pytest.raises(SettingsError):
        find_root(tmp_path / "a" / "b")
