"""Descriptors are looked at for what they lead to, whatever code has done with their numbers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hearth.performers.interpreter.inside.leading import hold_first, lead, place


@pytest.fixture
def fd(tmp_path: Path) -> int:
    return os.open(tmp_path / "a", os.O_RDWR | os.O_CREAT)


def test_what_is_closed_leads_nowhere(fd: int, tmp_path: Path) -> None:
    about = (tmp_path / "a").stat()
    assert place(fd) == (about.st_dev, about.st_ino)
    os.close(fd)
    assert place(fd) is None
    assert place(None) is None


def test_one_leads_where_another_does_or_nowhere(fd: int, tmp_path: Path) -> None:
    other = os.open(tmp_path / "b", os.O_RDWR | os.O_CREAT)
    lead(fd, other)
    assert place(fd) == place(other)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    lead(fd, None)
    assert os.write(fd, b"gone") == 4
    assert os.fstat(other).st_size == 0
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - the same
    os.close(fd)
    lead(fd, None)
    about = Path(os.devnull).stat()
    assert place(fd) == (about.st_dev, about.st_ino)
    assert os.get_inheritable(fd), "also for the programs that are started"
    os.close(fd)
    os.close(other)


def test_no_new_one_has_a_number_of_the_standard_streams() -> None:
    code = f"""
import os, sys
sys.path.insert(0, {str(Path(sys.modules[hold_first.__module__].__file__ or "").parent)!r})
import leading
said = os.dup(1)
for fd in (0, 1, 2): os.close(fd)
leading.hold_first()
os.write(said, str([os.pipe()[0] > 2, leading.place(said) != leading.place(1)]).encode())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    assert done.stdout == "[True, True]"
