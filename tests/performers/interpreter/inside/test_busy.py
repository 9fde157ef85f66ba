"""The mark that tells whether a cell runs."""

import os
from pathlib import Path

from hearth.performers.interpreter.inside.busy import BusyMark, is_busy, read_plain


def test_the_mark_tells_what_was_said_last(tmp_path: Path) -> None:
    assert not is_busy(tmp_path), "nobody is there yet"
    mark = BusyMark(tmp_path)
    assert not is_busy(tmp_path)
    mark.tell(busy=True)
    assert is_busy(tmp_path)
    assert (tmp_path / "busy").read_bytes() == b"1"
    mark.tell(busy=False)
    assert not is_busy(tmp_path)
    assert (tmp_path / "busy").read_bytes() == b"0"


def test_the_mark_needs_no_descriptor(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    mark = BusyMark(tmp_path)
    for name in set(os.listdir("/proc/self/fd")) - before:  # noqa: PTH208 - names are enough
        try:
            os.close(int(name))
        except OSError:
            continue
    mark.tell(busy=True)
    assert is_busy(tmp_path)


def test_a_kernel_that_begins_again_is_not_busy(tmp_path: Path) -> None:
    BusyMark(tmp_path).tell(busy=True)
    BusyMark(tmp_path)
    assert not is_busy(tmp_path)


def test_neither_a_link_nor_a_pipe_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"1")
    (tmp_path / "busy").symlink_to(tmp_path / "secret")
    assert not is_busy(tmp_path)
    assert read_plain(tmp_path / "busy", 10) == b""
    os.mkfifo(tmp_path / "pipe")
    assert read_plain(tmp_path / "pipe", 10) == b""
    assert read_plain(tmp_path, 10) == b""
    assert read_plain(tmp_path / "secret", 10) == b"1"
