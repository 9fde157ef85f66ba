"""What a measurement is, how its rounds are judged, and where it takes place."""

import os
import resource
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final, NamedTuple

from hearth.log.filesystem import MOUNTS, filesystem_type

MIB: Final = 1024 * 1024


class Round(NamedTuple):
    """One measurement, and what it is compared to: a peer in the same round, or the limit."""

    measured: float
    peer: float


class Bound(NamedTuple):
    """What the ratio of measured to peer must be."""

    sign: str
    ratio: float

    def holds(self, ratio: float) -> bool:
        """Whether this ratio is good enough."""
        return ratio >= self.ratio if self.sign == "≥" else ratio <= self.ratio


class Figure(NamedTuple):
    """One line of the table. Without a bound it only informs."""

    name: str
    unit: str
    rounds: Sequence[Round]
    peer: str = "limit"
    bound: Bound | None = None

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios: both sides of each saw the same machine."""
        return median(each.measured / each.peer for each in self.rounds)

    @property
    def kept(self) -> bool:
        """Whether the bound, if any, holds."""
        return self.bound is None or self.bound.holds(self.ratio)


class Scale(NamedTuple):
    """How much is measured: in full, or only enough to see that it works."""

    quick: bool = False

    @property
    def rounds(self) -> int:
        """How often what varies is measured; the median counts."""
        return 1 if self.quick else 5

    def of(self, full: int, quick: int) -> int:
        """An amount of work."""
        return quick if self.quick else full


def at_least(ratio: float) -> Bound:
    """No less than so many times the peer."""
    return Bound("≥", ratio)


def at_most(ratio: float) -> Bound:
    """No more than so many times the peer."""
    return Bound("≤", ratio)


def against_limit(name: str, unit: str, measured: Sequence[float], limit: float) -> Figure:
    """A figure that must stay below a fixed limit."""
    return Figure(name, unit, [Round(each, limit) for each in measured], bound=at_most(1.0))


def for_information(name: str, unit: str, measured: Sequence[float]) -> Figure:
    """A figure without a limit; its ratios are those to its own median."""
    middle = median(measured) or 1.0
    return Figure(name, unit, [Round(each, middle) for each in measured], peer="—")


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def seconds_of(work: Callable[[], object]) -> float:
    """How long it takes to do this once."""
    start = perf_counter()
    work()
    return perf_counter() - start


@contextmanager
def scratch() -> Iterator[Path]:
    """A new folder below the current one, so on the disk a person works on; removed at the end."""
    parent = Path.cwd() / "build"
    parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=parent) as folder:
        yield Path(folder)


def disk_type(folder: Path) -> str:
    """The kind of file system, or `unknown`."""
    try:
        return filesystem_type(str(folder.resolve()), MOUNTS.read_text("utf-8")) or "unknown"
    except OSError:
        return "unknown"


def sync_seconds(folder: Path, times: int = 20) -> float:
    """How long the disk takes to make one page durable: the floor under every append."""
    path = folder / "page"
    taken = []
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        for place in range(times):
            start = perf_counter()
            os.pwrite(descriptor, bytes(4096), place * 4096)
            os.fsync(descriptor)
            taken.append(perf_counter() - start)
    finally:
        os.close(descriptor)
        path.unlink()
    return median(taken)


def resident_bytes() -> int:
    """What this process holds in memory now."""
    return _of_status("VmRSS:")


def peak_bytes() -> int:
    """The most this process ever held in memory."""
    return _of_status("VmHWM:")


def cpu_seconds() -> float:
    """What this process, with all its threads, has computed so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def waited_share() -> float:
    """Of the time this thread wanted to compute, the part in which others had the processor."""
    try:
        computed, waited, _ = map(int, Path("/proc/thread-self/schedstat").read_text().split())
    except OSError:
        return 0.0
    return waited / max(1, computed + waited)


def _of_status(field: str) -> int:
    # Not ru_maxrss: it survives exec, so a child would begin with its parent's peak.
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise LookupError(f"{field} is not told here; this is measured on Linux only")
