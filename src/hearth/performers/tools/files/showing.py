"""Tells what a search found: as much as there is room for, of files that may be read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hearth.performers.tools.files.opening import shown
from hearth.performers.tools.files.openly import Openly
from hearth.performers.tools.files.quoting import Quoting
from hearth.performers.tools.files.searching import Found, Hit, Search
from hearth.performers.tools.tool import Outcome

ROOM: Final = 17_000
_NAMED: Final = 5


class _Ready(NamedTuple):
    """What there is to show of a file."""

    rows: list[str] | None
    """None: reading it needs permission. Empty: there is nothing to show."""
    hits: int = 0


@dataclass(slots=True)
class _Shown:
    """What is told, as far as there is room."""

    limit: int
    room: int = ROOM
    rows: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    hits: int = 0
    closed: list[str] = field(default_factory=list)
    """Files that need to be asked for."""

    @property
    def is_full(self) -> bool:
        return self.hits >= self.limit or self.room <= 0

    def add(self, name: str, rows: list[str], hits: int) -> None:
        self.files.append(name)
        self.hits += hits
        for number, row in enumerate(rows):
            self.room -= len(row) + 1
            if self.room < 0:
                self.rows.append(f"… and {len(rows) - number} more lines of this file")
                return
            self.rows.append(row)


class Showing:
    """Of one search; `ahead` may be told of files while that goes on."""

    def __init__(
        self, search: Search, openly: Openly, quoting: Quoting, limit: int, typed: str
    ) -> None:
        self._search = search
        self._openly = openly
        self._quoting = quoting
        self._limit = limit
        self._typed = typed
        self._ready: dict[str, _Ready] = {}
        self._room = ROOM

    def ahead(self, name: str, hits: list[Hit]) -> bool:
        """Make a file ready that will probably be shown; False if there are enough of them."""
        if len(self._ready) >= self._limit or self._room <= 0:
            return False
        ready = self._ready[name] = self._made(name, hits[: self._limit])
        self._room -= sum(map(len, ready.rows or ()))
        return True

    def outcome(self, result: Found, is_over: Callable[[], bool]) -> Outcome:
        """All of it in words. May end early once `is_over`: then nobody reads them."""
        told = _Shown(self._limit)
        for name, hits in result.files.items():
            if told.is_full or is_over():
                break
            some = hits[: told.limit - told.hits]
            ready = self._ready.get(name)
            if ready is None or (ready.rows and ready.hits != len(some)):
                ready = self._made(name, some)
            if ready.rows is None:
                told.closed.append(name)
            elif ready.rows:
                told.add(name, ready.rows, ready.hits)
        text = "\n".join(_told(self._search, result, told))
        return Outcome(text, files=tuple(map(self._path, told.files)))

    def _made(self, name: str, hits: list[Hit]) -> _Ready:
        path, mode = self._path(name), self._search.mode
        if not self._search.is_file and not self._openly.may_show(path, will_open=mode == "lines"):
            return _Ready(None)
        label = shown(name or self._typed)
        match mode:
            case "lines":
                rows = self._quoting.quoted(path, hits)
                return _Ready([label, *rows] if rows else [], len(hits))
            case "count":
                return _Ready([f"{label}: {hits[0].times}"], 1)
            case "files":
                return _Ready([label], 1)

    def _path(self, name: str) -> str:
        path = self._search.path
        return f"{path.rstrip('/')}/{name}" if name else path


def _told(search: Search, result: Found, told: _Shown) -> Iterator[str]:
    if not told.rows:
        yield "No line matches."
    yield from told.rows
    files = len(result.files) - len(told.closed)
    if told.is_full and (result.is_cut or files > len(told.files) or _count(result) > told.hits):
        more = "more than " if result.is_cut else ""
        what = "" if search.mode != "lines" else f"{more}{_count(result)} matches in "
        yield f"There are {what}{more}{files} files: narrow pattern, path or glob, or raise limit."
    if told.closed:
        names = ", ".join(map(shown, told.closed[:_NAMED]))
        more = ", …" if len(told.closed) > _NAMED else ""
        yield f"Not shown, because reading them needs permission (read_file asks): {names}{more}."


def _count(result: Found) -> int:
    return sum(map(len, result.files.values()))
