import pytest

from hearth.performers.judging.shell.reading import read
from hearth.performers.judging.shell.witness import witness

LINE = 'a=1 cat <(ls) "$(pwd)" | [ -f x ] && export b; for i in 1 2; do echo $i; done > out'


def test_both_readings_find_the_same_words_and_names() -> None:
    seen, found = witness(LINE), read(LINE)

    assert seen.doubt == ""
    assert seen.words == {(word.start, word.end) for word in found.words}
    assert seen.names == found.names


def test_both_readings_find_the_ends_of_here_documents() -> None:
    line = "cat <<E\n$(ls)\nE\ncat <<-'F'\n\tx\n\tF\n"

    assert witness(line).documents == read(line).documents
    assert len(read(line).documents) == 2


def test_commands_are_told_as_they_are_written() -> None:
    assert witness("f() { rm -rf x; }; ls").commands == ("rm -rf x", "ls")


def test_a_form_that_is_not_on_the_list_is_doubted() -> None:
    assert witness("f() { ls; }").doubt == "'function definition' is not known"
    assert witness("a=(1 2)").doubt == "'array' is not known"
    assert witness("echo 'a").doubt == "it cannot be parsed"


WIDE = ["é", "Ā", "中", "\uf000", "😀", "\U000f0000", "\U0010fffd"]


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("line", ["ls {X", "ls {1..X} aXb", "'X' \"X\""])
def test_letters_of_every_script_are_letters(line: str, wide: str) -> None:
    line = line.replace("X", wide)
    seen, found = witness(line), read(line)

    assert seen.doubt == ""
    assert seen.words == {(word.start, word.end) for word in found.words}
    assert seen.names == found.names


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("line", ["ls ${X}", "ls $X", "cat <<X\nX\n"])
def test_letters_that_no_name_has_are_doubted_in_one(line: str, wide: str) -> None:
    seen = witness(line.replace("X", wide))

    assert seen.doubt == "it cannot be parsed"
    assert (0, line.index(" ")) in seen.names


def test_commands_are_told_with_the_letters_that_they_have() -> None:
    assert witness("f() { echo {中\U000f0000; }").commands == ("echo {中\U000f0000",)


def test_where_the_readings_differ_it_shows() -> None:
    # bash takes `{ls` for the name of a command.
    assert witness("echo a\\\nb").words != {(0, 4), (5, 9)}
