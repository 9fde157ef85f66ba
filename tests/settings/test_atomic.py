import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hearth.settings.atomic import write_whole


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_made_with_its_folders_for_its_owner_alone(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b" / "f", b"x")
    assert (tmp_path / "a" / "b" / "f").read_bytes() == b"x"
    assert mode_of(tmp_path / "a" / "b" / "f") == 0o600
    assert mode_of(tmp_path / "a" / "b") == 0o700


def test_a_file_that_is_there_keeps_its_mode_unless_another_is_given(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"old")
    file.chmod(0o644)
    write_whole(file, b"new")
    assert (file.read_bytes(), mode_of(file)) == (b"new", 0o644)
    write_whole(file, b"newer", 0o600)
    assert mode_of(file) == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "f"
    real.parent.mkdir()
    real.write_bytes(b"old")
    (tmp_path / "f").symlink_to(real)
    write_whole(tmp_path / "f", b"new")
    assert (tmp_path / "f").is_symlink()
    assert real.read_bytes() == b"new"


def test_what_fails_half_way_changes_nothing_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.promise("DL-CONF-13")
def test_whoever_reads_while_a_writer_is_killed_sees_one_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "f"
    code = (
        "import sys; from pathlib import Path; from hearth.settings.atomic import write_whole\n"
        "n = 0\n"
        "while True:\n"
        "    n += 1\n"
        "    write_whole(Path(sys.argv[1]), bytes([n % 200]) * 100_000)\n"
        "    print(n, flush=True)\n"
    )
    for rounds in range(1, 6):
        with subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
            [sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            for _ in range(rounds * 3):
                assert writer.stdout.readline()
                content = file.read_bytes()
                assert len(content) == 100_000
                assert len(set(content)) == 1
            writer.send_signal(signal.SIGKILL)
        content = file.read_bytes()
        assert len(content) == 100_000
        assert len(set(content)) == 1
