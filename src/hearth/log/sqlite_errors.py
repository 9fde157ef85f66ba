"""What SQLite and the system report, in our own words and with the file's path."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hearth.log.event_log import CorruptRow, LogError, StoreDown

_SENTENCES: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_FULL: "the disk under {path} is full; make room and try again",
    sqlite3.SQLITE_IOERR: "the disk under {path} reported an error",
    sqlite3.SQLITE_READONLY: "{path} is read-only; make it writable, or name another file",
    sqlite3.SQLITE_BUSY: "{path} is locked by another program",
    sqlite3.SQLITE_LOCKED: "{path} is locked by another program",
    sqlite3.SQLITE_PROTOCOL: "{path} is locked by another program",
    sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened; is its directory there and writable?",
    sqlite3.SQLITE_PERM: "{path} may not be opened by this user",
    sqlite3.SQLITE_AUTH: "{path} may not be opened by this user",
    sqlite3.SQLITE_NOTADB: "{path} is not a database; it was left as it is",
    sqlite3.SQLITE_CORRUPT: "{path} is damaged; restore it from a backup",
    sqlite3.SQLITE_NOMEM: "there is no memory left to work on {path}",
}
"""By primary result code: troubles of the store, not of one request."""


def _primary(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def concerns_store(error: BaseException) -> bool:
    """Whether the store itself is in trouble, so that every other request would fail too."""
    if isinstance(error, sqlite3.Error):
        return _primary(error) in _SENTENCES
    return isinstance(error, OSError | StoreDown)


def translate(error: BaseException, path: Path) -> LogError:
    """The error as an event log may raise it."""
    if isinstance(error, LogError):
        return error
    if isinstance(error, OSError):
        return StoreDown(f"{path} cannot be used: {error.strerror or error}")
    if isinstance(error, sqlite3.Error) and (sentence := _SENTENCES.get(_primary(error))):
        return StoreDown(f"{sentence.format(path=path)} ({error})")
    return LogError(f"{path}: {error}")


def read_only(path: Path) -> StoreDown:
    """The file may not be written."""
    return StoreDown(_SENTENCES[sqlite3.SQLITE_READONLY].format(path=path))


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """Errors while a file is opened or made, in our own words."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise translate(error, path) from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Errors while rows are read, in our own words; a damaged page is a CorruptRow."""
    try:
        yield
    except sqlite3.Error as error:
        if _primary(error) == sqlite3.SQLITE_CORRUPT:
            raise CorruptRow(f"{path} is damaged; restore it from a backup ({error})") from error
        raise translate(error, path) from error
    except OSError as error:
        raise translate(error, path) from error
