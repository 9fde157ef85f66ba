"""Modules are found and read without importing them."""

import ast
import os
import sys
from pathlib import Path

import pytest

from hearth.performers.interpreter.inside.reading import (
    members_in,
    read_module,
    spec_of,
    submodules,
    top_level,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "unloaded_pack"
    (package / "deep").mkdir(parents=True)
    (package / "__init__.py").write_text(
        '"""A package."""\nfrom .parts import *\nfrom .parts import one as uno\nraise SystemExit\n'
    )
    (package / "parts.py").write_text(
        "def one(a, b=1) -> int:\n    '''The one.'''\n"
        "class Two:\n    def __init__(self, x): ...\n_hidden = 3\nTHREE = 3\n"
    )
    (package / "deep" / "__init__.py").write_text("raise SystemExit\n")
    (package / "broken.py").write_text("def (\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return package


def test_a_module_is_read_and_not_run(folder: Path) -> None:
    source = read_module("unloaded_pack.parts")
    assert source is not None
    assert source.file == str(folder / "parts.py")
    assert [one.told() for one in source.members] == [
        {"name": "THREE", "kind": "variable", "signature": "", "doc": ""},
        {"name": "Two", "kind": "class", "signature": "(x)", "doc": ""},
        {"name": "one", "kind": "function", "signature": "(a, b=1) -> int", "doc": "The one."},
    ]
    assert not [name for name in sys.modules if name.startswith("unloaded_pack")]


@pytest.mark.usefixtures("folder")
def test_a_package_has_what_it_takes_from_its_modules_and_the_modules() -> None:
    source = read_module("unloaded_pack")
    assert source is not None
    assert source.doc == "A package."
    assert {one.name for one in source.members} == {
        *("THREE", "Two", "one", "uno"),
        *("broken", "deep", "parts"),
    }


def test_a_changed_file_is_read_again(folder: Path) -> None:
    assert read_module("unloaded_pack.parts") is not None
    (folder / "parts.py").write_text("new = 1\n")
    os.utime(folder / "parts.py", ns=(1, 1))
    source = read_module("unloaded_pack.parts")
    assert source is not None
    assert [one.name for one in source.members] == ["new"]


@pytest.mark.usefixtures("folder")
def test_a_module_that_cannot_be_parsed_is_there_all_the_same() -> None:
    source = read_module("unloaded_pack.broken")
    assert source is not None
    assert source.members == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["no_such", "unloaded_pack.no", "unloaded_pack.parts.one", ""])
def test_what_is_no_module_is_none(name: str) -> None:
    assert read_module(name) is None
    assert spec_of(name) is None


def test_all_decides_what_is_public() -> None:
    tree = ast.parse("__all__ = ['b', '_c', 'far']\na = 1\nb = 2\ndef _c(): ...")
    assert [one.name for one in members_in(tree)] == ["b", "_c", "far"]


def test_what_is_defined_under_a_condition_counts() -> None:
    tree = ast.parse("if X:\n    def f(): ...\ntry:\n    y: int = 1\nexcept E: ...")
    assert [one.name for one in members_in(tree)] == ["f", "y"]


def test_new_modules_in_a_folder_are_seen(folder: Path) -> None:
    assert submodules([str(folder)]) == {"parts", "deep", "broken"}
    (folder / "more.py").write_text("")
    os.utime(folder, ns=(1, 1))
    assert "more" in submodules([str(folder)])
    assert submodules([str(folder / "gone")]) == frozenset()


@pytest.mark.usefixtures("folder")
def test_the_top_level_has_what_is_built_in_installed_and_on_the_path() -> None:
    assert {"sys", "json", "msgspec", "unloaded_pack"} <= top_level()
    assert "parts" not in top_level()
