"""What is proposed at the cursor."""

import json
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.performers.interpreter.inside import trapped
from tests.performers.interpreter.inside.real_shell import real_shell

from hearth.core.vocabulary.content import Completion, CompletionKind
from hearth.performers.interpreter.inside.completing import MOST, complete


class Dog:
    """A dog."""

    legs = 4

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def loud(self) -> int:
        raise SystemExit

    def bark(self, times: int = 2) -> str:
        return "woof" * times


def f(alpha: int, beta: int = 1) -> int:
    return alpha + beta


SPACE: dict[str, Any] = {
    "xs": [1],
    "d": {"first": 1, "second": {"inner": 2}},
    "rex": Dog("Rex"),
    "Dog": Dog,
    "f": f,
    "js": json,
    "_private": 1,
    "printer": 1,
    "In": [],
}


def asked(code: str, cursor: int | None = None, space: dict[str, Any] | None = None) -> Any:
    shell = SimpleNamespace(user_ns=SPACE if space is None else space)
    args = {"code": code, "cursor": len(code) if cursor is None else cursor}
    return complete(shell, args)


def labels(code: str) -> list[str]:
    return [one["label"] for one in asked(code)["items"]]


@pytest.mark.promise("SF-MCP-09")
def test_an_attribute_is_told_with_label_kind_and_detail_and_nothing_else() -> None:
    answer = asked("xs.ap")
    detail = answer["items"][0].pop("detail")
    assert answer == {"items": [{"label": "append", "kind": "method"}], "start": 3, "end": 5}
    assert "object" in detail


@pytest.mark.promise("SF-MCP-09")
def test_every_kind_is_one_of_hearths() -> None:
    for code in ("", "rex.", "Dog.", "js.", "import ", "f(", "d['", "open('", "i", "from os "):
        for item in asked(code)["items"]:
            assert CompletionKind(item["kind"])
            assert Completion(**item).label


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("rex.", ["bark", "legs", "loud", "name"]),
        ("rex.na", ["name"]),
        ("x = rex . na", ["name"]),
        ("Dog('x').ba", ["bark"]),
        ("d['second'].ke", ["keys"]),
        ("''.joi", ["join"]),
        ("[1].app", ["append"]),
        ("js.decoder.JSONDecoder.raw", ["raw_decode"]),
        ("nothing.x", []),
        ("nothing().x", []),
        ("rex.loud.", []),
        ("1.", []),
    ],
)
def test_attributes_stand_after_a_dot(code: str, expected: list[str]) -> None:
    assert labels(code) == expected


def test_private_attributes_come_last_and_dunders_when_asked_for() -> None:
    rex = Dog("Rex")
    vars(rex)["_secret"] = 1
    shown = [one["label"] for one in asked("r.", space={"r": rex})["items"]]
    assert shown[-1] == "_secret"
    assert not [one for one in shown if one.startswith("__")]
    assert "__init__" in [one["label"] for one in asked("r.__in", space={"r": rex})["items"]]


@pytest.mark.parametrize(
    ("code", "first"),
    [
        ("pri", ["printer", "print"]),
        ("re", ["rex", "return", "repr", "reversed"]),
        ("_pr", ["_private"]),
        ("PRIN", ["printer", "print"]),
        ("value_of = 1\nval", ["value_of", "ValueError"]),
        ("def helpful(): ...\nhel", ["helpful", "help"]),
        ("for item in xs:\n    ite", ["item", "iter"]),
        ("x = {'a': re", ["rex"]),
        ("f'{re", ["rex"]),
        ("f'{rex.na", ["name"]),
    ],
)
def test_ones_own_names_come_before_those_of_python(code: str, first: list[str]) -> None:
    assert [one for one in labels(code) if one in first] == first


def test_without_a_word_ones_own_names_are_shown_and_nothing_of_pythons() -> None:
    found = labels("")
    assert set(found) == set(SPACE) - {"In"}
    assert found[-1] == "_private"


@pytest.mark.parametrize(
    ("code", "first"),
    [
        ("f(", ["alpha=", "beta="]),
        ("f(1, b", ["beta="]),
        ("print(f(alpha=1, ", ["beta="]),
        ("Dog(na", ["name="]),
        ("rex.bark(", ["times="]),
        ("js.dumps(xs, inde", ["indent="]),
        ("f(\n    al", ["alpha="]),
    ],
)
def test_a_call_proposes_what_it_can_be_given_by_name(code: str, first: list[str]) -> None:
    assert labels(code)[: len(first)] == first


