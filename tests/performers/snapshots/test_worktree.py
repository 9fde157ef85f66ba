"""Changing files without ever leaving the project."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.snapshots.projects import project

from hearth.performers.snapshots.worktree import Forbidden, Worktree, permissions


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "loom", weave="1")


@pytest.fixture
def files(root: Path) -> Iterator[Worktree]:
    with Worktree(root) as files:
        yield files


@pytest.fixture
def outside(tmp_path: Path, root: Path) -> Path:
    """A folder that a link of the project leads to."""
    outside = project(tmp_path / "outside", canary="alive")
    (root / "way").symlink_to(outside)
    return outside


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


class TestWriting:
    def test_a_file_is_made_with_its_folders(self, files: Worktree, root: Path) -> None:
        files.write(b"a/b/c", [b"1", b"", b"2"], is_program=False)
        assert (root / "a/b/c").read_bytes() == b"12"
        assert [one.name for one in (root / "a/b").iterdir()] == ["c"]

    def test_who_may_read_it_stays_and_who_may_run_it_is_said(
        self, files: Worktree, root: Path
    ) -> None:
        (root / "weave.py").chmod(0o640)
        files.write(b"weave.py", [b"x"], is_program=True, mode=0o666)
        assert mode(root / "weave.py") == 0o750
        files.write(b"weave.py", [b"x"], is_program=False)
        assert mode(root / "weave.py") == 0o640
        files.write(b"new", [b"x"], is_program=False, mode=0o600)
        assert mode(root / "new") == 0o600
        (root / "plain").write_text("")
        files.write(b"usual", [b"x"], is_program=False)
        assert mode(root / "usual") == mode(root / "plain")

    @pytest.mark.parametrize(
        ("before", "program", "plain"),
        [
            (0o644, 0o755, 0o644),
            (0o600, 0o700, 0o600),
            (0o755, 0o755, 0o644),
            (0o4755, 0o755, 0o644),
        ],
    )
    def test_whoever_may_read_a_program_may_run_it(
        self, before: int, program: int, plain: int
    ) -> None:
        assert permissions(before, is_program=True) == program
        assert permissions(before, is_program=False) == plain

    def test_a_link_is_replaced_and_what_it_leads_to_is_not(
        self, files: Worktree, root: Path, outside: Path
    ) -> None:
        (root / "weave.py").unlink()
        (root / "weave.py").symlink_to(outside / "canary.py")
        files.write(b"weave.py", [b"mine"], is_program=False)
        assert (outside / "canary.py").read_text() == "alive"
        assert (root / "weave.py").read_text() == "mine"
        assert not (root / "weave.py").is_symlink()

    def test_half_a_file_is_never_seen(self, files: Worktree, root: Path) -> None:
        def breaks() -> Iterator[bytes]:
            yield b"half"
            raise OSError(28, "No space left on device")

        with pytest.raises(OSError, match="No space"):
            files.write(b"weave.py", breaks(), is_program=False)
        assert [(one.name, one.read_text()) for one in root.iterdir()] == [("weave.py", "1")]

    def test_links_are_put_where_files_or_other_links_were(
        self, files: Worktree, root: Path, outside: Path
    ) -> None:
        files.link(b"weave.py", b"/etc/passwd")
        files.link(b"way", b"weave.py")
        files.link(b"in/new", b"\xff")
        assert (root / "weave.py").readlink() == Path("/etc/passwd")
        assert (root / "way").readlink() == Path("weave.py")
        assert os.fsencode((root / "in" / "new").readlink()) == b"\xff"
        assert (outside / "canary.py").read_text() == "alive"


class TestNeverOutside:
    def test_no_link_is_a_way(self, files: Worktree, outside: Path) -> None:
        with pytest.raises(NotADirectoryError):
            files.write(b"way/canary.py", [b"x"], is_program=False)
        with pytest.raises(NotADirectoryError):
            files.link(b"way/new", b"x")
        files.remove(b"way/canary.py")
        files.remove_empty(b"way")
        files.remove_parents([b"way/canary.py", b"way/x/y"])
        assert files.standing(b"way/canary.py") is None
        assert files.in_the_way(b"way/canary.py") == b"way"
        assert [(one.name, one.read_text()) for one in outside.iterdir()] == [
            ("canary.py", "alive")
        ]

    @pytest.mark.parametrize(
        "path",
        [b"/etc/x", b"../x", b"a/../../x", b"", b"a//b", b".", b".git/config", b"a/.GIT/hooks/x"],
    )
    def test_no_path_leads_out_or_to_gits_own(self, files: Worktree, path: bytes) -> None:
        with pytest.raises(Forbidden):
            files.write(path, [b""], is_program=False)
        with pytest.raises(Forbidden):
            files.link(path, b"x")
        with pytest.raises(Forbidden):
            files.remove(path)
        with pytest.raises(Forbidden):
            files.remove_empty(path)
        with pytest.raises(Forbidden):
            files.standing(path)


class TestRemoving:
    def test_what_is_not_there_is_removed_already(self, files: Worktree, root: Path) -> None:
        (root / "folder").mkdir()
        files.remove(b"none")
        files.remove(b"none/deeper")
        files.remove(b"weave.py/deeper")
        files.remove(b"folder")
        assert sorted(one.name for one in root.iterdir()) == ["folder", "weave.py"]
        files.remove(b"weave.py")
        assert not (root / "weave.py").exists()

    def test_folders_go_as_far_as_they_are_empty(self, files: Worktree, root: Path) -> None:
        (root / "a" / "b" / "c").mkdir(parents=True)
        (root / "a" / "d").mkdir()
        (root / "a" / "d" / "kept").write_text("")
        files.remove_parents([b"a/b/c/gone", b"a/d/gone", b"gone", b"never/was/x"])
        assert not (root / "a" / "b").exists()
        assert (root / "a" / "d" / "kept").exists()

    def test_of_a_folder_only_what_is_empty_goes(self, files: Worktree, root: Path) -> None:
        (root / "a" / "b" / "c").mkdir(parents=True)
        (root / "a" / "d").mkdir()
        files.remove_empty(b"none")
        files.remove_empty(b"weave.py")
        files.remove_empty(b"a/b")
        assert (root / "a" / "d").exists()
        assert not (root / "a" / "b").exists()
        (root / "a" / "kept").write_text("")
        files.remove_empty(b"a")
        assert [one.name for one in (root / "a").iterdir()] == ["kept"]
        assert (root / "weave.py").exists()


def test_what_is_in_the_way_is_the_first_that_is_no_folder(files: Worktree, root: Path) -> None:
    (root / "a").mkdir()
    (root / "a" / "b").write_text("")
    assert files.in_the_way(b"a/b") == b"a/b"
    assert files.in_the_way(b"a/b/c/d") == b"a/b"
    assert files.in_the_way(b"a") is None
    assert files.in_the_way(b"a/none/x") is None
    status = files.standing(b"a/b")
    assert status is not None
    assert stat.S_ISREG(status.st_mode)
