"""Files, keys and magics as proposals."""

import sys
import types
from pathlib import Path
from types import SimpleNamespace

import pytest

from hearth.performers.interpreter.inside.candidates import Item, keys, magics, paths


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data.csv").touch()
    (tmp_path / ".hidden").touch()
    return tmp_path


def test_files_and_folders_go_on_from_what_is_typed(folder: Path) -> None:
    found = paths(f"{folder}/da", f"open('{folder}/da")
    assert found.items == [Item("data.csv", "path"), Item("data/", "path")]
    assert found.start == len(f"open('{folder}/")


def test_hidden_files_are_shown_only_when_asked_for(folder: Path) -> None:
    assert ".hidden" not in [one.label for one in paths(f"{folder}/", f"{folder}/").items]
    assert [one.label for one in paths(f"{folder}/.", f"{folder}/.").items] == [".hidden"]


def test_a_path_from_here_or_from_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    assert [one.label for one in paths("data.", "data.").items] == ["data.csv"]
    assert [one.label for one in paths("~/data.", "~/data.").items] == ["data.csv"]


@pytest.mark.parametrize("typed", ["/no/such/folder/x", "a\0b/", "~nobody-here/x"])
def test_where_there_is_nothing_there_are_no_proposals(typed: str) -> None:
    assert paths(typed, typed).items == []


def test_keys_are_those_of_dictionaries_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    assert keys({"a": 1, 2: 3, "b": 4}) == ["a", "b"]
    assert keys([1]) == []
    pandas = types.ModuleType("pandas")
    frame = type("DataFrame", (), {"__module__": "pandas", "columns": ["x", 1, "y"]})
    pandas.__dict__["DataFrame"] = frame
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert keys(frame()) == ["x", "y"]


def test_a_dictionary_of_the_users_is_not_asked_for_its_keys() -> None:
    def refuse(_: object) -> None:
        raise AssertionError

    kind = type("Loud", (dict,), {"keys": refuse, "__iter__": refuse, "__getitem__": refuse})
    assert keys(kind(a=1)) == ["a"]


def test_magics_of_cells_are_for_the_beginning_of_a_cell() -> None:
    registered = {"line": {"time": 1, "timeit": 1, "cd": 1}, "cell": {"time": 1}}
    shell = SimpleNamespace(magics_manager=SimpleNamespace(magics=registered))
    labels = [one.label for one in magics(shell, "%ti", is_first=True)]
    assert labels == ["%time", "%timeit"]
    assert [one.label for one in magics(shell, "%%", is_first=True)] == ["%%time"]
    assert [one.label for one in magics(shell, "%%", is_first=False)] == []
    assert [one.label for one in magics(shell, "%", is_first=True)][-1] == "%%time"
    assert magics(SimpleNamespace(), "%", is_first=True) == []
