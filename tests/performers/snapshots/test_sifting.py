"""Which files can be kept."""

import os
from pathlib import Path

import pytest
from tests.performers.snapshots.projects import project

from hearth.performers.snapshots import sifting
from hearth.performers.snapshots.sifting import Sifted, TooMuch, shown, sift


def listed(*paths: bytes) -> bytes:
    return b"".join(one + b"\0" for one in paths)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "loom", weave="1", spin="2")


def test_changed_and_new_files_are_kept_and_removed_ones_let_go(root: Path) -> None:
    changed = listed(b"M", b"weave.py", b"D", b"gone.py", b"T", b"went.py")
    sifted = sift(root, changed, listed(b"spin.py", b"spin.py", b"inner/"))
    assert sifted.add == [b"weave.py", b"spin.py"]
    assert sifted.remove == [b"gone.py", b"went.py"]
    assert sifted.nested == [b"inner/"]
    assert sifted.left_out == {}
    assert sifted.modes[b"weave.py"] == (root / "weave.py").stat().st_mode & 0o777


def test_nothing_is_nothing(root: Path) -> None:
    assert sift(root, b"", b"") == Sifted()


def test_what_is_no_file_is_left_out_and_told(root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    (root / ".GIT").mkdir()
    (root / ".GIT" / "config").write_text("")
    (root / ".gitmodules").symlink_to("x")
    (root / "link").symlink_to("nowhere")
    others = listed(b"pipe", b".GIT/config", b".gitmodules", b"link", b"folder")
    sifted = sift(root, listed(b"M", b"pipe"), others)
    assert sifted.add == [b"link"]
    assert sifted.remove == [b"pipe"]
    assert sifted.left_paths() == {b"pipe", b".GIT/config", b".gitmodules"}
    assert sifted.notices() == (
        "not kept, because they are neither files nor links: pipe, pipe",
        "not kept, because they are named like git's own: .GIT/config, .gitmodules",
    )


def test_a_large_file_is_kept_only_if_it_is_in_the_way(root: Path) -> None:
    with (root / "large").open("wb") as file:
        file.truncate(sifting.LARGEST + 1)
    assert sift(root, b"", listed(b"large")).left_out == {"are over 10 MB": [b"large"]}
    assert sift(root, b"", listed(b"large"), {b"large"}).add == [b"large"]
    with (root / "large").open("wb") as file:
        file.truncate(sifting.LARGEST_IN_THE_WAY + 1)
    assert sift(root, b"", listed(b"large"), {b"large"}).add == []


def test_what_cannot_be_read_is_left_out(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: not path.endswith(b"weave.py"))
    sifted = sift(root, b"", listed(b"weave.py", b"spin.py"))
    assert sifted.add == [b"spin.py"]
    assert sifted.notices() == ("not kept, because they cannot be read: weave.py",)


def test_a_path_that_cannot_be_looked_at_is_left_out(root: Path) -> None:
    sifted = sift(root, b"", listed(b"x" * 5000))
    assert sifted.add == []
    assert list(sifted.left_out) == ["cannot be looked at"]


def test_too_much_at_once_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sifting, "MOST_BYTES", 3 * 1024**2)
    for name in "abcd":
        (root / name).write_bytes(bytes(1024**2))
    with pytest.raises(TooMuch, match=r"4 MB of new content in 4 files, and at most 3 MB"):
        sift(root, b"", listed(b"a", b"b", b"c", b"d"))
    assert len(sift(root, b"", listed(b"a", b"b", b"c")).add) == 3


def test_of_many_only_some_are_named() -> None:
    sifted = Sifted()
    for name in (b"e", b"d\xff", b"c", b"b\n", b"a"):
        sifted.leave("are odd", name)
    assert sifted.notices() == ("not kept, because they are odd: a, b\n, c and 2 more",)
    assert shown(b"d\xff") == "d\\xff"
    assert shown("é".encode()) == "é"
