import os
from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import EXECUTE, READ, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_commands import Shell, command_needs, reads_alike
from hearth.performers.judging.shell.analysis import analyse


def test_a_command_needs_what_it_needs_in_a_shell_and_says_whose_it_is(tmp_path: Path) -> None:
    root = os.path.realpath(tmp_path)
    place = Place(root, root)
    needs = command_needs("cat a; rm a", place, "os.system in Python code")
    in_a_shell = analyse("cat a; rm a", place).needs

    assert [(one.permission, one.target, one.least) for one in needs] == [
        (one.permission, one.target, one.least) for one in in_a_shell
    ]
    assert all(one.why.startswith("os.system in Python code") for one in needs)
    assert {EXECUTE, READ} <= {one.permission for one in needs}
    assert any(one.usual is Verdict.ASK for one in needs)


@pytest.mark.parametrize(
    "command",
    [
        "ls src",
        "git log --oneline -5 | head -3",
        "cat a.txt && wc -l *.py",
        "grep -rn 'x y' src 2>/dev/null",
        'grep "a b" src > /dev/null 2>&1; echo $?',
        "for x in a b; do echo $x; done",
    ],
)
def test_what_every_shell_reads_alike_is_not_doubted(command: str) -> None:
    assert all(reads_alike(command, shell) for shell in Shell)


@pytest.mark.parametrize(
    "command",
    [
        "echo $'\\'; touch pwned #'",
        'echo $"x"',
        "cat {a,b}",
        "cat <(ls)",
        "cat <<< x",
        "ls &> x",
        "ls |& cat",
        "[[ -f a ]]",
        "ls [^a]*",
        "ls >& x",
        "x+=1",
        "ls ~+",
        "ls @(a)",
        "ls ?(a)",
        "(( 1 ))",
        "a=(1 2)",
        "cat <<a\nb\na",
        "echo ${x:0:1}",
        "echo \u00e9",
    ],
)
def test_what_another_shell_may_read_differently_can_only_be_allowed_once(
    command: str, tmp_path: Path
) -> None:
    root = os.path.realpath(tmp_path)

    assert reads_alike(command, Shell.BASH)
    assert not reads_alike(command, Shell.SH)
    needs = command_needs(command, Place(root, root), "why", Shell.SH)
    assert any(one.permission == EXECUTE and one.least is Verdict.ASK for one in needs)


def test_a_backslash_in_quotes_means_different_things_to_shells_that_people_use() -> None:
    assert reads_alike(r"grep 'a\.b' x", Shell.SH)
    assert not reads_alike(r"grep 'a\.b' x", Shell.ANY)
