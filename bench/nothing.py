"""A daemon as it comes, with one tool more, that does nothing: `python -m bench.nothing`.

If the environment names a file in BEATS, it writes there how late each beat of its loop was.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from unittest.mock import patch

from hearth.app import Living, living
from hearth.performers.tools.tool import Outcome, Scene, Wanted
from hearth.serving import main, running

BEATS: Final = "HEARTH_BENCH_BEATS"
BEAT: Final = 0.1
"""Seconds from one beat to the next."""


class Nothing:
    """Answers at once."""

    name = "nothing"
    description = "Does nothing."
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"number": {"type": "integer"}},
        "required": ["number"],
        "additionalProperties": False,
    }
    read_only = False

    def is_offered(self, scene: Scene) -> bool:
        """Everywhere."""
        del scene
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """Nothing: what is measured is what happens around it."""
        del arguments, scene
        return Wanted()

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Do nothing."""
        del scene
        return Outcome(f"ok {arguments['number']}")


@asynccontextmanager
async def _living(*said: Any, **wished: Any) -> AsyncIterator[Living]:
    async with living(*said, **wished, tools=(Nothing(),)) as here:
        beating = None
        if file := os.environ.get(BEATS):
            beating = asyncio.create_task(_beat(Path(file)))
        try:
            yield here
        finally:
            if beating is not None:
                beating.cancel()


async def _beat(file: Path) -> None:
    with file.open("w", buffering=1) as told:
        while True:
            begun = perf_counter()
            await asyncio.sleep(BEAT)
            told.write(f"{(perf_counter() - begun - BEAT) * 1000}\n")


if __name__ == "__main__":
    with patch.object(running, "living", _living):
        sys.exit(main.main([]))
