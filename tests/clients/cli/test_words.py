"""The table of verbs and flags holds together."""

import shlex
from importlib import import_module
from pathlib import Path

import pytest

from hearth.clients.cli.flags import VERSION
from hearth.clients.cli.parsing import parse
from hearth.clients.cli.troubles import MEANINGS
from hearth.clients.cli.verb import Verb
from hearth.clients.cli.words import ALONE, EVERYWHERE, VERBS, verb_named

ALL = (ALONE, *VERBS)
GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "command-line.md"


def test_every_verb_is_found_by_its_name() -> None:
    assert len({verb.name for verb in ALL}) == len(ALL)
    assert all(verb_named(verb.name) is verb for verb in VERBS)
    assert verb_named("") is None
    assert verb_named("server") is None


@pytest.mark.parametrize("verb", [verb for verb in ALL if verb.room], ids=lambda verb: verb.name)
def test_every_verb_has_a_room_that_carries_it_out(verb: Verb) -> None:
    assert callable(import_module(f"hearth.clients.cli.{verb.room}").carry_out)


@pytest.mark.parametrize("verb", ALL, ids=lambda verb: verb.name)
def test_every_example_can_be_understood(verb: Verb) -> None:
    assert verb.examples
    for example in verb.examples:
        command = example.partition("$(")[2].partition(")")[0] or example
        words = shlex.split(command.partition(">")[0].partition("<")[0])
        assert words[0] == "hearth"
        if verb.room:
            assert parse(words[1:]).verb is verb


def test_a_flag_means_the_same_everywhere() -> None:
    """The parser looks for the verb before it knows whose flags stand in front of it."""
    values: dict[str, bool] = {}
    for verb in ALL:
        spelled = [f"--{flag.name}" for flag in verb.flags]
        spelled += [f"-{flag.short}" for flag in verb.flags if flag.short]
        assert len(set(spelled)) == len(spelled)
        for flag in (*verb.flags, *EVERYWHERE, VERSION):
            assert values.setdefault(f"--{flag.name}", bool(flag.takes)) == bool(flag.takes)
            if flag.short:
                assert values.setdefault(f"-{flag.short}", bool(flag.takes)) == bool(flag.takes)


@pytest.mark.promise("SF-CLI-06")
def test_all_promised_flags_and_verbs_are_there_and_no_internal_one_is() -> None:
    names = {flag.name for flag in ALONE.flags}
    assert {"session", "proj", "bare", "no-watch", "idle-timeout", "supervised"} <= names
    assert "server" not in {flag.name for verb in ALL for flag in verb.flags}
    assert {"stop-session", "log", "config", "doctor", "token", "open"} <= {v.name for v in VERBS}
    log = verb_named("log")
    assert log is not None
    assert {"backup", "export", "import", "prune", "check"} <= set(log.choices)
    quiet = {"connect", "completion", "demo", "help"}
    speak_json = {verb.name for verb in ALL if any(flag.name == "json" for flag in verb.flags)}
    assert speak_json == {verb.name for verb in ALL} - quiet


def test_the_guide_tells_of_every_verb_flag_and_exit_code() -> None:
    text = GUIDE.read_text("utf-8")
    assert [verb.name for verb in VERBS if f"`hearth {verb.name}" not in text] == []
    flags = {flag.name for verb in ALL for flag in (*verb.flags, *EVERYWHERE, VERSION)}
    assert sorted(name for name in flags if f"`--{name}" not in text) == []
    assert [code for code in MEANINGS if f"\n| {code} | " not in text] == []
