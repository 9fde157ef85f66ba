"""What an interpreter holds, asked for beside whatever it does."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hearth.performers.interpreter.worker import Worker


async def live_names(worker: "Worker") -> Mapping[str, str]:
    """The names at the top level with their types: asked, or as they were last known."""
    told = worker.known.told
    found = await worker.asking.ask("names", {}, patience=worker.preferences.answer)
    names = (found or {}).get("names")
    if isinstance(names, dict):
        worker.known.answer(names, told)
    return worker.known.names


async def look_around(worker: "Worker") -> None:
    """Learn what it has loaded and which names there are, beside whatever it does."""
    found = await worker.asking.ask("environment", {}, patience=worker.preferences.answer)
    worker.see_environment(found)
    await live_names(worker)
