"""Where a worker lives between daemons: its folder, and what is written there about it."""

import json
import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.performers.interpreter.inside import unsent
from hearth.performers.interpreter.inside.busy import read_plain
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.walls import NONE, Walls

_Record = TypeVar("_Record")

INSIDE: Final = "in"
CALLER: Final = "caller"
MOST_CALLERS: Final = 10**9
SIGNED: Final = "hmac-sha256"
MOST_WORDS: Final = 256 * 1024
CRASH: Final = b"Fatal Python error"
CRASHED: Final = b"Current thread"
"""How the interpreter's own account of a crash begins, and that of the thread in which it was."""


class WorkerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`worker.json`: whose interpreter this is. Without a session it is a spare."""

    name: str
    session: SessionId | None = None
    generation: int = 0
    kind: str = "python"
    python: str = ""
    language: str = "python"
    interrupt_by_message: bool = False
    subshells: bool = False
    root: str = ""
    prepared: bool = False
    """Its warm-up came to its end."""
    preferences: Preferences | None = None
    """How it is run, where its project wants it otherwise than the daemon's others."""
    walls: Walls = NONE
    """How it is kept apart."""
    surroundings: Surroundings | None = None
    """What was found when it was prepared; its copies say the same."""
    trial: CellId | None = None
    """It is a copy in which a variant of this trial runs, until it is adopted."""
    variant: int = 0
    variants: int = 0
    """Which one of how many."""


class ProcessId(msgspec.Struct, frozen=True):
    """A pid with its start time: pids come back, pairs do not."""

    pid: int
    start: int | None = None


class ExitRecord(msgspec.Struct, frozen=True):
    """How the interpreter ended, in the guardian's words."""

    code: int | None = None
    signal: int | None = None
    reason: str = ""
    message: str = ""


class GuardianRecord(msgspec.Struct, frozen=True):
    """`guardian.json`."""

    guardian: ProcessId
    kernel: ProcessId
    state: str
    exit: ExitRecord | None = None
    woken: str = ""
    """The latest request to wake a copy, once it was carried out or could not be."""
    wake_problem: str = ""


class WorkerFolder:
    """What is written about one worker, by us and by its guardian."""

    _CONNECTION: Final = (
        "ip",
        "key",
        "shell_port",
        "iopub_port",
        "stdin_port",
        "control_port",
        "signature_scheme",
    )

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def name(self) -> str:
        """What the worker is called in messages and sockets."""
        return self.path.name

    @property
    def inside(self) -> Path:
        """What the interpreter itself writes to: all of it, or a part if it is contained.

        What is outside of that part tells which processes are ended, and is not its to change.
        """
        part = self.path / INSIDE
        return part if part.is_dir() else self.path

    @property
    def journal(self) -> Path:
        """Where the interpreter keeps what it said."""
        return self.inside / "journal"

    def contain(self) -> None:
        """Let the interpreter have a part of the folder only. OSError. Before all else."""
        (self.path / INSIDE / "journal").mkdir(mode=0o700, parents=True)

    def write_connection(self) -> dict[str, Any]:
        """A connection file for sockets in this folder, with a fresh key."""
        connection: dict[str, Any] = {
            "transport": "ipc",
            "ip": str(self.inside / "s"),
            "shell_port": 1,
            "iopub_port": 2,
            "stdin_port": 3,
            "control_port": 4,
            "hb_port": 5,
            "key": secrets.token_hex(32),
            "signature_scheme": SIGNED,
            "kernel_name": "",
        }
        written = json.dumps(connection).encode()
        self._write("connection.json", written)
        if self.inside != self.path:
            self._write(f"{INSIDE}/connection.json", written)
        return connection

    def connection(self) -> dict[str, Any]:
        """What was written; OSError or ValueError if it cannot be read."""
        found = json.loads((self.path / "connection.json").read_bytes())
        if not isinstance(found, dict):
            raise ValueError(f"{self.path}/connection.json holds no object")  # noqa: TRY004 - bad content, not a bad call
        missing = [name for name in self._CONNECTION if name not in found]
        if missing or found["signature_scheme"] != SIGNED:
            raise ValueError(f"{self.path}/connection.json is not what was written there")
        return found

    @property
    def caller(self) -> int:
        """Under which name its daemon speaks with it: how often one has come anew."""
        said = read_plain(self.path / CALLER, len(str(MOST_CALLERS)) + 1)
        # Code can write there, and a name has a length.
        return min(int(said), MOST_CALLERS) if said.isdigit() else 0

    def write_caller(self, number: int) -> None:
        """Say under which name; the next daemon goes on under it. OSError."""
        self._write(CALLER, b"%d" % number)

    def write_launch(self, launch: Mapping[str, Any]) -> None:
        """What the launcher needs to know."""
        self._write("launch.json", json.dumps(launch).encode())

    def launch(self) -> dict[str, Any]:
        """What was written for the launcher. OSError, ValueError."""
        found: dict[str, Any] = json.loads((self.path / "launch.json").read_bytes())
        return found

    def write_record(self, record: WorkerRecord) -> None:
        """Say whose interpreter this is."""
        self._write("worker.json", msgspec.json.encode(record))

    def record(self) -> WorkerRecord | None:
        """Whose interpreter this is; None if it was not said, or cannot be read."""
        return self._read("worker.json", WorkerRecord)

    def guardian(self) -> GuardianRecord | None:
        """What the guardian last wrote; None before it wrote anything."""
        return self._read("guardian.json", GuardianRecord)

    def last_words(self, most: int = 4000) -> str:
        """The end of what the process wrote to its real stdout and stderr.

        Of a crash, what it says first: there is where it happened, below it only how it came there.
        """
        try:
            with (self.path / "stdio.log").open("rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(0, file.tell() - MOST_WORDS))
                words = file.read()
        except OSError:
            return ""
        crash = words.rfind(CRASH)
        if crash < 0:
            return words[-most:].decode("utf-8", "replace").strip()
        what = words[crash:].partition(b"\n")[0]
        # Other threads are told of first, and are not to blame.
        where = words.find(CRASHED, crash)
        kept = what + b"\n" + words[where : where + most] if where >= 0 else words[crash:][:most]
        return kept.decode("utf-8", "replace").strip()

    def unsent(self, stream: str) -> tuple[str, str]:
        """The request and the text that a dead interpreter had printed and not sent."""
        return unsent.read(self.inside / f"unsent-{stream}")

    def remove(self) -> None:
        """Nothing of the worker is left."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _write(self, name: str, content: bytes) -> None:
        written = self.path / f"{name}.new"
        fd = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(content)
        written.replace(self.path / name)

    def _read(self, name: str, kind: type[_Record]) -> _Record | None:
        try:
            return msgspec.json.decode((self.path / name).read_bytes(), type=kind)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
