"""The page of a session with a long history beside that of one with a short one."""

import asyncio
import gzip
import http.client
import re
from contextlib import closing
from time import perf_counter
from typing import Final, NamedTuple

from bench.agents import known
from bench.daemons import PATIENCE, Daemon
from bench.dashboard_histories import write_life
from bench.dashboards import looking
from bench.measuring import (
    Figure,
    Round,
    Scale,
    against_limit,
    at_most,
    for_information,
    scratch,
)
from tests.journeys.browsing import until

from hearth.app import run
from hearth.core.vocabulary.ids import SessionId

PAINTED: Final = "first paint after 100,000 events"
NEWEST: Final = "the newest item visible after 100,000 events"
FIRST: Final = "its page in a daemon that just started"
WEIGHT: Final = "weight of a page, packed, without images"
EVENTS: Final = 100_000
LINGER: Final = 5.5
"""Seconds after which the daemon has let go of what nobody looks at."""
LONG: Final = SessionId("session-long")
SHORT: Final = SessionId("session-short")
_ASSET: Final = re.compile(r"/dashboard/assets/[\w.-]+")
WATCH: Final = """
(() => {
  const look = () => {
    const all = document.getElementById("timeline");
    const last = all && document.readyState !== "loading" ? all.lastElementChild : null;
    if (last) {
      const here = last.getBoundingClientRect();
      const room = document.getElementById("scroll").getBoundingClientRect();
      if (here.bottom <= room.bottom + 1 && here.bottom > room.top) {
        requestAnimationFrame(() => { self.newestSeen = performance.now(); });
        return;
      }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""
SEEN: Final = """() => {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return paint && self.newestSeen ? [paint.startTime, self.newestSeen] : null;
}"""


class Opened(NamedTuple):
    """Milliseconds from asking for a page."""

    painted: float
    newest: float


def measure(scale: Scale) -> list[Figure]:
    """Two sessions of one daemon, looked at in turn by browsers that know nothing yet."""
    with scratch() as folder:
        project = folder / "project"
        store = folder / "home" / "data" / "hearth.db"
        for one in (project, store.parent):
            one.mkdir(parents=True)
        write_life(store, SHORT, project, 100)
        write_life(store, LONG, project, scale.of(EVENTS, 1500))
        with known(folder, "http://127.0.0.1:9") as daemon:
            first = _asked(daemon)
            weight = _weight(daemon, LONG)
            rounds = run(_rounds(daemon, scale))
    painted = [Round(ours.painted, theirs.painted) for ours, theirs in rounds]
    newest = [Round(ours.newest, theirs.newest) for ours, theirs in rounds]
    return [
        Figure(PAINTED, "ms", painted, "after 100", at_most(1.2)),
        Figure(NEWEST, "ms", newest, "after 100", at_most(1.2)),
        for_information(FIRST, "ms", [first]),
        against_limit(WEIGHT, "KB", [weight / 1000], 300.0),
    ]


async def _rounds(daemon: Daemon, scale: Scale) -> list[tuple[Opened, Opened]]:
    rounds = []
    await _opened(daemon, SHORT)  # whatever Chromium does only once
    for number in range(scale.of(9, 1)):
        await asyncio.sleep(scale.of(1, 0) * LINGER)
        # Each is the first in every second round.
        order = (SHORT, LONG) if number % 2 else (LONG, SHORT)
        took = {session: await _opened(daemon, session) for session in order}
        rounds.append((took[LONG], took[SHORT]))
    return rounds


async def _opened(daemon: Daemon, session: SessionId) -> Opened:
    """By a browser with an empty cache."""
    async with looking(daemon) as visitor:
        await visitor.context.add_init_script(WATCH)
        page = await visitor.open(f"/dashboard/s/{session}")
        painted, newest = await until(page, SEEN)
    return Opened(painted, newest)


def _asked(daemon: Daemon) -> float:
    """Milliseconds for the page of a session that nobody has looked at."""
    begun = perf_counter()
    _got(daemon, f"/dashboard/s/{LONG}")
    return (perf_counter() - begun) * 1000


def _weight(daemon: Daemon, session: SessionId) -> int:
    """Bytes of a page and of all that it names, as they are sent, with their heads."""
    page, size, _ = _got(daemon, f"/dashboard/s/{session}")
    for path in sorted(set(_ASSET.findall(page))):
        _, bytes_, kind = _got(daemon, path)
        if not kind.startswith("image/"):
            size += bytes_
    return size


def _got(daemon: Daemon, path: str) -> tuple[str, int, str]:
    """What is there, how many bytes were sent for it, and of which kind it is."""
    connection = http.client.HTTPConnection("127.0.0.1", daemon.found.port, timeout=PATIENCE)
    told = {"Authorization": f"Bearer {daemon.found.token}", "Accept-Encoding": "gzip"}
    with closing(connection):
        connection.request("GET", path, headers=told)
        answer = connection.getresponse()
        body = answer.read()
    if answer.status != http.HTTPStatus.OK:
        raise TypeError(f"{path}: {answer.status} {body[:500]!r}")
    heads = sum(len(name) + len(value) + 4 for name, value in answer.getheaders())
    packed = answer.getheader("Content-Encoding") == "gzip"
    text = (gzip.decompress(body) if packed else body).decode(errors="replace")
    return text, heads + len(body), answer.getheader("Content-Type", "")
