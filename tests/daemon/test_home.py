"""The home of a hearth: where it is, that it is private, and what is said when it cannot be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hearth.daemon.home import (
    LONGEST_SOCKET,
    HomeUnusable,
    ensure_home,
    hearth_home,
    socket_path,
    unusable,
)


def test_the_home_is_in_the_persons_own_unless_the_environment_says_otherwise() -> None:
    assert hearth_home({}) == str(Path.home() / ".hearth")
    assert hearth_home({"HEARTH_HOME": ""}) == str(Path.home() / ".hearth")
    assert hearth_home({"HEARTH_HOME": "/some/where/"}) == "/some/where"
    assert hearth_home({"HEARTH_HOME": "~/elsewhere"}) == str(Path.home() / "elsewhere")


def test_a_relative_home_is_the_same_for_whoever_moves_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert hearth_home({"HEARTH_HOME": "here"}) == str(tmp_path / "here")


def test_a_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    ensure_home(str(home))
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "logs").stat().st_mode & 0o777 == 0o700


def test_a_home_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    (home / "kept").write_text("as it was")
    ensure_home(str(home))
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "kept").read_text() == "as it was"


def test_a_file_in_place_of_the_home_is_said_with_what_would_help(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file")
    with pytest.raises(HomeUnusable) as refused:
        ensure_home(str(home))
    assert str(home) in refused.value.what
    assert "a file is in its place" in refused.value.hint
    assert home.read_text() == "a file"


def test_a_full_disk_and_a_home_of_somebody_else_have_hints_of_their_own() -> None:
    full = unusable("/home/x", OSError(28, "No space left on device"))
    assert "No space left" in full.what
    assert "make room" in full.hint
    theirs = unusable("/home/x", PermissionError(13, "Permission denied"))
    assert "Permission denied" in theirs.what
    assert "HEARTH_HOME" in theirs.hint


def test_the_socket_is_in_the_home_if_its_path_is_short_enough() -> None:
    assert socket_path("/home/ann/.hearth", {}) == "/home/ann/.hearth/hearth.sock"


def test_the_socket_of_a_deep_home_has_a_short_path_elsewhere() -> None:
    deep = "/" + "d" * 120
    paths = {
        socket_path(deep, {"XDG_RUNTIME_DIR": "/run/user/7", "TMPDIR": "/somewhere"}),
        socket_path(deep, {"XDG_RUNTIME_DIR": "relative", "TMPDIR": "/somewhere"}),
        socket_path(deep, {"XDG_RUNTIME_DIR": "/" + "r" * 90}),
    }
    folders = {os.path.dirname(os.path.dirname(path)) for path in paths}  # noqa: PTH120 - texts
    assert folders == {"/run/user/7", "/somewhere", "/tmp"}  # noqa: S108 - a text
    assert all(len(path) <= LONGEST_SOCKET for path in paths)
    assert socket_path(deep, {}) == socket_path(deep, {})
    assert socket_path(deep, {}) != socket_path(deep + "e", {})


def test_looking_for_a_daemon_loads_next_to_nothing() -> None:
    code = (
        "import sys; import hearth.daemon.discovery, hearth.daemon.home, hearth.daemon.versions;"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "hearth.daemon.discovery" in loaded
    costly = {
        *("asyncio", "http", "argparse", "dataclasses", "pathlib", "subprocess", "socket"),
        *("contextlib", "hashlib", "datetime", "logging", "msgspec", "threading"),
        *("typing",),
    }
    assert loaded & costly == set()
