"""Commands are found by name, by beginning, and nearly."""

import pytest

from hearth.clients.repl.commands import (
    VERBS,
    NotUnderstood,
    Said,
    completed,
    help_text,
    is_command,
    understood,
)


def test_only_what_begins_with_a_dot_or_a_colon_is_a_command() -> None:
    assert is_command(".who")
    assert is_command(":who")
    assert is_command(".")
    assert not is_command(".5 + x")
    assert not is_command("...")
    assert not is_command("> .who")
    assert is_command("  .who")
    assert not is_command("x[1:2]")
    assert not is_command("1+1")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (".who", Said("who")),
        (".wh", Said("who")),
        (".switch loom", Said("switch", "loom")),
        (".check x = 1", Said("check", "x = 1")),
        (".check", Said("check")),
        (".res", Said("reset")),
        (".hard-reset", Said("hard-reset")),
        (".q", Said("quit")),
        (":who", Said("who")),
        (".session", Said("session")),
        (".sessions", Said("sessions")),
        (".exit", Said("quit")),
        (".exi", Said("quit")),
        (".qui", Said("quit")),
        (".edit b5 new  words", Said("edit", "b5 new  words")),
        (".?", Said("help")),
    ],
)
def test_what_is_typed_is_understood(typed: str, meant: Said) -> None:
    assert understood(typed) == meant


def test_an_unknown_command_is_told_with_what_is_near() -> None:
    assert understood(".swich x") == NotUnderstood(
        "there is no command .swich", "did you mean .switch?"
    )
    assert understood(".xyzzy") == NotUnderstood(
        "there is no command .xyzzy", ".help lists the commands"
    )
    assert isinstance(understood(":"), NotUnderstood)


def test_a_beginning_that_several_have_is_answered_with_them() -> None:
    assert understood(".re") == NotUnderstood(
        ".re could be several",
        "say .regenerate, .reject, .rewind, .redo, .reset, .replay or .rename",
    )
    assert understood(".e b5 x") == NotUnderstood(".e could be several", "say .edit or .exit")


def test_every_beginning_that_only_one_has_is_enough() -> None:
    names = [*(verb.name for verb in VERBS), "exit"]
    for name in names:
        for length in range(1, len(name) + 1):
            begun = name[:length]
            if [one.startswith(begun) for one in names].count(True) == 1:
                said = understood(f".{begun} x y")
                assert said == understood(f".{name} x y"), begun


def test_what_is_missing_or_too_much_is_told() -> None:
    assert understood(".switch") == NotUnderstood(
        ".switch needs to know which", "say .switch WHERE"
    )
    assert understood(".who now") == NotUnderstood(".who takes nothing", "say .who")


def test_commands_are_completed() -> None:
    assert [name for name, _ in completed(".re")] == [
        "regenerate",
        "reject",
        "rewind",
        "redo",
        "reset",
        "replay",
        "rename",
    ]
    assert len(completed(".")) == len(VERBS)
    assert completed(".zz") == []


def test_the_help_names_every_command() -> None:
    shown = help_text()
    assert all(f".{verb.name}" in shown for verb in VERBS)
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize("typed", [".role", ".agent x", ".rag", ".exit agent"])
def test_what_is_not_there_yet_is_said_with_what_is(typed: str) -> None:
    said = understood(typed)
    assert isinstance(said, NotUnderstood)
    assert said.what.endswith("is not there yet")
    assert said.hint


def test_a_command_that_takes_two_needs_both() -> None:
    assert understood(".edit b4") == NotUnderstood(
        ".edit needs to know more", "say .edit BLOCK TEXT"
    )
    assert understood(".edit b4 other") == Said("edit", "b4 other")


def test_lines_behind_a_command_keep_their_indentation() -> None:
    assert understood(".try\n    x = 1\n    x\n") == Said("try", "    x = 1\n    x")
    assert understood(".try \n\n  x") == Said("try", "  x")
    assert understood(":try  x --- y ") == Said("try", "x --- y")
