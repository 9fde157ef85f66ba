"""What would be said to a command, and why: for people who want to know before an agent asks."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from hearth.core.rules.permission import strictest
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.when_needed import analyse
from hearth.performers.tools.shell.run_shell import RUN_SHELL
from hearth.performers.tools.tool import Scene
from hearth.settings.permissions import PermissionSettings


@dataclass(frozen=True, slots=True)
class Explained:
    """What would become of a command."""

    verdict: Verdict
    judged: tuple[Judged, ...]
    """Each thing that it needs, what is said to it, and by which rule or grant."""
    parse: str
    """The command as it was understood, in lines for people."""
    doubts: tuple[str, ...]
    """What could not be proven."""
    parts: tuple[str, ...] = ()
    """The commands in it, as rules know them."""
    problem: str = ""
    """Why it would not be run, whoever allows it."""


def explain_command(
    command: str,
    scene: Scene,
    settings: PermissionSettings,
    grants: tuple[Grant, ...],
    place: Place,
) -> Explained:
    """What an agent of this scene would be answered, if it had this run. Runs nothing.

    `grants` are those for always and those of the session, as far as they are to count. Waits for
    the disk: for a thread.
    """
    found = analyse(command, place)
    judged = tuple(settings.judged(need, grants) for need in found.needs)
    problem = ""
    if found.broken:
        problem = f"The shell could not read the command: {found.broken}."
    elif not os.path.isdir(scene.directory):  # noqa: PTH112 - text, not a Path
        problem = f"There is no directory {scene.directory} to run it in."
    elif RUN_SHELL in settings.disabled_tools:
        problem = f"{RUN_SHELL} is switched off by settings."
    return Explained(
        verdict=Verdict.DENY if problem else strictest(one.verdict for one in judged),
        judged=judged,
        parse=found.shown,
        doubts=tuple(dict.fromkeys((*found.doubts, *unproven(found.needs)))),
        parts=found.parts,
        problem=problem,
    )


def unproven(needs: tuple[Need, ...]) -> Iterator[str]:
    """Why some of them are asked each time."""
    return (one.why for one in needs if one.least is Verdict.ASK and one.why)
