"""From any state of a timeline to any other, by frames."""

from hypothesis import given
from hypothesis import strategies as st
from tests.servers.dashboard.model_page import ModelPage, Node, parsed

from hearth.servers.dashboard.differing import changed, moved
from hearth.servers.dashboard.drawing import Drawn, Piece
from hearth.servers.dashboard.html import Html, article, div, p
from hearth.servers.dashboard.patches import patch


def drawn(key: str, pieces: tuple[tuple[str, str], ...], frame: str = "") -> Drawn:
    """An item whose pieces have these names and words, in a frame that has these words."""
    before = Html(f'<article id="i-{key}" class="{frame}"><div id="i-{key}-in">')
    made = tuple(Piece(f"i-{key}-{name}", p(text, id_=f"i-{key}-{name}")) for name, text in pieces)
    return Drawn(f"i-{key}", before, made, Html("</div></article>"))


words = st.sampled_from(("", "a", "b", "a\nb"))
pieces = st.lists(st.tuples(st.sampled_from("pqrs"), words), max_size=4, unique_by=lambda it: it[0])
items = st.builds(lambda some, frame: (tuple(some), frame), pieces, st.sampled_from(("x", "y")))
timelines = st.lists(
    st.tuples(st.sampled_from("ABCDEFGH"), items), max_size=8, unique_by=lambda it: it[0]
)


def state(timeline: list[tuple[str, tuple[tuple[tuple[str, str], ...], str]]]) -> dict[str, Drawn]:
    return {key: drawn(key, some, frame) for key, (some, frame) in timeline}


def page_of(shown: dict[str, Drawn], before: str = "") -> ModelPage:
    return ModelPage(div(Html(before), [one.html for one in shown.values()], id_="timeline"))


def nodes(shown: dict[str, Drawn]) -> list[Node]:
    return parsed("".join(one.html for one in shown.values()))


@given(timelines, timelines)
def test_a_page_that_showed_anything_then_shows_exactly_what_is_wanted(
    one: list[tuple[str, tuple[tuple[tuple[str, str], ...], str]]],
    other: list[tuple[str, tuple[tuple[tuple[str, str], ...], str]]],
) -> None:
    old, new = state(one), state(other)
    page = page_of(old)
    page.take(moved(list(old), list(new), new, old))
    assert page.items() == nodes(new)
    page.check()


@given(timelines, timelines)
def test_what_a_page_read_itself_stays_before_what_follows(
    one: list[tuple[str, tuple[tuple[tuple[str, str], ...], str]]],
    other: list[tuple[str, tuple[tuple[tuple[str, str], ...], str]]],
) -> None:
    old, new = state(one), state(other)
    page = page_of(old, article("read before", id_="i-older"))
    page.take(moved(list(old), list(new), new, old))
    assert page.items() == [*parsed(article("read before", id_="i-older")), *nodes(new)]


@given(items, items)
def test_an_item_becomes_the_other(
    one: tuple[tuple[tuple[str, str], ...], str], other: tuple[tuple[tuple[str, str], ...], str]
) -> None:
    before, after = drawn("A", *one), drawn("A", *other)
    page = page_of({"A": before})
    page.take(changed(before, after))
    assert page.items() == nodes({"A": after})


def test_nothing_is_sent_where_nothing_changed() -> None:
    same = drawn("A", (("p", "a"), ("q", "b")))
    assert changed(same, drawn("A", (("p", "a"), ("q", "b")))) == b""
    assert moved(["A"], ["A"], {"A": same}, {"A": same}) == b""


def test_of_what_grows_only_the_pieces_are_sent_that_are_others() -> None:
    before = drawn("A", (("p", "first"), ("q", "second"), ("r", "third")))
    after = drawn("A", (("p", "first"), ("q", "SECOND"), ("r", "third"), ("s", "fourth")))
    frames = changed(before, after)
    assert frames == (
        patch(p("SECOND", id_="i-A-q"))
        + patch(p("fourth", id_="i-A-s"), to="i-A-in", mode="append")
    )
    assert b"first" not in frames
    assert b"third" not in frames


def test_pieces_in_another_order_are_sent_with_all_of_the_item() -> None:
    before = drawn("A", (("p", "a"), ("q", "b")))
    after = drawn("A", (("p", "a"), ("r", "c"), ("q", "b")))
    assert changed(before, after) == patch(after.html)


def test_what_is_added_at_the_end_leaves_all_else_alone() -> None:
    old, more = {"A": drawn("A", ()), "B": drawn("B", ())}, drawn("C", ())
    frames = moved(["A", "B"], ["A", "B", "C"], {**old, "C": more}, old)
    assert frames == patch(more.html, to="timeline", mode="append")
