"""The file of the desks."""

import os
import stat
from pathlib import Path

import pytest

from hearth.servers.dashboard.sidebar import desk_file
from hearth.servers.dashboard.sidebar.desk_file import kept, set_aside, write_whole


def test_what_is_written_is_read_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "dashboard.json"
    assert kept(path) is None
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert kept(path) == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_what_was_there_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "dashboard.json"
    write_whole(path, b"one")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"two")
    assert kept(path) == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_set_aside_takes_the_place_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "dashboard.json"
    for content in ("one", "two"):
        path.write_text(content, "utf-8")
        assert set_aside(path) is not None
    assert not path.exists()
    assert sorted(one.read_text("utf-8") for one in tmp_path.iterdir()) == ["one", "two"]
    assert set_aside(tmp_path / "nowhere" / "dashboard.json") is None


def test_what_is_too_large_was_not_written_by_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_file, "LARGEST", 3)
    path = tmp_path / "dashboard.json"
    path.write_bytes(b"four")
    with pytest.raises(OSError, match="more than 3 bytes"):
        kept(path)
