import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.finding import find, runs
from hearth.performers.judging.shell.proving import Argument, Call, Reads, Unproven


def _words(line: str) -> tuple[Argument, ...]:
    return tuple(Argument(word, word) for word in line.split())


def _find(line: str) -> Reads:
    return find(Call("find", _words(line), Place("/p", "/p")))


def test_what_is_searched_and_compared_with_is_known() -> None:
    assert _find("-name x") == Reads((), (".",))
    assert _find("-P a b -type f -newer c -o ( -size +1k ! -empty )") == Reads(("c",), ("a", "b"))
    assert _find(". -newermt yesterday") == Reads((), (".",))


@pytest.mark.parametrize(
    "line",
    [
        ". -delete", ". -exec ls ;", ". -execdir x ;", ". -ok x ;", ". -fprint x", ". -fprintf x y",
        ". -fls x", "-L .", ". -follow", "-files0-from x", ". -name", ". -unknown", "-D all .",
    ],
)  # fmt: skip
def test_what_does_more_than_look_is_not_proven(line: str) -> None:
    with pytest.raises(Unproven):
        _find(line)


def test_the_commands_that_it_runs_are_found() -> None:
    found = runs(_words(". -name + -exec rm -f {} ; -o -execdir ls {} + -ok x"))

    assert [[word.text for word in one.arguments] for one in found] == [
        ["rm", "-f", "{}"], ["ls", "{}"], ["x"],
    ]  # fmt: skip
