"""What a model writes, until it is on the screen; and how long the page is busy with it."""

import asyncio
from time import monotonic_ns, time_ns
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
from bench.agents import known, send
from bench.daemons import Daemon, Wire
from bench.dashboards import looking
from bench.listening import RATE, Listener, speaker
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
from playwright.async_api import CDPSession
from tests.journeys.browsing import until

from hearth.app import run

SHOWN: Final = "a token until it is on the screen, p95"
MIDDLE: Final = "a token until it is on the screen, p50"
ITSELF: Final = "… until a client has it from the model, p95"
WHOLE: Final = "200 tokens/s: those that were on the screen"
BLOCKED: Final = "200 tokens/s: the page's longest task"
COMPUTED: Final = "… without what others took of the processor"
BUSY: Final = "200 tokens/s: the page computes"
PARAGRAPH: Final = 60
"""Tokens of one."""
WATCH: Final = """() => {
  const seen = [];
  const busy = [0];
  let last = 0;
  let due = false;
  const look = () => {
    due = false;
    const now = Date.now();
    for (const item of Array.from(document.getElementById("timeline").children).slice(-3)) {
      for (const [, said] of item.textContent.slice(-16384).matchAll(/@(\\d+)@/g)) {
        const sent = Number(said);
        if (sent > last) { last = sent; seen.push([sent, now]); }
      }
    }
  };
  new MutationObserver(() => {
    if (!due) { due = true; requestAnimationFrame(look); }
  }).observe(document.getElementById("scroll"), {
    subtree: true, childList: true, characterData: true,
  });
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) busy.push(one.duration);
  }).observe({ type: "longtask" });
  self.measured = { seen, busy };
}"""


class Said(msgspec.Struct):
    """Of what a browser tells of an event: the name of a thread."""

    name: object = ""


class Event(msgspec.Struct):
    """Something that a browser did."""

    name: str
    pid: int
    tid: int
    tdur: float = 0.0
    """Microseconds that its thread computed."""
    args: Said = msgspec.field(default_factory=Said)


class Trace(msgspec.Struct):
    """What a browser did."""

    traceEvents: list[Event]  # noqa: N815 - Chromium calls it so


_traces = msgspec.json.Decoder(Trace)


class Watched(NamedTuple):
    """One turn, as a page showed it."""

    late: list[float]
    """Milliseconds of each token."""
    longest: float
    """Milliseconds, by the clock on the wall: so long the page answered nothing."""
    computed: float
    """Milliseconds that the task computed which did so most."""
    share: float
    """How much the page's thread was at work."""
    direct: list[float]
    """The same tokens' milliseconds to a client of the model."""


def measure(scale: Scale) -> list[Figure]:
    """For half a minute, in answers that are short enough to be shown whole."""
    tokens, turns = RATE * scale.of(15, 3), scale.of(2, 1)
    with scratch() as folder, speaker(tokens, PARAGRAPH) as url, known(folder, url) as daemon:
        found = run(_watched(daemon, url, tokens, turns))
    return [
        against_limit(SHOWN, "ms", [percentile(found.late, 0.95)], 150.0),
        for_information(MIDDLE, "ms", [percentile(found.late, 0.5)]),
        for_information(ITSELF, "ms", [percentile(found.direct, 0.95)]),
        Figure(WHOLE, "", [Round(len(found.late), turns * tokens)], "all", at_least(1.0)),
        against_limit(BLOCKED, "ms", [found.longest], 100.0),
        for_information(COMPUTED, "ms", [found.computed]),
        for_information(BUSY, "cores", [found.share]),
    ]


async def _watched(daemon: Daemon, url: str, tokens: int, turns: int) -> Watched:
    with Wire(daemon) as wire:
        session = await asyncio.to_thread(wire.session, daemon.project)
        async with looking(daemon) as visitor:
            page = await visitor.open(f"/dashboard/s/{session}")
            browser = visitor.context.browser
            if browser is None:
                raise TypeError("nobody can say what this browser does")
            tool = await page.context.new_cdp_session(page)
            await tool.send("Performance.enable")
            await page.evaluate(WATCH)
            # Both clocks are this machine's: a page knows only the one on the wall.
            wall = time_ns() - monotonic_ns()
            direct: list[float] = []
            await browser.start_tracing(page=page, categories=["toplevel"])
            busy, begun = await _busy(tool), monotonic_ns()
            for turn in range(1, turns + 1):
                beside = await _direct(url, tokens)
                await asyncio.to_thread(send, wire, session, "What time is it?")
                await until(page, f"() => self.measured.seen.length >= {turn * tokens}")
                beside.transport.abort()
                direct += beside.late
            share = (await _busy(tool) - busy) * 1e9 / (monotonic_ns() - begun)
            # Before anything is read out of the page: that is a long task of our own.
            computed = _most_computed(await browser.stop_tracing())
            found = await page.evaluate("() => self.measured")
    late = [shown - (sent + wall) / 1e6 for sent, shown in found["seen"]]
    return Watched(late, max(found["busy"]), computed, share, direct)


async def _busy(tool: CDPSession) -> float:
    """Seconds that the page's thread has been at work."""
    said = await tool.send("Performance.getMetrics")
    return next(float(one["value"]) for one in said["metrics"] if one["name"] == "TaskDuration")


def _most_computed(trace: bytes) -> float:
    """Milliseconds of the task that computed most, on the main thread of the page."""
    events = _traces.decode(trace).traceEvents
    mains = {(one.pid, one.tid) for one in events if one.args.name == "CrRendererMain"}
    tasks = [one for one in events if (one.pid, one.tid) in mains and one.name.endswith("RunTask")]
    if not tasks:
        raise TypeError("the browser did not say what it did")
    return max(one.tdur for one in tasks) / 1000


async def _direct(url: str, tokens: int) -> Listener:
    """Somebody who asks the model for the same, with nothing in between."""
    ask = b"POST /v1/messages HTTP/1.1\r\nHost: model\r\nContent-Length: 2\r\n\r\n{}"
    port = urlsplit(url).port or 0
    _, listener = await asyncio.get_running_loop().create_connection(
        lambda: Listener(ask, tokens), "127.0.0.1", port
    )
    return listener