@pytest.mark.parametrize("code", ["f(alpha=al", "f(x)[al", "(al", "unknown(al"])
def test_elsewhere_no_parameters_are_proposed(code: str) -> None:
    assert not [one for one in labels(code) if one.endswith("=")]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import jso", "json"),
        ("import sys, jso", "json"),
        ("import os.pa", "path"),
        ("import xml.etree.El", "ElementTree"),
        ("from jso", "json"),
        ("from xml.etr", "etree"),
        ("from os im", "import"),
        ("from os.path import jo", "join"),
        ("from json import (dumps, loa", "loads"),
        ("from xmlrpc.server import SimpleXMLRPCS", "SimpleXMLRPCServer"),
        ("x = 1\nfrom os.path import exists, jo", "join"),
    ],
)
def test_imports_are_completed(code: str, expected: str) -> None:
    assert expected in labels(code)
    assert "xmlrpc.server" not in sys.modules


def test_the_keys_of_a_dictionary_are_completed() -> None:
    assert labels('d["') == ["first", "second"]
    assert labels("d['second']['") == ["inner"]
    assert asked("d['fi")["start"] == 3
    assert labels("xs['") == []


def test_files_are_completed_in_strings(tmp_path: Path) -> None:
    (tmp_path / "data.csv").touch()
    assert labels(f"open('{tmp_path}/da") == ["data.csv"]
    assert labels(f"%cd {tmp_path}/da") == ["data.csv"]
    assert labels(f"!cat {tmp_path}/da") == ["data.csv"]
    assert labels("print('") == []
    assert labels("'") == []


def test_nothing_is_proposed_in_a_comment() -> None:
    assert labels("x = 1  # re") == []


def test_places_count_code_points_and_are_those_of_the_word() -> None:
    code = "'é𝒳' + re + 1"
    answer = asked(code, code.index(" + 1"))
    assert (answer["start"], answer["end"]) == (7, 9)
    assert code[answer["start"] : answer["end"]] == "re"


@pytest.mark.parametrize("cursor", [-5, 99, None, "x"])
def test_an_odd_cursor_is_brought_into_the_code(cursor: Any) -> None:
    answer = complete(SimpleNamespace(user_ns=SPACE), {"code": "xs.ap", "cursor": cursor})
    assert 0 <= answer["start"] <= answer["end"] <= 5


def test_the_answer_is_bounded() -> None:
    space = {f"name_{number}": number for number in range(5000)}
    answer = asked("na", space=space)
    assert len(answer["items"]) == MOST
    text = "x" * 10_000
    for item in asked("l", space={text: 1, "long": type("L", (), {"__qualname__": text})()})[
        "items"
    ]:
        assert len(item["detail"]) <= 300


def test_nothing_of_the_users_is_run() -> None:
    value = trapped.trapped()
    space = {"t": value, "T": type(value), "d": {"k": value}}
    for code in ("", "t", "t.", "t.na", "T.", "t(", "T(", "t['", "d['k'].", "t.loud.", "f'{t."):
        asked(code, space=space)
    assert {"name", "bark", "loud"} <= {one["label"] for one in asked("t.", space=space)["items"]}
    assert trapped.touched == []


def test_a_namespace_may_change_meanwhile() -> None:
    space: dict[str, Any] = {f"name_{number}": number for number in range(500)}
    stop = threading.Event()

    def change() -> None:
        number = 0
        while not stop.is_set():
            space[f"other_{number % 1000}"] = number
            space.pop(f"other_{(number - 500) % 1000}", None)
            number += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(50):
            assert len(asked("name_", space=space)["items"]) == 500
    finally:
        stop.set()
        thread.join()


@given(st.text(alphabet="xsdfre.()[]{}'\"#% \n\\=,1!", max_size=40))
def test_no_code_is_too_odd(code: str) -> None:
    answer = asked(code)
    assert 0 <= answer["start"] <= answer["end"] == len(code)


def test_a_real_shell_has_its_magics_and_hides_its_own_names(tmp_path: Path) -> None:
    shell = real_shell(tmp_path)
    shell.user_ns["mine"] = 1
    found = complete(shell, {"code": "%timei", "cursor": 6})
    assert [one["label"] for one in found["items"]] == ["%timeit"]
    found = complete(shell, {"code": "", "cursor": 0})
    assert [one["label"] for one in found["items"]] == ["mine"]
