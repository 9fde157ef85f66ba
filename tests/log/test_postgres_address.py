"""What may be shown of a database URL, and what of a failure."""

import errno
import socket

import pytest

from hearth.log.event_log import StoreDown
from hearth.log.postgres_address import (
    Address,
    address_of,
    down,
    is_about_data,
    is_lost,
    sql_state,
)

SECRET = "hunter2secret"  # noqa: S105 - what must never be shown


class ServerError(Exception):
    """As the driver raises it."""

    def __init__(self, sqlstate: str, message: str = "the server's words\nDETAIL: more") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:p@db.example:6543/log", "db.example:6543/log"),
        ("postgres://u@db.example/log", "db.example:5432/log"),
        ("postgresql://u:p@[::1]:6543/log", "[::1]:6543/log"),
        ("postgresql://u:p@[::1]/log", "[::1]:5432/log"),
        ("postgresql://u:p%40%2F@db/log?sslmode=disable", "db:5432/log"),
        ("postgresql:///log?host=/run/pg&port=7", "/run/pg:7/log"),
        ("postgresql://u@%2Frun%2Fpg/log", "/run/pg:5432/log"),
        ("postgresql://u@db", "db:5432/u"),
        ("postgresql://", "localhost:5432/?"),
    ],
)
def test_the_address_of_a_url(url: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGPORT", "PGDATABASE"):
        monkeypatch.delenv(name, raising=False)
    assert str(address_of(url)) == shown


@pytest.mark.promise("SF-SEC-02")
@pytest.mark.parametrize(
    "url",
    [
        f"{SECRET}",
        f"mysql://u:{SECRET}@db/log",
        f"postgresql://u:a@{SECRET}@db/log",
        f"postgresql://u:{SECRET}/b@db/log",
        f"postgresql://u:12/{SECRET}@db/log",
        f"postgresql://u:{SECRET}#b@db/log",
        f"postgresql://u:p@db:{SECRET}/log",
        f"postgresql://u:p@[{SECRET}/log",
    ],
)
def test_a_url_that_makes_no_sense_is_not_repeated(url: str) -> None:
    with pytest.raises(StoreDown) as caught:
        address_of(url)
    assert SECRET not in str(caught.value)
    assert "postgresql://user:password@host:5432/database" in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ServerError("28P01", 'password authentication failed for user "u"'), "password is wrong"),
        (ServerError("3D000"), "no such database"),
        (ServerError("53100"), "disk is full"),
        (ServerError("57P03"), "starting up"),
        (ServerError("57P01"), "going down"),
        (ServerError("08003"), "connection was lost"),
        (ServerError("XX000"), "it answered (the server's words)"),
        (ConnectionRefusedError(errno.ECONNREFUSED, SECRET), "Connection refused"),
        (OSError(), "cannot be reached"),
        (socket.gaierror(-2, SECRET), "host is not known"),
        (TimeoutError(), "does not answer in time"),
        (RuntimeError(f"called with {SECRET}"), "(RuntimeError)"),
    ],
)
def test_a_failure_is_a_sentence_with_the_place(error: Exception, words: str) -> None:
    said = str(down(Address("db.example", 6543, "log"), error))
    assert said.startswith("PostgreSQL at db.example:6543/log ")
    assert words in said
    assert SECRET not in said
    assert "DETAIL" not in said


def test_which_failures_another_connection_may_cure() -> None:
    assert is_lost(ServerError("08006"))
    assert is_lost(ServerError("57P01"))
    assert is_lost(ConnectionResetError())
    assert not is_lost(TimeoutError())
    assert not is_lost(ServerError("53100"))
    assert not is_lost(ValueError())


def test_which_failures_are_about_what_was_sent() -> None:
    assert is_about_data(ServerError("22021"))
    assert is_about_data(ServerError("23505"))
    assert is_about_data(ValueError())
    assert not is_about_data(ServerError("53100"))
    assert not is_about_data(TimeoutError())
    assert sql_state(ValueError()) == ""
