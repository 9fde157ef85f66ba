"""Markdown in a terminal: dressed as it comes, whole in the end, and never an order."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.cli.markdown import Markdown, harmless

SGR = re.compile(r"\x1b\[[0-9;]*m")


def shown(text: str, cut: int = 0) -> str:
    """All of it, fed in pieces of so many characters."""
    markdown = Markdown(is_coloured=True)
    pieces = [text[at : at + cut] for at in range(0, len(text), cut)] if cut else [text]
    return "".join(markdown.feed(piece) for piece in pieces) + markdown.close()


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 5])
@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("plain text\n", "plain text\n"),
        ("a **bold** word", "a \x1b[1mbold\x1b[22m word"),
        ("a `code` word", "a \x1b[36mcode\x1b[39m word"),
        ("``a`b``", "\x1b[36ma`b\x1b[39m"),
        ("# Title\ntext", "\x1b[1mTitle\x1b[0m\ntext"),
        ("### **Deep** one\n", "\x1b[1mDeep one\x1b[0m\n"),
        ("- one\n  * two\n", "• one\n  • two\n"),
        ("> said\n", "\x1b[2m│ \x1b[0msaid\n"),
        ("1. first\n2. second\n", "1. first\n2. second\n"),
        ("---\n", "---\n"),
        ("2**3 and a*b", "2**3 and a*b"),
        ("a ** b ** c", "a ** b ** c"),
        (r"\*not\* \x", r"*not* \x"),
        ("#hashtag\n", "#hashtag\n"),
        ("**never closed\nnext", "\x1b[1mnever closed\x1b[0m\nnext"),
        (
            "```py\n# no **title**\n```\nafter",
            "\x1b[2m```py\x1b[0m\n\x1b[36m# no **title**\x1b[0m\n\x1b[2m```\x1b[0m\nafter",
        ),
    ],
)
def test_what_is_marked_is_dressed_wherever_it_is_cut(cut: int, text: str, looks: str) -> None:
    assert shown(text, cut) == looks


def test_what_cannot_be_a_mark_is_shown_at_once() -> None:
    markdown = Markdown(is_coloured=True)
    assert markdown.feed("wor") == "wor"
    assert markdown.feed("d *") == "d "
    assert markdown.feed("*b") == "\x1b[1mb"
    assert markdown.close() == "\x1b[0m"


def test_without_colours_everything_stays_as_it_is() -> None:
    markdown = Markdown(is_coloured=False)
    text = "# T\n**b** `c`\n```\nx\n```\n"
    assert markdown.feed(text) == text
    assert markdown.close() == ""


@given(st.text(alphabet="ab *`#->~\n\\1", max_size=60), st.integers(1, 7))
def test_no_word_is_lost_and_no_style_goes_on_for_ever(text: str, cut: int) -> None:
    whole = shown(text)
    assert shown(text, cut) == whole
    assert [one for one in SGR.sub("", whole) if one in "ab1\n"] == [
        one for one in text if one in "ab1\n"
    ]
    opened = SGR.findall(whole)
    assert not opened or opened[-1] in {"\x1b[0m", "\x1b[22m", "\x1b[39m"}


def test_nothing_of_it_is_an_order_to_the_terminal() -> None:
    assert harmless("\x1b[2J\x07a\u202eb") == "?[2J?a?b"
    assert harmless("a\r\nb\tc") == "a\nb   c"
    kept = "né\u00a0! 日本 👩\u200d💻"
    assert harmless(kept) == kept
