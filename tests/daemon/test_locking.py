"""A lock is held by one, and free when its holder is gone."""

import os
from pathlib import Path

import pytest

from hearth.daemon.locking import take


def test_a_lock_is_held_by_one_until_it_is_let_go(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    first = take(path, 0)
    assert first is not None
    assert take(path, 0.05) is None
    os.close(first)
    second = take(path, 0)
    assert second is not None
    os.close(second)
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600


def test_whoever_does_not_get_it_keeps_no_descriptor(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    first = take(path, 0)
    assert first is not None
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count
    assert take(path, 0) is None
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - a count
    os.close(first)


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lock"):
        take(str(tmp_path / "lock"), 0)
    assert not (tmp_path / "elsewhere").exists()
