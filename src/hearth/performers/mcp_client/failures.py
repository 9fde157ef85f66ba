"""Servers that did not begin: why, and for how long they are not tried again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hearth.performers.mcp_client.connecting import NeedsLogin, Unavailable

BACK_OFF: Final = (2.0, 10.0, 60.0)
"""Seconds for which a server that did not begin is not tried again, each time a longer while."""
MOST_FAILURES: Final = 500


@dataclass(frozen=True)
class _Failure:
    count: int
    """How many times in a row."""
    until: float
    """When it may be tried again."""
    why: str


class Failures:
    """What did not begin the last time, by its digest. Of too many the oldest are forgotten."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: dict[str, _Failure] = {}

    def why(self, key: str) -> str:
        """Why a server did not begin the last time; "" if it did."""
        return self._known[key].why if key in self._known else ""

    def check(self, key: str) -> None:
        """Unavailable, for one that failed so lately that it is not tried again yet."""
        known = self._known.get(key)
        if known is not None and self._clock() < known.until:
            raise Unavailable(f"{known.why} (it is tried again later)")

    def note(self, key: str, error: Unavailable) -> None:
        """Remember why; who waits for a person to log in is soon tried again."""
        before = self._known.pop(key, None)
        count = 1 if before is None else before.count + 1
        wait = BACK_OFF[0 if isinstance(error, NeedsLogin) else min(count, len(BACK_OFF)) - 1]
        self._known[key] = _Failure(count, self._clock() + wait, str(error))
        if len(self._known) > MOST_FAILURES:
            del self._known[next(iter(self._known))]

    def forget(self, key: str) -> None:
        """It has begun, or somebody wants it to be tried at once."""
        self._known.pop(key, None)
