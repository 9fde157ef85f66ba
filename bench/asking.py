"""Questions while a cell runs: how long a person waits for completions, and for a check."""

from time import perf_counter
from typing import Final

from bench.living import LOOP, SLEEP, Living, at_work, living
from bench.measuring import Figure, Scale, against_limit, for_information, percentile

from hearth.app import run
from hearth.core.vocabulary.commands import CheckCode, Command, CompleteCode
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.questions import CompletionsReturned, DiagnosticsChecked

TAIL: Final = "completion while {} runs, p95"
WARM: Final = "completion while {} runs, warm, p50"
FIRST: Final = "… the first of a session"
CHECK: Final = "check while a cell runs, warm, p50"
COMPLETE: Final = CompleteCode("import os\nos.path.jo", 20)


def measure(scale: Scale) -> list[Figure]:
    """In several sessions each, because the first question of a session is the slowest."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    figures: list[Figure] = []
    checks: list[float] = []
    async with living() as here:
        for what, code in (("a busy loop", LOOP), ("a sleep", SLEEP)):
            first, later = await _completions(here, code, scale)
            tail = percentile([*first, *later], 0.95)
            figures += [
                against_limit(TAIL.format(what), "ms", [tail], 150.0),
                against_limit(WARM.format(what), "ms", [percentile(later, 0.5)], 50.0),
                for_information(FIRST, "ms", first),
            ]
        session = await here.session("checked")
        async with at_work(here, session, SLEEP):
            for number in range(scale.of(20, 3)):
                checked = CheckCode(f"total_{number} = 1\nprint(total_{number} + missing)")
                checks.append(await _waited(here, session, checked))
    return [*figures, for_information(CHECK, "ms", [percentile(checks[1:], 0.5)])]


async def _completions(here: Living, code: str, scale: Scale) -> tuple[list[float], list[float]]:
    first, later = [], []
    for number in range(scale.rounds):
        session = await here.session(f"asked-{len(code)}-{number}")
        await here.ran(session, "import os")
        async with at_work(here, session, code):
            first.append(await _waited(here, session, COMPLETE))
            later += [await _waited(here, session, COMPLETE) for _ in range(scale.of(40, 2))]
    return first, later


async def _waited(here: Living, session: SessionId, question: Command) -> float:
    """Milliseconds until the answer, which must be one."""
    begun = perf_counter()
    answer = (await here.done(session, question)).outcome.event
    taken = (perf_counter() - begun) * 1000
    match answer:
        case CompletionsReturned(items=(_, *_)) | DiagnosticsChecked():
            return taken
        case _:
            raise TypeError(f"{question} was answered with {answer}")
