"""Runs git so that nothing but what hearth says decides what it does.

The files that it looks at may have been written by an agent. So no configuration but this one is
read, nothing is run on its behalf, and no file is converted, whatever a project says about itself.
It is run in threads, never on an event loop.
"""

import contextlib
import os
import re
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from hearth.performers.snapshots.pipes import let_through

ATTRIBUTES: Final = "* -text -eol -ident -filter -working-tree-encoding !diff !merge\n"
"""Of what may be said of files, nothing counts: they are kept byte for byte."""

SETTINGS: Final = (
    "core.bare=false",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "core.eol=lf",
    "core.safecrlf=false",
    "core.symlinks=true",
    "core.fileMode=true",
    "core.ignoreCase=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.precomposeUnicode=false",
    # What is a strange name elsewhere is a file here like any other.
    "core.protectHFS=false",
    "core.protectNTFS=false",
    "core.quotePath=false",
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "core.compression=1",
    # One flush for all the files of a state.
    "core.fsync=loose-object,pack,pack-metadata,reference",
    "core.fsyncMethod=batch",
    "core.bigFileThreshold=16m",
    "gc.auto=0",
    "gc.autoDetach=false",
    "gc.packRefs=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.directory=*",
    "submodule.recurse=false",
)
INTO_ONE_PACK: Final = ("core.bigFileThreshold=1",)
"""For very many new files: git writes those that it takes for large into one file, not each."""

FLUSHED_LATER: Final = ("core.fsyncMethod=writeout-only",)
"""For what a state consists of: it is safe when the state gets its name, with one flush for all."""

_ONE_PACK_SINCE: Final = (2, 37)
_COMPLAINT: Final = 300
_CHUNK: Final = 1024 * 1024


class GitFailed(Exception):
    """Git could not do it; the message says why, for people."""


