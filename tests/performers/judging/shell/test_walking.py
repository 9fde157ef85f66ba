from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import READ
from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.findings import Findings
from hearth.performers.judging.shell.looping import set_once
from hearth.performers.judging.shell.reading import read
from hearth.performers.judging.shell.walking import MOST_WORDS, Scope, walk


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    return Place(str(tmp_path), str(tmp_path))


def _walked(line: str, place: Place) -> Findings:
    found = Findings()
    line_read = read(line)
    loops = set_once([line_read.sequence])
    scope = Scope(place, len(line_read.names), loops=loops).know_folders()
    walk(line_read.sequence, scope, found)
    return found


def _read(line: str, place: Place) -> list[str]:
    found = _walked(line, place)
    assert not found.doubts, found.doubts
    return [need.target for need in found.needs.values() if need.permission == READ]


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("cd sub; cat a", "sub/a"),
        ("cd sub && cd deep && cat a", "sub/deep/a"),
        ("cd sub && cat a || exit", "sub/a"),
        ("cd sub; cd ..; cat a", "a"),
        ("{ cd sub; }; cat a", "sub/a"),
        ("(cd sub); cat a", "a"),
        ("cd sub & cat a", "a"),
        ("echo $(cd sub; pwd); cat a", "a"),
        ('cd sub && cat "$PWD/a"', "sub/a"),
    ],
)
def test_commands_are_judged_in_the_folder_they_are_run_in(
    line: str, target: str, place: Place
) -> None:
    assert target in _read(line, place)


@pytest.mark.parametrize(
    "line",
    [
        "true && cd sub; cat a",
        "if true; then cd sub; fi; cat a",
        "while true; do cd sub; done",
        "cd nothing; cat a",
        "cd -",
        "cd $x",
        "cd a b",
        "cd nothing || cd sub",
    ],
)
def test_where_it_cannot_be_said_which_folder_that_is_there_is_a_doubt(
    line: str, place: Place
) -> None:
    assert _walked(line, place).doubts


def test_the_variable_of_a_loop_is_each_of_its_words(place: Place) -> None:
    assert _read("for f in a b; do cat $f; done", place) == ["a", "b"]
    assert _read("for d in sub; do for f in a b; do cat $d/$f; done; done", place) == [
        "sub/a", "sub/b",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "for f in a; do f=/etc/passwd; cat $f; done",
        "for f in a; do read f; cat $f; done",
        "for f in a; do cat $f; done; cat $f",
        "for f in 'a b'; do cat $f; done",
        "for f in $x; do cat $f; done",
    ],
)
def test_a_variable_that_may_be_something_else_is_not_known(line: str, place: Place) -> None:
    found = _walked(line, place)

    assert any(need.least != "allow" for need in found.needs.values())


def test_a_command_with_too_many_words_is_doubted(place: Place) -> None:
    assert _walked("cat " + "x " * MOST_WORDS, place).doubts
    assert not _walked("cat " + "x " * (MOST_WORDS - 1), place).doubts
