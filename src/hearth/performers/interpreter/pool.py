"""Interpreters that are ready before anyone asks: a template per environment, and spares."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final

from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.template import Template, start_template
from hearth.performers.interpreter.worker import Worker

LOOK_EVERY: Final = 30.0

_said = logging.getLogger(__name__)

Make = Callable[[str, Template | None], Awaitable[Worker]]
"""Starts an interpreter of this environment, from the template if there is one. CannotStart."""


class _Environment:
    """What is kept ready of one environment."""

    def __init__(self) -> None:
        self.template: asyncio.Task[Template | None] | None = None
        self.spares: list[Worker] = []
        self.filling: asyncio.Task[None] | None = None
        self.used = time.monotonic()

    @property
    def is_busy(self) -> bool:
        """Whether something is being made."""
        return any(task is not None and not task.done() for task in (self.template, self.filling))


class Pool:
    """Gives interpreters away and makes others in their place."""

    def __init__(self, make: Make, preferences: Preferences) -> None:
        self._make = make
        self._preferences = preferences
        self._environments: dict[str, _Environment] = {}
        self._cleaning: asyncio.Task[None] | None = None
        self._dropping: asyncio.Task[None] | None = None
        self._closed = False

    async def take(self, python: str) -> Worker:
        """An interpreter of this environment: a spare, a fork, or one from nothing. CannotStart."""
        environment = self._environment(python)
        environment.used = time.monotonic()
        worker = self._spare(environment)
        if worker is None:
            worker = await self._make(python, await self._template(python, environment))
        self._fill(python, environment)
        return worker

    async def template(self, python: str) -> Template | None:
        """What interpreters of this environment are forked from; None if there can be none."""
        environment = self._environment(python)
        environment.used = time.monotonic()
        return await self._template(python, environment)

    def warm(self, python: str) -> None:
        """Have a spare of this environment made, so that the first session need not wait."""
        self._fill(python, self._environment(python))

    async def warmed(self, python: str) -> None:
        """Wait until what is being made is made."""
        filling = self._environment(python).filling
        if filling is not None:
            await asyncio.wait({filling})

    async def close(self) -> None:
        """End everything that is not in use."""
        self._closed = True
        if self._cleaning is not None:
            self._cleaning.cancel()
        if self._dropping is not None:
            await self._dropping  # half of it would leave an interpreter behind
        for python in tuple(self._environments):
            await self._drop(python)

    def _environment(self, python: str) -> _Environment:
        if self._cleaning is None and not self._closed:
            self._cleaning = asyncio.get_running_loop().create_task(self._clean())
        return self._environments.setdefault(python, _Environment())

    def _spare(self, environment: _Environment) -> Worker | None:
        while environment.spares:
            worker = environment.spares.pop()
            if not worker.process.is_over:
                return worker
            worker.close()
            worker.folder.remove()
        return None

    async def _template(self, python: str, environment: _Environment) -> Template | None:
        """The template; None if this environment cannot have one, and is started cold."""
        if environment.template is not None and environment.template.done():
            template = environment.template.result()
            if template is not None and not template.is_alive:
                environment.template = None
                await template.close()
        if environment.template is None:
            started = asyncio.get_running_loop().create_task(_start(python))
            environment.template = started
        starting = environment.template
        await asyncio.wait({starting})  # unlike its result, this is not cancelled with it
        return None if starting.cancelled() else starting.result()

    def _fill(self, python: str, environment: _Environment) -> None:
        if self._closed or self._environments.get(python) is not environment:
            return  # nobody would end it
        if environment.filling is not None and not environment.filling.done():
            return
        filling = self._fill_up(python, environment)
        environment.filling = asyncio.get_running_loop().create_task(filling)

    async def _fill_up(self, python: str, environment: _Environment) -> None:
        try:
            template = await self._template(python, environment)
            while template is not None and len(environment.spares) < self._preferences.spares:
                environment.spares.insert(0, await self._make(python, template))
        except (CannotStart, OSError) as trouble:
            # Whoever needs one next will be told; this was only ahead of time.
            _said.warning("no spare interpreter of %s: %s", python, trouble)

    async def _clean(self) -> None:
        while True:
            await asyncio.sleep(min(LOOK_EVERY, self._preferences.idle_template))
            now = time.monotonic()
            for python, environment in tuple(self._environments.items()):
                idle = now - environment.used >= self._preferences.idle_template
                if idle and not environment.is_busy:
                    self._dropping = asyncio.get_running_loop().create_task(self._drop(python))
                    await asyncio.shield(self._dropping)

    async def _drop(self, python: str) -> None:
        environment = self._environments.pop(python)
        if environment.filling is not None:
            environment.filling.cancel()
            await asyncio.gather(environment.filling, return_exceptions=True)
        for worker in environment.spares:
            await worker.end(politely=False)
        if environment.template is not None:
            if not environment.template.done():
                environment.template.cancel()
            found = await asyncio.gather(environment.template, return_exceptions=True)
            if isinstance(found[0], Template):
                await found[0].close()


async def _start(python: str) -> Template | None:
    try:
        return await start_template(python)
    except (CannotStart, OSError) as trouble:
        _said.warning("%s has no template and is started from nothing: %s", python, trouble)
        return None
