"""One client that hears of changes: what it wants to hear of, and what is still to be said to it.

What changes again before it was said is said once: so what waits for a client is bounded by what it
asked for, however slowly it reads.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal

from mcp_types import (
    Notification,
    NotificationParams,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    ToolListChangedNotification,
)
from pydantic import ConfigDict

PAUSE: Final = 0.1
"""Seconds between two things that are said to one client."""

Lists = Literal["tools", "prompts", "resources"]
LISTS: Final = {
    "tools": ToolListChangedNotification,
    "prompts": PromptListChangedNotification,
    "resources": ResourceListChangedNotification,
}


class TaskParams(NotificationParams):
    """A task, whole, as `tasks/get` shows it."""

    model_config = ConfigDict(extra="allow")


class TaskNotification(Notification[TaskParams, Literal["notifications/tasks"]]):
    """A task is not as it was."""

    method: Literal["notifications/tasks"] = "notifications/tasks"
    params: TaskParams


class Listener:
    """One client that hears: what it wants to hear of, and what is still to be said to it."""

    def __init__(self, principal: str) -> None:
        self.principal = principal
        self.lists: set[str] = set()
        self.uris: set[str] = set()
        self.tasks: set[str] = set()
        self.waiting: dict[tuple[str, str], dict[str, Any]] = {}
        self.over = False
        self._woken = asyncio.Event()

    def say(self, kind: str, name: str, what: dict[str, Any] | None = None) -> None:
        """Say this next; of what was not said yet only the newest counts."""
        self.waiting[kind, name] = what or {}
        self._woken.set()

    def end(self) -> None:
        """Say what is left, and nothing more."""
        self.over = True
        self._woken.set()

    async def speak(self, send: Callable[[Any], Awaitable[None]], meta: dict[str, Any]) -> None:
        """Say everything, as fast as it is heard but not faster than is useful."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            while self.waiting:
                key = next(iter(self.waiting))
                await send(_notification(*key, self.waiting.pop(key), meta))
            if self.over:
                return
            await asyncio.sleep(PAUSE)


def _notification(kind: str, name: str, what: dict[str, Any], meta: dict[str, Any]) -> Any:
    about = meta or None
    if kind == "resource":
        return ResourceUpdatedNotification(
            params=ResourceUpdatedNotificationParams(uri=name, _meta=about)
        )
    if kind == "list":
        return LISTS[name](params=NotificationParams(_meta=about))
    return TaskNotification(params=TaskParams.model_validate({**what, "_meta": about}))
