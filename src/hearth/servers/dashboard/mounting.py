"""The dashboard's place in the HTTP door: nothing of it is loaded before somebody looks.

What draws pages takes a while to import, so it is fetched in a thread by the first request.
"""

import asyncio
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

from hearth.servers.dashboard.operations import OPERATIONS
from hearth.servers.http.answers import Trouble
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined
from hearth.servers.http.routing import Key, app_of
from hearth.servers.http.streams.channels import Channels

ANSWERING: Final = "hearth.servers.dashboard.answering"


class Mounting:
    """The routes of the dashboard."""

    def __init__(self, around: Around, channels: Channels) -> None:
        self._around = around
        self._channels = channels
        self._answering: Any = None
        self._apps: dict[Key, ASGIApp] = {}
        self._loading = asyncio.Lock()
        self._is_closed = False

    def apps(self) -> dict[Key, ASGIApp]:
        """What answers which route."""
        return {(one.method, one.path): self._app((one.method, one.path)) for one in OPERATIONS}

    @property
    def is_loaded(self) -> bool:
        """Whether somebody looked before."""
        return self._answering is not None

    async def close(self) -> None:
        """End what goes on, and let nothing begin."""
        async with self._loading:
            self._is_closed = True
        if self._answering is not None:
            await self._answering.close()

    def _app(self, key: Key) -> ASGIApp:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            if self._answering is None:
                await self._load()
            await self._apps[key](scope, receive, send)

        return app

    async def _load(self) -> None:
        async with self._loading:
            if self._answering is not None:
                return
            if self._is_closed:
                raise Declined(Trouble(503, "shutting_down", "the daemon is ending"))
            answering: Any = await asyncio.to_thread(_loaded)
            made = answering.Answering(self._around, self._channels)
            self._apps = {key: app_of(one) for key, one in made.endpoints().items()}
            self._answering = made


def _loaded() -> ModuleType:
    """What answers, and the files that pages are made of."""
    answering = import_module(ANSWERING)
    answering.assets()
    return answering
