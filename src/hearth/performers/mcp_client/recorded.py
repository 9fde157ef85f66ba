"""Which servers a daemon started, written down: what outlived it is ended by the next one.

Their guardians end them when the daemon goes, however it goes. This is for the day on which a
guardian was killed, too. May wait for the disk.
"""

import contextlib
import logging
import os
import signal
import time
from pathlib import Path
from typing import Final

import msgspec

from hearth.settings.atomic import write_whole
from hearth.settings.problems import SettingsError
from hearth.settings.reading import read_bytes

FOLDER: Final = "mcp-servers"
_PATIENCE: Final = 1.0
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_said = logging.getLogger(__name__)


class _Record(msgspec.Struct, frozen=True):
    boot: str
    guardian: int
    guardian_began: int
    """In ticks of the system since it was booted."""
    server: int
    server_began: int
    name: str


class Recorded:
    """The notes about servers that run."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def note(self, name: str, guardian: int, server: int) -> None:
        """A server was started."""
        record = _Record(_boot(), guardian, began(guardian), server, began(server), name)
        with contextlib.suppress(OSError):  # its guardian looks after it all the same
            write_whole(self._folder / f"{guardian}.json", msgspec.json.encode(record), 0o600)

    def forget(self, guardian: int) -> None:
        """A server has ended, and all that it started."""
        with contextlib.suppress(OSError):
            (self._folder / f"{guardian}.json").unlink(missing_ok=True)

    def sweep(self) -> tuple[str, ...]:
        """End what is left of servers of a daemon that is gone: their names."""
        found = []
        for file in sorted(self._folder.glob("*.json")):
            if (name := _swept(file)) is not None:
                found.append(name)
                _said.warning("the MCP server %s outlived its daemon, and was ended", name)
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
        return tuple(found)


def began(pid: int) -> int:
    """When a process began, which tells it from a later one of the same number; 0: it is gone."""
    try:
        content = Path(f"/proc/{pid}/stat").read_bytes()
        return int(content[content.rfind(b")") + 2 :].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _swept(file: Path) -> str | None:
    try:
        record = msgspec.json.decode(read_bytes(file) or b"", type=_Record)
    except (SettingsError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    if record.boot != _boot():
        return None
    was_there = False
    if record.guardian_began and began(record.guardian) == record.guardian_began:
        was_there = True
        _signal(record.guardian, signal.SIGTERM)
        until = time.monotonic() + _PATIENCE
        while began(record.guardian) == record.guardian_began and time.monotonic() < until:
            time.sleep(0.01)
        _signal(record.guardian, signal.SIGKILL)
    for pid in _session(record):
        was_there = True
        _signal(pid, signal.SIGKILL)
    return record.name if was_there else None


def _session(record: _Record) -> list[int]:
    """What is left of the server's own session of processes."""
    now = began(record.server)
    if not record.server or (now and now != record.server_began):
        return []  # its number is somebody else's by now
    found = []
    for one in Path("/proc").iterdir():
        if not one.name.isdecimal():
            continue
        pid = int(one.name)
        with contextlib.suppress(OSError):
            is_ours = one.stat().st_uid == os.getuid() and os.getsid(pid) == record.server
            if is_ours and began(pid) >= record.server_began > 0:
                found.append(pid)
    return found


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _boot() -> str:
    try:
        return _BOOT.read_text("utf-8").strip()
    except OSError:
        return ""
