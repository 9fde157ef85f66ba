"""Doors get the rules of admission without seeing them."""

from hearth.core.rules import admission
from hearth.credentials import standing


def test_what_doors_use_are_the_rules_themselves() -> None:
    assert standing.__all__
    for name in standing.__all__:
        assert getattr(standing, name) is getattr(admission, name)
