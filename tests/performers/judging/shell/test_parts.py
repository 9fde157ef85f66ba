from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import EXECUTE, NETWORK, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.findings import Findings
from hearth.performers.judging.shell.parts import Asked, check_assignment, judge, named
from hearth.performers.judging.shell.proving import Argument


def _words(*texts: str | None) -> tuple[Argument, ...]:
    return tuple(Argument(text or "$x", text) for text in texts)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(str(tmp_path), str(tmp_path))


def _verdicts(found: Findings) -> dict[str, tuple[Verdict, Verdict]]:
    return {
        need.target: (need.usual, need.least)
        for need in found.needs.values()
        if need.permission == EXECUTE
    }


def test_a_command_that_is_known_to_only_read_is_allowed(place: Place) -> None:
    found = Findings()
    judge(Asked(_words("cat", "a"), place), found)

    assert _verdicts(found) == {"cat a": (Verdict.ALLOW, Verdict.ALLOW)}
    assert found.reads_only


def test_one_of_which_nothing_is_known_asks_and_can_be_granted(place: Place) -> None:
    found = Findings()
    judge(Asked(_words("frob", "a"), place), found)

    assert _verdicts(found) == {"frob a": (Verdict.ASK, Verdict.ALLOW)}


def test_one_with_words_that_nobody_knows_cannot_be_granted(place: Place) -> None:
    for words in (("frob", None), (None, "a"), ("cat", None)):
        found = Findings()
        judge(Asked(_words(*words), place), found)
        assert {least for _, least in _verdicts(found).values()} == {Verdict.ASK}


def test_lines_within_commands_are_handed_back(place: Place) -> None:
    nested = judge(Asked(_words("timeout", "5", "bash", "-c", "ls"), place), Findings())

    assert [(one.script, one.wrapped) for one in nested] == [("ls", 2)]


def test_commands_that_run_one_another_too_deep_are_doubted(place: Place) -> None:
    found = Findings()
    judge(Asked(_words(*["nice"] * 6, "ls"), place), found)

    assert found.doubts


def test_options_before_the_subcommand_of_git_cannot_be_granted(place: Place) -> None:
    found = Findings()
    judge(Asked(_words("git", "-c", "a=b", "log"), place), found)

    assert _verdicts(found) == {"git -c a=b log": (Verdict.ASK, Verdict.ASK)}


def test_whom_a_command_talks_to_is_a_need_of_its_own(place: Place) -> None:
    found = Findings()
    judge(Asked(_words("curl", "https://a.example/x"), place), found)
    judge(Asked(_words("nc"), place), found)

    network = [need for need in found.needs.values() if need.permission == NETWORK]
    assert [(need.target, need.least) for need in network] == [
        ("a.example", Verdict.ALLOW),
        ("*", Verdict.ASK),
    ]


def test_a_variable_that_changes_what_runs_is_doubted() -> None:
    found = Findings()
    check_assignment("x", None, found)
    assert not found.doubts
    check_assignment("PATH", ".", found)
    assert found.doubts


def test_words_that_are_not_plain_are_named_in_quotes() -> None:
    assert named((Argument("'a b'", "a b"), Argument('"$x"', None))) == ("'a b'", '"$x"')
