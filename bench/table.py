"""Runs the parts, each in a process of its own, prints one table, and judges."""

import argparse
import os
import platform
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from statistics import median
from time import perf_counter
from typing import Final

from bench.measuring import Figure, Scale, disk_type, scratch, sync_seconds, waited_share

PARTS: Final = {
    "append": "bench.appending",
    "acknowledge": "bench.acknowledging",
    "replay": "bench.replaying",
    "follow": "bench.following",
    "idle": "bench.idling",
    "step": "bench.stepping",
    "start": "bench.starting",
    "ready": "bench.warming",
    "cell": "bench.running",
    "ask": "bench.asking",
    "interrupt": "bench.interrupting",
    "reload": "bench.reloading",
    "leave": "bench.leaving",
    "flood": "bench.flooding",
    "branch": "bench.branching",
    "undo": "bench.undoing",
    "command": "bench.prompting",
    "http": "bench.reaching",
    "stream": "bench.streaming",
    "rest": "bench.resting",
    "turn": "bench.turning",
    "prompt": "bench.beginning",
    "cache": "bench.caching",
    "tokens": "bench.listening",
    "long_talk": "bench.long_talk",
    "verdict": "bench.verdicts",
    "sandbox": "bench.containing",
    "grep": "bench.searching",
    "diagnose": "bench.diagnosing",
    "mcp": "bench.speaking_mcp",
    "bridge": "bench.bridging",
    "pool": "bench.pooling",
    "page": "bench.dashboard_page",
    "screen": "bench.dashboard_screen",
    "day": "bench.dashboard_day",
    "tabs": "bench.dashboard_tabs",
}
IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
NOTICEABLE: Final = 0.1
WIDTHS: Final = (46, 20, 26, 24, 8)


def main(arguments: Sequence[str]) -> int:
    """0 when every limit was kept, 1 when one was missed."""
    parser = argparse.ArgumentParser(prog="bench/run.py", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="see that it works; judge nothing")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; parts are: {', '.join(PARTS)}")
    scale = Scale(chosen.quick)
    start = perf_counter()
    _print_machine()
    _print_row("what", "measured", "against", "ratio", "verdict")
    missed: list[str] = []
    starved: list[str] = []
    for part in chosen.parts or PARTS:
        figures, waited = _measured(PARTS[part], scale)
        for figure in figures:
            _print_figure(figure, scale)
        missed += [figure.name for figure in figures if not figure.kept]
        starved += [f"{part} {waited:.0%}"] if waited > NOTICEABLE else []
    print(f"\n{perf_counter() - start:.0f} s; load at the end {os.getloadavg()[0]:.2f}")
    if starved:
        print(f"others had the processor while we wanted it: {', '.join(starved)} of the time")
    if scale.quick:
        print("a quick run: too short to be judged")
        return 0
    print(f"missed: {'; '.join(missed)}" if missed else "every limit was kept")
    return 1 if missed else 0


def _measured(module: str, scale: Scale) -> tuple[list[Figure], float]:
    """In a new process: what one part leaves in memory is not another one's figure."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(measure_part, module, scale).result()


def measure_part(module: str, scale: Scale) -> tuple[list[Figure], float]:
    """The figures of one part, and how much the rest of the machine was in its way."""
    figures: list[Figure] = import_module(module).measure(scale)
    return figures, waited_share()


def _print_machine() -> None:
    with scratch() as folder:
        kind, sync = disk_type(folder), sync_seconds(folder)
    print(
        f"{platform.python_implementation()} {platform.python_version()},"
        f" SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores,"
        f" load {os.getloadavg()[0]:.2f}, disk {kind}, one sync {sync * 1000:.2f} ms"
    )
    if kind in IN_MEMORY:
        print(f"warning: {kind} is no disk; run this from a folder on one")
    print()


def _print_figure(figure: Figure, scale: Scale) -> None:
    measured = _number(median(each.measured for each in figure.rounds))
    peer = _number(median(each.peer for each in figure.rounds))
    ratios = sorted(each.measured / each.peer for each in figure.rounds)
    spread = f" ({ratios[0]:.2f}-{ratios[-1]:.2f})" if len(ratios) > 1 else ""
    bound, verdict = "", ""
    if figure.bound is not None:
        bound = f" {figure.bound.sign} {figure.bound.ratio:g}"
        verdict = "PASS" if figure.kept else "MISS"
    _print_row(
        figure.name,
        f"{measured} {figure.unit}",
        f"{figure.peer} {peer}" if figure.bound else figure.peer,
        f"{figure.ratio:.2f}{bound}{spread}",
        "quick" if scale.quick and verdict else verdict,
    )


def _print_row(*cells: str) -> None:
    padded = (cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))
    print("  ".join(padded).rstrip(), flush=True)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
