"""`grep`: which lines of which files match a regular expression."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from typing import Any, Final

from hearth.core.vocabulary.permitting import READ
from hearth.performers.judging.paths import Place
from hearth.performers.tools.files.allowed import Judge, PlaceOf, allowed_path, usual, wanted
from hearth.performers.tools.files.descending import Descent
from hearth.performers.tools.files.globbing import Glob, NotAGlob
from hearth.performers.tools.files.opening import IsFolder, NotOpened, opened
from hearth.performers.tools.files.openly import Openly
from hearth.performers.tools.files.programs import Bounds, Going, attended
from hearth.performers.tools.files.quoting import Quote, Quoting
from hearth.performers.tools.files.searching import (
    BOUNDS,
    NotSearched,
    Search,
    found_by_ripgrep,
    found_ourselves,
)
from hearth.performers.tools.files.showing import Showing
from hearth.performers.tools.tool import Outcome, Scene, Wanted

LIMIT: Final = 100


class Grep:
    """Searches without following links; `judge` says what may be shown of what is found."""

    name = "grep"
    description = (
        "Search files for a regular expression, line by line. Shows `12:line` under each path, or "
        "with `show` only the paths (`files`) or how many lines of each match (`count`). Searches "
        "a folder with all below it, or one file. What git ignores is left out unless `ignored` "
        "is true."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000,
                "description": "A regular expression; escape what is meant literally.",
            },
            "path": {
                "type": "string",
                "minLength": 1,
                "description": "A folder or a file; the working directory if not given.",
            },
            "glob": {
                "type": "string",
                "minLength": 1,
                "maxLength": 1000,
                "description": "Only in such files: `*.py`, `src/**/*.{ts,tsx}`.",
            },
            "ignore_case": {"type": "boolean"},
            "context": {
                "type": "integer",
                "minimum": 0,
                "maximum": 20,
                "description": "Lines to show before and after each.",
            },
            "show": {"type": "string", "enum": ["lines", "files", "count"]},
            "ignored": {"type": "boolean", "description": "Also in what git ignores."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "description": f"How many matches to show; {LIMIT} if not given.",
            },
        },
        "required": ["pattern"],
        "additionalProperties": False,
    }
    read_only = True

    def __init__(self, place_of: PlaceOf, judge: Judge = usual, bounds: Bounds = BOUNDS) -> None:
        self._place_of = place_of
        self._judge = judge
        self._bounds = bounds

    def is_offered(self, _scene: Scene) -> bool:
        """Everywhere."""
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """To read the folder or the file."""
        return wanted(arguments.get("path", "."), READ, self._place_of(scene))

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Search."""
        if "\0" in arguments["pattern"]:
            return Outcome("No line has a NUL in it: nothing was searched.", is_error=True)
        try:
            outcome = await attended(partial(self._by_ripgrep, arguments, scene))
            return outcome or await self._ourselves(arguments, scene)
        except NotAGlob as problem:
            return Outcome(f"Nothing was searched: {problem}.", is_error=True)
        except (NotOpened, NotSearched) as problem:
            return Outcome(str(problem), is_error=True)

    def _by_ripgrep(
        self, arguments: Mapping[str, Any], scene: Scene, going: Going
    ) -> Outcome | None:
        """All of it in one thread: to go from one to the next takes as long as some searches."""
        place = self._place_of(scene)
        search = _search(arguments, scene, place)
        quote = Quote(_around(arguments), in_bytes=True, since_ns=time.time_ns())
        with closing(Descent()) as descent:
            showing = self._showing(search, quote, arguments, scene, place, descent)
            result = found_by_ripgrep(search, self._bounds, going, showing.ahead)
            return None if result is None else showing.outcome(result, lambda: going.is_stopped)

    async def _ourselves(self, arguments: Mapping[str, Any], scene: Scene) -> Outcome:
        place = await asyncio.to_thread(self._place_of, scene)
        search = await asyncio.to_thread(_search, arguments, scene, place)
        result = await found_ourselves(search, self._bounds)

        def told(going: Going) -> Outcome:
            with closing(Descent()) as descent:
                quote = Quote(_around(arguments))
                showing = self._showing(search, quote, arguments, scene, place, descent)
                return showing.outcome(result, lambda: going.is_stopped)

        return await attended(told)

    def _showing(  # noqa: PLR0913, PLR0917 - what there is to know of a call
        self,
        search: Search,
        quote: Quote,
        arguments: Mapping[str, Any],
        scene: Scene,
        place: Place,
        descent: Descent,
    ) -> Showing:
        openly = Openly(scene, place, self._judge, descent)
        limit = int(arguments.get("limit", LIMIT))
        return Showing(search, openly, Quoting(quote, descent), limit, _typed(arguments))


def _search(arguments: Mapping[str, Any], scene: Scene, place: Place) -> Search:
    path = allowed_path(_typed(arguments), READ, scene, place)
    try:
        with opened(path):
            is_file = True
    except IsFolder:
        is_file = False
    globbed = arguments.get("glob", "")
    return Search(
        arguments["pattern"],
        path,
        scene.root,
        is_file,
        bool(arguments.get("ignore_case")),
        bool(arguments.get("ignored")),
        arguments.get("show", "lines"),
        Glob(globbed) if globbed and not is_file else None,
        globbed,
    )


def _typed(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("path", "."))


def _around(arguments: Mapping[str, Any]) -> int:
    return int(arguments.get("context", 0))
