"""Fifty tabs that look at one busy session: what that costs the daemon."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from bench.agents import known, send
from bench.daemons import PATIENCE, Daemon, Wire
from bench.dashboards import bare_tab, looking
from bench.listening import RATE, speaker
from bench.measuring import (
    Figure,
    Round,
    Scale,
    against_limit,
    at_least,
    for_information,
    scratch,
)
from bench.nothing import BEATS
from playwright.async_api import expect

from hearth.app import run

COMPUTED: Final = "50 tabs of a busy session: daemon computes"
BEATEN: Final = "50 tabs of a busy session: worst delay"
WHOLE: Final = "50 tabs of a busy session: who saw its end"
SENT: Final = "50 tabs of a busy session: what each is sent"
TABS: Final = 50
REAL: Final = 3
"""So many of them stand in a Chromium."""
PARAGRAPH: Final = 60
DONE: Final = "The answer to this"
"""Named by a session's last event, which comes when all else has come."""


class Shown(NamedTuple):
    """What it took."""

    share: float
    """Of a core."""
    beats: list[float]
    """Milliseconds by which each beat of the daemon's loop was late."""
    whole: int
    sent: float
    """Bytes a second, for each tab."""


def measure(scale: Scale) -> list[Figure]:
    """For half a minute of 200 tokens a second."""
    tokens, tabs = RATE * scale.of(30, 3), scale.of(TABS, 10)
    with (
        scratch() as folder,
        speaker(tokens, PARAGRAPH) as url,
        _beating(folder / "beats") as beats,
        known(folder, url, nothing=True) as daemon,
    ):
        found = run(_shown(daemon, tabs, scale.of(REAL, 1), beats))
    return [
        against_limit(COMPUTED, "cores", [found.share], 1.0),
        against_limit(BEATEN, "ms", [max(found.beats)], 1000.0),
        Figure(WHOLE, "", [Round(found.whole, tabs)], "all", at_least(1.0)),
        for_information(SENT, "KB/s", [found.sent / 1000]),
    ]


@contextmanager
def _beating(file: Path) -> Iterator[Path]:
    """Where a daemon that is started in the block writes how late its beats were."""
    os.environ[BEATS] = str(file)
    try:
        yield file
    finally:
        del os.environ[BEATS]


async def _shown(daemon: Daemon, tabs: int, real: int, beats: Path) -> Shown:
    with Wire(daemon) as wire:
        session = await asyncio.to_thread(wire.session, daemon.project)
        async with looking(daemon) as visitor:
            pages = [await visitor.open(f"/dashboard/s/{session}") for _ in range(real)]
            bare = [await bare_tab(daemon, session, number) for number in range(tabs - real)]
            for tab in bare:
                tab.look_for(DONE.encode())
            before = len(await asyncio.to_thread(_late, beats))
            had = sum(tab.bytes for tab in bare)
            begun, computed = perf_counter(), daemon.computed()
            await asyncio.to_thread(send, wire, session, "What time is it?")
            share = (daemon.computed() - computed) / (seconds := perf_counter() - begun)
            sent = (sum(tab.bytes for tab in bare) - had) / len(bare) / seconds
            late = (await asyncio.to_thread(_late, beats))[before:]
            rename = {"type": "rename_session", "name": DONE}
            await asyncio.to_thread(
                wire.ask, "POST", f"/sessions/{session}/commands", rename, Prefer="wait=60"
            )
            async with asyncio.timeout(PATIENCE):
                for tab in bare:
                    await tab.seen.wait()
            whole = sum(not tab.transport.is_closing() for tab in bare)
            for page in pages:
                await expect(page.locator("#head")).to_contain_text(DONE)
                whole += 1
            for tab in bare:
                tab.transport.abort()
    return Shown(share, late, whole, sent)


def _late(beats: Path) -> list[float]:
    """Of every beat so far, how late it was."""
    return [float(one) for one in beats.read_text("utf-8").splitlines()]
