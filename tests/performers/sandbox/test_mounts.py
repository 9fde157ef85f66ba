"""Of two things that are mounted, the more particular one holds."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from hearth.performers.sandbox import mounts
from hearth.performers.sandbox.mounts import Kind, Mount
from hearth.performers.sandbox.protected import Protected

NOTHING = Protected((), (), ())


def _planned(
    writable: Iterable[str] = (),
    hidden: Iterable[str] = (),
    copied: Iterable[str] = (),
    protected: Protected = NOTHING,
) -> list[Mount]:
    return mounts.planned(writable=writable, hidden=hidden, copied=copied, protected=protected)


def test_folders_come_before_what_is_in_them() -> None:
    assert _planned(["/h/p"], ["/h", "/h/p/.ssh"]) == [
        ("/h", Kind.HIDDEN),
        ("/h/p", Kind.WRITABLE),
        ("/h/p/.ssh", Kind.HIDDEN),
    ]


def test_a_path_that_only_begins_alike_is_not_below_it() -> None:
    found = _planned(["/h/project"], ["/h/project-secrets", "/h/project"])
    assert ("/h/project-secrets", Kind.HIDDEN) in found


def test_hidden_beats_writable_for_the_same_path() -> None:
    assert _planned(["/h"], ["/h"]) == [("/h", Kind.HIDDEN)]


def test_nothing_of_a_hidden_folder_is_shown_for_being_protected_or_a_cache() -> None:
    protected = Protected(("/h/.s/.git/config",), ("/h/.s/.git",), ("/h/.s/.git/hooks",))
    found = _planned(["/h"], ["/h/.s"], ["/h/.s/cache"], protected)
    assert found == [("/h", Kind.WRITABLE), ("/h/.s", Kind.HIDDEN)]


def test_a_cache_in_the_project_is_written_to_for_good() -> None:
    assert _planned(["/h"], (), ["/h/.cache", "/other"]) == [
        ("/h", Kind.WRITABLE),
        ("/other", Kind.COPIED),
    ]


def test_what_has_been_replaced_is_not_hidden_again() -> None:
    assert _planned(
        [f"{mounts.TEMPORARY}/p"],
        [f"{mounts.TEMPORARY}/x", "/run", "/run/user", f"{mounts.TEMPORARY}/p/.ssh", "/"],
    ) == [
        (f"{mounts.TEMPORARY}/p", Kind.WRITABLE),
        (f"{mounts.TEMPORARY}/p/.ssh", Kind.HIDDEN),
    ]


def test_hidden_files_are_empty_and_hidden_folders_are_locked(tmp_path: Path) -> None:
    assert Path(mounts.EMPTY).read_bytes() == b""
    file = tmp_path / "file"
    file.touch()
    words = list(
        mounts.arguments(
            [
                Mount(str(tmp_path), Kind.HIDDEN),
                Mount(str(file), Kind.HIDDEN),
                Mount("/p", Kind.WRITABLE),
            ]
        )
    )
    assert words[:4] == ["--perms", "0555", "--tmpfs", str(tmp_path)]
    assert words[4:7] == ["--ro-bind", mounts.EMPTY, str(file)]
    assert words[7:] == ["--bind", "/p", "/p"]


def test_what_nobody_here_can_get_at_needs_no_hiding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [str(tmp_path / "mine"), str(tmp_path / "roots")]
    monkeypatch.setattr("os.access", lambda path, way: path == asked[0] and way == os.X_OK)
    assert mounts.reachable(asked) == {asked[0]}


def test_only_what_is_there_has_a_real_path(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "broken").symlink_to(tmp_path / "missing")
    asked = [str(tmp_path / one) for one in ("link", "broken", "missing")]
    assert mounts.real_paths(asked) == {str(tmp_path.resolve())}
