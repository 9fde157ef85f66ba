"""Finds lines in files: with ripgrep where it is there, else with a process of our own.

Both say only where something is. What is there is read by whoever shows it, through no link and
only where it may be read: nothing that a program says of a file reaches anybody as such.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from hearth.performers.snapshots.pipes import let_through
from hearth.performers.tools.files import search_inside
from hearth.performers.tools.files.allowed import below
from hearth.performers.tools.files.gauging import is_little
from hearth.performers.tools.files.globbing import Glob
from hearth.performers.tools.files.listing import listed
from hearth.performers.tools.files.opening import opened, opened_folder
from hearth.performers.tools.files.programs import (
    Bounds,
    Going,
    Ran,
    attended,
    held_folder,
    program,
    run,
)

Mode: TypeAlias = Literal["lines", "count", "files"]

BOUNDS: Final = Bounds(10.0, 4 * 1024 * 1024)
_REMARK: Final = re.compile(rb"\A[^\n]*(?:binary file matches|WARNING: stopped)[^\n]*\n")
"""What ripgrep says between its results of a file that turns out to be none of text."""
_BEGIN: Final = f"""import sys
sys.path.append(sys.argv[1])
from {search_inside.__name__} import main
sys.exit(main(sys.argv[2:]))"""
"""As a module, which Python need not compile again each time."""
_SOURCES: Final = str(Path(search_inside.__file__).parents[search_inside.__name__.count(".")])
_SIMPLE: Final = re.compile(r"[\w.*?-]+")


class NotSearched(Exception):
    """Why nothing was searched, in a sentence."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for, and where."""

    pattern: str
    path: str
    """Canonical: a folder, or one file."""
    root: str = ""
    is_file: bool = False
    ignore_case: bool = False
    ignored: bool = False
    """Also in what git ignores."""
    mode: Mode = "lines"
    glob: Glob | None = None
    globbed: str = ""
    """The glob as it was written."""


class Hit(NamedTuple):
    """A line that matches; of other modes how often a file does, or only that."""

    line: int = 0
    column: int = 0
    """From 1: in characters, or in bytes if `Found.in_bytes`."""
    times: int = 0
    offset: int = -1
    """The byte of the file that the line begins at; -1 if nobody says."""


@dataclass(frozen=True, slots=True)
class Found:
    """The files that match, sorted; their names from the folder that was searched."""

    files: dict[str, list[Hit]]
    is_cut: bool = False
    """There are more."""
    in_bytes: bool = False


Ahead: TypeAlias = Callable[[str, list[Hit]], bool]
"""Uses what was found in a file while the search goes on; False if no more is of use."""


async def found(search: Search, bounds: Bounds = BOUNDS) -> Found:
    """Search. NotSearched, NotOpened."""
    by_ripgrep = await attended(lambda going: found_by_ripgrep(search, bounds, going))
    return by_ripgrep or await found_ourselves(search, bounds)


def found_by_ripgrep(
    search: Search, bounds: Bounds, going: Going, ahead: Ahead | None = None
) -> Found | None:
    """Search, in a thread; None if there is no ripgrep, or not for this. NotSearched, NotOpened."""
    rg = program("rg", search.root)
    if rg is None:
        return None
    command = _of_ripgrep(rg, search)
    heard = Heard(search)
    try:
        if search.is_file:
            # Of one file the program gets the content, which we have opened.
            with opened(search.path) as file, opened_folder("/") as folder:
                ran = going.run([*command, "-"], folder, file.fd, bounds, heard)
        else:
            with opened_folder(search.path) as folder:
                if is_little(folder):
                    # One thread finds it sooner than several, and in order: so what is found first
                    # is what is shown, and another processor is free to make that ready.
                    command.insert(2, "--sort=path")
                    heard.ahead = ahead
                is_inside = search.root and below(search.path, search.root)
                with let_through(Path(search.root if is_inside else search.path)):
                    ran = going.run([*command, "."], folder, None, bounds, heard)
    except (OSError, ValueError):
        return None  # it cannot be started
    if ran.code == 2 and heard.is_empty and ran.said:
        return None  # the pattern is none to ripgrep, such as one that looks around
    _check_time(ran, bounds)
    return Found(heard.sorted(), ran.is_cut, in_bytes=True)


async def found_ourselves(search: Search, bounds: Bounds = BOUNDS) -> Found:
    """Search with a process of our own. NotSearched, NotOpened."""
    ran = await _ourselves(search, bounds)
    _check_time(ran, bounds)
    if ran.code == search_inside.BAD_PATTERN:
        raise NotSearched(f"The pattern is no valid regular expression: {ran.said[:300]}.")
    if ran.code != 0 and not ran.is_cut:
        raise NotSearched(f"The search failed (exit code {ran.code}): {ran.said[-300:]}")
    heard = Heard(search)
    heard.hear(ran.output)
    return Found(heard.sorted(), ran.is_cut)


