"""Flags that several verbs have are the same everywhere."""

from hearth.clients.cli import flags
from hearth.clients.cli.verb import Flag
from hearth.clients.cli.words import ALONE, VERBS


def test_every_shared_flag_is_used_by_several_verbs() -> None:
    shared = [one for one in vars(flags).values() if isinstance(one, Flag)]
    assert shared
    for flag in shared:
        if flag not in {flags.HELP, flags.VERSION, flags.NO_START, flags.PLAIN}:
            assert sum(flag in verb.flags for verb in (ALONE, *VERBS)) > 1, flag.name
