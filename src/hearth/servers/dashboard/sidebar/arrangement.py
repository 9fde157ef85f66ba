"""Which sessions stand where, as one person has arranged them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.sidebar.desks import Desk
from hearth.servers.dashboard.sidebar.lines import Line, is_unread

MOST_OPEN: Final = 100
"""So many sessions are listed as open; more are told as a number."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """The sessions of a person's list."""

    open: tuple[Line, ...]
    unlisted: int
    """So many more are open."""
    earlier: tuple[Line, ...]
    """Stopped or archived, the latest first."""
    older: int
    """So many more there are of those."""
    archived: frozenset[str]


@dataclass(frozen=True, slots=True)
class Looked:
    """What one person is shown: the sessions, how they have them, and what is wrong."""

    person: str
    desk: Desk
    lines: tuple[Line, ...]
    now: datetime
    looking: frozenset[SessionId] = frozenset()
    """Sessions that this person has before them right now, in any tab."""
    trouble: str = ""
    """Why this may be old."""

    def is_unread(self, line: Line) -> bool:
        """Whether something happened that this person has not seen."""
        if line.session in self.looking or line.session in self.desk.archived:
            return False
        return is_unread(line, self.person, self.desk.seen.get(line.session, 0.0))


def arranged(lines: Iterable[Line], desk: Desk) -> Arranged:
    """The list: what the person never moved stands on top, the newest first."""
    archived = frozenset(desk.archived)
    opened: list[Line] = []
    earlier: list[Line] = []
    for line in lines:
        is_over = line.session in archived or (line.stopped and not line.trouble)
        (earlier if is_over else opened).append(line)
    places = {session: place for place, session in enumerate(desk.order)}
    opened.sort(key=lambda line: _place(line, places))
    earlier.sort(key=_latest_first)
    return Arranged(
        open=tuple(opened[:MOST_OPEN]),
        unlisted=max(0, len(opened) - MOST_OPEN),
        earlier=tuple(earlier[: desk.earlier]),
        older=max(0, len(earlier) - desk.earlier),
        archived=archived,
    )


def _place(line: Line, places: dict[str, int]) -> tuple[int, float, SessionId]:
    began = line.began.timestamp() if line.began is not None else 0.0
    return (places.get(line.session, -1), -began, line.session)


def _latest_first(line: Line) -> tuple[float, SessionId]:
    at = line.at or line.began
    return (-at.timestamp() if at is not None else 0.0, line.session)
