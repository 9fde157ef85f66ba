"""When a request to a model is made again, and when we give up."""

from typing import Final

from hearth.core.vocabulary.modelling import Trouble

FLOOR: Final = 1.0
CAP: Final = 60.0
LONGEST_WISH: Final = 600.0
"""A provider that asks to wait longer is not waited for."""

AGAIN: Final = frozenset(
    {
        Trouble.OVERLOADED,
        Trouble.RATE_LIMITED,
        Trouble.SERVER,
        Trouble.NETWORK,
        Trouble.SILENT,
        Trouble.MALFORMED,
        Trouble.UNREADABLE,
    }
)
"""What may be gone the next time. Everything else stays as it is, however often it is tried."""

PATIENT: Final = frozenset({Trouble.UNREADABLE})
"""No fault of the provider's: the turn goes on when our own store is back, however late that is."""


def pause(
    trouble: Trouble, failed: int, most: int, retry_after: float | None = None
) -> float | None:
    """Seconds until the next attempt, after so many failed; None: there is none."""
    if trouble not in AGAIN or (failed > most and trouble not in PATIENT):
        return None
    wished = retry_after or 0.0
    if wished > LONGEST_WISH:
        return None
    return max(wished, min(CAP, FLOOR * 2.0 ** min(failed - 1, 16)))
