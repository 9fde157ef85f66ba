"""Objects become text, pictures are kept apart, HTML is never rendered."""

from hearth.clients.repl.pieces import (
    Picture,
    Words,
    aside,
    is_whole,
    markdown,
    picture_in,
    readable,
    text_of,
)
from hearth.core.vocabulary.content import Blob, RichData


def test_the_text_that_is_here_is_used() -> None:
    assert text_of("a") == "a"
    assert text_of(Blob("ab", 9, head="beg")) == "beg"
    assert is_whole("a")
    assert not is_whole(Blob("ab", 9))


def test_what_is_said_beside_is_nothing_where_there_is_nothing_to_say() -> None:
    assert aside("by the way") == [Words("by the way", is_aside=True)]
    assert aside("") == []


def test_a_picture_is_found_before_its_text() -> None:
    figure = RichData({"text/plain": "<Figure>", "image/png": "AAAA"})
    assert picture_in(figure, "c1-1") == Picture("image/png", "AAAA", "c1-1")
    assert picture_in(RichData({"text/plain": "1"}), "c1-1") is None


def test_markdown_is_preferred_and_html_is_not_rendered() -> None:
    both = RichData({"text/plain": "<Markdown>", "text/markdown": "# Hi"})
    assert readable(both, colour=False) == "# Hi"
    page = RichData({"text/plain": "<HTML object>", "text/html": "<b>x</b>"})
    assert readable(page, colour=True) == "<HTML object>"
    assert readable(RichData({"text/html": "<b>x</b>"}), colour=True) == "<text/html>"
    assert readable(RichData({"application/json": '{"a": 1}'}), colour=True) == '{"a": 1}'
    assert readable(RichData({}), colour=True) == "<nothing>"


def test_control_characters_do_not_come_through() -> None:
    for kind in ("text/plain", "text/markdown", "text/latex", "x\x1b[2J/y"):
        shown = readable(RichData({kind: "a\x1b[2Jb"}), colour=True)
        assert "\x1b[2J" not in shown


def test_headings_and_strong_words_stand_out() -> None:
    assert markdown("## Title\nsome **strong** words", colour=True) == (
        "\x1b[1mTitle\x1b[0m\nsome \x1b[1mstrong\x1b[0m words"
    )
    assert markdown("2 ** 3", colour=True) == "2 ** 3"
    assert markdown("a **b** c ** d", colour=True) == "a \x1b[1mb\x1b[0m c ** d"
    assert markdown("# T **s**", colour=False) == "# T **s**"
