"""What people allowed for always: kept in hearth's home, outside of all projects.

Each grant holds in one project. May wait for the disk, and may be asked from any thread.
"""

import logging
import os
import stat
import threading
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from hearth.core.rules.granting import too_wide
from hearth.core.vocabulary import permitting
from hearth.settings.atomic import write_whole
from hearth.settings.changing import alone_with
from hearth.settings.problems import Problem, SettingsError
from hearth.settings.reading import read_bytes

FILE: Final = "grants.json"
_VERSION: Final = 1
_said = logging.getLogger(__name__)


@dataclass(frozen=True)
class Occasion:
    """When, by whom, in which session and for what something was granted."""

    at: datetime
    by: str = ""
    session: str = ""
    why: str = ""


class StoredGrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a person allowed, until it is revoked."""

    id: str
    """`g1`, `g2`, …; none is ever given twice."""
    permission: str
    pattern: str
    root: str
    """The root of the project that it holds in; "" for sessions that belong to none."""
    at: datetime
    by: str = ""
    """Who allowed it."""
    session: str = ""
    """Where it was asked."""
    why: str = ""
    """What it was asked for."""

    @property
    def grant(self) -> permitting.Grant:
        """What rules are told of it."""
        return permitting.Grant(self.permission, self.pattern)


class _Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int = _VERSION
    given: int = 0
    """How many grants there ever were."""
    grants: tuple[StoredGrant, ...] = ()


class GrantBook:
    """The file of grants.

    One that is broken, or that others can write to, grants nothing; `problem` says so.
    """

    def __init__(self, home: Path) -> None:
        self._file = home / FILE
        self._lock = threading.Lock()
        self._seen: tuple[int, ...] | None = None
        self._book = _Book()
        self._problem: Problem | None = None

    def all(self) -> tuple[StoredGrant, ...]:
        """Every grant, the oldest first."""
        with self._lock:
            return self._read().grants

    def for_root(self, root: str) -> tuple[permitting.Grant, ...]:
        """What is granted in the project with this root; "": in sessions that belong to none.

        One that is too wide by now, or was written into the file by hand, is none.
        """
        here = (one.grant for one in self.all() if one.root == root)
        home = _home()
        return tuple(one for one in here if not too_wide(one, home))

    def problem(self) -> Problem | None:
        """Why nothing is granted although there is a file."""
        with self._lock:
            self._read()
            return self._problem

    def add(self, grant: permitting.Grant, root: str, occasion: Occasion) -> StoredGrant:
        """Keep a grant; the one that is there, if it is the same in the same project.

        ValueError says why it is too wide to be kept. OSError if it cannot be written down.
        """
        if wide := too_wide(grant, _home()):
            raise ValueError(f'{grant.permission} "{grant.pattern}" is not kept: {wide}')
        with alone_with(self._file, self._lock):
            book = self._read()
            for one in book.grants:
                if one.root == root and one.grant == grant:
                    return one
            made = StoredGrant(
                id=f"g{book.given + 1}",
                permission=grant.permission,
                pattern=grant.pattern,
                root=root,
                at=occasion.at,
                by=occasion.by,
                session=occasion.session,
                why=occasion.why,
            )
            self._write(_Book(_VERSION, book.given + 1, (*book.grants, made)))
            return made

    def revoke(self, identifier: str) -> bool:
        """Take a grant back; False if there is none of this id. OSError."""
        with alone_with(self._file, self._lock):
            book = self._read()
            rest = tuple(one for one in book.grants if one.id != identifier)
            if len(rest) == len(book.grants):
                return False
            self._write(_Book(_VERSION, book.given, rest))
            return True

    def _read(self) -> _Book:
        """What is in the file; read again only when it has changed."""
        try:
            now = self._file.stat()
        except FileNotFoundError:
            self._seen, self._book, self._problem = None, _Book(), None
            return self._book
        except OSError as error:
            unusable = self._unusable(f"cannot be read: {error.strerror}", "a file you may read")
            self._seen, self._book, self._problem = None, _Book(), unusable.problem()
            return self._book
        seen = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        if seen == self._seen:
            return self._book
        try:
            self._book, self._problem = self._parsed(now), None
        except SettingsError as error:
            self._book, self._problem = _Book(), error.problem()
            _said.warning("%s", error)
        self._seen = seen
        return self._book

    def _parsed(self, now: os.stat_result) -> _Book:
        if now.st_uid != os.geteuid() or now.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise self._unusable("others could write to it", "a file that is yours alone: 0600")
        try:
            book = msgspec.json.decode(read_bytes(self._file) or b"", type=_Book)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise self._unusable("is broken", "to allow things again when asked") from None
        if book.version != _VERSION:
            raise self._unusable("is of another version", f"version {_VERSION}")
        return book

    def _unusable(self, what: str, right: str) -> SettingsError:
        return SettingsError(self._file, f"{what}; nothing is granted for always", right)

    def _write(self, book: _Book) -> None:
        if self._problem is not None:
            # Kept for whoever wants to know what was in it. And a new file has a mode of its own.
            self._file.replace(self._file.with_name(f"{self._file.name}.broken"))
        write_whole(self._file, msgspec.json.format(msgspec.json.encode(book)) + b"\n", 0o600)
        self._seen = None


def _home() -> str:
    return os.path.expanduser("~")  # noqa: PTH111 - Path.home raises where there is none
