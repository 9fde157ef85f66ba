"""How soon a saved source file is what the session runs."""

from pathlib import Path
from time import perf_counter
from typing import Final

from bench.living import Living, living
from bench.measuring import Figure, Scale, against_limit, for_information, percentile

from hearth.app import run
from hearth.core.vocabulary.commands import ReloadSources
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.questions import SourcesReloaded

USABLE: Final = "a saved module of 200 lines is usable, p95"
RELOADED: Final = "… of which until it is reloaded, p50"
LINES: Final = 200
FUNCTION: Final = '''

def work_{place}(first: int, second: int = {place}) -> int:
    """Part {place} of version {version}."""
    total = first + second
    for step in range(3):
        total += step
    return total
'''


def measure(scale: Scale) -> list[Figure]:
    """From the moment the file is written to the end of a cell that uses what it says now."""
    usable, reloaded = run(_measure(scale.of(30, 2)))
    return [
        against_limit(USABLE, "ms", [percentile(usable, 0.95)], 150.0),
        for_information(RELOADED, "ms", [percentile(reloaded, 0.5)]),
    ]


async def _measure(times: int) -> tuple[list[float], list[float]]:
    usable, reloaded = [], []
    async with living() as here:
        path = here.folder / "measured.py"
        path.write_text(_source(0))
        session = await here.session("reloaded")
        # An object from before and a name that was imported: both must come to mean the new code.
        await here.ran(session, "import measured\nkept = measured.Kept()")
        for version in range(1, times + 1):
            source = _source(version)
            begun = perf_counter()
            path.write_text(source)
            await _reload(here, session, path)
            reloaded.append((perf_counter() - begun) * 1000)
            ended = await here.ran(session, "kept.version()")
            usable.append((perf_counter() - begun) * 1000)
            if ended.value != str(version):
                raise TypeError(f"version {version} was saved, and the cell ended with {ended}")
    return usable, reloaded


async def _reload(here: Living, session: SessionId, path: Path) -> None:
    answer = (await here.done(session, ReloadSources((str(path),)))).outcome.event
    if not isinstance(answer, SourcesReloaded) or answer.failed or not answer.reloaded:
        raise TypeError(f"the reload was answered with {answer}")


def _source(version: int) -> str:
    """Functions and a class, as long as it is to be."""
    lines = [
        f'"""Version {version}."""',
        "",
        "class Kept:",
        "    def version(self) -> int:",
        f"        return {version}",
    ]
    place = 0
    while len(lines) + FUNCTION.count("\n") <= LINES:
        lines += FUNCTION.format(place=place, version=version).splitlines()
        place += 1
    lines += ["# The end."] * (LINES - len(lines))
    return "\n".join(lines) + "\n"
