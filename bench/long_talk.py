"""A conversation of 50,000 blocks beside one of 50: what a step costs, and what is held for it."""

from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final, NamedTuple

from bench.agents import NOTHING, Record, calling, gaps, known, send
from bench.daemons import Daemon, Wire
from bench.measuring import (
    MIB,
    Figure,
    Round,
    Scale,
    against_limit,
    at_most,
    for_information,
    scratch,
)
from bench.talks import PER_TURN, write_talk
from tests.providers.process import provider_process
from tests.providers.script import Script

from hearth.core.vocabulary.ids import SessionId

STEP: Final = "a step behind 50,000 blocks"
SEEN: Final = "the view of such a conversation"
HELD: Final = "memory that the long one takes more"
GROWN: Final = "memory that its steps take"
OPENED: Final = "start of a daemon with it, replayed"
BLOCKS: Final = 50_000
STEPS: Final = 40
TALK: Final = SessionId("session-talk")


class Held(NamedTuple):
    """A daemon with one conversation."""

    daemon: Daemon
    wire: Wire
    started: float
    """Milliseconds until it answered."""
    memory: int
    """Of its process after the first turn."""


def measure(scale: Scale) -> list[Figure]:
    """Two daemons, each with one conversation, that take turns with the same provider."""
    steps, rounds = scale.of(STEPS, 10), scale.of(7, 2)
    turns = [range(turn * steps, (turn + 1) * steps) for turn in range(2 * (rounds + 1))]
    replies = [reply for turn in turns for reply in calling(NOTHING, turn)]
    waits, looks = [], []
    with scratch() as folder, ExitStack() as stack:
        url = stack.enter_context(provider_process("anthropic", Script(tuple(replies)), folder))
        record = Record(folder)
        short = _held(stack, folder / "short", url, PER_TURN)
        long = _held(stack, folder / "long", url, scale.of(BLOCKS, 2000))
        record.new()
        for _ in range(rounds):
            theirs, ours = (_turn(record, one) for one in (short, long))
            waits.append(Round(median(ours), median(theirs)))
            theirs_seen, ours_seen = _look(short), _look(long)
            looks.append(Round(ours_seen, theirs_seen))
        grown = [one.daemon.memory() - one.memory for one in (short, long)]
    return [
        Figure(STEP, "ms", waits, "behind 50", at_most(1.2)),
        Figure(SEEN, "ms", looks, "of 50"),
        against_limit(HELD, "MiB", [max(0, long.memory - short.memory) / MIB], 32.0),
        against_limit(GROWN, "MiB", [max(0, grown[1] - grown[0]) / MIB], 8.0),
        for_information(OPENED, "ms", [long.started]),
    ]


def _held(stack: ExitStack, folder: Path, url: str, blocks: int) -> Held:
    project = folder / "project"
    project.mkdir(parents=True)
    store = folder / "home" / "data" / "hearth.db"
    store.parent.mkdir(parents=True)
    write_talk(store, TALK, project, blocks)
    begun = perf_counter()
    daemon = stack.enter_context(known(folder, url, nothing=True))
    started = (perf_counter() - begun) * 1000
    wire = stack.enter_context(Wire(daemon))
    send(wire, TALK, "go on")  # imports, the first connection, what was said so far
    return Held(daemon, wire, started, daemon.memory())


def _turn(record: Record, held: Held) -> list[float]:
    send(held.wire, TALK, "go on")
    return gaps(record.new())[1:]


def _look(held: Held) -> float:
    """Milliseconds until the conversation is shown."""
    begun = perf_counter()
    held.wire.ask("GET", f"/sessions/{TALK}/views/conversation")
    return (perf_counter() - begun) * 1000
