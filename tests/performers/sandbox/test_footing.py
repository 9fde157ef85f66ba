"""In folders that others can change, no link is followed, nothing blocks, and all has bounds."""

import os
import sys
from pathlib import Path

import pytest

from hearth.performers.sandbox import footing
from hearth.performers.sandbox.footing import HELD


def test_the_real_path_is_without_links_and_nothing_has_none(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "round").symlink_to("round")
    os.mkfifo(tmp_path / "pipe")
    assert footing.real(str(tmp_path / "link")) == os.path.realpath(tmp_path / "folder")
    assert footing.real(str(tmp_path / "pipe")) == os.path.realpath(tmp_path / "pipe")
    for name in ("broken", "round", "missing", "a\0b"):
        assert footing.real(f"{tmp_path}/{name}") == ""


def test_a_chain_of_links_without_end_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "l0").mkdir()
    for number in range(1, sys.getrecursionlimit() + 100):
        (tmp_path / f"l{number}").symlink_to(f"l{number - 1}")
    assert footing.real(f"{tmp_path}/l{number}") == ""


def test_a_folder_is_listed_within_bounds_and_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "file").touch()
    found = {one.name: one.is_folder for one in footing.entries(str(tmp_path), 10)}
    assert found == {"folder": True, "link": False, "file": False}
    assert len(footing.entries(str(tmp_path), 2)) == 2
    assert footing.entries(str(tmp_path / "link"), 10) == []
    assert footing.entries(str(tmp_path / "missing"), 10) == []


def test_only_files_are_read_and_no_link_leads_to_them(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    (place / "folder").mkdir()
    (place / "folder/file").write_text("said", encoding="utf-8")
    (place / "link").symlink_to("folder")
    (place / "other").symlink_to("folder/file")
    os.mkfifo(place / "pipe")
    assert footing.text_of(f"{place}/folder/file", 4) == "said"
    for path, most in (("folder/file", 3), ("link/file", 9), ("other", 9), ("pipe", 9), ("no", 9)):
        assert footing.text_of(f"{place}/{path}", most) is None


def test_what_is_moved_aside_takes_no_name_from_another(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    (place / f"config{HELD}").mkdir()
    (place / "config").write_text("said", encoding="utf-8")
    aside = footing.moved_aside(f"{place}/config")
    assert aside.startswith(f"config{HELD}-")
    assert (place / aside).read_text(encoding="utf-8") == "said"
    assert (place / f"config{HELD}").is_dir()


def test_a_name_as_long_as_can_be_is_moved_aside_too(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    (place / ("x" * 255)).touch()
    assert footing.moved_aside(f"{place}/{'x' * 255}").endswith(HELD)


def test_nothing_is_moved_or_made_behind_a_link(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    (place / "outside").mkdir()
    (place / "outside/file").touch()
    (place / "link").symlink_to("outside")
    with pytest.raises(OSError, match=r".*"):
        footing.moved_aside(f"{place}/link/file")
    assert footing.made_file(f"{place}/link/new") is None
    assert not footing.made_folder(f"{place}/link/new")
    assert [one.name for one in (place / "outside").iterdir()] == ["file"]


def test_a_file_that_nobody_used_is_taken_away_again(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    unused, used, taken = (footing.made_file(f"{place}/{name}") for name in "abc")
    assert unused
    assert used
    assert taken
    (place / "b").write_text("used", encoding="utf-8")
    (place / "c").unlink()
    (place / "c").symlink_to("b")
    for one in (unused, used, taken):
        footing.forget(one)
    assert sorted(one.name for one in place.iterdir()) == ["b", "c"]
    assert footing.made_file(f"{place}/b") is None


def test_folders_are_made_with_those_above_them(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    assert footing.made_folder(f"{place}/a/b")
    assert footing.made_folder(f"{place}/a/b/c")
    assert (place / "a/b/c").is_dir()
