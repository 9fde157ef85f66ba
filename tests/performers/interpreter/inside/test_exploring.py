"""Modules and types are explored: live ones as they are, others as their source says."""

import json
import linecache
import sys
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.performers.interpreter.inside import trapped

from hearth.performers.interpreter.inside.exploring import (
    MOST_MEMBERS,
    attribute_names,
    explore_module,
    explore_type,
    place,
)

CELL = '''import json


class Animal:
    """Any animal."""

    def eat(self, what: str) -> bool:
        """Eat it.

        Or not.
        """


class Dog(Animal):
    """A dog."""

    legs = 4

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def loud(self) -> int:
        """How loud."""
        raise SystemExit


def f(a, b=1) -> int: ...


rex = Dog("Rex")
'''


@pytest.fixture
def shell() -> SimpleNamespace:
    """A session in which one cell ran."""
    file = "<cell-3>"
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(CELL, file, "exec"), space)  # noqa: S102  it is what a cell does
    linecache.cache[file] = (len(CELL), None, CELL.splitlines(keepends=True), file)
    return SimpleNamespace(user_ns=space, compile=SimpleNamespace(_filename_map={file: 3}))


def member(answer: dict[str, Any], name: str) -> dict[str, str]:
    (found,) = (one for one in answer["members"] if one["name"] == name)
    return dict(found)


@pytest.mark.promise("SF-MCP-20")
def test_a_class_of_a_cell_is_explored(shell: SimpleNamespace) -> None:
    answer = explore_type(shell, {"name": "Dog"})
    members = answer.pop("members")
    assert answer == {
        "found": True,
        "name": "Dog",
        "kind": "class",
        "type": "Dog",
        "signature": "(name: str)",
        "doc": "A dog.",
        "bases": ["Animal"],
        "mro": ["Dog", "Animal", "object"],
        "file": "cell 3",
        "line": 14,
    }
    assert members == [
        {
            "name": "eat",
            "kind": "method",
            "signature": "(self, what: str) -> bool",
            "doc": "Eat it.",
        },
        {"name": "legs", "kind": "variable", "signature": "", "doc": ""},
        {"name": "loud", "kind": "property", "signature": "", "doc": "How loud."},
    ]


@pytest.mark.promise("SF-MCP-20")
def test_an_object_is_explored_with_what_it_stores(shell: SimpleNamespace) -> None:
    answer = explore_type(shell, {"name": "rex"})
    assert (answer["kind"], answer["type"], answer["line"]) == ("variable", "Dog", 14)
    assert member(answer, "name")["kind"] == "variable"
    assert member(answer, "eat")["kind"] == "method"


def test_types_of_modules_and_builtins_are_explored_by_their_dotted_name(
    shell: SimpleNamespace,
) -> None:
    answer = explore_type(shell, {"name": "json.decoder.JSONDecoder"})
    assert answer["type"] == "json.decoder.JSONDecoder"
    assert Path(answer["file"]).name == "decoder.py"
    source = Path(answer["file"]).read_text("utf-8").splitlines()
    assert source[answer["line"] - 1].startswith("class JSONDecoder")
    assert member(answer, "decode")["doc"]
    assert member(explore_type(shell, {"name": "list"}), "append")["kind"] == "method"
    assert explore_type(shell, {"name": "collections.OrderedDict"})["found"]


def test_a_function_is_told_with_its_place(shell: SimpleNamespace) -> None:
    answer = explore_type(shell, {"name": "f"})
    assert (answer["kind"], answer["signature"]) == ("function", "(a, b=1) -> int")
    assert (answer["file"], answer["line"]) == ("cell 3", 28)


@pytest.mark.parametrize(
    ("name", "suggestion"), [("Dgo", "Dog"), ("rex.nmae", "rex.name"), ("lisst", "list")]
)
def test_an_unknown_name_gets_suggestions(
    name: str, suggestion: str, shell: SimpleNamespace
) -> None:
    answer = explore_type(shell, {"name": name})
    assert (answer["found"], answer["name"], answer["members"]) == (False, name, [])
    assert suggestion in answer["suggestions"]


