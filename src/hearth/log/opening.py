"""Chooses the event log by its URL, and says in one line which one it is."""

import asyncio
import secrets
import socket
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from hearth.log.event_log import EventLog, LogError
from hearth.log.memory import MemoryLog
from hearth.log.sqlite import SqliteLog

FORMS: Final = (
    "sqlite:///absolute/path/hearth.db, postgresql://user:password@host:5432/database or memory:"
)


class UnknownStore(LogError):
    """A URL that names no store we have. The URL itself is not repeated: it may hold a secret."""


async def open_log(url: str | None, home: Path, owner: str) -> EventLog:
    """The log that `url` names, opened; without one, an SQLite file in `home`.

    A store that cannot be reached is an error now, never a reason to use another one.
    UnknownStore, StoreDown, NewerSchema.
    """
    log = choose_log(url, home, owner)
    try:
        await log.open()
    except BaseException:
        await log.close()
        raise
    return log


def choose_log(url: str | None, home: Path, owner: str) -> EventLog:
    """The log that `url` names, not yet opened. UnknownStore, StoreDown."""
    if (path := sqlite_path(url, home)) is not None:
        # Owners on one file show by a lock that they live, so each process has a name of its own.
        return SqliteLog(path)
    if url == "memory:":
        return MemoryLog()
    if url and _scheme(url) in {"postgresql", "postgres"}:
        # Only now: most people need neither this module nor the driver behind it.
        from hearth.log.postgres import PostgresLog  # noqa: PLC0415 - keeps the start fast

        return PostgresLog(url, owner=owner)
    raise UnknownStore(f"the database URL names no store that hearth has; it reads {FORMS}")


def sqlite_path(url: str | None, home: Path) -> Path | None:
    """The file of an SQLite log; None if `url` names another store. UnknownStore."""
    if url is None:
        return (home / "data" / "hearth.db").resolve()
    return _path_in(url) if _scheme(url) == "sqlite" else None


def startup_line(log: EventLog) -> str:
    """What a person is told when a daemon starts: which store, and what is wrong with it."""
    return "; ".join((f"the log is {log.name}", *(f"warning: {one}" for one in log.warnings)))


async def owner_name(home: Path) -> str:
    """By what name this home is known to others who share its database.

    The same at every start, so that a daemon which is started again takes its sessions back at
    once; another one for a copy of the home, on this machine or elsewhere. StoreDown.
    """
    return await asyncio.to_thread(_owner_name, home)


def _owner_name(home: Path) -> str:
    path = home / "owner"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _write_once(path, secrets.token_hex(16))
        secret = path.read_text("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise LogError(f"{path} cannot be used: {error}") from error
    host = socket.gethostname()
    whole = "\n".join((secret, host, str(home.resolve())))
    return f"{host}-{sha256(whole.encode()).hexdigest()[:12]}"


def _write_once(path: Path, text: str) -> None:
    """Whole or not at all; of two processes that try at once, one wins and both read the same."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        aside.write_text(text, "ascii")
        aside.chmod(0o600)
        path.hardlink_to(aside)
    except FileExistsError:
        pass
    finally:
        aside.unlink(missing_ok=True)


def _scheme(url: str) -> str:
    return url.partition(":")[0].lower()


def _path_in(url: str) -> Path:
    """The file of an SQLite URL. Always absolute: a daemon's directory is nobody's business."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise UnknownStore(f"the database URL cannot be read; it reads {FORMS}") from None
    path = Path(unquote(parts.path))
    if parts.netloc or parts.query or parts.fragment or not path.is_absolute() or not path.name:
        raise UnknownStore(
            "an SQLite URL holds the absolute path of a file and nothing else: "
            "sqlite:///absolute/path/hearth.db"
        )
    return path.resolve()
