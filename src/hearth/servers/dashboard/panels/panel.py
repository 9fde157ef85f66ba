"""What a panel is: a name, how it is drawn, and what makes it be drawn anew."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html
from hearth.servers.http.around import Around


@dataclass(frozen=True, slots=True)
class Looking:
    """Who looks at a panel, and at what of it."""

    around: Around
    session: SessionId | None
    """The session of the page; None on the page of all sessions."""
    wanted: Mapping[str, str] = field(default_factory=dict)
    """What the person chose in the panel: a filter, a page."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel."""

    name: str
    title: str
    show: Callable[[Looking], Awaitable[Html]]
    """What stands in it. It never raises for what the world does: it says what is wrong."""
    moved_by: frozenset[type[Event]] = frozenset()
    """Events of the page's session after which it is drawn anew, twice a second at most."""
    everywhere: bool = False
    """Those of all sessions count."""
    every: float | None = None
    """It is also drawn anew after so many seconds."""
    needs_session: bool = True
