import re
from functools import cache
from timeit import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.patterns import beginning, escape, expanded, has_wildcard, includes, matches

signs = st.text("ab /\\*?.~\n", max_size=10)
texts = st.text("ab /\\*?.~\n", max_size=10)


def naive(pattern: str, text: str) -> bool:
    """The same rule, one sign after the other."""

    @cache
    def rest(at: int, now: int) -> bool:
        if at == len(pattern):
            return now == len(text)
        sign = pattern[at]
        if sign == "*":
            return rest(at + 1, now) or (now < len(text) and rest(at, now + 1))
        if sign == "\\" and at + 1 < len(pattern):
            at, sign = at + 1, pattern[at + 1]
            return now < len(text) and text[now] == sign and rest(at + 1, now + 1)
        return now < len(text) and sign in {"?", text[now]} and rest(at + 1, now + 1)

    return rest(0, 0)


def without_end(pattern: str) -> str | None:
    """The pattern without the ` *` or `/*` that it ends in."""
    bare = pattern.rstrip("*")
    behind = re.search(r"\\*$", bare)
    if bare != pattern and behind is not None and len(behind[0]) % 2:
        bare += "*"  # an escaped one
    if bare == pattern or not bare.endswith((" ", "/")):
        return None
    short = bare[:-1]
    behind = re.search(r"\\*$", short)
    if behind is not None and len(behind[0]) % 2:
        short = short[:-1]  # the space itself was escaped, which changes nothing
    return short or None


@given(signs, texts)
def test_it_agrees_with_going_through_sign_by_sign(pattern: str, text: str) -> None:
    short = without_end(pattern)
    expected = naive(pattern, text) or (short is not None and naive(short, text))
    assert matches(pattern, text) == expected


@pytest.mark.promise("DP-PERM-01")
@pytest.mark.parametrize(
    ("pattern", "target", "expected"),
    [
        ("*", "", True),
        ("*", "a\nb/c d", True),
        ("git *", "git", True),
        ("git *", "git status", True),
        ("git *", "git ", True),
        ("git *", "gitk", False),
        ("git*", "gitk", True),
        ("git status", "git status --short", False),
        ("/srv/*", "/srv", True),
        ("/srv/*", "/srv/a/b", True),
        ("/srv/*", "/srvfiles", False),
        ("/*", "/", True),
        ("/*", "", False),
        ("src/*.py", "src/a/b.py", True),
        ("src/*.py", "src/a.pyc", False),
        ("?.py", "a.py", True),
        ("?.py", "ab.py", False),
        ("a\\*b", "a*b", True),
        ("a\\*b", "axb", False),
        ("a\\", "a\\", True),
        ("Git *", "git status", False),
        ("a.c", "abc", False),
        ("[ab]", "a", False),
        ("", "", True),
        ("", "a", False),
        ("docker * --rm *", "docker run --rm", True),
        ("docker * --rm *", "docker run --rmx", False),
    ],
)
def test_what_patterns_match(pattern: str, target: str, *, expected: bool) -> None:
    assert matches(pattern, target) is expected


@given(texts, texts)
def test_an_escaped_text_matches_itself_and_nothing_else(text: str, other: str) -> None:
    assert matches(escape(text), text)
    assert matches(escape(text), other) == (text == other)
    assert not has_wildcard(escape(text))
    assert matches(f"{escape(text)}/*", f"{text}/{other}")


@pytest.mark.promise("DP-PERM-02")
@pytest.mark.parametrize(
    ("pattern", "means"),
    [
        ("~", "/home/me"),
        ("~/x/*", "/home/me/x/*"),
        ("$HOME", "/home/me"),
        ("$HOME/x", "/home/me/x"),
        ("~me/x", "~me/x"),
        ("$HOMES/x", "$HOMES/x"),
        ("a/~/b", "a/~/b"),
        ("*", "*"),
    ],
)
def test_the_home_is_meant_by_both_its_names_at_the_start_alone(pattern: str, means: str) -> None:
    assert expanded(pattern, "/home/me") == means
    assert expanded(pattern, "/home/me/") == means


def test_a_home_with_wildcards_in_its_name_is_no_wider_for_it() -> None:
    found = expanded("~/x", "/home/m*")
    assert matches(found, "/home/m*/x")
    assert not matches(found, "/home/me/x")
    assert expanded("~", "/") == "/"
    assert expanded("~/x", "/") == "/x"


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("*", "anything *", True),
        ("*", "", True),
        ("git *", "git push *", True),
        ("git *", "git", True),
        ("git *", "git *", True),
        ("git*", "git *", True),
        ("git ?*", "git *", False),
        ("git *", "git*", False),
        ("?", "?", True),
        ("?", "a", True),
        ("?", "*", False),
        ("a", "?", False),
        ("a*", "*", False),
        ("/srv/*", "/srv/x/*", True),
        ("/srv/*", "/srv", True),
        ("a", "a", True),
        ("\\*", "*", False),
        ("*", "\\*", True),
    ],
)
def test_one_pattern_is_known_to_be_wider_than_another(
    wide: str, narrow: str, *, expected: bool
) -> None:
    assert includes(wide, narrow) is expected


@given(signs, signs, texts)
def test_what_is_said_to_be_wider_is(wide: str, narrow: str, text: str) -> None:
    if includes(wide, narrow) and matches(narrow, text):
        assert matches(wide, text)
    assert includes(wide, wide)


@given(signs, texts)
def test_whatever_a_pattern_matches_begins_as_it_says(pattern: str, text: str) -> None:
    if matches(pattern, text):
        assert text.startswith(beginning(pattern))
    assert beginning("git push *") == "git push"
    assert beginning("a\\*b?c") == "a*b"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("*a" * 50 + "*b", "a" * 20_000),
        ("a*" * 50 + "?" * 20 + "b", "a" * 20_000),
        ("*" * 1000 + "b", "a" * 20_000),
        ("* *" * 30 + "x *", "a " * 10_000),
    ],
)
def test_no_pattern_takes_long(pattern: str, text: str) -> None:
    assert not matches(pattern, text)
    assert timeit(lambda: matches(pattern, text), number=1) < 1
