"""Who is connected: to which session, through which door, since when."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Door, Origin
from hearth.core.vocabulary.wire import Part


class Kind(StrEnum):
    """What somebody is connected with."""

    TERMINAL = "terminal"
    BROWSER = "browser"
    PROGRAM = "program"
    MCP = "mcp"


KINDS: Final[Mapping[Door, Kind]] = {
    Door.REPL: Kind.TERMINAL,
    Door.CLI: Kind.TERMINAL,
    Door.TUI: Kind.TERMINAL,
    Door.ACP: Kind.TERMINAL,
    Door.DASHBOARD: Kind.BROWSER,
    Door.MCP: Kind.MCP,
}
"""Whoever comes through another door is a program."""


class Present(Part, frozen=True):
    """One connection."""

    kind: Kind
    door: Door
    name: str
    since: datetime


class Attendance:
    """Counts connections while they last. Not kept: it is about now."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._numbers = 0
        self._present: dict[int, tuple[SessionId | None, Present]] = {}
        self._watchers: set[Callable[[], None]] = set()

    def enter(self, session: SessionId | None, origin: Origin) -> Callable[[], None]:
        """Somebody is here, with a session or with all of them; call what this gives when not."""
        self._numbers += 1
        number = self._numbers
        kind = KINDS.get(origin.door, Kind.PROGRAM)
        self._present[number] = (session, Present(kind, origin.door, origin.name, self._now()))
        self._tell()

        def leave() -> None:
            if self._present.pop(number, None) is not None:
                self._tell()

        return leave

    def counts(self, session: SessionId | None = None) -> dict[str, int]:
        """Connections by kind: of one session, or all that there are."""
        counted = dict.fromkeys(map(str, Kind), 0)
        for where, present in self._present.values():
            if session in {None, where}:
                counted[present.kind] += 1
        return counted

    def listed(self, session: SessionId | None = None) -> tuple[Present, ...]:
        """Who is connected to one session, or at all; those who came first are first."""
        present = self._present.values()
        return tuple(one for where, one in present if session in {None, where})

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever somebody comes or goes, until what this gives is called."""
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    def _tell(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()