@pytest.mark.parametrize(
    "name", ["", "f(1)", "rex.eat('x')", "rex; boom", "1/0", "__import__('os')"]
)
def test_only_names_and_attributes_are_taken(name: str, shell: SimpleNamespace) -> None:
    assert explore_type(shell, {"name": name})["found"] is False
    assert explore_module(shell, {"name": name})["found"] is False


@pytest.mark.promise("SF-MCP-20")
def test_a_loaded_module_shows_its_public_members(shell: SimpleNamespace) -> None:
    answer = explore_module(shell, {"name": "json"})
    assert (answer["found"], answer["name"], answer["file"]) == (True, "json", json.__file__)
    assert answer["doc"].startswith("JSON")
    dumps = member(answer, "dumps")
    assert dumps["kind"] == "function"
    assert dumps["signature"].startswith("(obj, *, skipkeys=False")
    assert dumps["doc"].startswith("Serialize")
    assert member(answer, "decoder")["kind"] == "module"
    assert not [one for one in answer["members"] if one["name"].startswith("_")]


def test_a_module_without_all_shows_what_is_its_own(shell: SimpleNamespace) -> None:
    module = types.ModuleType("made_here")
    exec("import os\nfrom json import dumps\ndef mine(): ...\nX = 1\n_y = 2", vars(module))  # noqa: S102  a module of our own
    shell.user_ns["alias"] = module
    answer = explore_module(shell, {"name": "alias"})
    assert answer["name"] == "made_here"
    assert [one["name"] for one in answer["members"]] == ["mine", "X"]


@pytest.mark.promise("SF-MCP-20")
def test_a_module_that_is_not_loaded_is_read_and_not_run(
    shell: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "never_loaded.py").write_text('"""Doc."""\ndef go(a): ...\nraise SystemExit\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    answer = explore_module(shell, {"name": "never_loaded"})
    assert (answer["found"], answer["doc"]) == (True, "Doc.")
    assert answer["members"] == [{"name": "go", "kind": "function", "signature": "(a)", "doc": ""}]
    assert "never_loaded" not in sys.modules


def test_a_module_that_is_nowhere_gets_suggestions(shell: SimpleNamespace) -> None:
    answer = explore_module(shell, {"name": "jsn"})
    assert answer["found"] is False
    assert "json" in answer["suggestions"]


def test_nothing_of_the_users_is_run(shell: SimpleNamespace) -> None:
    value = trapped.trapped()
    module = types.ModuleType("odd")
    vars(module).update(value=value, kind=type(value), __all__=value)
    shell.user_ns.update(t=value, T=type(value), odd=module)
    assert {"name", "bark", "loud"} <= attribute_names(value)
    assert member(explore_type(shell, {"name": "t"}), "loud")["kind"] == "property"
    assert explore_type(shell, {"name": "T"})["found"]
    assert explore_type(shell, {"name": "t.nope"})["found"] is False
    assert explore_module(shell, {"name": "odd"})["found"]
    assert trapped.touched == []


def test_answers_are_bounded(shell: SimpleNamespace) -> None:
    many = {f"name_{number}": number for number in range(2000)}
    shell.user_ns["Many"] = type("Many", (), many)
    shell.user_ns["many"] = module = types.ModuleType("many")
    vars(module).update(many)
    assert len(explore_type(shell, {"name": "Many"})["members"]) == MOST_MEMBERS
    assert len(explore_module(shell, {"name": "many"})["members"]) == MOST_MEMBERS


def test_the_place_of_what_has_none_is_unknown(shell: SimpleNamespace) -> None:
    assert place(shell, 1) == ("", 0)
    assert place(shell, int) == ("", 0)
    assert place(shell, len) == ("", 0)
    assert place(shell, json) == (json.__file__, 0)
