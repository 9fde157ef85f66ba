import os
from contextlib import closing
from pathlib import Path

import pytest

from hearth.performers.tools.files.descending import Descent
from hearth.performers.tools.files.opening import NotOpened


def held() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def names(folder: int) -> set[str]:
    # What is held may be entered and not listed; the same folder, opened from there, may.
    inside = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
    try:
        return {one.name for one in os.scandir(inside)}
    finally:
        os.close(inside)


def test_folders_are_found_one_after_the_other_and_none_stays_open(tmp_path: Path) -> None:
    for folder in ("a/b/c", "a/b/d", "e"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / folder.replace("/", "-")).touch()
    before = held()
    with closing(Descent()) as descent:
        for folder in ("a/b/c", "a/b/c", "a/b/d", "e", "a/b/c"):
            assert names(descent.folder(f"{tmp_path}/{folder}")) == {folder.replace("/", "-")}
        assert names(descent.folder(f"{tmp_path}/a")) == {"b"}
        assert tmp_path.parts[1] in names(descent.folder(""))
    assert held() == before


def test_what_cannot_be_entered_is_said_and_the_next_one_is_found_all_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "file").touch()
    (tmp_path / "a" / "link").symlink_to(tmp_path / "a" / "b")
    before = held()
    with closing(Descent()) as descent:
        for bad in ("a/missing/c", "a/link", "file", "a/../a", "a//b", "a/./b"):
            with pytest.raises(NotOpened):
                descent.folder(f"{tmp_path}/{bad}")
            assert names(descent.folder(f"{tmp_path}/a")) == {"b", "link"}
        for process in ("/proc/1", f"/proc/{os.getpid()}/fd", "/proc/1/root/etc"):
            with pytest.raises(NotOpened, match="running process"):
                descent.folder(process)
        with pytest.raises(NotOpened):
            descent.folder("relative")
    assert held() == before


def test_a_folder_that_is_swapped_for_a_link_on_the_way_leads_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "top" / "a").mkdir(parents=True)
    (tmp_path / "top" / "b").mkdir()
    (tmp_path / "other" / "b" / "secret").mkdir(parents=True)
    with closing(Descent()) as descent:
        descent.folder(f"{tmp_path}/top/a")
        (tmp_path / "top").rename(tmp_path / "moved")
        (tmp_path / "top").symlink_to(tmp_path / "other")
        # The folder that was entered is still the one that the path meant.
        assert names(descent.folder(f"{tmp_path}/top/b")) == set()
        descent.close()
        with pytest.raises(NotOpened):
            descent.folder(f"{tmp_path}/top/b")
