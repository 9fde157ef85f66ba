"""How two states of a project differ."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.performers.snapshots.git import Git
from hearth.performers.snapshots.sifting import shown
from hearth.performers.snapshots.worktree import Worktree

MOST: Final = 500
"""So many are listed; of the others there is only the number."""
LINK: Final = 0o120000
_PROGRAM: Final = 0o111
_ARGUMENTS: Final = 60_000
"""Bytes of paths that one command is given."""
_WITHOUT_HELP: Final = ("--no-renames", "--no-ext-diff", "--ignore-submodules=all")


class Difference(NamedTuple):
    """One path that is something else in another state."""

    path: bytes
    before: int
    """What it is in the one, as git writes it; 0: nothing."""
    after: int
    content: str
    """What it is in the other."""

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link in the other."""
        return self.after == LINK

    @property
    def is_program(self) -> bool:
        """Whether it can be executed in the other."""
        return bool(self.after & _PROGRAM)

    @property
    def kind(self) -> ChangeKind:
        """What going from the one to the other does."""
        if not self.after:
            return ChangeKind.DELETED
        return ChangeKind.CHANGED if self.before else ChangeKind.CREATED


def differences(git: Git, before: str, after: str) -> list[Difference]:
    """All paths that differ between two states. GitFailed."""
    said = git.run("diff-tree", "-r", "-z", "--raw", "--full-index", *_WITHOUT_HELP, before, after)
    words = said.split(b"\0")[:-1]
    found = []
    for line, path in zip(words[::2], words[1::2], strict=True):
        old, new, _, content, _ = line[1:].decode().split()
        found.append(Difference(path, int(old, 8), int(new, 8), content))
    return found


def changes(
    git: Git, before: str, after: str, chosen: Sequence[Difference]
) -> tuple[PathChange, ...]:
    """For people: the first of these differences, with the numbers of lines. GitFailed."""
    some = chosen[:MOST]
    counts = dict(_counted(git, before, after, some)) if some else {}
    with Worktree(git.root) as files:
        return tuple(_change(files, one, counts) for one in some)


def _change(
    files: Worktree, one: Difference, counts: Mapping[bytes, tuple[int, int]]
) -> PathChange:
    kind = one.kind
    if kind is ChangeKind.CREATED and files.standing(one.path) is not None:
        kind = ChangeKind.CHANGED  # it is there, and only not kept: ignored, or too large
    return PathChange(shown(one.path), kind, *counts.get(one.path, (0, 0)))


def _counted(
    git: Git, before: str, after: str, some: Sequence[Difference]
) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """The lines that are added and removed; of what is not text, none."""
    for paths in _batches([one.path for one in some]):
        said = git.run(
            "diff-tree",
            "-r",
            "-z",
            "--numstat",
            "--no-textconv",
            *_WITHOUT_HELP,
            before,
            after,
            "--",
            *(os.fsdecode(one) for one in paths),
        )
        for line in said.split(b"\0")[:-1]:
            added, removed, path = line.split(b"\t", 2)
            if added != b"-":
                yield path, (int(added), int(removed))


def _batches(paths: Sequence[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for one in paths:
        if batch and size + len(one) > _ARGUMENTS:
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += len(one) + 1
    if batch:
        yield batch
