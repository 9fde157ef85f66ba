"""Goes back to a state: finds out what has to be done, and does it."""

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from hearth.core.vocabulary.deeds import PathChange
from hearth.performers.snapshots.differences import MOST, Difference, changes, differences
from hearth.performers.snapshots.git import Git, GitFailed
from hearth.performers.snapshots.shadow import Shadow, Staged, is_state
from hearth.performers.snapshots.sifting import shown
from hearth.performers.snapshots.worktree import Worktree

IGNORING: Final = b".gitignore"
_NAMED: Final = 3

Identity: TypeAlias = tuple[int, int, int]
"""Differs when a file is another one or was written to."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What going back does, and to what it comes back if it is undone."""

    before: Staged
    steps: tuple[Difference, ...]
    changes: tuple[PathChange, ...] = ()
    """What of it is shown, in the same order."""
    seen: Mapping[bytes, Identity] = field(default_factory=dict)
    """The files that it replaces or removes, as they were when they were kept."""

    @property
    def left_out(self) -> int:
        """So many steps more than are shown."""
        return max(0, len(self.steps) - MOST)


@dataclass(slots=True)
class Done:
    """How far it came."""

    changes: list[PathChange] = field(default_factory=list)
    left_out: int = 0
    failed: dict[bytes, str] = field(default_factory=dict)
    """Paths that are not what they were, with the reason."""

    def problem(self) -> str:
        """What went wrong, in a sentence; "" if nothing."""
        if not self.failed:
            return ""
        named = [f"{shown(path)} ({why})" for path, why in sorted(self.failed.items())[:_NAMED]]
        if len(self.failed) > _NAMED:
            named.append(f"{len(self.failed) - _NAMED} more")
        return f"not everything could be brought back: {', '.join(named)}"


def plan(shadow: Shadow, git: Git, tree: str, *, is_preview: bool = False) -> Plan:
    """What has to be done so that the files are as in a state. GitFailed, TooMuch.

    Unless it is only a preview, all that would be overwritten is kept.
    """
    _assert_kept(git, tree)
    before = shadow.stage(git)
    steps = differences(git, before.tree, tree)
    if not is_preview and (obstacles := _obstacles(shadow.root, steps)):
        before = shadow.stage(git, obstacles)
        steps = differences(git, before.tree, tree)
    spared = _spared(shadow, git, tree, steps)
    chosen = tuple(one for one in steps if one.path not in spared)
    seen = {} if is_preview else _seen(shadow.root, git, chosen)
    return Plan(before, chosen, changes(git, before.tree, tree, chosen), seen)


def begun(shadow: Shadow, git: Git, question: str) -> str:
    """The state that a rewind began with which was cut off; "" if this one is new. GitFailed."""
    tree = shadow.notes.begun().get(question, "") if question else ""
    if not is_state(tree):
        return ""
    try:
        _assert_kept(git, tree)
    except GitFailed:
        git.deadline.left()
        return ""
    return tree


def as_a_whole(shadow: Shadow, git: Git, first: str, tree: str, done: Done) -> Done:
    """How far a rewind came with this, of which a part was done before it was cut off. GitFailed.

    `first` is the state that it began with.
    """
    steps = differences(git, first, tree)
    left = _spared(shadow, git, tree, steps) | done.failed.keys()
    chosen = [one for one in steps if one.path not in left]
    return Done(list(changes(git, first, tree, chosen)), max(0, len(chosen) - MOST), done.failed)


def carry_out(shadow: Shadow, git: Git, planned: Plan) -> Done:
    """Do it, as far as it can be done."""
    done = Done()
    gone = [one for one in planned.steps if not one.after]
    new = [one for one in planned.steps if one.after]
    modes = shadow.notes.modes()
    reached = 0
    with Worktree(shadow.root) as files:
        for one in gone:
            with _noting(done, one.path):
                _assert_unchanged(files, one, planned.seen)
                files.remove(one.path)
        try:
            with git.contents() as content:
                for one in new:
                    with _noting(done, one.path):
                        _assert_unchanged(files, one, planned.seen)
                        _assert_free(files, one)
                        _put(files, one, content, modes.get(one.path))
                    reached += 1
        except GitFailed as error:
            done.failed |= {one.path: str(error) for one in new[reached:]}
        files.remove_parents(one.path for one in gone)
    listed = zip(planned.steps, planned.changes, strict=False)
    done.changes = [change for step, change in listed if step.path not in done.failed]
    done.left_out = max(0, len(planned.steps) - len(done.failed) - len(done.changes))
    return done


def _put(
    files: Worktree,
    one: Difference,
    content: Callable[[str], Iterator[bytes]],
    mode: int | None,
) -> None:
    pieces = content(one.content)
    try:
        if one.is_link:
            files.link(one.path, b"".join(pieces))
        else:
            files.write(one.path, pieces, is_program=one.is_program, mode=mode)
    except OSError:
        for _ in pieces:
            pass  # what is asked for next begins behind it
        raise


