"""A cell while it runs: what the kernel must remember of it until its reply."""

import asyncio
import contextvars
import threading
import time
from typing import Any

from .streams import Account


class RunningCell:
    """One execute request, from its first line to its last."""

    def __init__(self, parent: dict[str, Any], account: Account | None = None) -> None:
        told = parent.get("metadata", {}).get("hearth")
        self.told: dict[str, Any] | None = told if isinstance(told, dict) else None
        self.request: str = parent.get("header", {}).get("msg_id", "")
        self.account = account
        self.statements = 0
        self.began = time.perf_counter()
        self.bound: set[str] = set()
        self.heard = False
        """The main thread has noticed an interrupt since it began."""
        self.interrupted = False
        """An interrupt came while none of the cell's own code ran."""
        self.loop: asyncio.AbstractEventLoop | None = None
        self.task: asyncio.Task[Any] | None = None
        self.given_up: asyncio.Future[None] | None = None
        self.cancelled = False
        self.over = threading.Event()
        self.reloaded: dict[str, Any] | None = None
        """What was loaded anew before it ran."""
        self.copied: dict[str, Any] | None = None
        """What came of the copy that was to be made before it ran."""

    @property
    def script(self) -> str | None:
        """The file that this code was read from."""
        return (self.told or {}).get("script") or None

    @property
    def output_limit(self) -> int | None:
        """How many bytes it may print."""
        limit = (self.told or {}).get("output_limit")
        return limit if isinstance(limit, int) else None

    @property
    def reload(self) -> bool:
        """Whether saved sources are loaded anew before it runs."""
        return bool((self.told or {}).get("reload"))

    @property
    def copy(self) -> Any:
        """The name under which the session is copied before it runs; None if it is not."""
        return (self.told or {}).get("copy")

    @property
    def ahead(self) -> bool:
        """Whether a copy for the next cell is made once this one has ended."""
        return bool((self.told or {}).get("ahead"))

    def may_ask(self, *, allowed: bool) -> bool:
        """Whether a person can answer it; clients other than hearth say it in their own way."""
        return allowed if self.told is None else bool(self.told.get("may_ask"))


CURRENT: contextvars.ContextVar[RunningCell | None] = contextvars.ContextVar("cell", default=None)
"""The cell that runs in this task, and in tasks that it made."""