def _check_time(ran: Ran, bounds: Bounds) -> None:
    if ran.is_late:
        raise NotSearched(
            f"The search took longer than {bounds.seconds:g} s and was stopped: narrow the path or "
            "simplify the pattern."
        )


def _of_ripgrep(rg: str, search: Search) -> list[str]:
    command = [
        rg, "--no-config", "--no-messages", "--color=never", "--no-heading", "--with-filename",
        "--null", "--crlf", "--hidden", "--glob=!.git",
    ]  # fmt: skip
    match search.mode:
        case "lines":
            # What a line says is not taken from here.
            command += ["--line-number", "--column", "--byte-offset", "--max-columns=1"]
        case "count":
            command += ["--count"]
        case "files":
            command += ["--files-with-matches"]
    if search.ignore_case:
        command.append("--ignore-case")
    if search.ignored:
        command.append("--no-ignore")
    if _SIMPLE.fullmatch(search.globbed):  # otherwise it is for us to tell which are meant
        command += ["--type-add", f"meant:{search.globbed}", "--type=meant"]
    return [*command, "-e", search.pattern, "--"]


async def _ourselves(search: Search, bounds: Bounds) -> Ran:
    case = "i" if search.ignore_case else "-"
    command = [sys.executable, "-I", "-S", "-c", _BEGIN, _SOURCES, search.pattern, case]
    if search.is_file:
        with opened(search.path) as file:
            async with held_folder("/") as folder:
                return await run([*command, search.mode, "one"], folder, file.fd, bounds)
    async with held_folder(search.path) as folder:
        listing = await listed(folder, search.root, ignored=search.ignored)
        names = [name for name in listing.files if _is_meant(name, search)]
        told = b"".join(os.fsencode(name) + b"\0" for name in names)
        return await run([*command, search.mode, "many"], folder, told, bounds)


def _is_meant(name: str, search: Search) -> bool:
    return search.glob is None or search.glob.matches(name)


class Heard:
    """What a program says that it found, as far as it has said it."""

    def __init__(self, search: Search) -> None:
        self.ahead: Ahead | None = None
        self.is_empty = True
        self._search = search
        self._files: dict[str, list[Hit]] = {}
        self._names: list[str] = []
        self._used = 0
        self._rest = b""
        self._raw = b""
        self._hits: list[Hit] = []

    def hear(self, part: bytes) -> None:
        """Take the next of what it says."""
        self.is_empty = self.is_empty and not part
        text, end = self._rest + part, 0
        hit = _HITS[self._search.mode]
        for one in _FORMS[self._search.mode].finditer(text):
            end, raw = one.end(), one[1]
            if raw != self._raw:
                self._raw, self._hits = raw, self._hits_of(raw)
            self._hits.append(hit(one))
        self._rest = text[end:]

    def work(self) -> bool:
        """Let somebody use the next file; not the last one, of which there may be more to come."""
        if self.ahead is None or self._used >= len(self._names) - 1:
            return False
        name = self._names[self._used]
        self._used += 1
        return self.ahead(name, self._files[name])

    def sorted(self) -> dict[str, list[Hit]]:
        """All of it by the names of the files."""
        return {name: self._files[name] for name in sorted(self._names)}

    def _hits_of(self, raw: bytes) -> list[Hit]:
        if b"\n" in raw:
            raw = _REMARK.sub(b"", raw)
        name = "" if self._search.is_file else os.fsdecode(raw).removeprefix("./")
        known = self._files.get(name)
        if known is not None:
            return known
        hits: list[Hit] = []
        if not name or _is_meant(name, self._search):
            self._files[name] = hits
            self._names.append(name)
        return hits


def _line(one: re.Match[bytes]) -> Hit:
    return Hit(int(one[2]), int(one[3]), 0, int(one[4] or -1))


def _count(one: re.Match[bytes]) -> Hit:
    return Hit(times=int(one[2]))


def _file(_one: re.Match[bytes]) -> Hit:
    return Hit()


_FORMS: Final[Mapping[Mode, re.Pattern[bytes]]] = {
    "lines": re.compile(rb"([^\0]+)\0(\d+):(\d+):(?:(\d+):)?[^\n]*\n"),
    "count": re.compile(rb"([^\0]+)\0(\d+)\r?\n"),
    "files": re.compile(rb"([^\0]+)\0"),
}
_HITS: Final[Mapping[Mode, Callable[[re.Match[bytes]], Hit]]] = {
    "lines": _line,
    "count": _count,
    "files": _file,
}
