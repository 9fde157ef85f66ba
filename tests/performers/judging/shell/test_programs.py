import subprocess
from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.programs import PROGRAMS, only_edits, only_prints
from hearth.performers.judging.shell.proving import Argument, Call, Reads, Unproven


def _reads(name: str, *texts: str) -> Reads:
    words = tuple(Argument(text, text) for text in texts)
    return PROGRAMS[name](Call(name, words, Place("/p", "/p")))


@pytest.mark.parametrize(
    "script",
    [
        "p", "1,5p", "$d", "/a/d", "/[0-9]/,/b/p", "s/a/b/g", "s|a|b|", "s/[^/]//", "5q", "n;d",
        "/x/{s/a/b/;p}", "1!d", "s/a\\/b/c/2p", "$!N", "/a/I,+3p", "0~3d", "\n p \n", "s#a#b#gI",
    ],
)  # fmt: skip
def test_programs_for_sed_that_only_edit_are_known(script: str) -> None:
    assert only_edits(script) is (script != "s/[^/]//")


@pytest.mark.parametrize(
    "script",
    [
        "w x", "1w x", "s/a/b/w x", "s/a/b/e", "e", "1e ls", "r x", "R x", "W x",
        "p;w x", "{p;w x}",
        "{p}w x", "s/a/b/;w x", "s/a\nb/c/", "a\\\nw x", "y/a/b/", "s/a/b", "s/a/b/gw x", "}", "{p",
        "p w x", "s/[/]x/w x/", "#n\nw x", ":a;w x", "\\,a,w x", "s\\a\\b\\", "F;ex", "s/a/b/ w x",
    ],
)  # fmt: skip
def test_programs_for_sed_that_do_more_are_not(script: str) -> None:
    assert not only_edits(script)


def test_what_is_known_to_only_edit_runs_and_writes_nothing(tmp_path: Path) -> None:
    """With --sandbox sed refuses programs that do."""
    for script in ("1,5p", "/x/{s/a/b/;p}", "/[0-9]/,/b/p", "s|a|b|", "$!N", "s/[a-z]*/x/g"):
        assert only_edits(script)
        done = subprocess.run(  # noqa: S603 - a line of this test
            ["sed", "--sandbox", script],  # noqa: S607 - the sed that is there
            cwd=tmp_path,
            input=b"a\n",
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "{print $1}", "NR==1", "$3 > 100", '$1 == "a" || $2 >= 3', "{s+=$1} END {print s}",
        '{print "a > b | c"}', "/foo/ {print}",
    ],
)  # fmt: skip
def test_programs_for_awk_that_only_print_are_known(program: str) -> None:
    assert only_prints(program)


@pytest.mark.parametrize(
    "program",
    [
        'BEGIN{system("x")}', '{print > "x"}', '{print | "x"}', '"x" | getline',
        "{getline < $1}",
        '@load "x"', "BEGIN{ARGV[1]=1}", '/"/ {print > "x"} /"/', '# "\n{print > "x"}',
        "{sys\\\ntem}",
        "{print $1 > 2}", "{print ($1) > (2)}", "{(1){print > 2}}", "} print > 2 {",
        "1 > 2 {print > 3}", 'BEGIN{printf "x" >> "y"}', "{print}" * 1000,
    ],
)  # fmt: skip
def test_programs_for_awk_that_may_do_more_are_not(program: str) -> None:
    assert not only_prints(program)


def test_files_are_read_and_programs_are_not() -> None:
    assert _reads("sed", "-n", "p", "a").paths == ("a",)
    assert _reads("sed", "-e", "p", "a").paths == ("a",)
    assert _reads("awk", "-F,", "{print}", "a", "x=1") == Reads(("a",), perhaps=("x=1",))
    assert _reads("jq", "--rawfile", "n", "f", ".", "a").paths == ("f", "a")
    assert _reads("jq", "--arg", "n", "f", ".").paths == ()


@pytest.mark.parametrize(
    "words",
    [
        ("sed", "-i", "p", "a"),
        ("sed", "-f", "x"),
        ("awk", "-f", "x"),
        ("awk",),
        ("awk", "{print}", "-f", "x"),
        ("jq", "-f", "x"),
        ("jq", 'include "x"; .'),
        ("jq", "-L", "x", "."),
    ],
)
def test_what_does_more_is_not_proven(words: tuple[str, ...]) -> None:
    with pytest.raises(Unproven):
        _reads(*words)
