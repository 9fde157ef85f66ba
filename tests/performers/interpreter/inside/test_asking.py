"""What can be asked about a session, as its daemon asks it."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.performers.interpreter.inside import trapped
from tests.performers.interpreter.inside.real_shell import real_shell

from hearth.performers.interpreter import inside
from hearth.performers.interpreter.inside.asking import ASKS, MOST_NAMES, MOST_VARIABLES


class Dog:
    """A dog."""

    def bark(self, times: int = 2) -> str:
        """Bark."""
        return "woof" * times

    @property
    def loud(self) -> int:
        """How loud."""
        raise SystemExit


def f(a: int, b: int = 1) -> int:
    """Do f."""
    return a + b


@pytest.fixture
def shell() -> SimpleNamespace:
    space = {"f": f, "rex": Dog(), "xs": [1, 2], "js": json, "_p": 1, "In": [], "Beta": 2}
    return SimpleNamespace(user_ns=space)


def inspected(shell: Any, code: str) -> dict[str, Any]:
    """What is told about the place of `|` in the code."""
    cursor = code.index("|")
    return ASKS["inspect"](shell, {"code": code.replace("|", ""), "cursor": cursor})


def test_all_asks_of_the_contract_are_there() -> None:
    assert set(ASKS) == {
        *("complete", "inspect", "variables", "names"),
        *("explore_module", "explore_type"),
    }


def test_a_function_is_inspected_whole(shell: SimpleNamespace) -> None:
    assert inspected(shell, "x = f|") == {
        "found": True,
        "name": "f",
        "kind": "function",
        "type": "function",
        "signature": "f(a: int, b: int = 1) -> int",
        "doc": "Do f.",
        "file": __file__,
        "line": f.__code__.co_firstlineno,
        "value": "<function f>",
    }


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("f(1, |", "f"),
        ("f(1, |)", "f"),
        ("f(|1)", "f"),
        ("f('a string |", "f"),
        ("print(f(1, unknown(|", "f"),
        ("f(xs|, 1)", "xs"),
        ("re|x.bark", "rex"),
        ("rex.ba|rk(2)", "rex.bark"),
        ("rex.bark(|", "rex.bark"),
        ("f(nothing|", "f"),
        ("js.dumps|(xs)", "js.dumps"),
        ("len|", "len"),
    ],
)
def test_the_nearest_thing_at_the_cursor_is_meant(
    code: str, name: str, shell: SimpleNamespace
) -> None:
    answer = inspected(shell, code)
    assert (answer["found"], answer["name"]) == (True, name)


@pytest.mark.parametrize("code", ["|", "nothing|", "'rex|'", "# rex|", "1 + |"])
def test_where_nothing_is_known_it_says_so(code: str, shell: SimpleNamespace) -> None:
    assert inspected(shell, code)["found"] is False


def test_a_property_is_described_and_not_asked(shell: SimpleNamespace) -> None:
    answer = inspected(shell, "rex.loud|")
    assert (answer["kind"], answer["doc"], answer["value"]) == ("property", "How loud.", "")


def test_a_value_is_shown(shell: SimpleNamespace) -> None:
    answer = inspected(shell, "xs|")
    assert (answer["type"], answer["kind"], answer["value"]) == ("list", "variable", "[1, 2]")


def test_variables_are_the_users_with_size_and_preview(shell: SimpleNamespace) -> None:
    answer = ASKS["variables"](shell, {})
    assert [one["name"] for one in answer["variables"]] == ["Beta", "f", "rex", "xs"]
    assert answer["total"] == 4
    assert answer["variables"][-1] == {
        "name": "xs",
        "type": "list",
        "size": sys.getsizeof([1, 2]),
        "length": 2,
        "shape": "",
        "preview": "[1, 2]",
    }


def test_variables_can_be_chosen(shell: SimpleNamespace) -> None:
    def names(**args: Any) -> list[str]:
        return [one["name"] for one in ASKS["variables"](shell, args)["variables"]]

    assert names(prefix="x") == ["xs"]
    assert names(limit=2) == ["Beta", "f"]
    assert "js" in names(modules=True)
    assert ASKS["variables"](shell, {"limit": 1})["total"] == 4
    assert names(limit=-1) == []


def test_every_name_is_told_with_its_type(shell: SimpleNamespace) -> None:
    assert {
        name: kind.rpartition(".")[2] for name, kind in ASKS["names"](shell, {})["names"].items()
    } == {
        "f": "function",
        "rex": "Dog",
        "xs": "list",
        "js": "module json",
        "_p": "int",
        "Beta": "int",
    }


def test_answers_are_bounded_and_can_be_sent() -> None:
    huge = {f"name_{number}": "x" * 10_000 for number in range(6000)}
    shell = SimpleNamespace(user_ns=huge)
    assert len(ASKS["names"](shell, {})["names"]) == MOST_NAMES
    answer = ASKS["variables"](shell, {"limit": 10**9})
    assert len(answer["variables"]) == MOST_VARIABLES
    assert len(json.dumps(answer)) < 200_000


def test_nothing_of_the_users_is_run() -> None:
    value = trapped.trapped()
    shell = SimpleNamespace(
        user_ns={"t": value, "T": type(value), "ts": [value], "d": {"k": value}}
    )
    for name, ask in ASKS.items():
        for code in ("t.", "t.name", "T", "t.bark(", "t.loud"):
            answer = ask(shell, {"code": code, "cursor": len(code), "name": code.strip(".(")})
            assert "problem" not in answer, name
            json.dumps(answer)
    assert trapped.touched == []


@pytest.mark.parametrize("args", [{}, {"code": None, "cursor": []}, {"name": 3, "limit": "x"}])
@pytest.mark.parametrize("ask", sorted(ASKS))
def test_odd_arguments_get_an_answer(ask: str, args: dict[str, Any], shell: Any) -> None:
    assert isinstance(ASKS[ask](shell, args), dict)


@pytest.mark.parametrize("ask", sorted(ASKS))
def test_a_shell_that_is_broken_gets_an_empty_answer_that_says_so(ask: str) -> None:
    answer = ASKS[ask](object(), {"code": "x", "cursor": 1, "name": "no_such_thing"})
    assert "AttributeError" in answer["problem"]


def test_a_real_shell_is_asked_while_it_keeps_its_own_names_to_itself(tmp_path: Path) -> None:
    shell = real_shell(tmp_path)
    shell.run_cell("class Cat:\n    def purr(self): ...\ntom = Cat()\n1")
    assert ASKS["names"](shell, {})["names"] == {"Cat": "type", "tom": "Cat"}
    answer = ASKS["explore_type"](shell, {"name": "tom"})
    assert answer["members"][0]["name"] == "purr"
    assert (answer["file"], answer["line"]) == ("cell 1", 1)
    assert inspected(shell, "tom|")["type"] == "Cat"


def test_it_runs_where_hearth_is_not_installed(tmp_path: Path) -> None:
    (tmp_path / "hearth_inside").symlink_to(Path(inside.__file__).parent)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from types import SimpleNamespace as S; from hearth_inside.asking import ASKS;"
        "print(ASKS['complete'](S(user_ns={'xs': [1]}), {'code': 'xs.ap', 'cursor': 5})['items']);"
        "print(sorted(one for one in sys.modules if one.split('.')[0] in ('hearth', 'IPython')))"
    )
    command = [sys.executable, "-I", "-B", "-c", code, str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()  # noqa: S603  our own
    assert "'label': 'append'" in told[0]
    assert told[1] == "[]"