class Deadline:
    """A moment at which whatever is not done by then is given up."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._end = now() + seconds

    def left(self) -> float:
        """The seconds that are left. GitFailed if there are none."""
        left = self._end - self._now()
        if left <= 0:
            raise GitFailed(f"it was not done within {self._seconds:g} seconds")
        return left


def find_git(root: Path, path: str | None) -> str:
    """The git that is installed, GitFailed if none is.

    One that lies in the project is passed over: agents may write there, and this one runs outside
    of every sandbox.
    """
    inside = os.path.realpath(root)
    for folder in (path or os.defpath).split(os.pathsep):
        program = os.path.realpath(os.path.join(folder, "git"))  # noqa: PTH118 - a plain string
        is_ours = os.path.isabs(folder) and not any(  # noqa: PTH117 - a plain string
            is_below(one, inside)
            for one in (os.path.realpath(folder), os.path.normpath(folder), program)
        )
        if is_ours and _is_program(program):
            return program
    raise GitFailed("git is not installed, or not where PATH says; install it to have files kept")


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it. Nothing is looked at."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def environment(folder: Path, root: Path, program: str) -> dict[str, str]:
    """All that git gets to know of the world."""
    return {
        "PATH": os.pathsep.join((os.path.dirname(program), "/usr/bin", "/bin")),  # noqa: PTH120 - a plain string
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "LC_ALL": "C",
        "GIT_DIR": str(folder),
        "GIT_WORK_TREE": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",
    }


class Git:
    """One repository of hearth's own beside the files of a project, until a deadline."""

    def __init__(self, program: str, folder: Path, root: Path, deadline: Deadline) -> None:
        self.folder = folder
        self.root = root
        self.deadline = deadline
        self._program = program
        self._environment = environment(folder, root, program)
        self._running: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def stop(self) -> None:
        """Have what runs, and what would be run, fail. From any thread."""
        self._is_stopped = True
        if self._running is not None:
            _kill(self._running)

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        settings: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> bytes:
        """What git prints. GitFailed if it fails or takes too long."""
        return self.said(*arguments, stdin=stdin, settings=settings, environ=environ)[0]

    def beside(self, root: Path) -> "Git":
        """The same repository, with other files."""
        return Git(self._program, self.folder, root, self.deadline)

    def said(
        self,
        *arguments: str,
        stdin: bytes = b"",
        settings: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> tuple[bytes, bytes]:
        """What git prints, and what it complains about although it did not fail."""
        process = self._running = self._started(arguments, settings, environ)
        if self._is_stopped:
            _kill(process)
        try:
            with let_through(self.root):
                printed, complaints = process.communicate(stdin, timeout=self.deadline.left())
        except (subprocess.TimeoutExpired, GitFailed):
            _end(process)
            self.deadline.left()  # says how long it was
            raise GitFailed("git was stopped") from None
        except BaseException:
            _end(process)
            raise
        # Whoever asks whether something is so is told by 1 that it is not.
        if process.returncode > (arguments[0] == "check-ignore") or process.returncode < 0:
            raise GitFailed(_why(arguments[0], process.returncode, complaints))
        return printed, complaints

    @contextlib.contextmanager
    def contents(self) -> Iterator[Callable[[str], Iterator[bytes]]]:
        """What gives the content of an object, in pieces that are all read. GitFailed."""
        process = self._started(("cat-file", "--batch"), (), None)
        # Only killed from there: who reads sees the end of the pipe, and closes it.
        watch = threading.Timer(self.deadline.left(), _kill, (process,))
        watch.daemon = True
        try:
            watch.start()
            yield lambda name: _content(process, name)
        finally:
            watch.cancel()
            _end(process)

    def packs_at_once(self) -> bool:
        """Whether this git puts all new files of one command into one pack."""
        found = re.search(rb"(\d+)\.(\d+)", self.run("version"))
        return found is not None and (int(found[1]), int(found[2])) >= _ONE_PACK_SINCE

    def _started(
        self, arguments: Sequence[str], settings: Sequence[str], environ: Mapping[str, str] | None
    ) -> "subprocess.Popen[bytes]":
        known = {**self._environment, **(environ or {})}
        said = [word for one in (*SETTINGS, *settings) for word in ("-c", one)]
        try:
            return subprocess.Popen(  # noqa: S603 - a program that was looked for, and no shell
                [self._program, "--no-pager", *said, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.root,
                env={name: value for name, value in known.items() if value},
                start_new_session=True,
            )
        except OSError as error:
            raise GitFailed(f"git cannot be run: {error.strerror or error}") from error


def _is_program(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK)  # noqa: PTH116 - a plain string
    except (OSError, ValueError):
        return False


def _content(process: "subprocess.Popen[bytes]", name: str) -> Iterator[bytes]:
    asked, answered = _pipe(process.stdin), _pipe(process.stdout)
    try:
        asked.write(name.encode() + b"\n")
        asked.flush()
        words = answered.readline().split()
        if len(words) != 3:
            raise GitFailed(f"the content {name[:12]} is no longer there")
        left = int(words[2])
        while left:
            piece = answered.read(min(left, _CHUNK))
            if not piece:
                raise GitFailed(f"git ended while it gave the content {name[:12]}")
            left -= len(piece)
            yield piece
        answered.read(1)
    except OSError as error:
        raise GitFailed("git ended before all contents were read") from error


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise GitFailed("git was started without a pipe to it")
    return stream


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Make an end of git, and of what it started, if there is none yet."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it ends in this moment
            os.killpg(process.pid, signal.SIGKILL)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Let go of git, and kill it if it still runs."""
    _kill(process)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):  # what it did not read any more
                stream.close()


def _why(what: str, status: int, complaints: bytes) -> str:
    said = " ".join(complaints.decode("utf-8", "replace").split())
    if len(said) > _COMPLAINT:
        said = said[:_COMPLAINT] + "…"
    return f"git {what} ended with status {status}" + (f": {said}" if said else "")
