"""The commands that run, and those that go on in the background: each belongs to one session."""

import asyncio
import json
import logging
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.tools.shell.kept_output import KeptOutput
from hearth.performers.tools.shell.program import PATIENCE, CouldNotStart, Launch
from hearth.performers.tools.shell.running import Running

MOST: Final = 8
"""So many jobs of one session run at once."""
MOST_ENDED: Final = 16
"""Of so many that ended, what they wrote is still there to be asked for."""
_BOOK: Final = "jobs.jsonl"
_TEMPORARY: Final = "tmp"
_NAME: Final = re.compile(r"[A-Za-z0-9_.:-]{1,200}")
_JOB: Final = re.compile(r"j([1-9][0-9]{0,8})")
_LONGEST: Final = 200
_MOST_OF_BOOK: Final = 1024 * 1024

_said = logging.getLogger(__name__)


class TooMany(Exception):
    """A session has as many jobs as it may have."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A job that ended with the daemon that ran it, or long ago."""

    command: str


@dataclass(frozen=True, slots=True)
class Order:
    """A command that somebody wants run."""

    command: str
    launch: Launch
    limit: float | None
    """Seconds after which it is ended; None: it may run as long as its session."""
    show: Callable[[str], None]
    afterwards: Callable[[], str] | None = None
    """Asked in a thread, when it has ended, for a last word."""


@dataclass(slots=True)
class _Own:
    """What one session runs."""

    jobs: dict[str, Running] = field(default_factory=dict)
    waited_for: set[Running] = field(default_factory=set)
    begun: dict[str, str] = field(default_factory=dict)
    """Every job there ever was, also those of earlier daemons, with its command."""
    last: int = 0


