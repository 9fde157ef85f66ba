"""What the tools that write files have in common: asked for, one after the other, and told."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from hearth.core.vocabulary.permitting import WRITE
from hearth.performers.tools.files.allowed import PlaceOf, allowed_path, wanted
from hearth.performers.tools.files.opening import IsFolder, NotOpened, shown
from hearth.performers.tools.files.writing import Change, Writing
from hearth.performers.tools.tool import Outcome, Scene, Wanted


class ChangesFile(ABC):
    """A tool that changes the file that its argument `path` names."""

    read_only = False

    def __init__(self, place_of: PlaceOf, writing: Writing) -> None:
        self._place_of = place_of
        self._writing = writing

    @abstractmethod
    def change(self, path: str, arguments: Mapping[str, Any], scene: Scene) -> tuple[Change, str]:
        """What is to be written, and what is said once it is. NotOpened. Waits for the disk."""

    def is_offered(self, _scene: Scene) -> bool:
        """Everywhere."""
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """To write the file."""
        return wanted(arguments["path"], WRITE, self._place_of(scene))

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Change it."""
        typed = arguments["path"]
        try:
            path = await asyncio.to_thread(self._path, typed, scene)
            async with self._writing.turn(path):
                change, done = await asyncio.to_thread(self.change, path, arguments, scene)
                if change.before == change.after:
                    return Outcome(f"{shown(typed)} has this content already.", files=(path,))
                return await self._writing.carry_out(change, scene, done)
        except IsFolder:
            return Outcome(f"{shown(typed)} is a folder: name a file in it.", is_error=True)
        except NotOpened as problem:
            return Outcome(str(problem), is_error=True)

    def _path(self, typed: str, scene: Scene) -> str:
        return allowed_path(typed, WRITE, scene, self._place_of(scene))
