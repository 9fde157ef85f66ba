"""The pure steps, and whether a long history makes the next one slower."""

from itertools import islice
from statistics import median
from time import perf_counter
from typing import Final

from bench.engines import CELL, engine_on, settled
from bench.histories import ANNA, NOON, facts_of, write_history
from bench.measuring import Figure, Round, Scale, at_most, for_information, scratch, seconds_of

from hearth.app import run
from hearth.core.rules.session import SessionState, decide
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.vocabulary.commands import HardResetSession
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.inputs import Asked

DECIDE: Final = "deciding one command"
FOLD: Final = "folding one event"
HISTORY: Final = "a cell after 100,000 events"
SHORT: Final = SessionId("short")
LONG: Final = SessionId("long")


def measure(scale: Scale) -> list[Figure]:
    """Microseconds of the rules, then cells of two sessions in turn."""
    number = scale.of(20_000, 1000)
    facts = list(islice(facts_of(SHORT), number + 2))  # ends with a session that is ready
    ready = _folded(facts).state
    asked = Asked(InputId("asked"), NOON, ANNA, CELL)
    deciding = [
        seconds_of(lambda: [decide(ready, asked) for _ in range(number)]) / number * 1e6
        for _ in range(scale.rounds)
    ]
    folding = [seconds_of(lambda: _folded(facts)) / len(facts) * 1e6 for _ in range(scale.rounds)]
    return [
        for_information(DECIDE, "µs", deciding),
        for_information(FOLD, "µs", folding),
        Figure(
            HISTORY,
            "ms",
            run(_cells(scale)),
            "after 100 events",
            at_most(1.2),
        ),
    ]


def _folded(facts: list[Fact]) -> SessionFold:
    current = SessionFold(SessionState(SHORT))
    for fact in facts:
        current = fold(current, fact)
    return current


async def _cells(scale: Scale) -> list[Round]:
    """Milliseconds of one cell in the long session, beside those in the short one."""
    with scratch() as folder:
        path = folder / "hearth.db"
        write_history(path, SHORT, 102)
        write_history(path, LONG, scale.of(100_002, 2002))
        async with engine_on(path) as engine:
            for session in (SHORT, LONG):
                await settled(engine, session, HardResetSession())
            rounds = []
            for _ in range(scale.rounds):
                taken: dict[SessionId, list[float]] = {SHORT: [], LONG: []}
                for _ in range(scale.of(200, 5)):
                    for session, times in taken.items():
                        start = perf_counter()
                        await settled(engine, session, CELL)
                        times.append((perf_counter() - start) * 1000)
                rounds.append(Round(median(taken[LONG]), median(taken[SHORT])))
            return rounds
