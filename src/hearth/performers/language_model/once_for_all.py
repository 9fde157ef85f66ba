"""Work that several may need at the same time, done once for all of them."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")


class OnceForAll(Generic[_T]):
    """What is under way, by its name."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[_T]] = {}

    async def have(self, name: str, begin: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """What comes of the work with this name, which is begun unless it is under way.

        Whoever stops waiting does not stop it: others wait for it as well.
        """
        task = self._running.get(name)
        if task is None:
            task = asyncio.get_running_loop().create_task(begin())
            self._running[name] = task
            task.add_done_callback(lambda done: self._ended(name, done))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Give up what is under way."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, name: str, done: "asyncio.Task[_T]") -> None:
        self._running.pop(name, None)
        if not done.cancelled():
            done.exception()  # heard, also where nobody waits any more
