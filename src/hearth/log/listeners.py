"""Who wants to be told of commits, for every store alike."""

import asyncio
from collections.abc import Callable, Sequence

from hearth.core.vocabulary.envelope import Stored
from hearth.log.event_log import CommitListener


class Listeners:
    """Told one after another, in the order in which they came."""

    def __init__(self) -> None:
        self._all: dict[object, CommitListener] = {}

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, listener: CommitListener) -> Callable[[], None]:
        """Returns the way to stop, which may be gone twice."""
        key = object()
        self._all[key] = listener

        def stop() -> None:
            self._all.pop(key, None)

        return stop

    def tell(self, rows: Sequence[Stored]) -> None:
        """Tell of a commit. One's error is reported, and is nobody else's: the append stands."""
        for listener in tuple(self._all.values()):
            try:
                listener(rows)
            except Exception as error:  # noqa: BLE001 - whatever it is, the append stands
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "a commit listener failed", "exception": error}
                )
