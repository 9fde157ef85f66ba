from pathlib import Path

import pytest

from hearth.performers.judging.shell.reading import read
from hearth.performers.judging.shell.syntax import Simple
from hearth.performers.judging.shell.words import Meant, alternatives, meant


def _meant(text: str, known: dict[str, str] | None = None) -> list[Meant]:
    command = next(read(f"echo {text}").sequence.commands())
    assert isinstance(command, Simple)
    return [one for word in command.words[1:] for one in meant(word, known or {})]


def _texts(text: str, known: dict[str, str] | None = None) -> list[str | None]:
    return [one.text for one in _meant(text, known)]


def test_quotes_are_taken_away_and_what_is_in_them_is_kept() -> None:
    assert _texts(r"""a 'b c' "d $e" x'y'"z" \$f $'\x41'""") == [
        "a", "b c", None, "xyz", "$f", "A",
    ]  # fmt: skip


def test_only_variables_that_are_known_have_a_value() -> None:
    assert _texts("$x $y", {"x": "1"}) == ["1", None]
    assert _texts('"${x}/b"', {"x": "a"}) == ["a/b"]
    assert _texts("$? $$ $1 $@") == [None] * 4


def test_the_home_folder_is_known_and_that_of_others_is_not() -> None:
    home = str(Path.home())
    assert _texts("~ ~/x") == [home, f"{home}/x"]
    assert _texts("~root ~+ ~-/x") == [None] * 3
    assert _texts("'~' a~b") == ["~", "a~b"]


def test_lists_in_braces_are_several_words() -> None:
    assert _texts("a{b,c}d") == ["abd", "acd"]
    assert _texts("{} @{1} {a}") == ["{}", "@{1}", "{a}"]
    assert _texts("{1..3} {a,{b,c}} {a,'b'}") == [None] * 3


def test_patterns_are_known_for_patterns_unless_they_are_quoted() -> None:
    assert [one.is_glob for one in _meant("* a? [ab] '*' \\* [")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_an_unknown_word_in_double_quotes_is_one_word() -> None:
    assert [one.is_one for one in _meant('"$x" $x "$@" "a$x" "$x"y')] == [
        True, False, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["{a,b", "a}", "{a,{b}}", "{,}", "{a,b}" * 7])
def test_braces_that_are_not_plain_are_not_expanded(text: str) -> None:
    assert alternatives(text) is None
