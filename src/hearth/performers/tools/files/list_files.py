"""`list_files`: what is in a folder, or which files a glob means."""

import asyncio
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hearth.core.vocabulary.permitting import READ, Verdict
from hearth.performers.judging.paths import path_needs
from hearth.performers.tools.files.allowed import Judge, PlaceOf, allowed_path, usual, wanted
from hearth.performers.tools.files.globbing import Glob, NotAGlob, folders_of
from hearth.performers.tools.files.listing import Listing, listed
from hearth.performers.tools.files.opening import NotOpened, shown
from hearth.performers.tools.files.programs import held_folder
from hearth.performers.tools.tool import Outcome, Scene, Wanted

LIMIT: Final = 200
ROOM: Final = 17_000
_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class _Ask:
    """What is asked for."""

    typed: str
    path: str
    glob: Glob | None
    pattern: str
    newest: bool
    ignored: bool
    limit: int


class ListFiles:
    """Lists without following links; `judge` keeps out what nobody may see."""

    name = "list_files"
    description = (
        "List a folder, or find files by glob: `*.py` at any depth, `src/**/*.ts` from the folder, "
        "`{a,b}`, `docs/**/` for folders only. Names of folders end in /, those of links in @. "
        "What git ignores is left out unless `ignored` is true."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "minLength": 1,
                "description": "The folder; the working directory if not given.",
            },
            "pattern": {
                "type": "string",
                "minLength": 1,
                "maxLength": 1000,
                "description": "A glob for the files below it; without one the folder is listed.",
            },
            "newest": {"type": "boolean", "description": "Last changed first, not by name."},
            "ignored": {"type": "boolean", "description": "Also what git ignores."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 2000,
                "description": f"How many to list; {LIMIT} if not given.",
            },
        },
        "additionalProperties": False,
    }
    read_only = True

    def __init__(self, place_of: PlaceOf, judge: Judge = usual) -> None:
        self._place_of = place_of
        self._judge = judge

    def is_offered(self, _scene: Scene) -> bool:
        """Everywhere."""
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """To read the folder."""
        return wanted(arguments.get("path", "."), READ, self._place_of(scene))

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """List it."""
        typed = arguments.get("path", ".")
        try:
            ask = await asyncio.to_thread(self._asked, typed, arguments, scene)
            async with held_folder(ask.path) as folder:
                found = await listed(folder, scene.root, ignored=ask.ignored)
                text = await asyncio.to_thread(self._told, ask, found, folder, scene)
        except NotAGlob as problem:
            return Outcome(f"Nothing was listed: {problem}.", is_error=True)
        except NotOpened as problem:
            return Outcome(str(problem), is_error=True)
        return Outcome(text, files=(ask.path,))

    def _asked(self, typed: str, arguments: Mapping[str, Any], scene: Scene) -> _Ask:
        pattern = arguments.get("pattern", "")
        return _Ask(
            typed,
            allowed_path(typed, READ, scene, self._place_of(scene)),
            Glob(pattern) if pattern else None,
            pattern,
            bool(arguments.get("newest")),
            bool(arguments.get("ignored")),
            int(arguments.get("limit", LIMIT)),
        )

    def _told(self, ask: _Ask, found: Listing, folder: int, scene: Scene) -> str:
        if ask.glob is None:
            names = _entries(folder)
        else:
            paths = folders_of(found.files) if ask.glob.is_about_folders else found.files
            names = sorted(path for path in paths if ask.glob.matches(path))
        if ask.newest:
            times = {name: _changed(folder, name) for name in names}
            names.sort(key=lambda name: -times[name])
        inside = Counter(path.partition("/")[0] for path in found.files)
        place = self._place_of(scene)
        rows: list[str] = []
        hidden: list[str] = []
        room, count = ROOM, 0
        for name in names:
            if (mark := _mark(folder, name)) is None:
                continue  # git knows it, but it is not there any more
            # Of what git did not get to the end of, nobody knows what it ignores.
            if ask.glob is None and found.by_git and not found.is_cut and name not in inside:
                hidden.append(f"{name}{mark}")
                continue
            count += 1
            if len(rows) >= ask.limit or room < 0:
                continue
            needs = path_needs(f"{ask.path.rstrip('/')}/{name}", READ, place)
            if any(self._judge(scene, need) is Verdict.DENY for need in needs):
                count -= 1
                continue
            files = f" ({inside[name]} files)" if ask.glob is None and inside[name] > 1 else ""
            rows.append(f"{shown(name)}{mark}{files}")
            room -= len(rows[-1]) + 1
        return "\n".join((_top(ask, count), *rows, *_more(ask, found, count - len(rows), hidden)))


def _top(ask: _Ask, count: int) -> str:
    order = ", last changed first" if ask.newest else ""
    if ask.glob is None:
        return f"{shown(ask.typed)}: {count} entries{order}"
    kind = "folders" if ask.glob.is_about_folders else "files"
    return f"{shown(ask.typed)}: {count} {kind} match {ask.pattern}{order}"


def _more(ask: _Ask, found: Listing, left: int, hidden: list[str]) -> Iterator[str]:
    if left > 0:
        yield f"… and {left} more: narrow the pattern, list a folder below, or raise the limit."
    if hidden:
        names = ", ".join(map(shown, hidden[:_NAMED])) + (", …" if len(hidden) > _NAMED else "")
        yield f"Empty or ignored by git, so not counted: {names}."
    if found.is_cut:
        yield "There are too many files to look at all of them: list a folder below."
    if ask.glob is not None and not left and found.by_git and not ask.ignored:
        yield "What git ignores is left out (ignored: true lists it)."


def _entries(folder: int) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name != ".git")
    except OSError as error:
        raise NotOpened(f"The folder cannot be listed ({error.strerror}).") from None


def _mark(folder: int, name: str) -> str | None:
    """What a name ends in; None if there is nothing of that name."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except (OSError, ValueError):
        return None
    return "/" if stat.S_ISDIR(mode) else "@" if stat.S_ISLNK(mode) else ""


def _changed(folder: int, name: str) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime_ns
    except (OSError, ValueError):
        return 0
