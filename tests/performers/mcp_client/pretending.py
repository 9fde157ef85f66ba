"""Connections to servers that are not there, and a pool of them, for what only counts."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from hearth.performers.mcp_client.connecting import Call, NeedsLogin, Unavailable
from hearth.performers.mcp_client.definitions import Listed
from hearth.performers.mcp_client.pool import Pool, Ways
from hearth.performers.tools.tool import Outcome
from hearth.settings.mcp import PoolSettings, ServerSpec


class Time:
    """Passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._resting: list[tuple[float, asyncio.Event]] = []

    async def rest(self, seconds: float) -> None:
        over = asyncio.Event()
        self._resting.append((self.now + seconds, over))
        await over.wait()

    def passes(self, seconds: float) -> None:
        self.now += seconds
        for until, over in self._resting:
            if until <= self.now:
                over.set()
        self._resting = [one for one in self._resting if not one[1].is_set()]


@dataclass(eq=False)
class Pretended:
    """What the pool needs of a connection."""

    spec: ServerSpec
    pid: int = 0
    noise: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    is_closed: bool = False
    is_hung: bool = False
    thaws: asyncio.Event = field(default_factory=asyncio.Event)
    listed: int = 0

    async def tools(self) -> tuple[Listed, ...]:
        self.listed += 1
        self.changed.clear()
        if self.is_hung:
            await self.thaws.wait()
        if self.ended.is_set():
            raise Unavailable("it ended")
        return (Listed("echo"),)

    async def call(self, call: Call) -> Outcome:
        if call.tool == "wait":
            await asyncio.Event().wait()
        return Outcome(f"{self.spec.env.get('TOKEN', '')}{call.tool}", self.ended.is_set())

    async def close(self) -> None:
        self.ended.set()
        self.is_closed = True


class Starts:
    """Starts what is not there, and counts."""

    def __init__(self) -> None:
        self.made: list[Pretended] = []
        self.gates: dict[str, asyncio.Event] = {}
        """Those that wait for it before they begin, by name."""
        self.broken: set[str] = set()
        self.needs_login: set[str] = set()

    async def connect(self, spec: ServerSpec) -> Pretended:
        if spec.name in self.gates:
            await self.gates[spec.name].wait()
        if spec.name in self.broken:
            raise Unavailable("it is broken")
        if spec.name in self.needs_login:
            raise NeedsLogin("it needs a login")
        self.made.append(Pretended(spec, len(self.made) + 1))
        return self.made[-1]

    @property
    def alive(self) -> list[Pretended]:
        return [one for one in self.made if not one.is_closed]


class Played:
    """A pool with a clock of its own, and servers that are not there."""

    def __init__(self, **limits: Any) -> None:
        self.clock = Time()
        self.starts = Starts()
        self.limits = PoolSettings(**limits)
        self.pool = Pool(
            Ways(
                connect=self.starts.connect,
                settings=lambda: self.limits,
                pause=self.clock.rest,
                clock=lambda: self.clock.now,
            )
        )

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, and the pool look."""
        self.clock.passes(seconds)
        self.pool.reap()
        await settled()


async def settled() -> None:
    """Let everything go on that can."""
    for _ in range(10):
        await asyncio.sleep(0)
