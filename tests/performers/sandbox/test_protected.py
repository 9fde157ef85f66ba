"""What stays as it is inside of a project is found, within bounds."""

import os
import time
from pathlib import Path

import pytest

from hearth.performers.sandbox.protected import protected_in
from hearth.performers.sandbox.repositories import MOST_FOLDERS


def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    found = protected_in((str(tmp_path),))
    assert found == ((), (), ())
    assert list(tmp_path.iterdir()) == []


def test_a_repository_on_the_way_to_the_working_directory_is_found(tmp_path: Path) -> None:
    deep = tmp_path / "a/b/c/d/e"
    (deep / ".git/hooks").mkdir(parents=True)
    below = deep / "src"
    below.mkdir()
    assert protected_in((str(tmp_path),)).anchored == ()
    found = protected_in((str(tmp_path),), str(below))
    assert found.anchored == (str(deep / ".git"),)
    assert found.read_only == (str(deep / ".git/hooks"),)


def test_a_missing_folder_of_hooks_is_to_be_kept_empty(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert protected_in((str(tmp_path),)).kept_empty == (str(tmp_path / ".git/hooks"),)


def test_folders_around_hooks_that_lie_elsewhere_cannot_be_moved(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("[core]\n\thooksPath = tools/git/hooks\n")
    (tmp_path / "tools/git/hooks").mkdir(parents=True)
    found = protected_in((str(tmp_path),))
    assert str(tmp_path / "tools/git/hooks") in found.read_only
    assert {str(tmp_path / "tools"), str(tmp_path / "tools/git")} <= set(found.anchored)


def test_a_link_that_leads_out_is_nothing_of_the_projects(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / ".git").mkdir(parents=True)
    outside.mkdir()
    (root / ".git/hooks").symlink_to(outside)
    (root / "hearth.jsonc").symlink_to(outside / "missing")
    found = protected_in((str(root),))
    assert found.read_only == ()
    assert found.kept_empty == ()


def test_a_huge_project_is_looked_at_within_bounds(tmp_path: Path) -> None:
    for number in range(MOST_FOLDERS + 50):
        (tmp_path / f"{number:04}").mkdir()
    (tmp_path / f"{MOST_FOLDERS + 49:04}/.git").mkdir()
    (tmp_path / ".git").mkdir()
    assert protected_in((str(tmp_path),)).anchored == (str(tmp_path / ".git"),)


def test_where_a_worktree_has_its_settings_from_stays_as_it_is(tmp_path: Path) -> None:
    one = tmp_path / ".git/worktrees/one"
    one.mkdir(parents=True)
    for name in ("HEAD", "commondir"):
        (one / name).write_text("../..", encoding="utf-8")
    assert str(one / "commondir") in protected_in((str(tmp_path),)).read_only


def test_a_folder_that_only_has_a_head_gets_nothing_put_into_it(tmp_path: Path) -> None:
    (tmp_path / "HEAD").touch()
    assert protected_in((str(tmp_path),)) == ((), (), ())


@pytest.mark.parametrize("name", ["modules", "worktrees"])
def test_a_link_to_half_of_the_machine_costs_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "x/.git").mkdir(parents=True)
    (tmp_path / "x/.git" / name).symlink_to("/usr")
    began = time.process_time()
    found = protected_in((str(tmp_path),))
    assert time.process_time() - began < 0.2
    assert found.anchored == (str(tmp_path / "x/.git"),)


def test_nothing_that_a_command_leaves_keeps_the_next_one_waiting(tmp_path: Path) -> None:
    (tmp_path / "pipe/.git").mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe/.git/config")
    (tmp_path / "empty/.git").mkdir(parents=True)
    (tmp_path / "empty/.git/config").write_text("\n" * 60_000, encoding="utf-8")
    (tmp_path / "chain/.git").mkdir(parents=True)
    (tmp_path / "chain/.git/hooks").symlink_to("l1999")
    for number in range(2000):
        (tmp_path / f"chain/.git/l{number}").symlink_to(f"l{number - 1}")
    began = time.process_time()
    protected_in((str(tmp_path),))
    assert time.process_time() - began < 2.0
