"""What two interpreters hold otherwise."""

from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.given import comes_back

from hearth.core.views.differences import Differing, differing
from hearth.core.vocabulary.answers import Variable

X = Variable("x", "int", 28, preview="1")
Y = Variable("y", "list", 88, 3, preview="[1, 2, 3]")


def test_interpreters_that_hold_the_same_differ_in_nothing() -> None:
    assert differing((), ()) == ()
    assert differing((X, Y), (Y, X)) == ()


def test_a_name_that_is_missing_or_otherwise_is_shown_from_both_sides() -> None:
    other = Variable("x", "str", 50, 1, preview="'1'")
    found = differing((X, Y), (other,))
    assert found == (Differing("x", X, other), Differing("y", Y, None))
    assert differing((other,), (X, Y)) == (Differing("x", other, X), Differing("y", None, Y))
    assert comes_back(found[0])


def test_names_are_sorted() -> None:
    many = tuple(Variable(name, "int", preview="0") for name in ("b", "a", "C"))
    assert [one.name for one in differing(many, ())] == ["C", "a", "b"]


def test_length_and_shape_tell_apart_what_begins_alike() -> None:
    long, longer = (
        Variable("y", "list", 1, 500, preview="["),
        Variable("y", "list", 1, 501, "", "["),
    )
    assert [one.name for one in differing((long,), (longer,))] == ["y"]
    flat, deep = Variable("m", "ndarray", shape="(4,)"), Variable("m", "ndarray", shape="(2, 2)")
    assert [one.name for one in differing((flat,), (deep,))] == ["m"]


def test_where_an_object_lies_and_the_room_it_takes_are_no_difference() -> None:
    here = Variable("f", "function", 160, preview="<function f at 0x7f01ab>")
    there = Variable("f", "function", 144, preview="<function f at 0x55d0c9>")
    assert differing((here,), (there,)) == ()
    assert differing((here,), (Variable("f", "function", preview="<function g at 0x1>"),)) != ()


variables = st.lists(
    st.builds(
        Variable,
        st.sampled_from("abcd"),
        st.sampled_from(["int", "str"]),
        preview=st.sampled_from(["1", "2"]),
    ),
    unique_by=lambda one: one.name,
)


@whenever(variables, variables)
def test_seen_from_the_other_side_it_is_the_same(
    here: list[Variable], there: list[Variable]
) -> None:
    found, back = differing(here, there), differing(there, here)
    assert tuple(Differing(one.name, one.there, one.here) for one in back) == found
    same = {one.name for one in here} - {one.name for one in found}
    assert {one for one in here if one.name in same} == {one for one in there if one.name in same}
