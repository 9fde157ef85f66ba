"""Which MCP servers of projects the person has seen and approved: by everything that would run.

May wait for the disk, and may be asked from any thread and process.
"""

import logging
import os
import stat
import threading
from pathlib import Path
from typing import Final

import msgspec

from hearth.settings.atomic import write_whole
from hearth.settings.changing import alone_with
from hearth.settings.mcp import ServerSpec
from hearth.settings.problems import Problem, SettingsError
from hearth.settings.reading import read_bytes

FILE: Final = "mcp-approvals.json"
_VERSION: Final = 1
_said = logging.getLogger(__name__)


class _Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int = _VERSION
    approved: dict[str, dict[str, str]] = {}
    """By root, then by name: the digest of what was seen."""


class McpApprovals:
    """The file of approvals.

    One that is broken, or that others can write to, approves nothing; `problem` says so.
    """

    def __init__(self, home: Path) -> None:
        self._file = home / FILE
        self._lock = threading.Lock()
        self._problem: Problem | None = None

    def is_approved(self, spec: ServerSpec) -> bool:
        """Whether this very server may run. The person's own may."""
        if not spec.is_project:
            return True
        with self._lock:
            return self._read().approved.get(spec.root, {}).get(spec.name) == spec.digest

    def approve(self, spec: ServerSpec) -> None:
        """Let a project's server run, as long as it stays what it is. OSError."""
        with alone_with(self._file, self._lock):
            book = self._read()
            here = {**book.approved.get(spec.root, {}), spec.name: spec.digest}
            self._write({**book.approved, spec.root: here})

    def revoke(self, root: str, name: str) -> bool:
        """Take an approval back; False if there is none. OSError."""
        with alone_with(self._file, self._lock):
            book = self._read()
            here = dict(book.approved.get(root, {}))
            if here.pop(name, None) is None:
                return False
            rest = {place: names for place, names in book.approved.items() if place != root}
            self._write({**rest, root: here} if here else rest)
            return True

    def problem(self) -> Problem | None:
        """Why nothing is approved although there is a file."""
        with self._lock:
            self._read()
            return self._problem

    def _read(self) -> _Book:
        was, self._problem = self._problem, None
        try:
            return self._parsed()
        except FileNotFoundError:
            return _Book()
        except SettingsError as error:
            self._problem = error.problem()
        except OSError as error:
            said = f"cannot be read: {error.strerror}"
            self._problem = self._unusable(said, "a file you may read").problem()
        if self._problem != was:
            _said.warning("%s", self._problem)
        return _Book()

    def _parsed(self) -> _Book:
        now = self._file.stat()
        if now.st_uid != os.geteuid() or now.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise self._unusable("others could write to it", "a file that is yours alone: 0600")
        try:
            book = msgspec.json.decode(read_bytes(self._file) or b"", type=_Book)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise self._unusable("is broken", "to approve the servers again") from None
        if book.version != _VERSION:
            raise self._unusable("is of another version", f"version {_VERSION}")
        return book

    def _unusable(self, what: str, right: str) -> SettingsError:
        return SettingsError(self._file, f"{what}; no server of a project is approved", right)

    def _write(self, approved: dict[str, dict[str, str]]) -> None:
        if self._problem is not None:
            # Kept for whoever wants to know what was in it. And a new file has a mode of its own.
            self._file.replace(self._file.with_name(f"{self._file.name}.broken"))
        book = _Book(_VERSION, dict(sorted(approved.items())))
        write_whole(self._file, msgspec.json.format(msgspec.json.encode(book)) + b"\n", 0o600)
