import subprocess
from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.proving import limited
from hearth.performers.judging.shell.repository import trouble_with, trouble_with_modules


def _trouble(root: Path, settings: str) -> str:
    (root / ".git").mkdir(exist_ok=True)
    (root / ".git" / "config").write_text(settings)
    return trouble_with(Place(str(root), str(root)))


def test_a_usual_repository_is_no_trouble(tmp_path: Path) -> None:
    settings = (
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tfsmonitor = false\n"
        '[remote "origin"]\n\turl = git@x:y.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
        '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = A\n'
    )

    assert _trouble(tmp_path, settings) == ""


def test_no_repository_is_no_trouble(tmp_path: Path) -> None:
    assert trouble_with(Place(str(tmp_path), str(tmp_path))) == ""


def test_what_a_repository_within_the_projects_own_runs_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert _trouble(tmp_path, "[core]\n\tfsmonitor = ./x\n")
    below = Place(str(tmp_path / "a" / "b"), str(tmp_path))
    assert trouble_with(below)
    assert not trouble_with(below, within=True)
    (tmp_path / "a" / "HEAD").touch()
    assert trouble_with(below, within=True)


def test_it_is_looked_at_once_for_all_commands_of_a_line(tmp_path: Path) -> None:
    place = Place(str(tmp_path), str(tmp_path))
    line = limited(place)
    assert trouble_with(line) == trouble_with_modules(line) == ""
    assert _trouble(tmp_path, "[core]\n\tfsmonitor = ./x\n")
    assert trouble_with(line) == ""
    assert trouble_with(limited(place))
    assert trouble_with(place)


@pytest.mark.parametrize(
    "settings",
    [
        "[core]\n\tfsmonitor = ./x\n",
        "[core] fsmonitor = ./x\n",
        "[core]\n\tpager = x\n",
        "[CORE]\n\tPager = x\n",
        "[diff]\n\texternal = x\n",
        '[diff "x"]\n\ttextconv = y\n',
        '[filter "x"]\n\tclean = y\n',
        "[include]\n\tpath = x\n",
        '[includeIf "gitdir:/"]\n\tpath = x\n',
        "[core]\n\thooksPath = x\n",
        "[gpg]\n\tprogram = x\n",
        '[remote "x"]\n\tpromisor = true\n',
        "[extensions]\n\tworktreeConfig = true\n",
        "[core]\n\tsshCommand = x\n",
        "\0",
        "#" * 70_000,
    ],
)
def test_settings_that_name_a_program_are_told(settings: str, tmp_path: Path) -> None:
    assert _trouble(tmp_path, settings)


@pytest.mark.parametrize(
    "settings",
    [
        '[a] [core] fsmonitor = "x"\n',
        '[a "]"] [core] fsmonitor = x\n',
        "\ufeff[core] fsmonitor = x\n",
        "\ufeff[core]\n",
        "[core]\rfsmonitor = x\n",
        "[core]\x0bfsmonitor = x\n",
        "[core] filemode = true\n",
        "[core]\n\tabbrev = 1\\\n\tfilemode = true\n",
        "[core]\n# \\\n\tfilemode = true\n",
        '[branch "a\\"b"]\n\tremote = x\n',
        "[core.x]\n\tfilemode = true\n",
        "[core]\n\tfsmonitor\n",
        "[core]\n\tfsmonitor = false x\n",
        "[status]\n\tsubmoduleSummary = true\n",
        "[diff]\n\tsubmodule = diff\n",
        "[new]\n\tthing = x\n",
        "filemode = true\n",
    ],
)
def test_settings_that_are_not_known_or_not_written_plainly_are_told(
    settings: str, tmp_path: Path
) -> None:
    assert _trouble(tmp_path, settings)


def test_a_repository_below_another_does_not_hide_the_settings_of_that(tmp_path: Path) -> None:
    assert _trouble(tmp_path, "[core]\n\tfsmonitor = x\n")
    inner = tmp_path / "src"
    (inner / ".git").mkdir(parents=True)

    assert "fsmonitor" in trouble_with(Place(str(inner), str(tmp_path)))


def test_what_says_only_where_the_rest_of_a_repository_is_is_told(tmp_path: Path) -> None:
    there = tmp_path / "docs" / "there"
    there.mkdir(parents=True)
    (there / "HEAD").write_text("ref: refs/heads/main\n")
    (there / "commondir").write_text("../elsewhere\n")

    assert "looks like a repository" in trouble_with(Place(str(there), str(tmp_path)))


def _git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=b")
    subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)  # noqa: S603, S607 - git itself says how its files look


def test_a_repository_within_another_is_told(tmp_path: Path) -> None:
    place = Place(str(tmp_path), str(tmp_path))
    inner = tmp_path / "x" / "sub"
    inner.mkdir(parents=True)
    _git(tmp_path, "init", "-q")
    (tmp_path / "even").write_text("x" * 0xE000)
    _git(tmp_path, "add", "even")
    assert trouble_with_modules(place) == ""

    _git(inner, "init", "-q")
    _git(inner, "commit", "-q", "--allow-empty", "-m", "x")
    _git(tmp_path, "add", "x/sub")
    assert "other repositories" in trouble_with_modules(place)
    assert trouble_with(place) == ""

    _git(tmp_path, "update-index", "--index-version", "4")
    assert "other repositories" in trouble_with_modules(place)
    _git(tmp_path, "update-index", "--split-index")
    assert "more than one index" in trouble_with_modules(place)


def test_no_repository_has_others_in_it(tmp_path: Path) -> None:
    assert trouble_with_modules(Place(str(tmp_path), str(tmp_path))) == ""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_text("something else")
    assert trouble_with_modules(Place(str(tmp_path), str(tmp_path)))


def test_settings_that_change_are_read_again(tmp_path: Path) -> None:
    assert _trouble(tmp_path, "[core]\n") == ""
    assert _trouble(tmp_path, "[core]\n\tpager = x\n")


def test_a_folder_that_looks_like_a_repository_is_told(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    bare = tmp_path / "bare" / "deep"
    bare.mkdir(parents=True)
    for name in ("HEAD", "objects", "refs"):
        (tmp_path / "bare" / name).mkdir()

    assert "looks like a repository" in trouble_with(Place(str(bare), str(tmp_path)))


def test_a_repository_that_is_elsewhere_is_told(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /elsewhere")

    assert "elsewhere" in trouble_with(Place(str(tmp_path), str(tmp_path)))


def test_settings_behind_a_link_are_not_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").symlink_to("/etc/hostname")

    assert "cannot be read" in trouble_with(Place(str(tmp_path), str(tmp_path)))
