import sqlite3
from pathlib import Path

import pytest

from hearth.log.event_log import CorruptRow, LogError, StoreDown
from hearth.log.sqlite_errors import concerns_store, opening, reading, translate

PATH = Path("/somewhere/hearth.db")


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_FULL, "is full"),
        (sqlite3.SQLITE_IOERR_FSYNC, "reported an error"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "is read-only"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "is locked"),
        (sqlite3.SQLITE_CANTOPEN_ISDIR, "cannot be opened"),
        (sqlite3.SQLITE_NOTADB, "is not a database"),
        (sqlite3.SQLITE_CORRUPT_VTAB, "is damaged"),
    ],
)
def test_trouble_of_the_store_is_named_with_the_file(code: int, words: str) -> None:
    error = sqlite_error(code)
    told = translate(error, PATH)
    assert isinstance(told, StoreDown)
    assert words in str(told)
    assert str(PATH) in str(told)
    assert "what SQLite says" in str(told)
    assert concerns_store(error)


def test_trouble_of_one_request_is_not_trouble_of_the_store() -> None:
    for error in (sqlite_error(sqlite3.SQLITE_CONSTRAINT_UNIQUE), ValueError("x"), TypeError()):
        told = translate(error, PATH)
        assert not concerns_store(error)
        assert isinstance(told, LogError)
        assert not isinstance(told, StoreDown)


def test_the_systems_errors_and_our_own_stay_what_they_are() -> None:
    told = translate(OSError(28, "No space left on device"), PATH)
    assert isinstance(told, StoreDown)
    assert "No space left on device" in str(told)
    own = CorruptRow("as it is")
    assert translate(own, PATH) is own
    assert not concerns_store(own)
    assert concerns_store(StoreDown("down"))


def test_what_cannot_be_read_is_corrupt() -> None:
    with pytest.raises(CorruptRow, match=r"hearth\.db"), reading(PATH):
        raise sqlite_error(sqlite3.SQLITE_CORRUPT)
    with pytest.raises(StoreDown), reading(PATH):
        raise sqlite_error(sqlite3.SQLITE_NOTADB)
    with pytest.raises(StoreDown), reading(PATH):
        raise PermissionError(13, "Permission denied")
    with pytest.raises(KeyError), reading(PATH):
        raise KeyError


def test_what_cannot_be_opened_is_down() -> None:
    with pytest.raises(StoreDown, match="is damaged"), opening(PATH):
        raise sqlite_error(sqlite3.SQLITE_CORRUPT)
    with pytest.raises(StoreDown, match="Permission denied"), opening(PATH):
        raise PermissionError(13, "Permission denied")
    with pytest.raises(KeyError), opening(PATH):
        raise KeyError
