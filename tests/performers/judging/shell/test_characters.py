import pytest

from hearth.performers.judging.shell import characters


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a\u202eb", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("a\u200bb", "U+200B ZERO WIDTH SPACE"),
        ("a\u00a0b", "U+00A0 NO-BREAK SPACE"),
        ("a\ufe0f", "U+FE0F VARIATION SELECTOR-16"),
        ("a\U000e0041", "U+E0041 TAG LATIN CAPITAL LETTER A"),
        ("a\rb", "U+000D"),
        ("a\x1b[0m", "U+001B"),
        ("a\u3164", "U+3164 HANGUL FILLER"),
    ],
)
def test_what_nobody_sees_is_named(text: str, named: str) -> None:
    assert characters.hidden(text) == (named,)
    assert f"<U+{named[2:].split(maxsplit=1)[0]}>" in characters.visible(text)


def test_what_everybody_sees_is_left_alone() -> None:
    for text in ("ls -la\n\tcat", "Grüße", "привет", "日本語", "don’t — ok"):  # noqa: RUF001 - it is them
        assert characters.hidden(text) == ()
        assert characters.visible(text) == text


def test_letters_that_look_like_others_are_named() -> None:
    assert characters.look_alikes("аpp.py") == ("U+0430 CYRILLIC SMALL LETTER A",)  # noqa: RUF001 - it is one
    assert characters.look_alikes("сору")[0] == "U+0441 CYRILLIC SMALL LETTER ES"  # noqa: RUF001 - it is one
    assert characters.look_alikes("a／b") == ("U+FF0F FULLWIDTH SOLIDUS",)  # noqa: RUF001 - it is one


def test_words_of_other_languages_are_no_trick() -> None:
    for word in ("файл.py", "übung.md", "привет и пока", "données", "dash — in prose"):
        assert characters.look_alikes(word) == ()


def test_everything_foreign_in_a_name_is_told() -> None:
    assert characters.foreign("lé") == ("U+00E9 LATIN SMALL LETTER E WITH ACUTE",)
    assert characters.foreign("ls") == ()
