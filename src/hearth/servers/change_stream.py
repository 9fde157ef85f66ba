"""Changes of files as they happen, from a thread that waits for the system to tell them."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

STEP: Final = 10
DEBOUNCE: Final = 50
"""Milliseconds: changes that come together are told together."""
PATIENCE: Final = 1000
"""Milliseconds after which the thread looks whether it is still wanted."""


class ChangeStream:
    """Tells which paths changed in some folders, not below them. Watching begins on entering."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = folders
        self._stop = threading.Event()
        self._changes: asyncio.Queue[frozenset[str] | Exception] = asyncio.Queue()
        self._ready: asyncio.Future[None] | None = None

    async def __aenter__(self) -> Self:
        """Nothing that is saved from now on is missed. OSError, FileNotFoundError."""
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        # Not from the pool of threads that everyone shares: it waits for as long as we watch.
        threading.Thread(target=self._watch, args=(loop,), daemon=True).start()
        await self._ready
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Watch no more."""
        self._stop.set()

    async def next(self) -> frozenset[str]:
        """The paths of the next change. OSError when watching is no longer possible."""
        found = await self._changes.get()
        if isinstance(found, Exception):
            raise OSError(str(found)) from found
        return found

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        # Imported when first used: a daemon whose sessions are bare never needs it.
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - slow to import

        def tell(found: frozenset[str] | Exception) -> None:
            _call(loop, lambda: self._changes.put_nowait(found))

        try:
            notify = RustNotify(list(self._folders), False, False, 300, False, False)  # noqa: FBT003 - takes them by place
        except (OSError, RuntimeError) as error:
            failed = error
            _call(loop, lambda: self._fail(failed))
            return
        _call(loop, self._begun)
        with notify:
            while not self._stop.is_set():
                try:
                    found = notify.watch(DEBOUNCE, STEP, PATIENCE, self._stop)
                except (OSError, RuntimeError) as error:
                    tell(error)
                    return
                if isinstance(found, set):
                    tell(frozenset(path for _, path in found))

    def _begun(self) -> None:
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(None)

    def _fail(self, error: Exception) -> None:
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(OSError(str(error)))


def _call(loop: asyncio.AbstractEventLoop, tell: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(tell)
    except RuntimeError:
        return  # the loop has ended, and with it everyone who could hear
