"""Whose a name is."""

from types import SimpleNamespace
from typing import Any

from hearth.performers.interpreter.inside.naming import own_names, snapshot


def test_what_is_ipythons_is_left_out() -> None:
    space = {"In": [], "Out": {}, "_": 1, "_i": "", "_i3": "", "_12": 1, "__name__": "__main__"}
    shell = SimpleNamespace(user_ns={**space, "x": 1, "_mine": 2, "i3": 3})
    assert own_names(shell) == {"x": 1, "_mine": 2, "i3": 3}


def test_a_hidden_name_that_was_bound_anew_is_ones_own() -> None:
    shell = SimpleNamespace(user_ns={"open": len, "x": 1}, user_ns_hidden={"open": open, "x": 1})
    assert own_names(shell) == {"open": len}


def test_names_that_are_no_text_are_left_out() -> None:
    assert snapshot(SimpleNamespace(user_ns={1: 1, "a": 2})) == {"a": 2}


def test_a_namespace_that_keeps_changing_gives_what_it_can() -> None:
    class Restless(dict[str, Any]):
        def keys(self) -> Any:
            raise RuntimeError

    assert snapshot(SimpleNamespace(user_ns=Restless(a=1))) in ({}, {"a": 1})
