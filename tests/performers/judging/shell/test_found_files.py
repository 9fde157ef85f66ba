import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.finding import runs
from hearth.performers.judging.shell.found_files import found_files
from hearth.performers.judging.shell.proving import Argument, Call, Reads, Searched, Unproven
from hearth.performers.judging.shell.readers import READERS
from hearth.performers.judging.shell.sieves import Sieve


def _found(line: str) -> Reads:
    words = tuple(Argument(word, word) for word in line.split())
    return found_files(Call("find", words, Place("/p", "/p")), runs(words), READERS)


def test_what_is_found_is_read_where_it_is_looked_for() -> None:
    assert _found("src docs -exec wc -l {} +").searched == (
        Searched("src", follows=True),
        Searched("docs", follows=True),
    )
    assert _found("-type f -exec wc {} ;").searched == (Searched(".", follows=False),)


def test_names_say_what_is_not_read() -> None:
    sieve = Sieve(only=("*.py",), begins_closed=True)

    assert _found(". -name *.py -exec wc {} +").searched[0].sieve == sieve
    assert _found(". -name *.py -o -true -exec wc {} +").searched[0] == Searched(".", follows=True)


def test_what_is_asked_behind_the_command_or_is_no_question_does_not_count() -> None:
    for line in (
        ". -exec cat {} + -name *.py -type f",
        ". -printf -name -exec cat {} + -type f",
        "( -name *.py ) -exec cat {} +",
    ):
        assert _found(line).searched == (Searched(".", follows=True),)


def test_what_is_only_said_is_not_read() -> None:
    assert _found("src -exec echo {} ;") == Reads((), ("src",))


def test_what_is_read_besides_is_known() -> None:
    assert _found(". -newer a -exec cat b {} ;").paths == ("a", "b")


@pytest.mark.parametrize(
    "line",
    [
        ". -exec rm {} +", ". -exec uniq {} +", ". -exec cat {}", ". -exec cat ;",
        ". -exec cat {} {} ;", ". -exec cat {} x{} ;", ". -exec {} ;", ". -exec", ". -exec ;",
        ". -exec head -n {} ;", ". -exec ls -R {} ;", ". -execdir cat {} ;", ". -ok cat {} ;",
        ". -exec cat {} + -delete", "-L . -exec cat {} +",
    ],
)  # fmt: skip
def test_anything_else_is_not_proven(line: str) -> None:
    with pytest.raises(Unproven):
        _found(line)
