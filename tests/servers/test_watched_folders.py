"""Sources are watched; environments, caches and what is hidden are not."""

import os
from pathlib import Path

import pytest

from hearth.servers.watched_folders import MOST, folders_of, is_folder_news, is_source, saved_since


def test_only_folders_that_can_hold_sources_are_watched(tmp_path: Path) -> None:
    for folder in ("src/pkg", "tests", ".git/objects", "node_modules/x", "pkg/__pycache__"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "my-env" / "lib").mkdir(parents=True)
    (tmp_path / "my-env" / "pyvenv.cfg").touch()
    found = {str(Path(one).relative_to(tmp_path)) for one in folders_of(str(tmp_path))}
    assert found == {".", "src", "src/pkg", "tests", "pkg"}


def test_a_root_that_is_gone_has_no_folders(tmp_path: Path) -> None:
    assert folders_of(str(tmp_path / "gone")) == []


def test_a_huge_tree_costs_a_bounded_number_of_watches(tmp_path: Path) -> None:
    for number in range(MOST + 10):
        (tmp_path / f"d{number}").mkdir()
    assert len(folders_of(str(tmp_path))) == MOST


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("pkg/a.py", True),
        ("a.py", True),
        ("a.txt", False),
        ("a.py~", False),
        (".venv/lib/a.py", False),
        ("pkg/__pycache__/a.py", False),
        ("node_modules/a.py", False),
    ],
)
def test_a_source_is_a_python_file_outside_of_environments(path: str, *, wanted: bool) -> None:
    # The root itself may lie below a hidden folder.
    assert is_source("/home/ann/.work/engine", f"/home/ann/.work/engine/{path}") is wanted


def test_a_new_folder_is_news_and_a_new_cache_is_not(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "__pycache__").mkdir()
    assert is_folder_news(str(tmp_path / "new"), ())
    assert not is_folder_news(str(tmp_path / "__pycache__"), ())
    assert not is_folder_news(str(tmp_path / "gone.py"), ())
    assert is_folder_news(str(tmp_path / "gone"), {str(tmp_path / "gone")})


def test_what_was_saved_since_a_moment_is_found_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    for name, moment in (("old.py", 99), ("new.py", 100), ("new.txt", 101), ("pkg/newer.py", 102)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (moment, moment))
    (tmp_path / "dangling.py").symlink_to("nowhere")
    folders = [*folders_of(str(tmp_path)), str(tmp_path / "gone")]
    found = {Path(one).name for one in saved_since(folders, 100.0)}
    assert found == {"new.py", "newer.py"}
