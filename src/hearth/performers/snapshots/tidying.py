"""Lets go of states that nobody will go back to any more."""

from pathlib import Path
from typing import Final

from hearth.performers.snapshots.git import Git
from hearth.performers.snapshots.shadow import Shadow

OLDEST: Final = 30 * 24 * 3600.0
"""Seconds for which a state is kept."""
MOST: Final = 500
"""States of one project."""
MANY_FILES: Final = 40
"""So many objects in a sixteenth of a sixteenth of them are too many: they are packed."""
_GRACE: Final = "1.day.ago"
"""What somebody may just be about to use is not removed."""


def expired(
    states: list[tuple[float, str]], now: float, oldest: float = OLDEST, most: int = MOST
) -> tuple[str, ...]:
    """Which of these states, the newest first, are let go of. Never the newest."""
    return tuple(
        tree
        for place, (at, tree) in enumerate(states)
        if place and (place >= most or now - at > oldest)
    )


def forget_old(shadow: Shadow, git: Git, now: float) -> int:
    """Let go of what is too old or too much; how many states that were. GitFailed."""
    old = expired(shadow.states(), now)
    if old:
        shadow.forget(git, old)
    return len(old)


def is_untidy(git: Git) -> bool:
    """Whether so much lies around that it should be packed."""
    sample = git.folder / "objects" / "17"
    packs = git.folder / "objects" / "pack"
    return _count(sample) > MANY_FILES or _count(packs) > 2 * MANY_FILES


def pack(git: Git, grace: str = _GRACE) -> None:
    """Remove what belongs to no state, and put the rest together. GitFailed.

    Others may go on meanwhile, so it needs no lock.
    """
    git.run("gc", "--quiet", "--force", f"--prune={grace}")


def _count(folder: Path) -> int:
    try:
        return sum(1 for _ in folder.iterdir())
    except FileNotFoundError:
        return 0
