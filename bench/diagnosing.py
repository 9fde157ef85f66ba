"""From an edit to what language servers find wrong with it, with servers that run already."""

from pathlib import Path
from time import perf_counter
from typing import Final

from bench.measuring import Figure, Scale, against_limit, for_information, percentile, scratch

from hearth.app import run
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.language_server.detecting import specs_of
from hearth.performers.language_server.servers import LanguageServers
from hearth.performers.tools.tool import Scene

WARM: Final = "diagnostics after an edit, ty and ruff, p95"
FIRST: Final = "the first ones, which start both servers"
LIMIT: Final = 500.0
FILES: Final = 200


def measure(scale: Scale) -> list[Figure]:
    """A project of 200 files in which one is broken and mended again."""
    warm, first = [], []
    for _ in range(scale.rounds):
        with scratch() as folder:
            edits = run(_edited(folder, scale.of(30, 3)))
        first.append(edits[0])
        warm.append(percentile(edits[1:], 0.95))
    return [against_limit(WARM, "ms", warm, LIMIT), for_information(FIRST, "ms", first)]


async def _edited(folder: Path, times: int) -> list[float]:
    (folder / "pyproject.toml").write_text("[project]\nname = 'loom'\nversion = '1'\n")
    for number in range(FILES):
        (folder / f"m{number}.py").write_text(f"def f{number}(x: int) -> int:\n    return x\n")
    broken = folder / "broken.py"
    servers = LanguageServers(specs_of)
    scene = Scene(SessionId("s"), str(folder), str(folder))
    taken = []
    try:
        for number in range(times + 1):
            broken.write_text(f"from m1 import f1\n\nf1('{number}')\nmissing_{number}\n")
            start = perf_counter()
            text = await servers.after_write(scene, (str(broken),))
            taken.append((perf_counter() - start) * 1e3)
            if f"missing_{number}" not in text:
                raise RuntimeError(f"the error was not found: {text!r}")
    finally:
        await servers.close()
    return taken
