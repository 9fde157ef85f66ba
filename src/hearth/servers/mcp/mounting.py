"""The protocol's place in the HTTP door: nothing of it is loaded before somebody asks.

What speaks the protocol takes a second to import and as much memory as the daemon itself, so it is
fetched in a thread by the first request, while all other routes answer.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any, Final, Protocol, TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

from hearth.servers.http.answers import Trouble, troubled
from hearth.servers.http.around import Around
from hearth.servers.http.routing import Key
from hearth.servers.http.streams.channels import Channels
from hearth.servers.mcp.operations import OPERATIONS

SPEAKING: Final = "hearth.servers.mcp.speaking"
ENDING: Final = 2.0
"""Seconds within which everything of it ends with the door."""

_said = logging.getLogger(__name__)


class Speaking(Protocol):
    """What answers, once it is loaded."""

    def open(self) -> AbstractAsyncContextManager[None]:
        """Work for as long as this is entered; in one task."""

    def end_streams(self) -> None:
        """End what goes on for as long as somebody listens; they may come again."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""


Loaded: TypeAlias = Callable[[Around], Speaking]


def load() -> Loaded:
    """Import it; for a thread."""
    speaking: Any = import_module(SPEAKING)
    loaded: Loaded = speaking.Speaking
    return loaded


class Mounting:
    """The routes of the protocol."""

    def __init__(
        self, around: Around, channels: Channels, loading: Callable[[], Loaded] = load
    ) -> None:
        self._around = around
        self._loading = loading
        self._speaking: Speaking | None = None
        self._ready: asyncio.Future[Speaking] | None = None
        self._task: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        channels.end_too(self._end_streams)

    def apps(self) -> dict[Key, ASGIApp]:
        """What answers which route."""
        return {(one.method, one.path): self.answer for one in OPERATIONS}

    @property
    def is_loaded(self) -> bool:
        """Whether somebody asked before."""
        return self._speaking is not None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; the first one waits until everything is there."""
        speaking = self._speaking
        if speaking is None:
            try:
                speaking = await self._loaded()
            except Exception as error:  # noqa: BLE001 - whatever is broken, the door is not
                _said.exception("the Model Context Protocol cannot be served")
                await troubled(_not_loaded(error))(scope, receive, send)
                return
        if self._over.is_set():
            what = Trouble(503, "shutting_down", "the daemon is on its way out")
            await troubled(what)(scope, receive, send)
            return
        await speaking(scope, receive, send)

    async def close(self) -> None:
        """End streams, then all the rest, within bounds."""
        self._over.set()
        self._end_streams()
        if self._task is None:
            return
        _, late = await asyncio.wait({self._task}, timeout=ENDING)
        for task in late:
            _said.warning("what speaks the Model Context Protocol did not end within %g s", ENDING)
            task.cancel()
            await asyncio.wait({task}, timeout=ENDING)

    async def _loaded(self) -> Speaking:
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._live(self._ready))
        return await asyncio.shield(self._ready)

    async def _live(self, ready: asyncio.Future[Speaking]) -> None:
        """From its loading to the end of the door, in one task, as the protocol's library wants."""
        try:
            loaded = await asyncio.to_thread(self._loading)
            speaking = loaded(self._around)
            async with speaking.open():
                self._speaking = speaking
                ready.set_result(speaking)
                await self._over.wait()
        except Exception as error:
            if ready.done():
                raise
            # Whoever comes next tries again.
            self._ready = None
            ready.set_exception(error)
        finally:
            self._speaking = None

    def _end_streams(self) -> None:
        if self._speaking is not None:
            self._speaking.end_streams()


def _not_loaded(error: Exception) -> Trouble:
    what = f"the Model Context Protocol cannot be served: {error}"
    return Trouble(
        503, "not_served", what, "logs/daemon.log tells more; reinstall hearth if need be"
    )
