"""Many followers of one daemon over SSE, and one that never reads."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic, perf_counter, sleep
from typing import Final

from bench.daemons import PATIENCE, Daemon, Wire, daemon
from bench.followers import Follower, follow
from bench.measuring import (
    MIB,
    Figure,
    Round,
    Scale,
    against_limit,
    at_least,
    at_most,
    for_information,
    percentile,
)

from hearth.app import run

WHOLE: Final = "500 followers over SSE: streams that are whole"
LATE: Final = "500 followers over SSE: how late, p99"
COMPUTED: Final = "500 followers over SSE: the daemon computes"
GROWS: Final = "a follower that never reads: the daemon grows"
BESIDE: Final = "a follower that never reads: others late, p99"
FLOWS: Final = "a follower that never reads: what flows"
RESUMED: Final = "a follower that never read: what it had missed"
FOLLOWERS: Final = 500
PER_SECOND: Final = 100
LARGE: Final = 60 * 1024
"""Bytes of text in an event; more would become a blob."""
FLOW: Final = 5e6
"""Bytes a second."""


def measure(scale: Scale) -> list[Figure]:
    """Both, each with a daemon of its own."""
    return [*run(_many(scale)), *run(_silent(scale))]


async def _many(scale: Scale) -> list[Figure]:
    followers, seconds = scale.of(FOLLOWERS, 20), scale.of(60, 2)
    with daemon() as here, Wire(here) as wire:
        session = wire.session(here.project)
        path = f"/sessions/{session}/events"
        # Every tenth looks at the time: enough to know, and this process shares the machine.
        all_of_them = [
            await follow(here, path, watches=place % 10 == 0) for place in range(followers)
        ]
        begun, computed = perf_counter(), here.computed()
        sent = await asyncio.to_thread(_renames, wire, session, seconds)
        async with asyncio.timeout(PATIENCE):
            for follower in all_of_them:
                await follower.until(sent)
        share = (here.computed() - computed) / (perf_counter() - begun)
        whole = sum(one.seen == sent and one.digest == all_of_them[0].digest for one in all_of_them)
        waits = [wait for one in all_of_them for wait in one.waits]
        for follower in all_of_them:
            follower.transport.abort()
    return [
        Figure(WHOLE, "", [Round(whole, followers)], "all", at_least(1.0)),
        against_limit(LATE, "s", [percentile(waits, 0.99)], 1.0),
        against_limit(COMPUTED, "cores", [share], 1.0),
    ]


def _renames(wire: Wire, session: str, seconds: int) -> int:
    """One event each, a hundred a second, from when they are due."""
    begun = monotonic()
    total = seconds * PER_SECOND
    for number in range(total):
        if (early := begun + number / PER_SECOND - monotonic()) > 0:
            sleep(early)
        command = {"type": "rename_session", "name": f"number {number}"}
        wire.ask("POST", f"/sessions/{session}/commands", command)
    return total


async def _silent(scale: Scale) -> list[Figure]:
    seconds = scale.of(120, 3)
    with daemon() as here:
        path = "/events?after=0"
        reader = await follow(here, path, watches=True)
        await asyncio.to_thread(_large, here, 2)
        with silent(here, path) as never_read:
            before = await asyncio.to_thread(here.memory)
            peak, sent = await asyncio.to_thread(_large, here, seconds)
            with Wire(here) as wire:
                last = int(wire.ask("GET", "/sessions")["seq"])
            got = await asyncio.to_thread(_ids_until, never_read, last)
        async with asyncio.timeout(PATIENCE):
            await reader.until(len(got))
        missed = _missed(reader, got)
        reader.transport.abort()
    late = percentile(reader.waits[-sent:], 0.99)
    return [
        against_limit(GROWS, "MiB", [max(peak - before, 0) / MIB], 32.0),
        against_limit(BESIDE, "s", [late], 1.0),
        for_information(FLOWS, "MB/s", [sent * LARGE / seconds / 1e6]),
        Figure(RESUMED, "", [Round(missed + 1, 1)], "nothing", at_most(1.0)),
    ]


def _missed(reader: Follower, got: list[int]) -> int:
    return abs(reader.seen - len(got)) + (len(set(got)) != len(got)) + (sorted(got) != got)


def _large(here: Daemon, seconds: int) -> tuple[int, int]:
    """Events of much text, 5 MB a second; the most memory meanwhile, and how many events."""
    peak = sent = 0
    ended = Event()

    def look() -> None:
        nonlocal peak
        while not ended.wait(0.25):
            peak = max(peak, here.memory())

    looking = Thread(target=look)
    looking.start()
    begun = monotonic()
    with Wire(here) as wire:
        while (now := monotonic()) < begun + seconds:
            if (early := begun + sent * LARGE / FLOW - now) > 0:
                sleep(early)
            noted = {"type": "note_settings", "problems": [f"{sent} {'x' * LARGE}"]}
            wire.ask("POST", "/sessions/daemon-sessions/commands", noted)
            sent += 1
    ended.set()
    looking.join()
    return peak, sent


@contextmanager
def silent(here: Daemon, path: str) -> Iterator[socket.socket]:
    """A connection that has asked for a stream and reads nothing."""
    with socket.create_connection(("127.0.0.1", here.found.port), PATIENCE) as connection:
        connection.sendall(
            (
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{here.found.port}\r\n"
                f"Authorization: Bearer {here.found.token}\r\n\r\n"
            ).encode()
        )
        yield connection


def _ids_until(connection: socket.socket, last: int) -> list[int]:
    """The ids of all that waited for it, up to the last one; 0 is where the stream begins."""
    ids: list[int] = []
    rest = b""
    while not ids or ids[-1] < last:
        data = connection.recv(1 << 20)
        if not data:
            raise ConnectionError("it was closed on the way")
        *lines, rest = (rest + data).split(b"\n")
        ids += [seq for line in lines if line.startswith(b"id:") and (seq := int(line[3:]))]
    return ids
