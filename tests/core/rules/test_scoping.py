import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.scoping import Levels, Scope, effective, transition

names = st.frozensets(st.sampled_from("abcdef"))
ALL = ("a", "b", "c", "d")


@pytest.mark.promise("LK-SCOPE-01")
def test_the_nearest_level_that_says_something_decides_alone() -> None:
    assert effective(Levels(), ALL).names == ALL
    assert effective(Levels(overall=("a",)), ALL).names == ("a",)
    assert effective(Levels(overall=("a",), role=("b",)), ALL).names == ("b",)
    assert effective(Levels(overall=("a",), role=("b",), session=("c",)), ALL).names == ("c",)
    every = Levels(overall=("a",), role=("b",), session=("c",), agent=("d",))
    assert effective(every, ALL).names == ("d",)
    assert effective(Levels(overall=("a",), agent=()), ALL).names == ()


def test_what_is_wanted_and_not_there_is_told() -> None:
    assert effective(Levels(session=("b", "x")), ALL) == Scope(("b",), ("x",))


@pytest.mark.promise("LK-SCOPE-03")
@given(names, names)
def test_a_transition_keeps_what_both_need(before: frozenset[str], after: frozenset[str]) -> None:
    found = transition(before, after)
    assert frozenset(found.kept) == before & after
    assert frozenset(found.kept + found.added) == after
    assert frozenset(found.kept + found.dropped) == before
    assert not frozenset(found.added) & frozenset(found.dropped)
