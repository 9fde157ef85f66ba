"""What the sandbox costs: a command in it beside the same command without it."""

import subprocess
from time import perf_counter
from typing import Final

from bench.measuring import Figure, Scale, against_limit, for_information, percentile, scratch

from hearth.performers.sandbox.bubblewrap import Sandbox

COST: Final = "what the sandbox adds to `true`, p50"
PLAIN: Final = "`true` without it, p50"
LIMIT: Final = 30.0


def measure(scale: Scale) -> list[Figure]:
    """In turns, so that both saw the same machine."""
    with scratch() as folder:
        sandbox = Sandbox()
        standing = sandbox.probed()
        if not standing.is_on:
            print(f"no sandbox here: {standing.why}")
            return []
        plain, added = [], []
        for _ in range(scale.rounds):
            without, within = [], []
            for _ in range(scale.of(40, 3)):
                without.append(_milliseconds(("true",), str(folder)))
                start = perf_counter()
                argv = sandbox.wrapped(("true",), directory=str(folder), root=str(folder))
                made = (perf_counter() - start) * 1e3
                within.append(made + _milliseconds(argv, str(folder)))
            plain.append(percentile(without, 0.5))
            added.append(percentile(within, 0.5) - plain[-1])
    return [against_limit(COST, "ms", added, LIMIT), for_information(PLAIN, "ms", plain)]


def _milliseconds(argv: tuple[str, ...], folder: str) -> float:
    start = perf_counter()
    subprocess.run(argv, cwd=folder, check=True)  # noqa: S603 - `true`, contained or not
    return (perf_counter() - start) * 1e3
