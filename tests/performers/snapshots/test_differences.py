"""How two states differ."""

import os
from pathlib import Path

import pytest
from tests.performers.snapshots.projects import Thing, project, put

from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.performers.snapshots import differences as compared
from hearth.performers.snapshots.differences import changes, differences
from hearth.performers.snapshots.git import Deadline, GitFailed
from hearth.performers.snapshots.shadow import Shadow


def shadow_of(tmp_path: Path) -> Shadow:
    root = project(tmp_path / "loom", weave="1\n2\n")
    return Shadow(tmp_path / "shadow", root, hidden=tmp_path, path=os.environ["PATH"])


def test_each_path_says_what_it_becomes(tmp_path: Path) -> None:
    shadow = shadow_of(tmp_path)
    put(shadow.root, b"tool", Thing("file", b"x", is_program=True))
    put(shadow.root, b"raw", Thing("file", b"\0\1"))
    put(shadow.root, b"\xff\n", Thing("file", b"odd\n"))
    with shadow.locked(Deadline(60)) as git:
        one = shadow.stage(git).tree
        put(shadow.root, b"tool", Thing("link", b"weave.py"))
        put(shadow.root, b"raw", Thing("file", b"\0\2"))
        (shadow.root / "weave.py").write_text("1\n3\n4\n")
        (shadow.root / os.fsdecode(b"\xff\n")).unlink()
        put(shadow.root, b"-n/:(top)*", Thing("file", b"a\nb\nc\n", is_program=True))
        two = shadow.stage(git).tree
        found = differences(git, one, two)
        assert [(step.path, step.kind, step.is_link, step.is_program) for step in found] == [
            (b"-n/:(top)*", ChangeKind.CREATED, False, True),
            (b"raw", ChangeKind.CHANGED, False, False),
            (b"tool", ChangeKind.CHANGED, True, False),
            (b"weave.py", ChangeKind.CHANGED, False, False),
            (b"\xff\n", ChangeKind.DELETED, False, False),
        ]
        assert b"".join([git.run("cat-file", "blob", found[2].content)]) == b"weave.py"
        assert changes(git, one, two, found) == (
            # It is there already, and would be overwritten.
            PathChange("-n/:(top)*", ChangeKind.CHANGED, 3, 0),
            PathChange("raw", ChangeKind.CHANGED),
            PathChange("tool", ChangeKind.CHANGED, 1, 1),
            PathChange("weave.py", ChangeKind.CHANGED, 2, 1),
            PathChange("\\xff\n", ChangeKind.DELETED, 0, 1),
        )
        assert differences(git, two, two) == []
        assert changes(git, two, two, []) == ()
        with pytest.raises(GitFailed):
            differences(git, one, "0" * 40)


def test_very_many_paths_are_counted_in_several_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared, "_ARGUMENTS", 10)
    monkeypatch.setattr(compared, "MOST", 4)
    shadow = shadow_of(tmp_path)
    with shadow.locked(Deadline(60)) as git:
        one = shadow.stage(git).tree
        for name in ("aaaa", "bbbb", "c" * 50, "dddd", "eeee"):
            (shadow.root / name).write_text("1\n")
        two = shadow.stage(git).tree
        for name in ("aaaa", "bbbb", "c" * 50, "dddd", "eeee"):
            (shadow.root / name).unlink()
        told = changes(git, one, two, differences(git, one, two))
    assert [change.path[:4] for change in told] == ["aaaa", "bbbb", "cccc", "dddd"]
    assert {(change.kind, change.added) for change in told} == {(ChangeKind.CREATED, 1)}
