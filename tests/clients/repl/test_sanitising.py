"""Nothing that is printed by a cell is obeyed by the terminal."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.repl.sanitising import clean, clean_line

CLIPBOARD = "\x1b]52;c;cm0gLXJmIH4=\x07"
TITLE = "\x1b]0;owned\x1b\\"
LINK = "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\"


@pytest.mark.parametrize(
    "attack",
    [
        "\x1b[2J\x1b[H",
        "\x1b[10A",
        "\x1b[1;1H",
        "\x1b[?1049h",
        "\x1b[6n",
        "\x1bc",
        "\x1b(0",
        CLIPBOARD,
        TITLE,
        "\x1bPq#0~\x1b\\",
        "\x1b_Ga=T;AAAA\x1b\\",
        "\x1b]52;c;unfinished",
        "\x9b2J",
        "\x9d52;c;AAAA\x9c",
    ],
)
def test_sequences_do_nothing(attack: str) -> None:
    cleaned = clean(f"before{attack}after")
    assert "\x1b" not in cleaned
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", cleaned)
    assert cleaned.startswith("before")


def test_a_link_keeps_its_words_and_loses_its_address() -> None:
    assert clean(LINK) == "here"


def test_single_control_characters_become_visible() -> None:
    assert clean("a\x07b\x08c\x00d\x7f") == "a\\x07b\\x08c\\x00d\\x7f"
    assert clean("if x:\u202e # admin\u2066") == "if x:\\u202e # admin\\u2066"
    assert clean("half \ud800 a pair") == "half \\ud800 a pair"


def test_colours_stay_and_end_with_the_text() -> None:
    assert clean("\x1b[31mred\x1b[0m") == "\x1b[31mred\x1b[0m"
    assert clean("\x1b[31mred") == "\x1b[31mred\x1b[0m"
    assert clean("\x1b[1;38;5;200mx\x1b[m") == "\x1b[1;38;5;200mx\x1b[0m"
    assert clean("\x1b[38;2;1;2;3mx\x1b[0m") == "\x1b[38;2;1;2;3mx\x1b[0m"
    assert clean("\x1b[31mred\x1b[0m", colour=False) == "red"


def test_text_cannot_be_hidden_or_blink() -> None:
    assert clean("\x1b[8msecret\x1b[5mblink") == "secretblink"
    assert clean("\x1b[8;31mred\x1b[0m") == "\x1b[31mred\x1b[0m"
    assert clean("\x1b[38mx") == "x"


def test_indentation_and_words_of_all_languages_stay_as_they_are() -> None:
    code = "for größe in ('日本', 'é'):\n\tif größe:\n\t    print(größe)  # 🙂\n"
    assert clean(code) == code


def test_a_progress_bar_shows_its_last_state() -> None:
    assert clean_line("10 %\r50 %\r100 %") == "100 %"
    assert clean_line("windows\r") == "windows"
    assert clean_line("\r") == ""
    assert clean_line("plain") == "plain"


@given(st.text(alphabet=st.sampled_from("\x1b[]m;0138?25hPqGc\x07\\\x9b\x9c\r\b \nab")))
def test_whatever_comes_only_colours_are_left(text: str) -> None:
    left = re.sub("\x1b\\[[0-9;]*m", "", clean(text))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", left)
    bare = clean(text, colour=False)
    assert "\x1b" not in bare
