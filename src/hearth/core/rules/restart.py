"""When a lost interpreter is replaced, and when we give up."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from hearth.core.vocabulary.reports import Exit

FIRST_DELAY: Final = 1.0
LONGEST_DELAY: Final = 30.0
BUDGET: Final = 5
"""So many crashes in a row, then the session stays faulted until someone resets it."""
STABLE_AFTER: Final = timedelta(seconds=60)
"""An interpreter that was ready for this long starts a new count when it crashes."""


class Restart(NamedTuple):
    """The decision to try again: the how-manieth attempt (0 is not counted), after how long."""

    attempt: int
    delay: float


def next_restart(
    history: Sequence[datetime], ready_since: datetime | None, now: datetime, how: Exit
) -> Restart | None:
    """What to do about an interpreter that ended now; None means: leave it.

    A process that went away while no daemon watched, or that we killed because nothing else
    stopped its cell, is replaced at once and not held against the code; one that ended itself
    cleanly is left; a crash costs one attempt of the budget.
    """
    if how in {Exit.VANISHED, Exit.KILLED}:
        return Restart(0, 0.0)
    if how is Exit.CLEAN:
        return None
    # A long warm-up is no sign of health: one that always dies in it would be tried for ever.
    stable = ready_since is not None and now - ready_since > STABLE_AFTER
    attempt = 1 if stable else len(history) + 1
    if attempt > BUDGET:
        return None
    return Restart(attempt, min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1)))
