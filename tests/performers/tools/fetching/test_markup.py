"""A page is taken apart as browsers do, and in time whatever it is."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.fetching.markup import Tag, Words, pieces, plain


def told(page: str) -> list[str]:
    """Text as it is, tags by their names."""
    return [
        piece.text if isinstance(piece, Words) else f"<{'/' * piece.is_end}{piece.name}>"
        for piece in pieces(page)
    ]


@pytest.mark.parametrize(
    ("page", "parts"),
    [
        ("a<b>c</b>d", ["a", "<b>", "c", "</b>", "d"]),
        ("<BR/>x", ["<br>", "x"]),
        ("3 < 4 and 5 <6 </ no", ["3 < 4 and 5 <6 </ no"]),
        ("a<!-- <b>no</b> -->c", ["a", "c"]),
        ("a<!-->c", ["a", "c"]),
        ("a<!-- never ends <b>", ["a"]),
        ("<!doctype html><?xml x?>c", ["c"]),
        ("a<script>if (a<b) '</b>'</SCRIPT >c", ["a", "<script>", "</script>", "c"]),
        ("<style>p{}</style>x<svg><text>no</text></svg>y", None),
        ("a<script>never ends", ["a", "<script>"]),
        ('<a title="x > y">z', ["<a>", "z"]),
        ("<a title='it\"s > y'>z", ["<a>", "z"]),
        ("<p it's>z", ["<p>", "z"]),
        ("a<b never ends", ["a"]),
        ("&lt;b&gt; &eacute;&#233;&#xe9;", ["<b> ééé"]),
        ("<h1:x>y", ["<h1:x>", "y"]),
        ("", []),
    ],
)
def test_text_and_tags_come_in_their_order(page: str, parts: list[str] | None) -> None:
    expected = parts or ["<style>", "</style>", "x", "<svg>", "</svg>", "y"]
    assert told(page) == (expected if page else [])


@pytest.mark.parametrize(
    ("written", "href"),
    [
        (' href="/x"', "/x"),
        (" HREF = '/x' ", "/x"),
        (" href=/x", "/x"),
        (' class="href=no" href="/x?a=1&amp;b=2"', "/x?a=1&b=2"),
        (' data-href="no"', ""),
        (' title="it" href=""', ""),
        ("", ""),
    ],
)
def test_attributes_are_found_by_their_names(written: str, href: str) -> None:
    assert Tag("a", written=written).attribute("href") == href


def test_numbers_of_any_length_stand_for_characters_or_for_none() -> None:
    assert plain("&#" + "9" * 100_000 + ";") == "\ufffd;"
    assert plain("&#x110000; &#0;") == "\ufffd \ufffd"
    assert plain("AT&T &unknown;") == "AT&T &unknown;"


@given(st.text("<>/!-?'\"= abscript&#;x1", max_size=80))
def test_any_page_comes_to_its_end(page: str) -> None:
    for piece in pieces(page):
        assert isinstance(piece, Words | Tag)


@pytest.mark.parametrize(
    "bad",
    ["<", "<!", "<!--", "<a ", "<a '", "<a \"'>", "</", "<script>", "<svg><", "&#", "<a b='>"],
)
def test_a_hostile_page_takes_no_longer_than_its_length(bad: str) -> None:
    page = bad * (1_000_000 // len(bad))
    before = time.thread_time()
    for _ in pieces(page):
        pass
    assert time.thread_time() - before < 10, "seconds; it takes less than one"
