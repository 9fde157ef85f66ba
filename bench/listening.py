"""A hundred clients that follow what a model writes: how far behind it they are."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic_ns, perf_counter
from typing import Final, cast

from bench.agents import known, send
from bench.daemons import PATIENCE, Daemon, Wire
from bench.measuring import (
    Figure,
    Round,
    Scale,
    against_limit,
    at_least,
    for_information,
    percentile,
    scratch,
)
from tests.providers.process import ROOT

from hearth.app import run

WHOLE: Final = "100 followers of a model: who got every token"
MIDDLE: Final = "200 tokens/s to 100 followers: behind, p50"
SLOWEST: Final = "… the slowest follower, p99"
WORST: Final = "… the latest token of all"
COMPUTED: Final = "200 tokens/s to 100 followers: daemon computes"
ALONE: Final = "200 tokens/s to one follower: behind, p99"
FOLLOWERS: Final = 100
RATE: Final = 200
_TOKEN: Final = re.compile(rb"@(\d+)@")
_LONGEST: Final = 32
"""Bytes of a token, and a little more."""


class Listener(asyncio.Protocol):
    """One client; keeps how late each token was."""

    def __init__(self, daemon: Daemon, session: str, wanted: int) -> None:
        self._ask = (
            f"GET /sessions/{session}/events HTTP/1.1\r\nHost: 127.0.0.1:{daemon.found.port}\r\n"
            f"Authorization: Bearer {daemon.found.token}\r\nConnection: close\r\n\r\n"
        ).encode()
        self._wanted = wanted
        self._rest = b""
        self._last = 0
        self.late: list[float] = []
        """Milliseconds."""
        self.open = asyncio.get_running_loop().create_future()
        self.full = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._ask)

    def data_received(self, data: bytes) -> None:
        """Look at the time of every token. However the stream is cut, tokens are found in it."""
        now = monotonic_ns()
        if not self.open.done():
            self.open.set_result(None)
        data = self._rest + data
        end = 0
        for found in _TOKEN.finditer(data):
            end = found.end()
            sent = int(found[1])
            if sent > self._last:  # the sealed block has them all once more
                self._last = sent
                self.late.append((now - sent) / 1e6)
        self._rest = data[max(end, len(data) - _LONGEST) :]
        if len(self.late) >= self._wanted:
            self.full.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever waits need not wait any longer."""
        del exc
        self.full.set()


def measure(scale: Scale) -> list[Figure]:
    """For half a minute: a hundred at once, and before that one alone."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    tokens = RATE * scale.of(30, 3)
    with scratch() as folder, speaker(tokens) as url, known(folder, url) as daemon:
        alone, _ = await _listened(daemon, 1, tokens)
        many, share = await _listened(daemon, scale.of(FOLLOWERS, 20), tokens)
    late = [one for listener in many for one in listener.late]
    slowest = max(percentile(listener.late, 0.99) for listener in many)
    whole = sum(len(listener.late) == tokens for listener in many)
    return [
        Figure(WHOLE, "", [Round(whole, len(many))], "all", at_least(1.0)),
        for_information(MIDDLE, "ms", [percentile(late, 0.5)]),
        against_limit(SLOWEST, "ms", [slowest], 50.0),
        for_information(WORST, "ms", [max(late)]),
        against_limit(COMPUTED, "cores", [share], 0.5),
        for_information(ALONE, "ms", [percentile(alone[0].late, 0.99)]),
    ]


async def _listened(daemon: Daemon, number: int, tokens: int) -> tuple[list[Listener], float]:
    """Those who followed a turn, and how much the daemon computed meanwhile."""
    loop = asyncio.get_running_loop()
    with Wire(daemon) as wire:
        session = wire.session(daemon.project)
        listeners = []
        for _ in range(number):
            _, listener = await loop.create_connection(
                lambda: Listener(daemon, session, tokens), "127.0.0.1", daemon.found.port
            )
            await listener.open
            listeners.append(listener)
        begun, computed = perf_counter(), daemon.computed()
        await asyncio.to_thread(send, wire, session, "What time is it?")
        share = (daemon.computed() - computed) / (perf_counter() - begun)
        async with asyncio.timeout(PATIENCE):
            for listener in listeners:
                await listener.full.wait()
                listener.transport.abort()
    return listeners, share


@contextmanager
def speaker(tokens: int) -> Iterator[str]:
    """The address of a model that says the time."""
    words = ["-m", "bench.speaker", "--tokens", str(tokens), "--rate", str(RATE)]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and words
        [sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            if process.stdout is None or not (url := process.stdout.readline().strip()):
                raise TypeError("the model ended by itself")
            yield url
        finally:
            process.kill()
