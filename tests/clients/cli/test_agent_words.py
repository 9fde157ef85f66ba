"""The verbs about agents are in the table of all verbs, behind `run`."""

from hearth.clients.cli.agent_words import AGENT_VERBS
from hearth.clients.cli.words import VERBS


def test_they_are_where_people_look_for_them() -> None:
    names = [verb.name for verb in VERBS]
    place = names.index("run") + 1
    assert VERBS[place : place + len(AGENT_VERBS)] == AGENT_VERBS
    assert [verb.name for verb in AGENT_VERBS] == [
        "ask",
        "approvals",
        "approve",
        "reject",
        "tasks",
        "rewind",
        "permissions",
    ]


def test_what_is_allowed_for_always_cannot_be_confirmed_in_advance() -> None:
    [approve] = [verb for verb in AGENT_VERBS if verb.name == "approve"]
    flags = {flag.name: flag for flag in approve.flags}
    assert "yes" not in flags
    assert flags["pattern"].many
