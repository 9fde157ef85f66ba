"""Repositories in a project are found, within bounds, and none outside of it."""

import os
from pathlib import Path

import pytest

from hearth.performers.sandbox import repositories
from hearth.performers.sandbox.repositories import MOST_FOLDERS, Repositories


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path.resolve()


def _module(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "HEAD").touch()
    return folder


def test_submodules_are_repositories_of_their_own(place: Path) -> None:
    module = _module(place / "root/.git/modules/group/lib")
    inner = _module(module / "modules/inner")
    found = Repositories(str(place / "root"))
    assert found.top == [str(place / "root/.git")]
    assert found.all == [str(place / "root/.git"), str(module), str(inner)]
    assert found.is_whole


@pytest.mark.parametrize("name", ["modules", "worktrees", "modules/group"])
def test_no_link_leads_out_to_others(place: Path, name: str) -> None:
    _module(place / "outside/lib")
    link = place / "root/.git" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(place / "outside")
    assert Repositories(str(place / "root")).all == [str(place / "root/.git")]


def test_a_file_leads_to_a_repository_however_deep(place: Path) -> None:
    deep = _module(place / "root/a/b/c/d/e")
    (place / "root/sub").mkdir()
    (place / "root/sub/.git").write_text("gitdir: ../a/b/c/d/e\n", encoding="utf-8")
    found = Repositories(str(place / "root"))
    assert found.pointers == [str(place / "root/sub/.git")]
    assert found.all == [str(deep)]


def test_a_file_does_not_lead_out(place: Path) -> None:
    _module(place / "outside")
    (place / "root/.git").write_text("gitdir: ../outside\n", encoding="utf-8")
    assert Repositories(str(place / "root")).all == []


def test_a_folder_with_a_head_may_be_one(place: Path) -> None:
    assert Repositories(str(place / "root")).all == []
    one = _module(place / "root/docs/wt")
    assert Repositories(str(place / "root")).all == [str(one)]


@pytest.mark.parametrize("where", ["modules", "worktrees", "folders"])
def test_too_much_is_not_looked_at_and_the_own_one_is_not_left_out(place: Path, where: str) -> None:
    own = place / "root/.git"
    own.mkdir()
    for number in range(MOST_FOLDERS + 50):
        folder = place / "root" if where == "folders" else own / where
        (folder / f"{number:04}").mkdir(parents=True)
    found = Repositories(str(place / "root"))
    assert found.all[0] == str(own)
    assert not found.is_whole


def test_a_folder_with_too_many_files_is_not_looked_through(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repositories, "MOST_ENTRIES", 20)
    for number in range(30):
        (place / f"root/{number}").touch()
    assert not Repositories(str(place / "root")).is_whole


def test_what_blocks_whoever_opens_it_is_not_opened(place: Path) -> None:
    (place / "root/.git").mkdir()
    os.mkfifo(place / "root/.git/config")
    (place / "root/sub").mkdir()
    os.mkfifo(place / "root/sub/.git")
    found = Repositories(str(place / "root"))
    assert found.hooks_elsewhere(str(place / "root/.git")) == []
    assert found.pointers == []


def test_hooks_elsewhere_are_those_in_the_folder(place: Path) -> None:
    git = place / "root/.git"
    git.mkdir()
    (place / "root/.husky").mkdir()
    config = "[core]\nhooksPath = .husky\nhooksPath = /usr/bin\nhooksPath = missing\n"
    (git / "config").write_text(config, encoding="utf-8")
    assert Repositories(str(place / "root")).hooks_elsewhere(str(git)) == [
        str(place / "root/.husky")
    ]


def test_the_hooks_of_the_person_are_found_by_a_link_too(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "dotfiles").write_text("[core]\nhooksPath = hooks\n", encoding="utf-8")
    (place / ".gitconfig").symlink_to("dotfiles")
    monkeypatch.setenv("HOME", str(place))
    (place / "root/.git").mkdir()
    (place / "root/hooks").mkdir()
    found = Repositories(str(place / "root")).hooks_by_person(str(place / "root/.git"))
    assert found == [str(place / "root/hooks")]
