"""What servers are shown of files, and of what only looks like one."""

import os
from pathlib import Path

import pytest

from hearth.performers.language_server import disk


def test_a_file_is_read_with_its_stamp(tmp_path: Path) -> None:
    (file := tmp_path / "a.py").write_bytes("\ufeffé\r\n".encode())
    content = disk.content(str(file))
    assert content.text == "é\r\n"
    assert content.stamp == disk.stamp(str(file))
    file.write_text("longer than it was")
    assert content.stamp != disk.stamp(str(file))


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    for name in ("pipe.py", "folder.py", "link.py", "gone.py", "a\0b.py", "x" * 5000):
        with pytest.raises(disk.Unreadable):
            disk.content(str(tmp_path / name))
        assert disk.stamp(str(tmp_path / name)) is None


def test_a_device_is_no_file() -> None:
    with pytest.raises(disk.Unreadable, match="no plain file"):
        disk.content("/dev/zero")


def test_what_is_too_large_is_not_shown(tmp_path: Path) -> None:
    with (tmp_path / "sparse.py").open("wb") as file:
        file.truncate(4 * 1024**3)
    with pytest.raises(disk.Unreadable, match="larger than 1024 KiB"):
        disk.content(str(tmp_path / "sparse.py"))


def test_what_is_no_text_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(disk.Unreadable, match="not UTF-8"):
        disk.content(str(tmp_path / "a.py"))
