"""Nothing hides from whoever decides about a text."""

import pytest

from hearth.clients.agents.visible import one_line, visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("rm \u202egpj.exe", "rm <U+202E>gpj.exe"),
        ("a\u200bb", "a<U+200B>b"),
        ("cat\x1b[2Jx", "cat<U+001B>[2Jx"),
        ("ls\r rm x", "ls<U+000D> rm x"),
        ("x\u3164y", "x<U+3164>y"),
        ("e\ufe0f", "e<U+FE0F>"),
        ("a\u00a0b", "a<U+00A0>b"),
        ("\udcff", "<U+DCFF>"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("grün ≠ 緑", "grün ≠ 緑"),
    ],
)
def test_what_is_not_seen_is_shown_as_its_number(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_what_is_one_line_stays_one() -> None:
    assert one_line("a\nb\tc") == "a<U+000A>b<U+0009>c"
