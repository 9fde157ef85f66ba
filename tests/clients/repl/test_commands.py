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


def test_only_what_begins_with_a_colon_is_a_command() -> None:
    assert is_command(":who")
    assert is_command("  :who")
    assert not is_command("x[1:2]")
    assert not is_command("1+1")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (":who", Said("who")),
        (":wh", Said("who")),
        (":switch loom", Said("switch", "loom")),
        (":check x = 1", Said("check", "x = 1")),
        (":check", Said("check")),
        (":res", Said("reset")),
        (":hard-reset", Said("hard-reset")),
        (":q", Said("quit")),
        (":?", Said("help")),
    ],
)
def test_what_is_typed_is_understood(typed: str, meant: Said) -> None:
    assert understood(typed) == meant


def test_an_unknown_command_is_told_with_what_is_near() -> None:
    assert understood(":swich x") == NotUnderstood(
        "there is no command :swich", "did you mean :switch?"
    )
    assert understood(":xyzzy") == NotUnderstood(
        "there is no command :xyzzy", ":help lists the commands"
    )
    assert isinstance(understood(":re"), NotUnderstood)
    assert isinstance(understood(":"), NotUnderstood)


def test_what_is_missing_or_too_much_is_told() -> None:
    assert understood(":switch") == NotUnderstood(":switch needs to know which", "say :switch NAME")
    assert understood(":who now") == NotUnderstood(":who takes nothing", "say :who")


def test_commands_are_completed() -> None:
    assert [name for name, _ in completed(":re")] == ["reset", "replay", "rename"]
    assert len(completed(":")) == len(VERBS)
    assert completed(":zz") == []


def test_the_help_names_every_command() -> None:
    shown = help_text()
    assert all(f":{verb.name}" in shown for verb in VERBS)
    assert max(map(len, shown.splitlines())) <= 100
