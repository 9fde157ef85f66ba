"""What people read who ask for help."""

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.clients.cli.conftest import Run

from hearth.clients.cli.helping import WIDTH, main_page, page, wrapped
from hearth.clients.cli.verb import Verb
from hearth.clients.cli.words import VERBS


@pytest.mark.promise("SF-CLI-05")
def test_help_explains_the_smart_default_and_the_split(
    run: Run, snapshot: SnapshotAssertion
) -> None:
    done = run("--help")
    assert done.code == 0
    assert done.out == snapshot
    assert "starts one in the background" in " ".join(done.out.split())
    assert "is a client of it" in done.out
    assert "--supervised" in done.out
    assert "--server" not in done.out
    assert run("help").out == run("-h").out == done.out
    assert done.err == ""


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_has_a_page_with_an_example(
    verb: Verb, run: Run, snapshot: SnapshotAssertion
) -> None:
    done = run("help", verb.name)
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot
    assert f"  {verb.examples[0]}" in done.out
    assert all(f"--{flag.name}" in done.out for flag in verb.flags)


def test_a_verb_explains_itself(run: Run) -> None:
    assert run("run", "--help").out == run("help", "run").out


def test_lines_fit_into_a_terminal() -> None:
    for lines in (main_page(), *(page(verb) for verb in VERBS)):
        assert max(map(len, lines)) <= WIDTH + 2


def test_help_about_nothing_says_what_is_near(run: Run) -> None:
    done = run("help", "satus")
    assert done.code == 2
    assert "`status`" in done.err
    assert done.out == ""


def test_text_is_wrapped_between_words() -> None:
    lines = wrapped("word " * 100, 4)
    assert all(line.startswith("    word") for line in lines)
    assert " ".join(" ".join(lines).split()) == ("word " * 100).strip()
