"""One MCP server as a process of its own: under a guardian, with pipes that only hearth has."""

import asyncio
import contextlib
import fcntl
import os
import shutil
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearth.performers.interpreter.spawning import end, spawn
from hearth.performers.tools.shell import guardian

LEAVING: Final = 1.0
"""Seconds that a server has to end by itself after nothing more comes to it."""
PATIENCE: Final = 2.0
"""Seconds that it has after it was asked to end; then it is killed."""
COMPLAINTS: Final = 64 * 1024
"""So many bytes of what it writes to stderr are kept, the last ones."""
_PIPE: Final = 256 * 1024
_BEYOND: Final = 2.0
_LONGEST_WORD: Final = 4096
_LAST_LINE: Final = 300


class CouldNotStart(Exception):
    """The program never ran; the text says why."""


@dataclass(frozen=True)
class Launch:
    """What is run, and where. Neither arguments nor variables are shown to anybody."""

    argv: tuple[str, ...]
    directory: str
    environment: Mapping[str, str]

    def __repr__(self) -> str:
        """Without secrets."""
        return f"Launch({self.argv[0]!r}, {self.directory!r})"


class ServerProcess:
    """A server that runs. Use `begin`; `close` must be waited for, for its descriptors' sake."""

    def __init__(
        self, process: asyncio.subprocess.Process, line: socket.socket, pipes: tuple[int, int, int]
    ) -> None:
        self._process = process
        self._line = line
        self.writes_to, self.reads_from, self._complains_to = pipes
        self._complaints = bytearray()
        self._words = ""
        self._is_heard = True
        self._is_writable = True
        asyncio.get_running_loop().add_reader(self._complains_to, self._hear)

    @classmethod
    async def begin(cls, launch: Launch) -> "ServerProcess":
        """Start one. CouldNotStart: nothing was.

        Who stops waiting has it ended as every other: by its guardian, with all that it started.
        """
        beginning = asyncio.create_task(cls._begun(launch))
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            await asyncio.shield(_end_beginning(beginning))
            raise

    @classmethod
    async def _begun(cls, launch: Launch) -> "ServerProcess":
        argv = (await asyncio.to_thread(_found, launch), *launch.argv[1:])
        ours, theirs = socket.socketpair()
        their_input, our_output = os.pipe()
        our_input, their_output = os.pipe()
        our_complaints, their_complaints = os.pipe()
        mine = (our_output, our_input, our_complaints)
        try:
            for fd in (ours.fileno(), *mine):
                os.set_blocking(fd, False)
            # Larger pipes only save time; a user may have reached the limit of all of theirs.
            with contextlib.suppress(OSError):
                fcntl.fcntl(our_input, fcntl.F_SETPIPE_SZ, _PIPE)
            process = await spawn(
                *(sys.executable, "-I", "-S", str(Path(guardian.__file__))),
                *(str(PATIENCE), "0", str(their_input), launch.directory, *argv),
                stdin=theirs.fileno(),
                stdout=their_output,
                stderr=their_complaints,
                pass_fds=(their_input,),
                cwd="/",
                env=dict(launch.environment),
                start_new_session=True,
            )
        except BaseException as refused:
            ours.close()
            for fd in mine:
                os.close(fd)
            if isinstance(refused, OSError | ValueError):
                raise CouldNotStart(str(refused)) from None
            raise
        finally:
            theirs.close()
            for fd in (their_input, their_output, their_complaints):
                os.close(fd)
        return cls(process, ours, mine)

    @property
    def guardian(self) -> int:
        """The process that guards it."""
        return self._process.pid

    @property
    def pid(self) -> int:
        """The server itself; 0 if it has ended, or not begun."""
        return next(iter(guardian.descendants(self._process.pid, 0)), 0)

    @property
    def has_ended(self) -> bool:
        """Whether it, and all that it started, is gone."""
        return self._process.returncode is not None

    @property
    def complaints(self) -> str:
        """The last that it wrote to stderr."""
        return bytes(self._complaints[-COMPLAINTS:]).decode("utf-8", "replace")

    def last_words(self) -> str:
        """The last line that it wrote to stderr, or how it ended, for people."""
        if self._words:
            return self._words
        lines = [one.strip() for one in self.complaints.splitlines() if one.strip()]
        if lines:
            return "".join(one if one.isprintable() else " " for one in lines[-1])[:_LAST_LINE]
        with contextlib.suppress(OSError):
            for line in self._line.recv(_LONGEST_WORD).decode("utf-8", "replace").splitlines():
                match line.split(" "):
                    case ["failed", *_]:
                        return line.partition(" ")[2]
                    case ["exited", code, _]:
                        return f"exit code {code}, without a word"
                    case ["signalled", number, _]:
                        return f"ended by signal {number}"
                    case _:
                        break
        return "without a word"

    async def over(self) -> None:
        """Wait until it has ended, and all that it started."""
        await self._process.wait()

    async def close(self) -> None:
        """End it: nothing more comes, then it is asked to, then killed. Leaves nothing running."""
        self.shut()
        if not await self._ends_within(LEAVING):
            self.stop()
            if not await self._ends_within(PATIENCE + guardian.GIVE_UP + _BEYOND):
                await end(self._process)  # something is wrong with its guardian
        self._hear()
        self._deaf()
        self._words = self.last_words()
        self._line.close()
        os.close(self.reads_from)
        os.close(self._complains_to)

    def shut(self) -> None:
        """Write nothing more to it."""
        if self._is_writable:
            self._is_writable = False
            os.close(self.writes_to)

    def stop(self) -> None:
        """Have it end: asked at first, killed after its patience. Does not wait."""
        with contextlib.suppress(OSError):  # the guardian has ended, so there is nothing to stop
            self._line.send(b"end")

    async def _ends_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._process.wait()
        except TimeoutError:
            return False
        return True

    def _hear(self) -> None:
        """Keep the last of what it complains about, however much that is."""
        if not self._is_heard:
            return
        try:
            piece = os.read(self._complains_to, COMPLAINTS)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            self._deaf()
        self._complaints += piece
        if len(self._complaints) > 2 * COMPLAINTS:
            del self._complaints[:-COMPLAINTS]

    def _deaf(self) -> None:
        if self._is_heard:
            self._is_heard = False
            asyncio.get_running_loop().remove_reader(self._complains_to)


async def _end_beginning(beginning: "asyncio.Task[ServerProcess]") -> None:
    (begun,) = await asyncio.gather(beginning, return_exceptions=True)
    if not isinstance(begun, BaseException):  # otherwise it never began
        await begun.close()


def _found(launch: Launch) -> str:
    """The program as a path. CouldNotStart."""
    if any("\0" in word for word in (*launch.argv, launch.directory)):
        raise CouldNotStart("there is a NUL in it")
    if not os.path.isdir(launch.directory):  # noqa: PTH112 - Path.is_dir may raise
        raise CouldNotStart(f"{launch.directory}, where it should work, is no folder")
    name = launch.argv[0]
    if os.sep in name:
        path = Path(launch.directory, os.path.expanduser(name))  # noqa: PTH111 - as in settings
        if not os.access(path, os.X_OK):
            raise CouldNotStart(f"{name} is no program")
        return str(path)
    found = shutil.which(name, path=launch.environment.get("PATH"))
    if found is None:
        raise CouldNotStart(f"{name} is not installed, or not on the PATH")
    return os.path.abspath(found)  # noqa: PTH100 - links stay: a program may ask how it was called
