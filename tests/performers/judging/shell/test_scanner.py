import pytest

from hearth.performers.judging.shell.scanner import Scanner, text_of
from hearth.performers.judging.shell.syntax import Broken, Sequence, Unread
from hearth.performers.judging.shell.words import PieceKind, Word


def _inside(_end: str) -> Sequence:
    raise AssertionError("there are no commands in it")


def test_a_word_goes_to_the_next_sign_or_blank() -> None:
    scanner = Scanner("ab'c d'e|f")
    word = scanner.word(_inside)

    assert word is not None
    assert (word.start, word.end, word.raw) == (0, 8, "ab'c d'e")
    assert [piece.kind for piece in word.pieces] == [
        PieceKind.LITERAL, PieceKind.QUOTED, PieceKind.LITERAL,
    ]  # fmt: skip
    assert scanner.sign() == "|"
    assert scanner.take("|")
    assert not scanner.take("|")


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        (" -la\tsrc caf\u00e9&& x", ["-la", "src", "caf\u00e9"]),
        ("a 'b' c", ["a"]),
        ("a #b", ["a"]),
        ("a b#c", ["a", "b#c"]),
        ("a 2>f", ["a"]),
        ("a b>f", ["a"]),
        ("a \\\n b", ["a"]),
        ("a $x", ["a"]),
        ("|a", []),
    ],
)
def test_plain_words_are_taken_at_once_up_to_the_first_that_is_not(
    line: str, plain: list[str]
) -> None:
    scanner = Scanner(line)
    words: list[Word] = []
    scanner.plain_words(words)
    assert [word.raw for word in words] == plain
    assert scanner.words == words
    assert all(word.is_plain for word in words)
    assert scanner.at == (words[-1].end if words else 0)


def test_within_backquotes_no_words_are_taken_at_once() -> None:
    scanner = Scanner("a b` c")
    scanner.limit = 3
    words: list[Word] = []
    scanner.plain_words(words)
    assert words == []


@pytest.mark.parametrize("sign", ["&>>", "<<<", "<<-", "&&", "||", "|&", ">|", "<>", ";;", "\n"])
def test_the_longest_sign_counts(sign: str) -> None:
    assert Scanner(f"{sign}x").sign() == sign


def test_a_pipe_to_a_command_is_no_sign() -> None:
    assert Scanner("<(x)").sign() == ""
    assert Scanner("< (x)").sign() == "<"


def test_a_comment_and_the_end_of_a_line_that_goes_on_are_blank() -> None:
    scanner = Scanner(" \\\n\t# a comment\nx")
    scanner.skip_blanks()

    assert scanner.sign() == "\n"


def test_offsets_are_those_of_the_bytes_and_texts_are_text() -> None:
    scanner = Scanner("é x")
    word = scanner.word(_inside)

    assert word is not None
    assert (word.end, word.raw) == (2, "é")
    assert text_of("Ã©") == "é"


@pytest.mark.parametrize(
    "line", ["a\\\nb", '"a\\\nb"', "${x@P}", "${!x}", "$[1]", '$"x"', "$((x))"]
)
def test_what_is_not_sure_is_not_read(line: str) -> None:
    with pytest.raises(Unread):
        Scanner(line).word(_inside)


@pytest.mark.parametrize("line", ["'a", '"a', "a\\", "`a", "$'a"])
def test_what_is_not_closed_is_broken(line: str) -> None:
    with pytest.raises(Broken):
        Scanner(line).word(_inside)