def _seen(root: Path, git: Git, steps: Sequence[Difference]) -> dict[bytes, Identity]:
    """The files that will be replaced or removed, without those that are being written to."""
    found: dict[bytes, Identity] = {}
    with Worktree(root) as files:
        for one in steps:
            # What cannot be looked at cannot be replaced either.
            with contextlib.suppress(OSError):
                if one.before and (status := files.standing(one.path)) is not None:
                    found[one.path] = _identity(status)
    if found:
        # After the look: what is still as it was kept was so when it was looked at.
        listed = git.run("diff-files", "-z", "--name-only", "--ignore-submodules=all")
        for path in listed.split(b"\0"):
            found.pop(path, None)
    return found


def _assert_unchanged(files: Worktree, one: Difference, seen: Mapping[bytes, Identity]) -> None:
    """Nothing is overwritten that somebody has just saved."""
    status = files.standing(one.path) if one.before else None
    if status is None or stat.S_ISDIR(status.st_mode):
        return
    if seen.get(one.path) != _identity(status):
        raise FileExistsError(0, "somebody writes to it in this moment, so it stays")


def _identity(status: os.stat_result) -> Identity:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _assert_free(files: Worktree, one: Difference) -> None:
    """Nothing is overwritten that would be lost by it."""
    status = files.standing(one.path)
    if status is not None and stat.S_ISDIR(status.st_mode):
        files.remove_empty(one.path)
        if files.standing(one.path) is not None:
            raise FileExistsError(0, "a folder is there with files that are not kept, so it stays")
    obstacle = files.in_the_way(one.path) if not one.before else None
    if obstacle is not None:
        where = "" if obstacle == one.path else f" at {shown(obstacle)}"
        raise FileExistsError(0, f"what is there now{where} cannot be kept, so it stays")


def _assert_kept(git: Git, tree: str) -> None:
    try:
        git.run("cat-file", "-e", f"{tree}^{{tree}}")
    except GitFailed:
        git.deadline.left()
        raise GitFailed("that state of the files is no longer kept") from None


def _obstacles(root: Path, steps: Sequence[Difference]) -> frozenset[bytes]:
    """What is where files will be put, and is in no state: what is ignored, or too large."""
    gone = {one.path for one in steps if not one.after}
    found = set()
    with Worktree(root) as files:
        for one in steps:
            if one.before or not one.after:
                continue
            # What cannot be looked at cannot be kept: it is told when it is to be replaced.
            with contextlib.suppress(OSError):
                found.add(files.in_the_way(one.path))
    return frozenset(one for one in found if one is not None and one not in gone)


def _spared(shadow: Shadow, git: Git, tree: str, steps: Sequence[Difference]) -> frozenset[bytes]:
    """What would be removed, and was there already when the state was kept without it."""
    gone = [one.path for one in steps if not one.after]
    left = shadow.notes.left_out_of(tree)
    folders = tuple(one for one in left if one.endswith(b"/"))
    spared = {one for one in gone if one in left or (folders and one.startswith(folders))}
    if any(_name(one.path) == IGNORING for one in steps):
        spared |= _ignored(git, tree, gone, shadow.folder / "ignoring")
    return frozenset(spared - _replaced(spared, steps))


def _replaced(spared: Collection[bytes], steps: Sequence[Difference]) -> frozenset[bytes]:
    """What has to go all the same: a folder takes its place, or a file that of its folder."""
    if not spared:
        return frozenset()
    new = {one.path for one in steps if one.after}
    folders = {folder for one in new for folder in _folders(one)}
    return frozenset(one for one in spared if one in folders or not new.isdisjoint(_folders(one)))


def _folders(path: bytes) -> Iterator[bytes]:
    while path := os.path.dirname(path):  # noqa: PTH120 - names need not be text
        yield path


def _ignored(git: Git, tree: str, paths: Collection[bytes], scratch: Path) -> set[bytes]:
    """What is ignored by what a state says is to be ignored."""
    if not paths:
        return set()
    listed = git.run("ls-tree", "-r", "-z", tree).split(b"\0")[:-1]
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(mode=0o700)
    try:
        with Worktree(scratch) as files, git.contents() as content:
            for line in listed:
                about, _, path = line.partition(b"\t")
                mode, _, name = about.split()
                if _name(path) == IGNORING and not mode.startswith(b"12"):
                    files.write(path, content(name.decode()), is_program=False)
        # It takes paths for patterns if they begin with a colon, and knows no way to say otherwise.
        said = b"".join(b"./%b\0" % one for one in paths)
        matched = git.beside(scratch).run(
            "check-ignore",
            "--no-index",
            "-z",
            "--stdin",
            stdin=said,
            environ={"GIT_LITERAL_PATHSPECS": ""},
        )
        return {one.removeprefix(b"./") for one in matched.split(b"\0") if one}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextlib.contextmanager
def _noting(done: Done, path: bytes) -> Iterator[None]:
    """What goes wrong with one path does not keep the others from being brought back."""
    try:
        yield
    except OSError as error:
        done.failed[path] = (error.strerror or str(error)).lower()


def _name(path: bytes) -> bytes:
    return os.path.basename(path)  # noqa: PTH119 - names need not be text
