"""Flags know which words are theirs."""

import pytest

from hearth.clients.cli.verb import Flag, Verb


@pytest.mark.parametrize(
    ("flag", "word", "wanted"),
    [
        (Flag("json", "says"), "x", False),
        (Flag("model", "says", takes="MODEL"), "x", True),
        (Flag("continue", "says", takes="[N]"), "2", True),
        (Flag("continue", "says", takes="[N]"), "what", False),
        (Flag("continue", "says", takes="[N]"), "", False),
        (Flag("fork", "says", takes="[BLOCK]", begins="b"), "b17", True),
        (Flag("fork", "says", takes="[BLOCK]", begins="b"), "b17@session-x", True),
        (Flag("fork", "says", takes="[BLOCK]", begins="b"), "because", False),
        (Flag("fork", "says", takes="[BLOCK]", begins="b"), "17", False),
    ],
)
def test_a_flag_takes_the_word_behind_it_only_if_it_is_its_value(
    flag: Flag, word: str, *, wanted: bool
) -> None:
    assert flag.wants(word) is wanted


def test_behind_its_sign_of_equality_a_flag_that_names_something_allows_any_word() -> None:
    named, counted = Flag("c", "says", takes="[NAME]", names=True), Flag("c", "says", takes="[N]")
    assert [named.allows(word) for word in ("2", "two", "")] == [True, True, False]
    assert [counted.allows(word) for word in ("2", "two", "")] == [True, False, False]


def test_a_verb_without_more_has_no_words_and_no_flags() -> None:
    verb = Verb("look", "look around")
    assert (verb.takes, verb.choices, verb.flags, verb.examples) == ((), (), (), ())
    assert (verb.room, verb.more) == ("", "")
