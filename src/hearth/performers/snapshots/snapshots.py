"""The files of projects as they were, and the way back to them."""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

from hearth.core.vocabulary.deeds import PathChange
from hearth.core.vocabulary.permitting import Kept
from hearth.performers.snapshots import restoring, tidying
from hearth.performers.snapshots.git import Deadline, Git, GitFailed, is_below
from hearth.performers.snapshots.shadow import Shadow, is_state
from hearth.performers.snapshots.sifting import TooMuch

FOLDER: Final = "snapshots"
KEEPING: Final = 15.0
"""Seconds in which the files must be kept; otherwise they are not."""
RESTORING: Final = 120.0
PACKING: Final = 300.0

_T = TypeVar("_T")
_said = logging.getLogger(__name__)


class CannotKeep(Exception):
    """The files cannot be kept; the message says why, for people."""


class CannotRestore(Exception):
    """The files are not what they were; the message says why, for people."""

    def __init__(
        self, why: str, changes: tuple[PathChange, ...] = (), before: Kept | None = None
    ) -> None:
        super().__init__(why)
        self.changes = changes
        """What was changed all the same."""
        self.before = before
        """As the files were until then, if it came so far."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What going back would change."""

    changes: tuple[PathChange, ...]
    left_out: int = 0
    """So many more differ than are listed."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What going back changed, and what brings that back."""

    changes: tuple[PathChange, ...]
    before: Kept
    left_out: int = 0


class Snapshots:
    """Keeps the files of projects below hearth's home, and brings them back.

    Several daemons and any number of sessions may use it at once.
    """

    def __init__(
        self, home: Path, *, keeping: float = KEEPING, restoring: float = RESTORING
    ) -> None:
        self._home = home
        self._keeping = keeping
        self._restoring = restoring
        self._shadows: dict[str, Shadow] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._notices: dict[str, tuple[str, ...]] = {}
        self._tidied: set[str] = set()
        self._tidying: set[asyncio.Task[None]] = set()
        self._packing: set[Git] = set()
        self._is_closing = False

    async def keep(self, root: str) -> Kept:
        """Keep the files of a project as they are now. CannotKeep."""

        def kept(shadow: Shadow, git: Git) -> Kept:
            staged = shadow.stage(git)
            shadow.remember(git, staged)
            self._notices[root] = staged.sifted.notices()
            return Kept(root, staged.tree)

        try:
            done = await self._in_turn(root, self._keeping, kept)
        except (GitFailed, TooMuch, OSError) as error:
            raise CannotKeep(f"the files of {root} cannot be kept: {_words(error)}") from error
        if root not in self._tidied:
            self._tidied.add(root)
            task = asyncio.create_task(self._tidy(root))
            self._tidying.add(task)
            task.add_done_callback(self._tidying.discard)
        return done

    async def compare(self, kept: Kept) -> Compared:
        """What going back would change now. CannotRestore."""

        def compared(shadow: Shadow, git: Git) -> Compared:
            plan = restoring.plan(shadow, git, kept.tree, is_preview=True)
            return Compared(plan.changes, plan.left_out)

        return await self._back(kept, compared)

    async def restore(self, kept: Kept, question: str = "") -> Restored:
        """Go back. CannotRestore; run again, it goes on where it stopped.

        Whoever stops waiting does not stop it: half of it would be worse than all. If the daemon
        was killed meanwhile, and the same `question` asks again, what is told and what undoes it
        are those of the whole.
        """

        def restored(shadow: Shadow, git: Git) -> Restored:
            plan = restoring.plan(shadow, git, kept.tree)
            shadow.remember(git, plan.before)
            first = restoring.begun(shadow, git, question)
            if question and not first:
                shadow.notes.begin(question, plan.before.tree)
            before = Kept(kept.root, first or plan.before.tree)
            done = restoring.carry_out(shadow, git, plan)
            if first:
                done = restoring.as_a_whole(shadow, git, first, kept.tree, done)
            if problem := done.problem():
                raise CannotRestore(problem, tuple(done.changes), before)
            return Restored(tuple(done.changes), before, done.left_out)

        return await self._back(kept, restored)

    def left_out(self, root: str) -> tuple[str, ...]:
        """What people should know about what was not kept the last time."""
        return self._notices.get(root, ())

    async def close(self) -> None:
        """Leave off tidying up."""
        self._is_closing = True
        for git in self._packing:
            git.stop()
        await asyncio.gather(*self._tidying, return_exceptions=True)

    async def _back(self, kept: Kept, do: Callable[[Shadow, Git], _T]) -> _T:
        if not is_state(kept.tree):
            raise CannotRestore(f"{kept.tree[:80]!r} names no state of files")
        try:
            return await self._in_turn(kept.root, self._restoring, do)
        except (GitFailed, TooMuch, OSError) as error:
            raise CannotRestore(
                f"the files of {kept.root} cannot be brought back: {_words(error)}"
            ) from error

    async def _in_turn(self, root: str, limit: float, do: Callable[[Shadow, Git], _T]) -> _T:
        """Do something with the states of a project, in a thread, one after the other."""

        def done() -> _T:
            shadow = self._shadows.get(root)
            if shadow is None:
                _assert_usable(root, self._home)
                shadow = self._shadows.setdefault(root, self._shadow(root))
            if not Path(root).is_dir():
                raise GitFailed("there is no such folder")
            with shadow.locked(Deadline(limit)) as git:
                return do(shadow, git)

        # Who is not at the front waits here, and does not occupy a thread.
        async with self._turns.setdefault(root, asyncio.Lock()):
            return await asyncio.to_thread(done)

    def _shadow(self, root: str) -> Shadow:
        real = os.path.realpath(root)
        name = sha256(os.fsencode(real)).hexdigest()[:32]
        folder = self._home / FOLDER / name
        return Shadow(folder, Path(real), hidden=self._home, path=os.environ.get("PATH"))

    async def _tidy(self, root: str) -> None:
        """Once for every project, when it is first used."""

        def untidy(shadow: Shadow, git: Git) -> bool:
            return bool(tidying.forget_old(shadow, git, time.time())) or tidying.is_untidy(git)

        try:
            if await self._in_turn(root, self._keeping, untidy):
                git = await asyncio.to_thread(self._shadows[root].unlocked, Deadline(PACKING))
                self._packing.add(git)
                if self._is_closing:
                    git.stop()
                try:
                    await asyncio.to_thread(tidying.pack, git)
                finally:
                    self._packing.discard(git)
        except (GitFailed, OSError) as error:
            # It only takes more room than it must, and is tried again by the next daemon.
            if not self._is_closing:
                _said.warning("the states of %s cannot be tidied up: %s", root, error)


def _assert_usable(root: str, home: Path) -> None:
    """GitFailed for a folder whose files are not kept, whatever is in it."""
    if not os.path.isabs(root):  # noqa: PTH117 - a plain string
        raise GitFailed("it is no absolute path")
    real = os.path.realpath(root)
    if not Path(real).is_dir():
        raise GitFailed("there is no such folder")
    persons = ""
    with suppress(RuntimeError):  # nobody knows where the home is
        persons = os.path.realpath(Path.home())
    if persons and is_below(persons, real):
        raise GitFailed("it holds your whole home folder, which is more than a project")
    if is_below(real, os.path.realpath(home)):
        raise GitFailed("it is hearth's own folder")
    if real == "/":
        raise GitFailed("it is all there is on this machine")


def _words(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
