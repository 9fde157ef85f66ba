"""Where a PostgreSQL server is, in words that never hold its password.

The URL itself is kept apart and shown to nobody but the driver: whatever people read (names,
refusals, logs) is made from host, port and database alone.
"""

from __future__ import annotations

import os
import socket
from typing import Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from hearth.log.event_log import StoreDown

_UNREADABLE: Final = (
    "the database URL cannot be read: {}; it reads postgresql://user:password@host:5432/database, "
    "and / ? # @ : % inside the password are written as %2F %3F %23 %40 %3A %25"
)

_STATES: Final = {
    "28P01": "the user name or the password is wrong",
    "28000": "the server does not let this user in",
    "3D000": "there is no such database",
    "3F000": "there is no such schema",
    "42501": "the user has no right to do this",
    "53100": "its disk is full",
    "53300": "it has no connection left for us",
    "55P03": "another process held the log for too long",
    "57014": "it took too long",
    "57P03": "it is starting up or shutting down",
    "25006": "it is read-only",
}

_LOST: Final = ("08", "57P")
"""The classes of SQL states after which a connection is of no more use."""

_DATA: Final = ("22", "23", "54")
"""The classes for values, constraints and limits."""


class Address(NamedTuple):
    """The parts of a database URL that may be shown."""

    host: str
    port: int
    database: str

    def __str__(self) -> str:
        return f"{self.host}:{self.port}/{self.database}"


def address_of(url: str) -> Address:
    """The address in a URL. StoreDown, without a word of the URL, when it makes no sense."""
    try:
        parts = urlsplit(url)
    except ValueError:
        # The error would quote the URL.
        raise StoreDown(_UNREADABLE.format("it is no URL")) from None
    user, _, place = parts.netloc.rpartition("@")
    if parts.scheme not in {"postgresql", "postgres"}:
        raise StoreDown(_UNREADABLE.format("it does not begin with postgresql://"))
    if "@" in user or "@" in parts.path or parts.fragment:
        raise StoreDown(_UNREADABLE.format("a special character in it is not escaped"))
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    host, colon, port = place.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = place, ""
    host = unquote(host) or query.get("host") or os.environ.get("PGHOST") or "localhost"
    port = port or query.get("port") or os.environ.get("PGPORT") or "5432"
    if not port.isascii() or not port.isdigit():
        raise StoreDown(_UNREADABLE.format("its port is no number"))
    database = (
        unquote(parts.path.lstrip("/"))
        or query.get("dbname")
        or query.get("database")
        or os.environ.get("PGDATABASE")
        or unquote(user.partition(":")[0])
        or "?"
    )
    return Address(host, int(port), database)


def sql_state(error: BaseException) -> str:
    """The SQL state of an error that the server sent; nothing for any other."""
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else ""


def is_lost(error: BaseException) -> bool:
    """Whether the connection went away, so that another one may do better."""
    state = sql_state(error)
    return state.startswith(_LOST) if state else not isinstance(error, TimeoutError | ValueError)


def is_about_data(error: BaseException) -> bool:
    """Whether what was sent is at fault, and not the server: others may fare better."""
    state = sql_state(error)
    return state.startswith(_DATA) if state else isinstance(error, ValueError)


def down(address: Address, error: BaseException) -> StoreDown:
    """What went wrong, in a sentence for people.

    Only what the server or the operating system says is repeated; the driver's own messages may
    quote what it was called with.
    """
    return StoreDown(f"PostgreSQL at {address} cannot be used: {_reason(error)}")


def _reason(error: BaseException) -> str:
    if state := sql_state(error):
        return _said_by_the_server(state, error)
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    if isinstance(error, socket.gaierror):
        return "its host is not known"
    if isinstance(error, ConnectionRefusedError):
        return "Connection refused; is it running, and does it listen there?"
    if isinstance(error, OSError):
        return os.strerror(error.errno) if error.errno else "it cannot be reached"
    return f"the connection cannot be used ({type(error).__name__})"


def _said_by_the_server(state: str, error: BaseException) -> str:
    if state.startswith("08"):
        return "the connection was lost"
    if state.startswith("57P") and state not in _STATES:
        return "it is going down, or closed our connection"
    return f"{_STATES.get(state, 'it answered')} ({_first_line(str(error))})"


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
