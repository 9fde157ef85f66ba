"""The states of one project, in a repository of hearth's own that the project does not see."""

import contextlib
import fcntl
import os
import re
import shutil
import stat
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearth.performers.snapshots.git import (
    ATTRIBUTES,
    FLUSHED_LATER,
    INTO_ONE_PACK,
    Deadline,
    Git,
    GitFailed,
    find_git,
    is_below,
)
from hearth.performers.snapshots.notes import Notes
from hearth.performers.snapshots.sifting import Sifted, sift
from hearth.performers.snapshots.tracked import Tracked, signature_of

STATES: Final = "refs/kept"
MANY: Final = 200
"""So many new files are written into one pack; fewer, each by itself."""
BATCH: Final = 5_000
"""After so many files what is done is done, so that the next try goes on from there."""
MOST_NESTING: Final = 5
MOST_CHANGING: Final = 20
"""So many files may become folders, or something else, while others are kept."""
EMPTY: Final = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
"""How git names no content at all."""

_STATE: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SEED: Final = b".hearth-looks-in-here"
_PATIENCE: Final = 0.02
_NOT_TAKEN: Final = "Unable to process path "
"""What git says last, before the name, of a file that it does not take."""


@dataclass(frozen=True, slots=True)
class Staged:
    """The files of a project as they are now."""

    tree: str
    sifted: Sifted


