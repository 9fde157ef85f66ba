"""Where a cursor stands in code that is half written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.interpreter.inside.scanning import (
    LONGEST,
    code_before,
    expression_before,
    place_at_end,
)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("x = 'ab", "ab"),
        ('f("', ""),
        ('"""a\nb', "a\nb"),
        ("'''it's", "it's"),
        (r"'a\'b", r"a\'b"),
        ('"a" + "b', "b"),
        ("# it's\n'x", "x"),
        ('rb"x', "x"),
    ],
)
def test_an_open_string_is_found(text: str, content: str) -> None:
    place = place_at_end(text)
    assert place.string is not None
    assert text[place.string :] == content


@pytest.mark.parametrize("text", ["'a'", '"""a"""', "'a\n", "x", "'a' # 'b\n", '""', "''"])
def test_a_closed_string_is_not_open(text: str) -> None:
    assert place_at_end(text).string is None


def test_a_comment_ends_with_its_line() -> None:
    assert place_at_end("x # y").is_comment
    assert not place_at_end("x # y\n").is_comment
    assert not place_at_end("'#'").is_comment


def test_open_brackets_are_known_outermost_first() -> None:
    place = place_at_end("f(a, [1, (2)], ')', {")
    assert place.brackets == (("(", 1), ("{", 20))
    assert place_at_end(")]}").brackets == ()


def test_the_letters_before_a_quote_are_known() -> None:
    assert place_at_end("F'x").prefix == "f"
    assert place_at_end("'x").prefix == ""


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("x = a.b", "a.b"),
        ("f(a.b[0].c", "a.b[0].c"),
        ("x = d['k (']", "d['k (']"),
        ("y = f(1, g(2)).x", "f(1, g(2)).x"),
        ("x = [1, 2]", "[1, 2]"),
        ("'text'", "'text'"),
        ("a + b", "b"),
        ("(a", "a"),
        ("", ""),
        ("a ", ""),
        ("x = )", ""),
    ],
)
def test_the_expression_before_the_cursor_is_taken(text: str, expression: str) -> None:
    assert expression_before(text) == expression


@given(st.text(alphabet="abf.()[]{}'\"# \n\\=,", max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    place = place_at_end(text)
    assert place.string is None or 0 <= place.string <= len(text)
    assert text.endswith(expression_before(text))


def test_of_very_long_code_the_last_whole_lines_are_taken() -> None:
    assert code_before("a.b", 2) == "a."
    long = "x = 1\n" * LONGEST
    before = code_before(long, len(long) - 1)
    assert len(before) <= LONGEST
    assert before.startswith("x = 1\n")
    assert before.endswith("x = 1")
    assert len(code_before("x" * LONGEST * 2, LONGEST * 2)) == LONGEST
