"""A connection to a server, as the pool sees it; and how one comes to be."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from hearth.performers.mcp_client.definitions import Listed
from hearth.performers.tools.tool import Keep, Outcome, unkept
from hearth.settings.mcp import ServerSpec

STARTING: Final = 60.0
"""Seconds that a server has to begin: a package may have to be fetched first."""


class Unavailable(Exception):
    """A server cannot be used; the text says why, and what would help."""


class NeedsLogin(Unavailable):
    """It wants a person to log in first."""


def _unseen(_text: str) -> None:
    """Nobody looks on."""


@dataclass(frozen=True)
class Call:
    """What is wanted of a server."""

    tool: str
    arguments: Mapping[str, Any]
    timeout: float
    show: Callable[[str], None] = _unseen
    keep: Keep = unkept


class Connection(Protocol):
    """A server that runs, or is reached."""

    ended: asyncio.Event
    """Set when it can no longer be used."""
    changed: asyncio.Event
    """Set when it says that its tools are others now."""

    @property
    def pid(self) -> int:
        """Its process; 0 for one that is reached over the network."""

    @property
    def noise(self) -> int:
        """How many lines it wrote that are no messages."""

    async def tools(self) -> tuple[Listed, ...]:
        """What it offers now. Unavailable."""

    async def call(self, call: Call) -> Outcome:
        """Have it do something. Never raises, but when it is cancelled."""

    async def close(self) -> None:
        """End it, however it resists; bounded."""


Connect: TypeAlias = Callable[[ServerSpec], Awaitable[Connection]]
"""Starts or reaches a server, with all variables filled in. Unavailable."""


async def either(*events: asyncio.Event) -> None:
    """Wait until the first of them is set."""
    waiting = [asyncio.ensure_future(one.wait()) for one in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waiting:
            one.cancel()
