"""What was typed is there again after a restart, whoever else types."""

import threading
from pathlib import Path

import pytest

from hearth.clients.repl import history
from hearth.clients.repl.history import SharedHistory


def loaded(path: Path) -> list[str]:
    return list(SharedHistory(str(path)).load_history_strings())


def test_entries_come_back_newest_first_with_all_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "history"
    SharedHistory(str(path)).store_string("x = 1")
    SharedHistory(str(path)).store_string("for größe in x:\n    print(größe)\n\ud800")
    assert loaded(path) == ["for größe in x:\n    print(größe)\n\ud800", "x = 1"]


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "history"
    SharedHistory(str(path)).store_string("secret")
    assert path.stat().st_mode & 0o777 == 0o600


def test_several_who_write_at_once_tear_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history"
    entries = [f"{name} = '{'y' * 5000}'\n{number}" for name in "abcd" for number in range(25)]

    def write(mine: list[str]) -> None:
        shared = SharedHistory(str(path))
        for entry in mine:
            shared.store_string(entry)

    threads = [threading.Thread(target=write, args=(entries[n::4],)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(loaded(path)) == sorted(entries)


def test_repeated_entries_come_once(tmp_path: Path) -> None:
    path = tmp_path / "history"
    shared = SharedHistory(str(path))
    for entry in ("a", "b", "b", "b", "a"):
        shared.store_string(entry)
    assert loaded(path) == ["a", "b", "a"]


def test_a_file_that_is_damaged_or_not_there_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "history"
    assert loaded(path) == []
    path.write_bytes(b'"good"\n{"not": "text"}\nrubbish\xff\n"half')
    assert loaded(path) == ["good"]


def test_a_place_that_cannot_be_written_keeps_nobody_from_typing(tmp_path: Path) -> None:
    shared = SharedHistory(str(tmp_path / "missing" / "history"))
    shared.append_string("x")
    assert shared.get_strings() == ["x"]


def test_only_the_newest_part_of_a_large_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "history"
    shared = SharedHistory(str(path))
    for number in range(100):
        shared.store_string(f"entry {number}")
    monkeypatch.setattr(history, "MOST_READ", 200)
    found = loaded(path)
    assert found[0] == "entry 99"
    assert 0 < len(found) < 20
    assert all(one.startswith("entry ") for one in found)


def test_what_is_too_long_is_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "history"
    SharedHistory(str(path)).store_string("x" * (history.LONGEST + 1))
    assert not path.exists()
