"""Every line of a block is given out once, however its pieces come."""

from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.repl.flowing import Flow

TEXT = st.text("ab\n", max_size=30)


def test_whole_lines_come_as_they_end() -> None:
    flow = Flow()
    assert flow.is_untouched
    assert list(flow.add(0, "one\ntw")) == ["one"]
    assert flow.unfinished == "tw"
    assert list(flow.add(6, "o\n")) == ["two"]
    assert flow.unfinished == ""
    assert flow.heard == "one\ntwo\n"


def test_what_comes_twice_is_heard_once() -> None:
    flow = Flow()
    flow.add(0, "one\n")
    assert list(flow.add(0, "one\n")) == []
    assert list(flow.add(2, "e\ntwo\n")) == ["two"]
    assert not flow.is_broken


def test_what_was_missed_comes_with_the_whole() -> None:
    flow = Flow()
    flow.add(0, "one\nt")
    assert list(flow.add(9, "four\n")) == []
    assert flow.is_broken
    assert flow.rest("one\ntwo\nthree") == ["two", "three"]


def test_another_text_is_known_as_another() -> None:
    flow = Flow()
    flow.add(0, "one\n")
    assert flow.rest("eins\n") is None


def test_a_line_that_is_cut_is_given_out_once() -> None:
    flow = Flow()
    flow.add(0, "one")
    assert list(flow.cut()) == ["one"]
    assert list(flow.cut()) == []


@given(TEXT, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=12))
def test_pieces_and_the_rest_are_the_whole(whole: str, places: list[tuple[int, int]]) -> None:
    flow = Flow()
    given_out: list[str] = []
    for start, length in places:
        given_out += flow.add(start, whole[start : start + length])
    rest = flow.rest(whole)
    assert rest is not None
    given_out += rest
    assert given_out == (whole.removesuffix("\n").split("\n") if whole else [])
