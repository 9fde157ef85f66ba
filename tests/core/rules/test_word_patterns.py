import re
from timeit import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.patterns import beginning, escape, has_wildcard, includes, matches

PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-][A-Za-z0-9_@%+=:,./^~{}-]*")
OPERAND = re.compile(r"[A-Za-z0-9_./](?:[A-Za-z0-9_./,:-])*")


def named(text: str) -> str:
    """A word as it is called in rules."""
    return text if PLAIN.fullmatch(text) else "'" + text.replace("'", "'\\''") + "'"


def is_operand(word: str) -> bool:
    return OPERAND.fullmatch(word) is not None and ":/" not in word


words = st.text("ab-='\\: /@*<.", max_size=5) | st.sampled_from(["a", "-q", "b", "<word>", "x y"])
commands = st.lists(words, max_size=5)


def fits(pattern: list[str], command: list[str]) -> bool:
    """The same rule, word by word."""
    if not pattern:
        return not command
    first, *rest = pattern
    if first == "<words>":
        taken = bool(command) and is_operand(named(command[0])) and fits(pattern, command[1:])
        return taken or fits(rest, command)
    if not command:
        return False
    is_same = not command[0].startswith("-") if first == "<word>" else first == command[0]
    return is_same and fits(rest, command[1:])


@given(st.lists(words | st.sampled_from(["<words>", "<word>"]), max_size=5), commands)
def test_it_agrees_with_going_through_word_by_word(pattern: list[str], command: list[str]) -> None:
    varying = {"<words>", "<word>"}
    written = [one if one in varying else escape(named(one)) for one in pattern]
    target = " ".join(("x", *map(named, command)))

    assert matches(" ".join(("x", *written)), target) == fits(pattern, command)


@given(commands)
def test_no_option_setting_or_address_is_one_of_further_words(command: list[str]) -> None:
    target = " ".join(("x", *map(named, command)))

    expected = all(is_operand(named(one)) for one in command)
    assert matches("x <words>", target) == expected
    if expected:
        assert not any(one.startswith("-") or set(one) & set("='@ *\\") for one in command)


@pytest.mark.parametrize(
    ("pattern", "target", "expected"),
    [
        ("pytest <words>", "pytest", True),
        ("pytest <words>", "pytest tests/a.py::test_b c", True),
        ("pytest <words>", "pytest .", True),
        ("pytest <words>", "pytest -q", False),
        ("pytest <words>", "pytest a -p evil", False),
        ("pytest <words>", "pytest '-p' evil", False),
        ("pytest <words>", "pytest 'a b'", False),
        ("pytest <words>", "pytest ''", False),
        ("pytest <words>", "pytest @options", False),
        ("pytest <words>", "pytest a=b", False),
        ("pytest <words>", "pytest https://a.b", False),
        ("pytest <words>", "pytest a\n-p", False),
        ("pytest <words>", "pytest  a", False),
        ("pytest <words>", "pytest ", False),
        ("pytest <words>", "pytests", False),
        ("pytest <words>", "pytest <words>", False),
        ("pytest <words> -q", "pytest -q", True),
        ("pytest <words> -q", "pytest a b -q", True),
        ("pytest <words> -q", "pytest -q a", False),
        ("pytest <words> -q", "pytest a-q", False),
        ("a <words> b <words> b", "a b b b c b", True),
        ("a <words> b <words> b", "a b", False),
        ("git commit -m <word>", "git commit -m x", True),
        ("git commit -m <word>", "git commit -m 'a b'", True),
        ("git commit -m <word>", "git commit -m 'it'\\''s\n--amend'", True),
        ("git commit -m <word>", "git commit -m ''", True),
        ("git commit -m <word>", "git commit -m x --amend", False),
        ("git commit -m <word>", "git commit -m 'x' --amend", False),
        ("git commit -m <word>", "git commit -m 'x' '--amend'", False),
        ("git commit -m <word>", "git commit -m '- x'", False),
        ("git commit -m <word>", "git commit -m -x", False),
        ("git commit -m <word>", "git commit -m", False),
        ("git commit -m <word>", "git commit -m ", False),
        ("* <words>", "anything -x a b", True),
        ("a* <word> ?", "a b c 'd e' f", True),
        ("a <word> *", "a b", True),
        ("a <word> *", "a b -x", True),
        ("a <word> *", "a -x", False),
        ("a\\ <words>", "a b c", True),
    ],
)
def test_what_they_match(pattern: str, target: str, *, expected: bool) -> None:
    assert matches(pattern, target) is expected


@pytest.mark.parametrize(
    "pattern",
    ["<words>", "a<words>", "a <words>b", "a/<word>", "a <Words>", "a \\<words>", "<word>"],
)
def test_where_they_are_no_words_of_their_own_they_are_themselves(pattern: str) -> None:
    assert not has_wildcard(pattern)
    assert matches(pattern, pattern.replace("\\", ""))
    assert not matches(pattern, re.sub(r"\\?<[Ww]ords?>", "x", pattern))


def test_a_text_with_them_in_it_can_be_escaped() -> None:
    for text in ("a <words>", "a <word> b", "<words> <words>", " <words>"):
        assert not has_wildcard(escape(text))
        assert matches(escape(text), text)
        assert not matches(f"x {escape(text)}", "x a b")


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("pytest *", "pytest <words>", True),
        ("*", "a <words> b <word>", True),
        ("pytest <words>", "pytest <words>", True),
        ("pytest <words>", "pytest", True),
        ("pytest <words>", "pytest a <words>", True),
        ("pytest <words>", "pytest a b", True),
        ("pytest <words>", "pytest -q <words>", False),
        ("pytest <words>", "pytest *", False),
        ("pytest <words>", "pytest ?", False),
        ("pytest <words>", "pytest <word>", False),
        ("a <word>", "a <word>", True),
        ("a <word>", "a 'b c'", True),
        ("a <word>", "a '*'", False),
        ("a <word>", "a '?'", False),
        ("a <word>", "a '<word>'", True),
        ("a <word>", "a <words>", False),
        ("a *", "a <word>", True),
        ("a ?", "a <word>", False),
        ("a?", "a <words>", False),
        ("a <words> b <words>", "a <words> b <words>", True),
    ],
)
def test_one_is_known_to_be_wider_than_another(wide: str, narrow: str, *, expected: bool) -> None:
    assert includes(wide, narrow) is expected


written = st.lists(
    st.sampled_from(["a", "-q", "'b c'", "<words>", "<word>", "*", "?", "'*'", "a?", "'a <word>'"]),
    max_size=4,
).map(lambda parts: " ".join(("x", *parts)))


@given(written, written, commands)
def test_what_is_said_to_be_wider_is(wide: str, narrow: str, command: list[str]) -> None:
    target = " ".join(("x", *map(named, command)))

    if includes(wide, narrow) and matches(narrow, target):
        assert matches(wide, target)
    if matches(narrow, target):
        assert target.startswith(beginning(narrow))
    assert includes(wide, wide)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a" + " <words> a" * 30, "a " * 10_000 + "-"),
        ("*" + " <words> b*" * 20 + "c", "a b " * 5_000),
        ("a <word>" + " <words> <word>" * 20, "a 'b' " * 4_000 + "-"),
        ("a <word>", "a '" + "'\\''" * 5_000),
        ("a <words>", "a " + "".join(map(chr, range(0x4E00, 0x9000)))),
    ],
)
def test_none_takes_long(pattern: str, text: str) -> None:
    assert not matches(pattern, text)
    assert timeit(lambda: matches(pattern, text), number=1) < 1
