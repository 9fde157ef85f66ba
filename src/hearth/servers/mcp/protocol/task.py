"""One task: how it stands, what it asks its client, and how it is shown.

`Tasks` makes it, keeps it and says how it ended; the work tells and asks through it.
"""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

from mcp_types import ErrorData, InputRequest

POLL: Final = 1000
"""Milliseconds between two looks that a client is advised to take."""
LONGEST_MESSAGE: Final = 300

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]


class Task:
    """One task. Changed by `Tasks` and by the work itself."""

    def __init__(self, principal: str, now: datetime, changed: Callable[["Task"], None]) -> None:
        self.id = secrets.token_urlsafe(24)
        self.principal = principal
        self.status: Status = "working"
        self.message = ""
        self.created = now
        self.updated = now
        self.ended: datetime | None = None
        self.result: dict[str, Any] | None = None
        self.error: ErrorData | None = None
        self.size = 0
        self._asked: dict[str, tuple[InputRequest, asyncio.Future[Any]]] = {}
        self._keys: set[str] = set()
        self._changed = changed

    @property
    def is_over(self) -> bool:
        """Whether nothing can become of it any more."""
        return self.ended is not None

    # -- for the work -------------------------------------------------------------------------

    def tell(self, message: str) -> None:
        """So far it is."""
        if not self.is_over:
            self.message = message[:LONGEST_MESSAGE]
            self._changed(self)

    async def ask(self, requests: Mapping[str, InputRequest]) -> Mapping[str, Any]:
        """Wait until the client has answered all of these; its answers as they came."""
        loop = asyncio.get_running_loop()
        names: dict[str, str] = {}
        for key, request in requests.items():
            # A key is never used again: a late answer would be taken for that of another question.
            name, n = key, 1
            while name in self._keys:
                n += 1
                name = f"{key}-{n}"
            self._keys.add(name)
            names[key] = name
            self._asked[name] = (request, loop.create_future())
        self.status = "input_required"
        self._changed(self)
        try:
            return {key: await self._asked[name][1] for key, name in names.items()}
        finally:
            for name in names.values():
                self._asked.pop(name, None)
            if not self.is_over and not self._open():
                self.status = "working"
                self._changed(self)

    # -- for the client -----------------------------------------------------------------------

    def answer(self, responses: Mapping[str, Any]) -> None:
        """What the client answered; what nobody asked for is let go."""
        for name, said in responses.items():
            asked = self._asked.get(name)
            if asked is not None and not asked[1].done():
                asked[1].set_result(said)
        if self.status == "input_required" and not self._open():
            self.status = "working"
        self._changed(self)

    def _open(self) -> dict[str, InputRequest]:
        return {name: one for name, (one, answer) in self._asked.items() if not answer.done()}

    def seen(self, kept: float, now: datetime) -> dict[str, Any]:
        """The task as a client sees it, without what belongs to its status alone."""
        until = (self.ended or now).timestamp() + kept
        shown: dict[str, Any] = {
            "taskId": self.id,
            "status": self.status,
            "createdAt": _at(self.created),
            "lastUpdatedAt": _at(self.updated),
            # From its creation; a task that still works is always kept for so long from now on.
            "ttlMs": int((until - self.created.timestamp()) * 1000),
            "pollIntervalMs": POLL,
        }
        if self.message:
            shown["statusMessage"] = self.message
        return shown

    def detailed(self, kept: float, now: datetime) -> dict[str, Any]:
        """The task with what belongs to its status: result, error or what is asked."""
        shown = self.seen(kept, now)
        if self.status == "input_required":
            shown["inputRequests"] = {
                name: one.model_dump(mode="json", by_alias=True, exclude_none=True)
                for name, one in self._open().items()
            }
        if self.status == "completed":
            shown["result"] = self.result
        if self.status == "failed" and self.error is not None:
            shown["error"] = self.error.model_dump(mode="json", by_alias=True, exclude_none=True)
        return shown


def _at(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
