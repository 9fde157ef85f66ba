import os
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.performers.judging.following import MOST_LINKS, MOST_STEPS, Steps, follow


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


def test_a_plain_path_leads_to_itself(top: Path) -> None:
    (top / "a").mkdir()
    found = follow(f"{top}/a//./")

    assert found.path == f"{top}/a"
    assert found.is_directory
    assert not found.doubt


@pytest.mark.promise("DP-PERM-08")
def test_links_are_followed_one_after_the_other(top: Path) -> None:
    (top / "real").mkdir()
    (top / "real/file").touch()
    (top / "one").symlink_to("real")
    (top / "two").symlink_to(top / "one")

    assert follow(f"{top}/two/file").path == f"{top}/real/file"


@pytest.mark.promise("DP-PERM-08")
def test_two_dots_go_back_from_where_a_link_leads_not_from_where_it_lies(top: Path) -> None:
    (top / "far/away").mkdir(parents=True)
    (top / "here").mkdir()
    (top / "here/link").symlink_to(top / "far/away")

    assert follow(f"{top}/here/link/../x").path == f"{top}/far/x"
    assert follow(f"{top}/here/link/..").path == f"{top}/far"
    assert follow(f"{top}/here/link/..").is_directory


def test_two_dots_at_the_root_stay_there() -> None:
    assert follow("/../../..").path == "/"
    assert follow("/").is_directory


@pytest.mark.promise("DP-PERM-08")
def test_a_file_that_is_not_there_yet_lies_below_the_nearest_folder_that_is(top: Path) -> None:
    (top / "real").mkdir()
    (top / "link").symlink_to("real")
    found = follow(f"{top}/link/new/deep/file")

    assert found.path == f"{top}/real/new/deep/file"
    assert found.about is None
    assert not found.is_directory


def test_a_link_to_nothing_leads_to_what_would_be_made(top: Path) -> None:
    (top / "link").symlink_to("/nowhere/at/all")

    assert follow(f"{top}/link").path == "/nowhere/at/all"


def test_the_way_back_out_of_what_is_not_there_cannot_be_known(top: Path) -> None:
    found = follow(f"{top}/missing/../../etc/passwd")

    assert found.path is None
    assert "not there yet" in found.doubt


def test_the_way_back_out_of_a_file_cannot_be_known(top: Path) -> None:
    (top / "file").touch()

    assert follow(f"{top}/file/..").path is None
    assert follow(f"{top}/file/x").path == f"{top}/file/x"


def test_links_in_a_circle_end(top: Path) -> None:
    (top / "a").symlink_to("b")
    (top / "b").symlink_to("a")

    assert follow(f"{top}/a").path is None
    assert "too many links" in follow(f"{top}/a").doubt


def test_as_many_links_as_the_system_follows_are_followed(top: Path) -> None:
    (top / "0").touch()
    for number in range(1, MOST_LINKS + 2):
        (top / str(number)).symlink_to(str(number - 1))

    assert follow(f"{top}/{MOST_LINKS}").path == f"{top}/0"
    assert follow(f"{top}/{MOST_LINKS + 1}").path is None


def test_links_that_multiply_each_other_end(top: Path) -> None:
    (top / "0").mkdir()
    for number in range(1, 30):
        (top / str(number)).symlink_to(f"../{top.name}/{number - 1}/" * 10)

    assert follow(f"{top}/29").path is None


@pytest.mark.parametrize(
    "path",
    [
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/x",
        "/proc/self/environ",
        "/proc/thread-self/root",
        "/proc/1/environ",
        "/proc/1/root/etc",
        "/proc/1",
        "/proc/mounts",
        "/dev/fd/0",
        "/dev/stdin",
        "/dev/../proc/self/fd/1",
        "/proc/OURS/cwd/x",
        "/proc/OURS/fd/0",
    ],
)
@pytest.mark.promise("DP-PERM-08")
def test_what_means_something_else_to_each_process_cannot_be_known(path: str) -> None:
    # Not in the parameter: each process of a test run must name its tests alike.
    found = follow(path.replace("OURS", str(os.getpid())))

    assert found.path is None
    assert found.doubt


def test_a_link_into_what_belongs_to_processes_cannot_be_known_either(top: Path) -> None:
    (top / "link").symlink_to("/proc/self/root")

    assert follow(f"{top}/link/etc/passwd").path is None


def test_a_name_that_is_not_text_cannot_be_told_to_people(top: Path) -> None:
    (top / "link").symlink_to(os.fsdecode(b"caf\xe9"))

    assert follow(f"{top}/link").path is None
    assert "not valid text" in follow(f"{top}/link").doubt


def test_what_is_no_file_is_said(top: Path) -> None:
    os.mkfifo(top / "pipe")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(top / "s"))

    assert follow(f"{top}/pipe").special == "a named pipe"
    assert follow(f"{top}/s").special == "a socket"
    assert follow("/dev/zero").special == "a device"
    assert follow(str(top)).special == ""


def test_other_names_of_a_file_are_noticed(top: Path) -> None:
    (top / "a").touch()
    assert not follow(f"{top}/a").is_shared
    os.link(top / "a", top / "b")

    assert follow(f"{top}/a").is_shared
    assert not follow(str(top)).is_shared


@given(st.text(alphabet="./abπ~ \n\\\ud800", max_size=60))
@settings(max_examples=200)
def test_it_never_raises(path: str) -> None:
    found = follow(f"/{path}")

    assert (found.path is None) == bool(found.doubt)
    assert found.path is None or os.path.normpath(found.path) == found.path


def test_paths_may_take_only_so_many_steps_together(tmp_path: Path) -> None:
    steps = Steps(100)
    length = len(tmp_path.parts) - 1

    assert follow(str(tmp_path), steps).path
    assert steps.left == 100 - length
    steps.left = length - 1
    there = f"{tmp_path}/there"
    assert follow(there, steps).doubt == "it leads through too many folders"
    assert follow(there).path


def test_what_is_judged_together_is_looked_at_once(tmp_path: Path) -> None:
    steps = Steps()
    before = follow(f"{tmp_path}/a/b", steps)
    (tmp_path / "a").symlink_to("/etc")

    assert follow(f"{tmp_path}/a/b", steps) is before
    assert follow(f"{tmp_path}/a/b").path == "/etc/b"


def test_one_path_may_take_only_so_many_steps(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    assert "too many folders" in follow(f"{tmp_path}{'/a/..' * MOST_STEPS}", Steps()).doubt
