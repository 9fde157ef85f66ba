"""Markup is escaped by construction, whatever is put into it."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.servers.dashboard.expressions import ACT, Expression
from hearth.servers.dashboard.html import (
    EMPTY,
    Html,
    UnsafeMarkup,
    a,
    br,
    div,
    element,
    frame,
    img,
    joined,
    pre,
    span,
    text,
    textarea,
    web_link,
)

ANY = st.text(st.characters(exclude_categories=()))
NASTY = "<script>alert(1)</script>\"'&"


class Seen(HTMLParser):
    """What a browser makes of markup."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


@given(ANY, ANY)
def test_text_is_text_and_values_are_values(words: str, value: str) -> None:
    made = div(words, span(words), title=value)
    seen = Seen(made)
    assert [tag for tag, _ in seen.tags] == ["div", "span"]
    assert set(seen.tags[0][1]) <= {"title"}
    made.encode()  # everything can be sent


@given(ANY)
def test_what_can_be_read_is_what_was_said(words: str) -> None:
    shown = text(words)
    for bad in "\u202e\u2066\u200f\x00\x1b\x7f\x85\ud800\udfff":
        assert bad not in shown
    harmless = all(one.isalnum() or one in " \n<>&\"'" for one in words)
    if harmless:
        assert Seen(div(words)).words == words


def test_what_would_turn_text_around_is_shown_instead() -> None:
    assert text("a\u202eb") == "a⟨U+202E⟩b"
    assert text("\x1b[31m") == "␛[31m"
    assert text("half \ud83d of a pair") == "half \ufffd of a pair"


def test_children_are_taken_in_order_and_nothing_is_nothing() -> None:
    assert joined("a", None, 1, 2.5, [span("b"), ["c"]], EMPTY) == "a12.5<span>b</span>c"
    assert div(NASTY) == f"<div>{text(NASTY)}</div>"
    assert "<script>" not in div(NASTY)
    assert div(Html("<b>x</b>")) == "<div><b>x</b></div>"


def test_attributes_are_named_as_python_can() -> None:
    made = div(class_="c", data_kind="k", hidden=True, title=None, inert=False, aria_label='"')
    assert made == '<div class="c" data-kind="k" hidden aria-label="&quot;"></div>'
    assert br() == "<br>"
    assert div(on_click=ACT) == '<div data-on:click="hearth.act(el, evt)"></div>'


def test_the_first_line_break_of_what_is_preformatted_is_kept() -> None:
    assert pre("\nx") == "<pre>\n\nx</pre>"
    assert textarea("\nx") == "<textarea>\n\nx</textarea>"


@pytest.mark.parametrize(
    "attributes",
    [
        {"onclick": "x()"},
        {"style": "color:red"},
        {"srcdoc": "<p>"},
        {"formaction": "/x"},
        {"data-on:click": "x()"},
        {"data-on-click": "x()"},
        {"data-init": "x()"},
        {"data-text": "x"},
        {"data-show": "x"},
        {"data-bind": "x"},
        {"data-effect": "x()"},
        {"data-signals": "{}"},
        {"data-class": "x"},
        {"data-attr": "x"},
        {"data-style": "x"},
        {"data-computed": "x"},
        {"data-json-signals": "x"},
        {"a b": "x"},
        {'a"': "x"},
        {"title": ACT},
        {"data-init": ACT},
    ],
)
def test_attributes_by_which_a_page_could_run_something_are_refused(
    attributes: dict[str, str | Expression],
) -> None:
    with pytest.raises(UnsafeMarkup):
        element("div", (), attributes)


@pytest.mark.parametrize("tag", ["script", "style", "iframe", "object", "embed", "a b", "", "X"])
def test_elements_that_have_no_place_here_are_refused(tag: str) -> None:
    with pytest.raises(UnsafeMarkup):
        element(tag)


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:x", "data:text/html,x"),
        *(
            "//evil.example/x",
            "/\\evil.example",
            "ftp://x",
            "x",
            "",
            "java\tscript:x",
            "vbscript:x",
        ),
        *("/a b", "/a\\b", "https://x y", 'https://x"y'),
    ],
)
def test_addresses_are_our_own_or_plain_web_links(address: str) -> None:
    with pytest.raises(UnsafeMarkup):
        a("x", href=address)
    with pytest.raises(UnsafeMarkup):
        img(src=address)
    assert web_link(address) is None


def test_addresses_that_lead_somewhere_are_kept() -> None:
    for address in ("/dashboard", "#scroll", "https://example.org/a?b=c&d"):
        assert Seen(a("x", href=address)).tags == [("a", {"href": address})]
    assert web_link("HTTP://example.org") == "HTTP://example.org"


def test_a_frame_is_sandboxed_and_shows_what_we_serve() -> None:
    made = frame("/dashboard/s/x/frame/1/c1/0", 'an "output"')
    (tag, attributes), *rest = Seen(made).tags
    assert (tag, rest) == ("iframe", [])
    assert attributes["sandbox"] is None
    assert attributes["title"] == 'an "output"'
    for address in ("/sessions", "https://x", "//x", "/dashboard/ x"):
        with pytest.raises(UnsafeMarkup):
            frame(address, "x")
