from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import EXTERNAL, READ, WRITE, Need, Verdict
from hearth.performers.judging.paths import Place, path_needs
from hearth.performers.judging.shell.analysis import analyse
from hearth.performers.tools.shell.containing import (
    Opening,
    around_needs,
    opened,
    opening,
    readable,
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "project").mkdir()
    (tmp_path / "outside").mkdir()
    return Place(str(tmp_path / "project"), str(tmp_path / "project"))


def test_what_is_in_the_project_needs_no_opening(place: Place) -> None:
    needs = (*path_needs("a", WRITE, place), *path_needs("b", READ, place))
    assert opening(needs, place) == Opening()
    assert not readable(needs, place)


def _opening(line: str, place: Place) -> Opening:
    return opening(analyse(line, place).needs, place)


def test_what_is_there_is_opened_for_itself(tmp_path: Path, place: Place) -> None:
    there = tmp_path / "outside" / "there"
    there.touch()
    folder = str(tmp_path / "outside")
    assert opening(path_needs(str(there), WRITE, place), place) == Opening((str(there),))
    assert opening(path_needs(folder, WRITE, place), place) == Opening((folder,))


@pytest.mark.parametrize(
    "line", ["make > ../outside/new", "make 2>> ../outside/new", "make | tee ../outside/new"]
)
def test_a_file_that_is_not_there_is_made_and_opened_alone(
    line: str, tmp_path: Path, place: Place
) -> None:
    new = tmp_path / "outside" / "new"
    what = _opening(line, place)
    assert what == Opening(files=(str(new),))
    assert opened(what).paths == (str(new),)
    assert new.read_bytes() == b""
    assert [one.name for one in (tmp_path / "outside").iterdir()] == ["new"]


def test_a_file_in_a_folder_that_is_not_there_opens_nothing(place: Place) -> None:
    assert _opening("make > ../outside/missing/out.log", place) == Opening()


def test_a_folder_that_is_to_be_there_is_made_and_opened_with_what_is_in_it(
    tmp_path: Path, place: Place
) -> None:
    folder = tmp_path / "outside/a/b"
    line = "mkdir -p ../outside/a/b && make > ../outside/a/b/out.log"
    what = _opening(line, place)
    assert what == Opening(folders=(str(folder),))
    assert opened(what).paths == (str(folder),)
    assert folder.is_dir()


@pytest.mark.parametrize("line", ["mkdir ../outside/a", "cp x ../outside/a", "mv x ../outside/a"])
def test_where_nothing_can_be_made_beforehand_the_folder_around_it_is_asked_for(
    line: str, tmp_path: Path, place: Place
) -> None:
    outside = str(tmp_path / "outside")
    needs = analyse(line, place).needs
    what = opening(needs, place)
    assert what == Opening(around=((f"{outside}/a", outside),))
    assert opened(what) == ((), ())
    more = around_needs(needs, place, ())
    assert {(need.permission, need.target) for need in more} == {
        (WRITE, outside),
        (EXTERNAL, outside),
    }
    for need in more:
        assert need.usual is Verdict.ASK
        assert need.pattern == ""
        assert f"{outside}/a is not there yet" in need.why
    assert opening((*needs, *more), place).there == (outside,)


def test_what_is_open_by_setting_is_not_asked_for(tmp_path: Path, place: Place) -> None:
    needs = analyse("cp x ../outside/a", place).needs
    assert not around_needs(needs, place, (str(tmp_path / "outside"),))


def test_new_temporary_files_are_the_commands_own(place: Place) -> None:
    path = "/tmp/surely-not-there-x"  # noqa: S108 - it is never made
    for line in (f"make > {path}", f"cp a {path}", f"mkdir -p {path}"):
        assert _opening(line, place) == Opening(own=(path,))


def test_a_link_that_came_since_is_not_opened(tmp_path: Path, place: Place) -> None:
    there, secret = tmp_path / "outside/there", tmp_path / "secret"
    there.touch()
    secret.mkdir()
    needs = path_needs(str(there), WRITE, place)
    new = analyse("make > ../outside/new", place).needs
    what = opening(new, place)
    there.unlink()
    there.symlink_to(secret)
    (tmp_path / "outside/new").symlink_to(secret / "made")
    assert opening(needs, place) == Opening()
    assert opened(what) == ((), ())
    assert not list(secret.iterdir())


def test_what_was_only_to_be_read_is_not_to_be_written_to(tmp_path: Path, place: Place) -> None:
    file = tmp_path / "outside" / "there"
    file.touch()
    needs = path_needs(str(file), READ, place)
    assert opening(needs, place) == Opening()
    assert readable(needs, place) == (str(file),)


def test_who_may_not_be_outside_reaches_nothing_there(place: Place) -> None:
    needs = (Need(WRITE, "/outside/x", "/outside/x"), Need(READ, "/etc/passwd", "/etc/passwd"))
    assert opening(needs, place) == Opening()
    assert not readable(needs, place)


def test_a_folder_that_needs_no_permission_of_its_own_is_opened_too(tmp_path: Path) -> None:
    folder = tmp_path / "outside"
    folder.mkdir()
    place = Place(str(tmp_path), str(tmp_path / "project"), auto_allow=(str(folder),))
    needs = path_needs(str(folder / "x"), WRITE, place)
    assert EXTERNAL not in {need.permission for need in needs}
    assert opening(needs, place).around == ((str(folder / "x"), str(folder)),)
    assert opening((*needs, *around_needs(needs, place, ())), place).there == (str(folder),)


def test_whoever_may_list_a_folder_does_not_see_the_keys_in_it(place: Place) -> None:
    assert not readable(path_needs("/usr", READ, place), place)
    assert not readable(path_needs("/", READ, place), place)


@pytest.mark.parametrize("path", ["/proc/1/environ", "/proc/self/root/etc/passwd", "/dev/sda"])
def test_nothing_lets_a_sandbox_see_the_processes_outside(path: str, place: Place) -> None:
    needs = tuple(need for how in (READ, WRITE, EXTERNAL) for need in (Need(how, path, path),))
    assert not readable(needs, place)
    assert opening(needs, place) == Opening()


def test_nobody_is_given_the_root_of_all(place: Place) -> None:
    assert opening(path_needs("/surely-not-there/x", WRITE, place), place) == Opening()
    assert opening(path_needs("/", WRITE, place), place) == Opening()
