"""What a call of a file tool wants, and what of it was allowed."""

from collections.abc import Callable
from typing import TypeAlias

from hearth.core.vocabulary.permitting import WRITE, Need, Verdict
from hearth.performers.judging.paths import Place, at_home, path_needs, resolved
from hearth.performers.tools.files.opening import NotOpened, shown
from hearth.performers.tools.tool import Scene, Wanted

PlaceOf: TypeAlias = Callable[[Scene], Place]
"""Where a scene is, with what is closed and open there. Asked in a thread."""
Judge: TypeAlias = Callable[[Scene, Need], Verdict]
"""What the rules say to something that a tool comes across while it runs. Asked in a thread."""


def usual(_scene: Scene, need: Need) -> Verdict:
    """What holds without any rules."""
    return max(need.usual, need.least)  # the words for verdicts sort as they are strict


def wanted(typed: str, permission: str, place: Place) -> Wanted:
    """What using a path takes."""
    needs = path_needs(at_home(typed), permission, place)
    if not any(need.resolved for need in needs if need.permission == permission):
        why = next((need.why for need in needs if need.why), "nobody can say what it leads to")
        return Wanted(needs, problem=f"{shown(typed)} cannot be used: {why}.")
    return Wanted(needs, may_change=permission == WRITE)


def allowed_path(typed: str, permission: str, scene: Scene, place: Place) -> str:
    """The canonical path to act on. NotOpened unless exactly this was allowed."""
    path = resolved(at_home(typed), place)
    if path is None:
        raise NotOpened(f"{shown(typed)} cannot be used: nobody can say what it leads to.")
    if not any(need.resolved == path for need in scene.needs if need.permission == permission):
        raise NotOpened(
            f"{shown(typed)} changed since it was allowed: it is now {shown(path)}. "
            "Nothing was done; call again to have this one judged."
        )
    return path


def below(path: str, top: str) -> bool:
    """Whether a canonical path is this folder or in it."""
    return path == top or path.startswith("/" if top == "/" else f"{top}/")
