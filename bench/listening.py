"""A hundred clients that follow what a model writes: how far behind it they are."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic_ns, perf_counter
from typing import Final, NamedTuple, cast
from urllib.parse import urlsplit

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

    def __init__(self, ask: bytes, wanted: int) -> None:
        self._ask = ask
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
        if len(self.late) >= self._wanted:
            return  # the sealed block has them all once more, and others wait for this process
        data = self._rest + data
        end = 0
        for found in _TOKEN.finditer(data):
            end = found.end()
            sent = int(found[1])
            if sent > self._last:
                self._last = sent
                self.late.append((now - sent) / 1e6)
            if len(self.late) >= self._wanted:
                self.full.set()
                return
        self._rest = data[max(end, len(data) - _LONGEST) :]

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
        alone = await _listened(daemon, url, 1, tokens)
        many = await _listened(daemon, url, scale.of(FOLLOWERS, 20), tokens)
    late = [one for listener in many.listeners for one in listener.late]
    slowest = max(percentile(listener.late, 0.99) for listener in many.listeners)
    whole = sum(len(listener.late) == tokens for listener in many.listeners)
    return [
        Figure(WHOLE, "", [Round(whole, len(many.listeners))], "all", at_least(1.0)),
        for_information(MIDDLE, "ms", [percentile(late, 0.5)]),
        against_limit(SLOWEST, "ms", [slowest], 50.0),
        Figure(
            WORST, "ms", [Round(max(late), max(many.direct.late))], "read from the model itself"
        ),
        against_limit(COMPUTED, "cores", [many.share], 0.5),
        Figure(
            ALONE,
            "ms",
            [Round(percentile(alone.listeners[0].late, 0.99), percentile(alone.direct.late, 0.99))],
            "read from the model itself",
        ),
    ]


class Listened(NamedTuple):
    """Those who followed a turn."""

    listeners: list[Listener]
    direct: Listener
    """Who asked the model meanwhile, with nothing in between: what the machine itself takes."""
    share: float
    """How much the daemon computed, in cores."""


async def _listened(daemon: Daemon, url: str, number: int, tokens: int) -> Listened:
    with Wire(daemon) as wire:
        session = wire.session(daemon.project)
        follow = (
            f"GET /sessions/{session}/events HTTP/1.1\r\nHost: 127.0.0.1:{daemon.found.port}\r\n"
            f"Authorization: Bearer {daemon.found.token}\r\nConnection: close\r\n\r\n"
        ).encode()
        listeners = [await _listener(daemon.found.port, follow, tokens) for _ in range(number)]
        port = urlsplit(url).port or 0
        ask = b"POST /v1/messages HTTP/1.1\r\nHost: model\r\nContent-Length: 2\r\n\r\n{}"
        begun, computed = perf_counter(), daemon.computed()
        direct = await _listener(port, ask, tokens)
        await asyncio.to_thread(send, wire, session, "What time is it?")
        share = (daemon.computed() - computed) / (perf_counter() - begun)
        async with asyncio.timeout(PATIENCE):
            for listener in (*listeners, direct):
                await listener.full.wait()
                listener.transport.abort()
    return Listened(listeners, direct, share)


async def _listener(port: int, ask: bytes, tokens: int) -> Listener:
    """A client whose stream has begun."""
    _, listener = await asyncio.get_running_loop().create_connection(
        lambda: Listener(ask, tokens), "127.0.0.1", port
    )
    await listener.open
    return listener


@contextmanager
def speaker(tokens: int, paragraph: int = 0) -> Iterator[str]:
    """The address of a model that says the time; in paragraphs of so many tokens, or in one."""
    words = ["-m", "bench.speaker", "--tokens", str(tokens), "--rate", str(RATE)]
    words += ["--paragraph", str(paragraph)]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and words
        [sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            if process.stdout is None or not (url := process.stdout.readline().strip()):
                raise TypeError("the model ended by itself")
            yield url
        finally:
            process.kill()
