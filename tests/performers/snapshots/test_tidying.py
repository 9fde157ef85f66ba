"""Letting go of old states."""

import os
from pathlib import Path

import pytest
from tests.performers.snapshots.projects import project

from hearth.performers.snapshots import tidying
from hearth.performers.snapshots.git import Deadline, GitFailed
from hearth.performers.snapshots.shadow import STATES, Shadow
from hearth.performers.snapshots.tidying import MOST, OLDEST, expired, forget_old, is_untidy, pack

NOON = 1_800_000_000.0


class TestWhatIsLetGoOf:
    def test_what_is_too_old_but_never_the_newest(self) -> None:
        states = [(NOON, "a"), (NOON - OLDEST + 1, "b"), (NOON - OLDEST - 1, "c")]
        assert expired(states, NOON) == ("c",)
        assert expired(states, NOON + 10 * OLDEST) == ("b", "c")
        assert expired([], NOON) == ()

    def test_what_is_too_much(self) -> None:
        states = [(NOON - place, f"t{place}") for place in range(MOST + 2)]
        assert expired(states, NOON) == (f"t{MOST}", f"t{MOST + 1}")


def test_old_states_go_with_their_contents_and_others_stay(tmp_path: Path) -> None:
    root = project(tmp_path / "loom", weave="1")
    shadow = Shadow(tmp_path / "shadow", root, hidden=tmp_path, path=os.environ["PATH"])
    trees = []
    with shadow.locked(Deadline(60)) as git:
        for text in ("old", "older", "new"):
            (root / "weave.py").write_text(text)
            staged = shadow.stage(git)
            shadow.remember(git, staged)
            trees.append(staged.tree)
        for place, tree in enumerate(trees):
            at = NOON - (2 - place) * OLDEST
            os.utime(shadow.folder / "git" / STATES / tree, (at, at))
        assert [tree for _, tree in shadow.states()] == trees[::-1]
        assert forget_old(shadow, git, NOON) == 1
        assert forget_old(shadow, git, NOON) == 0
        assert [tree for _, tree in shadow.states()] == [trees[2], trees[1]]
        pack(git, "now")
        for tree in trees[1:]:
            git.run("cat-file", "-e", f"{tree}:weave.py")
        with pytest.raises(GitFailed):
            git.run("cat-file", "-e", trees[0])
        # Those that are there can still be used, and another can be kept.
        (root / "weave.py").write_text("old")
        assert shadow.stage(git).tree == trees[0]


def test_what_lies_around_is_packed_when_it_is_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "loom", weave="1")
    shadow = Shadow(tmp_path / "shadow", root, hidden=tmp_path, path=os.environ["PATH"])
    with shadow.locked(Deadline(60)) as git:
        assert not is_untidy(git)
        shadow.remember(git, shadow.stage(git))
        assert not is_untidy(git)
        monkeypatch.setattr(tidying, "MANY_FILES", 0)
        (git.folder / "objects" / "17").mkdir(exist_ok=True)
        (git.folder / "objects" / "17" / ("0" * 38)).write_text("")
        assert is_untidy(git)
