import os
import socket
import threading
import time
from pathlib import Path

import pytest

from hearth.performers.tools.files import opening
from hearth.performers.tools.files.opening import (
    IsFolder,
    NotOpened,
    NotThere,
    opened,
    opened_folder,
    parent_of,
    shown,
    sized,
    whole,
)


def content(path: Path) -> bytes:
    with opened(str(path)) as file:
        return b"".join(file.chunks(1000))


def test_a_regular_file_is_read_from_its_start(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"inside")
    assert content(tmp_path / "a") == b"inside"
    with opened(str(tmp_path / "a")) as file:
        assert b"".join(file.chunks(3)) == b"ins"
        assert file.is_unchanged()


def test_no_link_is_followed_whether_it_is_the_file_or_a_folder_above_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (tmp_path / "link").symlink_to(outside / "secret")
    (tmp_path / "folder").symlink_to(outside)
    with pytest.raises(NotOpened, match="is a link now: it changed since it was allowed"):
        content(tmp_path / "link")
    with pytest.raises(NotOpened, match="a link is in the way"):
        content(tmp_path / "folder" / "secret")
    with pytest.raises(NotOpened), opened_folder(str(tmp_path / "folder")):
        pass


@pytest.mark.parametrize(
    "path", ["relative", "/a/../b", "/a/./b", "/a//b", "/a/", "", "/a\0b", "/"]
)
def test_a_path_that_is_not_canonical_is_never_opened(path: str) -> None:
    with pytest.raises(NotOpened, match="is no path that can be opened safely"), opened(path):
        pass


def test_what_is_not_a_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotOpened, match="is a named pipe, not a file"):
        content(tmp_path / "pipe")
    with pytest.raises(NotOpened, match="/dev/zero is a device, not a file"):
        content(Path("/dev/zero"))
    with pytest.raises(IsFolder, match="is a folder, not a file"):
        content(tmp_path)
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as door:
        os.chdir(tmp_path)  # the name of a socket must be short
        try:
            door.bind("door")
        finally:
            os.chdir(here)
        with pytest.raises(NotOpened, match="is a socket, not a file"):
            content(tmp_path / "door")


def test_a_pipe_that_takes_the_place_of_a_file_after_the_look_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("x")
    looked = os.stat_result((0o100644, *(tmp_path / "a").stat()[1:]))
    (tmp_path / "a").unlink()
    os.mkfifo(tmp_path / "a")
    monkeypatch.setattr(os, "stat", lambda *_, **__: looked)
    with pytest.raises(NotOpened, match="is a named pipe"):
        content(tmp_path / "a")


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="There is no "):
        content(tmp_path / "missing")
    with pytest.raises(NotThere):
        content(tmp_path / "missing" / "below")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotOpened, match="a file or a link is in the way"):
        content(tmp_path / "file" / "below")


def test_what_is_about_a_process_is_never_opened() -> None:
    with pytest.raises(NotOpened, match="is about a running process"):
        content(Path(f"/proc/{os.getpid()}/environ"))
    with pytest.raises(NotOpened):
        content(Path("/proc/self/environ"))


def test_a_file_that_says_no_size_is_read_within_bounds() -> None:
    with opened("/proc/cpuinfo") as file:
        assert file.about.st_size == 0
        assert sum(map(len, file.chunks(1 << 40))) <= 4 * opening.CHUNK


def test_what_may_not_be_read_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").write_text("x")
    real = os.open

    def closing(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "closed":
            raise PermissionError(13, "Permission denied")
        return real(path, flags, mode, dir_fd=dir_fd)

    # The tests may run as a user to whom nothing is closed.
    monkeypatch.setattr(os, "open", closing)
    with pytest.raises(NotOpened, match="is closed to the user that hearth runs as"):
        content(tmp_path / "closed")


def test_a_name_that_is_too_long_is_a_short_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotOpened, match="too long") as told:
        content(tmp_path / ("n" * 5000))
    assert len(str(told.value)) < 400


def test_folders_are_made_only_when_asked_for(tmp_path: Path) -> None:
    with pytest.raises(NotThere), parent_of(str(tmp_path / "a" / "b" / "c")):
        pass
    assert not (tmp_path / "a").exists()
    with parent_of(str(tmp_path / "a" / "b" / "c"), make=True) as (_, name):
        assert name == "c"
    assert (tmp_path / "a" / "b").is_dir()


def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert whole(str(tmp_path / "a"), 5) == b"12345"
    with pytest.raises(NotOpened, match="too large for this: 5 bytes"):
        whole(str(tmp_path / "a"), 4)


def test_whoever_reads_learns_that_it_was_written_to(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    with opened(str(tmp_path / "a")) as file:
        (tmp_path / "a").write_bytes(b"12")
        assert not file.is_unchanged()


def test_no_open_file_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        content(tmp_path / "a")
        for bad in (tmp_path, tmp_path / "no" / "no", Path("/dev/zero")):
            with pytest.raises(NotOpened):
                content(bad)
        with opened_folder(str(tmp_path)), opened_folder("/"):
            pass
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_folder_that_is_swapped_for_a_link_again_and_again_never_leads_out(
    tmp_path: Path,
) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    for folder, text in ((outside, "secret"), (inside, "mine")):
        folder.mkdir()
        (folder / "f").write_text(text)
    (tmp_path / "link").symlink_to(outside)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            (tmp_path / "inside").rename(tmp_path / "aside")
            (tmp_path / "link").rename(tmp_path / "inside")
            (tmp_path / "inside").rename(tmp_path / "link")
            (tmp_path / "aside").rename(tmp_path / "inside")

    swapping = threading.Thread(target=swap)
    swapping.start()
    read, refused = 0, 0
    try:
        limit = time.monotonic() + 20
        while min(read, refused) < 200 and time.monotonic() < limit:
            try:
                assert content(tmp_path / "inside" / "f") == b"mine"
                read += 1
            except NotOpened:
                refused += 1
    finally:
        over.set()
        swapping.join(20)
    assert read
    assert refused
    assert (outside / "f").read_text() == "secret"


def test_sizes_and_paths_are_told_for_people() -> None:
    assert [sized(one) for one in (0, 1023, 1536, 4 << 30)] == [
        "0 bytes", "1023 bytes", "1.5 KiB", "4.0 GiB",
    ]  # fmt: skip
    assert shown("/a\0\ud800") == "/a\\0\\ud800"
    assert shown("a\n12:b\r\x1b[31m\u2028é") == "a\\n12:b\\r\\x1b[31m\\u2028é"