class Jobs:
    """Knows every command that runs.

    What is too long for memory is written to `folder`, one folder per session, and so is which jobs
    there were: a job ends with the daemon, but its name is never given to another.
    """

    def __init__(
        self, folder: Path | None = None, *, most: int = MOST, patience: float = PATIENCE
    ) -> None:
        self._folder = folder
        self._most = most
        self._patience = patience
        self._own: dict[SessionId, _Own] = {}
        self._is_closed = False

    async def run(self, session: SessionId, call: str, order: Order) -> Running:
        """Run a command to its end. CouldNotStart. Cancelled: it is ended first."""
        own = await self._of(session)
        running = self._running(session, call, order)
        own.waited_for.add(running)
        try:
            await self._begin(running, order)
            await running.over()
        except asyncio.CancelledError:
            # Whoever cancels waits a moment at most; what ends the command goes on regardless.
            await asyncio.shield(running.end())
            raise
        finally:
            own.waited_for.discard(running)
        return running

    async def start(self, session: SessionId, order: Order) -> tuple[str, Running]:
        """Start a job: its name, and what runs. CouldNotStart, TooMany."""
        own = await self._of(session)
        if sum(one.ended is None for one in own.jobs.values()) >= self._most:
            raise TooMany(f"{self._most} jobs of this session run already")
        own.last += 1
        job = f"j{own.last}"
        own.begun[job] = order.command[:_LONGEST]
        running = own.jobs[job] = self._running(session, job, order)
        try:
            await asyncio.to_thread(self._note, session, job, own.begun[job])
            await self._begin(running, order)
        except BaseException:
            del own.jobs[job]
            raise
        _forget_oldest(own)
        return job, running

    async def find(self, session: SessionId, job: str) -> Running | Gone | None:
        """A job of this session; None: it never had one of this name."""
        own = await self._of(session)
        if job in own.jobs:
            return own.jobs[job]
        return Gone(own.begun[job]) if job in own.begun else None

    def listed(self, session: SessionId) -> tuple[tuple[str, Running], ...]:
        """The jobs of a session that run, and those that ended and can still be asked."""
        own = self._own.get(session)
        return tuple(own.jobs.items()) if own else ()

    async def end_session(self, session: SessionId) -> None:
        """End all that a session runs; when it comes back, all of it has ended."""
        own = self._own.pop(session, None)
        if own is not None:
            every = (*own.jobs.values(), *own.waited_for)
            await asyncio.gather(*(one.end() for one in every), return_exceptions=True)
            await asyncio.to_thread(self._clear, session)

    async def close(self) -> None:
        """End all that runs. Nothing can be started any more."""
        self._is_closed = True
        await asyncio.gather(*map(self.end_session, tuple(self._own)))

    def temporary(self, session: SessionId) -> str:
        """A folder for what a session's commands leave for each other until it ends; "": none.

        For a thread.
        """
        folder = self._file(session, _TEMPORARY)
        if folder is None:
            return ""
        try:
            for one in (folder.parent.parent, folder.parent, folder):
                one.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            _said.warning("%s cannot be made: %s", folder, error.strerror)
            return ""
        return str(folder)

    def _clear(self, session: SessionId) -> None:
        folder = self._file(session, _TEMPORARY)
        if folder is not None:
            # What cannot be removed is the next one's to remove; nobody waits for it.
            try:
                shutil.rmtree(folder, ignore_errors=True)
            except RecursionError:  # a command made folders within folders, deeper than Python goes
                subprocess.run(("rm", "-rf", "--", str(folder)), check=False, capture_output=True)  # noqa: S603, S607 - ours

    def _running(self, session: SessionId, name: str, order: Order) -> Running:
        output = KeptOutput(self._file(session, f"{name}.out"))
        return Running(order.command, output, order.show, order.afterwards)

    async def _begin(self, running: Running, order: Order) -> None:
        if not self._is_closed:
            await running.begin(order.launch, order.limit, self._patience)
        if self._is_closed:  # perhaps only meanwhile
            await running.end()
            raise CouldNotStart("hearth is ending")

    # -- which jobs there were ---------------------------------------------------------------------

    async def _of(self, session: SessionId) -> _Own:
        own = self._own.get(session)
        if own is None:
            begun = await asyncio.to_thread(self._read, session)
            last = max((int(job[1:]) for job in begun), default=0)
            own = self._own.setdefault(session, _Own(begun=begun, last=last))
        return own

    def _file(self, session: SessionId, name: str) -> Path | None:
        if self._folder is None or not (_is_name(session) and _is_name(name)):
            return None
        return self._folder / session / name

    def _note(self, session: SessionId, job: str, command: str) -> None:
        file = self._file(session, _BOOK)
        if file is None:
            return
        try:
            for folder in (file.parent.parent, file.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            with file.open("a", encoding="utf-8") as book:
                book.write(json.dumps([job, command]) + "\n")
        except OSError as error:
            # The job can run all the same: the next daemon will only not know that there was one.
            _said.warning("%s cannot be written: %s", file, error.strerror)

    def _read(self, session: SessionId) -> dict[str, str]:
        file = self._file(session, _BOOK)
        begun: dict[str, str] = {}
        if file is None:
            return begun
        try:
            with file.open("rb") as book:
                book.seek(max(0, book.seek(0, 2) - _MOST_OF_BOOK))
                lines = book.read(_MOST_OF_BOOK).splitlines()
        except FileNotFoundError:
            return begun
        except OSError as error:
            _said.warning("%s cannot be read: %s", file, error.strerror)
            return begun
        for line in lines:
            match _decoded(line):
                case [str(job), str(command)] if _JOB.fullmatch(job):
                    begun[job] = command
                case _:
                    continue  # half a line, of a daemon that ended in the middle of it
        return begun


def _decoded(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _is_name(name: str) -> bool:
    """Whether it names a file in a folder, and nothing else."""
    return bool(_NAME.fullmatch(name)) and not name.startswith(".")


def _forget_oldest(own: _Own) -> None:
    ended = [job for job, one in own.jobs.items() if one.ended is not None]
    for job in ended[:-MOST_ENDED]:
        del own.jobs[job]
