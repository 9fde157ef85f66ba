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
        self._present: dict[int, tuple[SessionId | None, str | None, Present]] = {}
        self._watchers: set[Callable[[], None]] = set()

    def enter(
        self, session: SessionId | None, origin: Origin, client: str | None = None
    ) -> Callable[[], None]:
        """Somebody is here, with a session or with all of them; call what this gives when not.

        However often the same client is with the same session, it counts once.
        """
        self._numbers += 1
        number = self._numbers
        kind = KINDS.get(origin.door, Kind.PROGRAM)
        present = Present(kind, origin.door, origin.name, self._now())
        self._present[number] = (session, client, present)
        self._tell()

        def leave() -> None:
            if self._present.pop(number, None) is not None:
                self._tell()

        return leave

    def counts(self, session: SessionId | None = None) -> dict[str, int]:
        """Connections by kind: of one session, or all that there are."""
        counted = dict.fromkeys(map(str, Kind), 0)
        for present in self.listed(session):
            counted[present.kind] += 1
        return counted

    def listed(self, session: SessionId | None = None) -> tuple[Present, ...]:
        """Who is connected to one session, or at all; those who came first are first."""
        found: dict[object, Present] = {}
        for number, (where, client, present) in self._present.items():
            if session in {None, where}:
                # Of all there are, a client is one too, with however many sessions it is.
                found.setdefault(number if client is None else client, present)
        return tuple(found.values())

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever somebody comes or goes, until what this gives is called."""
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    def _tell(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()