class Shadow:
    """The repository beside one project. Used in threads, by one at a time: `locked`."""

    def __init__(self, folder: Path, root: Path, *, hidden: Path, path: str | None) -> None:
        """`hidden` is never looked at; `path` is where programs are."""
        self.folder = folder
        self.root = root
        self.notes = Notes(folder)
        self._hidden = hidden
        self._path = path
        self._git_folder = folder / "git"
        self._index = self._git_folder / "index"
        self._last: tuple[tuple[int, ...], str] | None = None
        self._tracked = Tracked(root)
        self._packs_at_once: bool | None = None

    @contextlib.contextmanager
    def locked(self, deadline: Deadline) -> Iterator[Git]:
        """Git for this project, and nobody else in this or another process. GitFailed."""
        program = find_git(self.root, self._path)
        try:
            self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise GitFailed(f"{self.folder} cannot be used: {error.strerror}") from error
        try:
            _wait_for(lock, deadline)
            git = Git(program, self._git_folder, self.root, deadline)
            self._ready(git)
            self._unlock()
            yield git
        except OSError as error:
            raise GitFailed(f"{error.strerror or error}") from error
        finally:
            os.close(lock)

    def unlocked(self, deadline: Deadline) -> Git:
        """Git for this project, for what others need not wait for. GitFailed."""
        return Git(find_git(self.root, self._path), self._git_folder, self.root, deadline)

    def stage(self, git: Git, in_the_way: Collection[bytes] = frozenset()) -> Staged:
        """Take over what changed in the project. GitFailed, TooMuch.

        What is `in_the_way` is taken over also if it is ignored or large.
        """
        try:
            return self._stage(git, in_the_way)
        except GitFailed:
            git.deadline.left()
            # A file was changed while it was read; or the index, which is only a cache, is broken.
            if not self._is_index_sound(git):
                self._index.unlink(missing_ok=True)
            self._unlock()
            return self._stage(git, in_the_way)

    def remember(self, git: Git, staged: Staged) -> None:
        """Keep a state until it is `forget`ed."""
        state = self._git_folder / STATES / staged.tree
        if not state.exists():
            git.run("update-ref", f"{STATES}/{staged.tree}", staged.tree)
        with contextlib.suppress(
            FileNotFoundError
        ):  # it is kept elsewhere, by a git of its own will
            os.utime(state)
        self.notes.add_left_out(staged.tree, staged.sifted.left_paths())

    def states(self) -> list[tuple[float, str]]:
        """All states that are kept, with the time when they were kept last; the newest first."""
        with contextlib.suppress(FileNotFoundError):
            entries = os.scandir(self._git_folder / STATES)
            with entries:
                found = [(one.stat().st_mtime, one.name) for one in entries if is_state(one.name)]
                return sorted(found, reverse=True)
        return []

    def forget(self, git: Git, trees: Collection[str]) -> None:
        """Let go of states."""
        said = "".join(f"delete {STATES}/{one}\n" for one in trees)
        git.run("update-ref", "--stdin", stdin=said.encode())
        for one in trees:
            self.notes.forget(one)

    def _stage(self, git: Git, in_the_way: Collection[bytes]) -> Staged:
        sifted = self._sifted(git, in_the_way)
        if not sifted.add and not sifted.remove and self._last is not None:
            signature, tree = self._last
            if signature == signature_of(self._index):
                return Staged(tree, sifted)
        if sifted.remove:
            _update(git, sifted.remove, "--force-remove")
        settings = INTO_ONE_PACK if self._is_many(git, sifted) else ()
        for start in range(0, len(sifted.add), BATCH):
            self._add(git, sifted, sifted.add[start : start + BATCH], settings)
        tree = git.run("write-tree", settings=FLUSHED_LATER).decode().strip()
        self._last = (signature_of(self._index), tree)
        self.notes.add_modes(sifted.modes)
        return Staged(tree, sifted)

    def _add(self, git: Git, sifted: Sifted, paths: list[bytes], settings: tuple[str, ...]) -> None:
        """Take over files; without those that are no files any more since they were looked at."""
        for tries in range(MOST_CHANGING, -1, -1):
            try:
                _update(git, paths, "--add", "--remove", "--replace", settings=settings)
            except GitFailed as error:
                named = os.fsencode(str(error).rpartition(_NOT_TAKEN)[2])
                if not tries or named not in paths:
                    raise
                self._unlock()
                changed = [one for one in paths if one == named or self._is_folder(one)]
                for one in changed:
                    paths.remove(one)
                    sifted.leave("became something else while they were kept", one)
                _update(git, changed, "--force-remove")
            else:
                return

    def _is_folder(self, path: bytes) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(b"%b/%b" % (os.fsencode(self.root), path)).st_mode)
        except OSError:
            return False

    def _sifted(self, git: Git, in_the_way: Collection[bytes]) -> Sifted:
        """What changed since the last time, and what is new."""
        more = b"".join(
            one + b"\0"
            for one in (*in_the_way, *self._tracked.though_ignored(git, self._ignoring()))
        )
        sifted = self._looked(git, more, in_the_way)
        for _ in range(MOST_NESTING):
            if not sifted.nested:
                break
            # Git looks into a folder with its own repository once it knows a file in it.
            seeds = b"".join(
                b"100644 %b 0\t%b%b\0" % (EMPTY.encode(), one, _SEED) for one in sifted.nested
            )
            git.run("update-index", "-z", "--add", "--replace", "--index-info", stdin=seeds)
            sifted = self._looked(git, more, in_the_way)
        for one in sifted.nested:
            sifted.leave("lie too deep in repositories within repositories", one)
            sifted.remove.append(one + _SEED)
        return sifted

    def _looked(self, git: Git, more: bytes, in_the_way: Collection[bytes]) -> Sifted:
        """What differs from what is known, one look at the disk long."""
        how = ("-z", "--name-status", "--no-renames", "--ignore-submodules=all")
        changed = git.run("diff-files", *how)
        others, complaints = git.said("ls-files", "-z", "-o", *self._ignoring())
        sifted = sift(self.root, changed, more + others, in_the_way)
        _note_unseen(sifted, complaints)
        return sifted

    def _ignoring(self) -> tuple[str, str]:
        return (
            "--exclude-per-directory=.gitignore",
            f"--exclude-from={self._git_folder / 'info' / 'exclude'}",
        )

    def _is_many(self, git: Git, sifted: Sifted) -> bool:
        if len(sifted.add) < MANY:
            return False
        if self._packs_at_once is None:
            self._packs_at_once = git.packs_at_once()
        return self._packs_at_once

    def _is_index_sound(self, git: Git) -> bool:
        try:
            git.run("ls-files", "-z", "--stage")
        except GitFailed:
            return False
        return True

    def _unlock(self) -> None:
        """Take git's own locks away: `locked` is ours, so whoever left them was killed."""
        states = (self._git_folder / STATES).glob("*.lock")
        for one in (
            self._git_folder / "index.lock",
            self._git_folder / "packed-refs.lock",
            *states,
        ):
            one.unlink(missing_ok=True)

    def _ready(self, git: Git) -> None:
        """Make the repository, if it is not there or was not finished."""
        made = self.folder / "root"
        if made.exists():
            return
        shutil.rmtree(git.folder, ignore_errors=True)
        git.folder.mkdir(mode=0o700)
        git.run("init", "-q", "--bare", "--template=", environ={"GIT_WORK_TREE": ""})
        info = git.folder / "info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(ATTRIBUTES, "ascii")
        (info / "exclude").write_bytes(_excluded(self._hidden, self.root))
        made.write_bytes(os.fsencode(self.root) + b"\n")


def is_state(name: str) -> bool:
    """Whether something can be the name of a state, and nothing that git takes for an option."""
    return _STATE.fullmatch(name) is not None


def _update(git: Git, paths: list[bytes], *how: str, settings: tuple[str, ...] = ()) -> None:
    said = b"".join(one + b"\0" for one in paths)
    git.run("update-index", *how, "-z", "--stdin", stdin=said, settings=settings)


def _wait_for(lock: int, deadline: Deadline) -> None:
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            deadline.left()
            time.sleep(_PATIENCE)
        else:
            return


def _excluded(hidden: Path, root: Path) -> bytes:
    """What is never looked at, in the words of a .gitignore: hearth's own files."""
    base = os.path.realpath(root)
    inside = os.path.realpath(hidden)
    if not is_below(inside, base):
        return b""
    within = os.path.relpath(inside, base)
    plain = "".join(f"\\{one}" if one in "\\*?[]! #" else one for one in within)
    return os.fsencode(f"/{plain}/\n")


def _note_unseen(sifted: Sifted, complaints: bytes) -> None:
    """Folders that git could not look into."""
    for line in complaints.splitlines():
        _, found, rest = line.partition(b"could not open directory '")
        if found:
            sifted.leave("cannot be looked into", rest.partition(b"'")[0])
