"""`hearth ask`: from the start of its process until the provider has its first request."""

import subprocess
from collections.abc import Sequence
from statistics import median
from time import monotonic
from typing import Final

from bench.agents import Setting, speaking
from bench.measuring import Figure, Scale, against_limit, for_information, percentile
from bench.prompting import HEARTH
from tests.providers.script import Reply, Say, Script

FIRST: Final = "hearth ask until the first request, p50"
TAIL: Final = "… p95"
FOLDER: Final = "hearth ask -c until the first request, p50"
NEW: Final = "hearth ask --new until the first request, p50"
COLD: Final = "… of the very first of a daemon"


def measure(scale: Scale) -> list[Figure]:
    """In a project, with a daemon that runs: in the session there is, continued, and a new one."""
    times = scale.of(30, 3)
    with speaking(Script((Reply((Say("Yes."),), repeat=1000),))) as here:
        cold = _asked(here, ())
        same = [_asked(here, ()) for _ in range(times)]
        continued = [_asked(here, ("-c",)) for _ in range(times)]
        new = [_asked(here, ("--new",)) for _ in range(scale.of(6, 2))]  # ten sessions are the most
    return [
        against_limit(FIRST, "ms", [median(same)], 150.0),
        for_information(TAIL, "ms", [percentile(same, 0.95)]),
        against_limit(FOLDER, "ms", [median(continued)], 150.0),
        for_information(NEW, "ms", [median(new)]),
        for_information(COLD, "ms", [cold]),
    ]


def _asked(here: Setting, words: Sequence[str]) -> float:
    """Milliseconds until the request."""
    begun = monotonic()
    subprocess.run(  # noqa: S603 - our own words
        [*HEARTH, "ask", *words, "Is it so?"],
        check=True,
        cwd=here.daemon.project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    (request,) = here.record.new()
    return (request.at - begun) * 1000
